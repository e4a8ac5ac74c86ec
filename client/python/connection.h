// A wall for Python: many threads may ask at once, and a forked child is told no instead of waiting
// for ever.
//
//   TW_ASSIGN_OR_RETURN(std::shared_ptr<Connection> alice, Connection::Open("alice"));
//   alice->Ask([](WallPort& wall) { return wall.DescribeCorpus("notes"); })     // one at a time
//   TW_ASSIGN_OR_RETURN(std::unique_ptr<WallPort> own, alice->Another(news));   // for a long call
//
// Queries share one connection and take turns; whatever is paid for has a connection of its own, so
// that a fit of hours keeps nobody from asking what is left.
//
// gRPC does not survive fork(2): its threads are not in the child, and a call there would wait for
// them. So a process in whose parent gRPC was used gets FAILED_PRECONDITION from all of this, and
// leaves what it inherited as it is. A child forked before the first connection is free to connect.
//
// PUBLIC on this side of the wall. Threads: any. Never called with the interpreter's lock held.
#ifndef TOPICWALL_CLIENT_PYTHON_CONNECTION_H_
#define TOPICWALL_CLIENT_PYTHON_CONNECTION_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/audit/profiled_wall.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

// FAILED_PRECONDITION if gRPC was used before this process was forked; from its first OK on, this
// process counts as using it.
absl::Status EnterGrpc();

class Connection {
 public:
  // Asks the wall whether it lets the profile in (client/wall/admission.h), with its errors.
  static absl::StatusOr<std::shared_ptr<Connection>> Open(const std::string& profile);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  template <typename Question>
  auto Ask(const Question& question) -> decltype(question(std::declval<WallPort&>())) {
    // Before the mutex: a thread that is not in the child may have held it.
    const absl::Status entered = EnterGrpc();
    if (!entered.ok()) return entered;
    const std::lock_guard<std::mutex> lock(mutex_);
    return question(*wall_);
  }

  absl::StatusOr<std::unique_ptr<WallPort>> Another(const WallNews& news) const;

  const std::string& profile() const { return profile_; }

 private:
  Connection(std::string profile, std::unique_ptr<WallPort> wall);

  const std::string profile_;  // name or path
  std::mutex mutex_;
  std::unique_ptr<WallPort> wall_;  // guarded by mutex_
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_CONNECTION_H_
