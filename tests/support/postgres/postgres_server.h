// A real PostgreSQL of a test's own: a new cluster in a temporary folder, on a Unix socket, gone
// with the object.
//
//   PostgresServer server;
//   OpenPostgresStore(server.NewDatabase(), …);
//   server.Kill();                          // as by a power cut, but for what the system still has
//   server.Start();
//
// It refuses to be root: started by root it runs as the system's user "postgres".
// Threads: one. Cost: seconds.
#ifndef TOPICWALL_TESTS_SUPPORT_POSTGRES_POSTGRES_SERVER_H_
#define TOPICWALL_TESTS_SUPPORT_POSTGRES_POSTGRES_SERVER_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace topicwall::testing {

class PostgresServer {
 public:
  // Whether a commit waits for the disk, as one does that is deployed.
  enum class Sync { kOff, kOn };
  explicit PostgresServer(Sync sync = Sync::kOff);
  ~PostgresServer();
  // One for all tests of a program, which runs and is as it was made when a test begins.
  static PostgresServer& OfTheProgram();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Until it answers. The test has failed if it does not.
  void Start();
  void Stop();              // as its operator does; sessions are cut
  void Kill();              // -9, and all its processes with it
  void Pause(bool paused);  // nothing moves until it goes on

  // A setting of postgresql.conf, from the next Start on.
  void Set(const std::string& name, const std::string& value);
  // Also on a free port of 127.0.0.1, whose number this is, from the next Start on. What Connection
  // told before is of no use then.
  int Listen();
  // Copies a file beside its data, where a setting finds it by `name`; nobody else may read it.
  void Keep(const std::string& file, const std::string& name);

  // A libpq connection string for an empty database, or for the one of that name again.
  std::string NewDatabase();
  std::string Connection(const std::string& database) const;
  // One statement, as the operator. The first column of its first row.
  std::string Run(const std::string& connection, const std::string& sql) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string Data() const { return folder_ + "/data"; }
  void RunProgram(const std::string& command) const;

  const Sync sync_;
  std::string folder_;
  std::vector<std::string> settings_;
  int port_ = 5432;  // of the socket's name, too
  pid_t pid_ = 0;
  int databases_ = 0;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_POSTGRES_POSTGRES_SERVER_H_
