#include "client/python/connection.h"

#include <unistd.h>

#include <atomic>
#include <vector>

#include "base/status_macros.h"
#include "client/audit/head_book.h"
#include "client/wall/admission.h"

namespace topicwall::client {
namespace {

// Of the process that first used gRPC; 0: none did. A child inherits it, and is another process.
std::atomic<pid_t> user_of_grpc{0};

}  // namespace

absl::Status EnterGrpc() {
  pid_t user = 0;
  if (user_of_grpc.compare_exchange_strong(user, ::getpid()) || user == ::getpid()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "this process was forked from one that was connected to a wall, and its connection does not "
      "work here. Connect in the child alone, or start it anew: multiprocessing's \"spawn\", or "
      "subprocess.");
}

absl::StatusOr<std::shared_ptr<Connection>> Connection::Open(const std::string& profile) {
  TW_ASSIGN_OR_RETURN(const OpenedProfile opened, OpenProfile(profile));
  TW_RETURN_IF_ERROR(EnterGrpc());
  TW_RETURN_IF_ERROR(CheckAdmission(opened.server, opened.credentials));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<WallPort> wall, ConnectWatched(opened, {}));
  return std::shared_ptr<Connection>(new Connection(opened.path, std::nullopt, std::move(wall)));
}

absl::StatusOr<std::shared_ptr<Connection>> Connection::ToMockOf(Connection& real,
                                                                 const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(const MockWall mock,
                      real.Ask([&corpus](WallPort& wall) { return MockWall::Of(wall, corpus); }));
  return std::shared_ptr<Connection>(new Connection("", mock, std::make_unique<MockWall>(mock)));
}

Connection::Connection(std::string profile, std::optional<MockWall> mock,
                       std::unique_ptr<WallPort> wall)
    : profile_(std::move(profile)), mock_(std::move(mock)), wall_(std::move(wall)) {}

Connection::~Connection() {
  // To close a channel is to wait for its threads, which a forked child has not.
  if (!Enter().ok()) static_cast<void>(wall_.release());
}

// A mock has no channel, and works in a forked child too.
absl::Status Connection::Enter() const { return is_mock() ? absl::OkStatus() : EnterGrpc(); }

absl::StatusOr<std::unique_ptr<WallPort>> Connection::Another(const WallNews& news) const {
  if (mock_.has_value()) return std::make_unique<MockWall>(*mock_);
  TW_RETURN_IF_ERROR(EnterGrpc());
  return ConnectWatched(profile_, news);
}

absl::StatusOr<std::unique_ptr<ReceiptedFolder>> Connection::OpenFolder(
    const std::string& path, const WallNews& news) const {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<WallPort> wall, Another(news));
  TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey());
  return ReceiptedFolder::Open(std::move(wall), path, key);
}

absl::StatusOr<std::string> Connection::PinnedKey() const {
  if (mock_.has_value()) return mock_->signing_key();
  return PinnedKeyOf(profile_, "");
}

absl::StatusOr<v1::HeadBook> Connection::Notes() const {
  if (!mock_.has_value()) return HeadBook(HeadBookPath(profile_)).Read();
  v1::HeadBook notes;
  // Nobody notes heads of a mock; listing corpora asks for the names alone.
  notes.add_heads()->set_corpus(mock_->corpus());
  return notes;
}

}  // namespace topicwall::client
