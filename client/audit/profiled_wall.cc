#include "client/audit/profiled_wall.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/watched_wall.h"
#include "client/wall/profile.h"
#include "client/wall/receipt_book.h"
#include "client/wall/wall_client.h"

namespace topicwall::client {
namespace {

absl::StatusOr<ProfiledWall> Connect(const OpenedProfile& profile, const WallNews& news) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<WallPort> wall,
                      ConnectWall({.server = profile.server,
                                   .credentials = profile.credentials,
                                   .on_wait = news.on_wait,
                                   .should_stop = news.should_stop,
                                   .on_call = news.on_call}));
  return ProfiledWall{.wall = std::move(wall),
                      .book = HeadBook(HeadBookPath(profile.path)),
                      .signing_key = profile.signing_key};
}

}  // namespace

absl::StatusOr<OpenedProfile> OpenProfile(const std::string& profile) {
  TW_ASSIGN_OR_RETURN(std::string path, ProfilePath(profile));
  TW_ASSIGN_OR_RETURN(const v1::Profile read, ReadProfile(path));
  TW_ASSIGN_OR_RETURN(std::string key, SigningKeyOfHex(read.custodian_key()));
  TW_ASSIGN_OR_RETURN(Credentials credentials, LoadCredentials(read));
  return OpenedProfile{.path = std::move(path),
                       .server = read.server(),
                       .credentials = std::move(credentials),
                       .signing_key = std::move(key)};
}

absl::StatusOr<ProfiledWall> ConnectUnwatched(
    const std::string& profile, std::function<void(const absl::Status& error)> on_wait) {
  TW_ASSIGN_OR_RETURN(const OpenedProfile opened, OpenProfile(profile));
  return Connect(opened, {.on_wait = std::move(on_wait), .on_new_budget = {}});
}

// Every command but `watch` has its wall from here, so none of them can forget to look at the
// ledger.
absl::StatusOr<std::unique_ptr<WallPort>> ConnectWatched(const OpenedProfile& profile,
                                                         const WallNews& news) {
  TW_ASSIGN_OR_RETURN(ProfiledWall profiled, Connect(profile, news));
  return Watched(
      std::move(profiled.wall), std::move(profiled.book),
      {.signing_key = std::move(profiled.signing_key), .on_new_budget = news.on_new_budget});
}

absl::StatusOr<std::unique_ptr<WallPort>> ConnectWatched(const std::string& profile,
                                                         const WallNews& news) {
  TW_ASSIGN_OR_RETURN(const OpenedProfile opened, OpenProfile(profile));
  return ConnectWatched(opened, news);
}

absl::StatusOr<std::string> PinnedKeyOf(const std::string& profile, const std::string& hex) {
  // What was typed for this call wins over what was typed at login. Both came from the custodian by
  // another way than the wall, or should have.
  if (!hex.empty()) return SigningKeyOfHex(hex);
  const absl::StatusOr<std::string> path = ProfilePath(profile);
  const absl::StatusOr<v1::Profile> read =
      path.ok() ? ReadProfile(*path) : absl::StatusOr<v1::Profile>(path.status());
  // What needs no wall needs no profile either.
  if (absl::IsNotFound(read.status())) return std::string();
  TW_RETURN_IF_ERROR(read.status());
  return SigningKeyOfHex(read->custodian_key());
}

std::string DescribeNewBudget(const ChainSight& sight) {
  return absl::StrCat("note: ", sight.head.corpus(), " is a new version with a new budget, ",
                      sight.head.budget_id(),
                      ", which is noted from now on. Noted before: ", DescribeNote(*sight.replaced),
                      ", budget ", sight.replaced->budget_id(),
                      ". If nobody told you of a new version, ask the custodian.");
}

}  // namespace topicwall::client
