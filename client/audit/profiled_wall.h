// The wall that a profile names, watched (watched_wall.h): nothing is asked of one whose ledger was
// put back.
//
//   TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall,
//                       ConnectWatched("alice", {.on_wait = …, .on_new_budget = …}));
//   TW_ASSIGN_OR_RETURN(const std::string key, PinnedKeyOf("alice", ""));
//
// A profile is told by name or path, as everywhere (client/wall/profile.h), or read beforehand by
// who wants more of it than the wall. Nothing is sent yet: a
// wall that is not there shows with the first call, and with its error. Errors: those of the
// profile. PUBLIC on this side of the wall. Threads: any; of one wall, one.
#ifndef TOPICWALL_CLIENT_AUDIT_PROFILED_WALL_H_
#define TOPICWALL_CLIENT_AUDIT_PROFILED_WALL_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/audit/chain_watch.h"
#include "client/audit/head_book.h"
#include "client/wall/profile.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

// What whoever waits for a wall may hear of; each may be empty.
struct WallNews {
  std::function<void(const absl::Status& error)> on_wait;  // before each further try
  std::function<void(const ChainSight& sight)> on_new_budget;
  // As of WallConnection: whether to stop waiting, and what ends a call that is under way.
  std::function<bool()> should_stop = {};
  std::function<void(std::function<void()> end)> on_call = {};
};

// A profile's file, with the files that it names.
struct OpenedProfile {
  std::string path;
  std::string server;  // HOST:PORT
  Credentials credentials;
  std::string signing_key;  // that it pins, 32 bytes, or empty
};
absl::StatusOr<OpenedProfile> OpenProfile(const std::string& profile);

absl::StatusOr<std::unique_ptr<WallPort>> ConnectWatched(const OpenedProfile& profile,
                                                         const WallNews& news);
absl::StatusOr<std::unique_ptr<WallPort>> ConnectWatched(const std::string& profile,
                                                         const WallNews& news);

// The same in its parts, for those who look at chains themselves.
struct ProfiledWall {
  std::unique_ptr<WallPort> wall;
  HeadBook book;
  std::string signing_key;  // that the profile pins, 32 bytes, or empty
};
absl::StatusOr<ProfiledWall> ConnectUnwatched(
    const std::string& profile, std::function<void(const absl::Status& error)> on_wait);

// The custodian's key that the profile pins, 32 bytes; empty if it pins none. `hex`, if not empty,
// is what was given for this call instead. INVALID_ARGUMENT.
absl::StatusOr<std::string> PinnedKeyOf(const std::string& profile, const std::string& hex);

// Of a sight that replaced another: what to tell, once.
std::string DescribeNewBudget(const ChainSight& sight);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_PROFILED_WALL_H_
