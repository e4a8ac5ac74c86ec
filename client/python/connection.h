// A wall for Python: many threads may ask at once, and a forked child is told no instead of waiting
// for ever.
//
//   TW_ASSIGN_OR_RETURN(std::shared_ptr<Connection> alice, Connection::Open("alice"));
//   alice->Ask([](WallPort& wall) { return wall.DescribeCorpus("notes"); })     // one at a time
//   TW_ASSIGN_OR_RETURN(const auto folder, alice->OpenFolder("notes.model", news));  // to pay
//
// or over a mock (client/mock/mock_wall.h), which is asked in the same ways:
//
//   TW_ASSIGN_OR_RETURN(std::shared_ptr<Connection> mock, Connection::ToMockOf(*alice, "notes"));
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
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/audit/profiled_wall.h"
#include "client/fit/receipted_folder.h"
#include "client/mock/mock_wall.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// FAILED_PRECONDITION if gRPC was used before this process was forked; from its first OK on, this
// process counts as using it.
absl::Status EnterGrpc();

class Connection {
 public:
  // Asks the wall whether it lets the profile in (client/wall/admission.h), with its errors.
  static absl::StatusOr<std::shared_ptr<Connection>> Open(const std::string& profile);
  // Asks `real` what is public of the corpus, and keeps nothing of it.
  static absl::StatusOr<std::shared_ptr<Connection>> ToMockOf(Connection& real,
                                                              const std::string& corpus);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  template <typename Question>
  auto Ask(const Question& question) -> decltype(question(std::declval<WallPort&>())) {
    // Before the mutex: a thread that is not in the child may have held it.
    const absl::Status entered = Enter();
    if (!entered.ok()) return entered;
    const std::lock_guard<std::mutex> lock(mutex_);
    return question(*wall_);
  }

  // With a connection of its own.
  absl::StatusOr<std::unique_ptr<ReceiptedFolder>> OpenFolder(const std::string& path,
                                                              const WallNews& news) const;
  // The key that receipts must have, 32 bytes; empty: the first that is met.
  absl::StatusOr<std::string> PinnedKey() const;
  // Of which corpora this profile noted a ledger; the mock's one.
  absl::StatusOr<v1::HeadBook> Notes() const;

  const std::string& profile() const { return profile_; }  // a file; of a mock ""
  bool is_mock() const { return mock_.has_value(); }

 private:
  Connection(std::string profile, std::optional<MockWall> mock, std::unique_ptr<WallPort> wall);
  absl::Status Enter() const;
  absl::StatusOr<std::unique_ptr<WallPort>> Another(const WallNews& news) const;

  const std::string profile_;
  const std::optional<MockWall> mock_;
  std::mutex mutex_;
  std::unique_ptr<WallPort> wall_;  // guarded by mutex_
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_CONNECTION_H_
