#include "tests/support/postgres/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/free_port.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::testing {
namespace {

constexpr char kPrograms[] = "/usr/lib/postgresql/15/bin/";
constexpr auto kPatience = std::chrono::seconds(120);
constexpr auto kPause = std::chrono::milliseconds(20);

// Only root has somebody else to be.
void BecomePostgres() {
  if (geteuid() != 0) return;
  const passwd* user = getpwnam("postgres");
  if (user == nullptr || setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 ||
      setuid(user->pw_uid) != 0) {
    _exit(126);
  }
}

pid_t Launch(const std::vector<std::string>& command, const std::string& output) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  BecomePostgres();
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

// The server and the processes of its sessions, which have groups of their own.
std::vector<pid_t> FamilyOf(pid_t server) {
  std::vector<pid_t> family = {server};
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = ReadWholeFile(entry.path() / "stat");
    const size_t end = stat.rfind(") ");
    if (end == std::string::npos) continue;
    // After the name: state, parent.
    if (std::atoi(stat.c_str() + end + 4) == server) family.push_back(std::atoi(name.c_str()));
  }
  return family;
}

std::unique_ptr<PostgresServer> of_the_program;

class EndOfTheServer : public ::testing::Environment {
 public:
  void TearDown() override { of_the_program.reset(); }
};

}  // namespace

PostgresServer& PostgresServer::OfTheProgram() {
  if (of_the_program == nullptr) {
    of_the_program = std::make_unique<PostgresServer>();
    ::testing::AddGlobalTestEnvironment(new EndOfTheServer());
  }
  return *of_the_program;
}

// Short, as the path of a socket is at most 107 bytes, and open to the user who is not root.
PostgresServer::PostgresServer(Sync sync) : sync_(sync) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what loses its parent by Kill is reaped here
  std::string name = "/tmp/topicwall-pg.XXXXXX";
  folder_ = mkdtemp(name.data());
  if (geteuid() == 0) {
    const passwd* user = getpwnam("postgres");
    if (user == nullptr || chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0) {
      ADD_FAILURE() << "there is no user postgres: deploy/install-packages tests";
    }
  }
  const pid_t made = Launch(
      {std::string(kPrograms) + "initdb", "-D", Data(), "-U", "postgres", "--auth=trust",
       "--no-sync", "--data-checksums", "--locale=C", "--encoding=UTF8", "--no-instructions"},
      folder_ + "/initdb.out");
  int status = 0;
  waitpid(made, &status, 0);
  EXPECT_EQ(status, 0) << ReadWholeFile(folder_ + "/initdb.out");
  chmod(folder_.c_str(), 0755);
  Start();
}

PostgresServer::~PostgresServer() {
  Kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

// Again where it ends at once: what was killed before may still be there for a moment.
void PostgresServer::Start() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (PQping(Connection("postgres").c_str()) != PQPING_OK) {
    if (pid_ == 0 || waitpid(pid_, nullptr, WNOHANG) == pid_) {
      std::vector<std::string> command = {
          std::string(kPrograms) + "postgres",
          "-D",
          Data(),
          "-k",
          folder_,
          "-c",
          "listen_addresses=",
          "-c",
          "max_connections=50",
          "-c",
          "shared_buffers=16MB",
          "-c",
          std::string("fsync=") + (sync_ == Sync::kOn ? "on" : "off")};
      command.insert(command.end(), settings_.begin(), settings_.end());
      pid_ = Launch(command, folder_ + "/postgres.out");
    }
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << ReadWholeFile(folder_ + "/postgres.out");
      return;
    }
    std::this_thread::sleep_for(kPause);
  }
}

void PostgresServer::Stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGINT);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void PostgresServer::Kill() {
  if (pid_ == 0) return;
  kill(pid_, SIGSTOP);  // it begins no other process
  const std::vector<pid_t> family = FamilyOf(pid_);
  for (auto process = family.rbegin(); process != family.rend(); ++process) kill(*process, SIGKILL);
  for (const pid_t process : family) waitpid(process, nullptr, 0);
  pid_ = 0;
}

void PostgresServer::Pause(bool paused) {
  for (const pid_t process : FamilyOf(pid_)) kill(process, paused ? SIGSTOP : SIGCONT);
}

int PostgresServer::Listen() {
  port_ = FreePort();
  Set("listen_addresses", "127.0.0.1");
  Set("port", absl::StrCat(port_));
  return port_;
}

void PostgresServer::Set(const std::string& name, const std::string& value) {
  settings_.insert(settings_.end(), {"-c", absl::StrCat(name, "=", value)});
}

void PostgresServer::Keep(const std::string& file, const std::string& name) {
  const std::string kept = absl::StrCat(Data(), "/", name);
  std::filesystem::copy_file(file, kept, std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(chmod(kept.c_str(), 0600), 0);
  struct stat data = {};
  EXPECT_EQ(stat(Data().c_str(), &data), 0);
  EXPECT_EQ(chown(kept.c_str(), data.st_uid, data.st_gid), 0);
}

std::string PostgresServer::NewDatabase() {
  const std::string name = absl::StrCat("d", ++databases_);
  Run(Connection("postgres"), "CREATE DATABASE " + name);
  return Connection(name);
}

std::string PostgresServer::Connection(const std::string& database) const {
  return absl::StrCat("host=", folder_, " port=", port_, " user=postgres dbname=", database);
}

std::string PostgresServer::Run(const std::string& connection, const std::string& sql) const {
  const std::unique_ptr<PGconn, void (*)(PGconn*)> session(PQconnectdb(connection.c_str()),
                                                           PQfinish);
  const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(session.get(), sql.c_str()),
                                                              PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
      << PQerrorMessage(session.get()) << sql;
  return PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0);
}

}  // namespace topicwall::testing
