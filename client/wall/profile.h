// Where a wall is and who asks: server address, CA, certificate, key.
//
//   absl::StatusOr<std::string> path = ProfilePath("work");   // …/profiles/work.textproto
//   absl::StatusOr<v1::Profile> profile = ReadProfile(*path);
//   absl::StatusOr<Credentials> credentials = LoadCredentials(*profile);
//
// `topicwall login` writes a profile, every other command reads one; a connection cannot be
// described in any other way, so that what a command talks to is always visible in one file.
// A profile names the key file and never holds the key. Format: text form of
// topicwall.v1.Profile (proto/model.proto); paths in it are absolute.
#ifndef TOPICWALL_CLIENT_WALL_PROFILE_H_
#define TOPICWALL_CLIENT_WALL_PROFILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// The profile used when neither --profile nor TOPICWALL_PROFILE names one.
inline constexpr char kDefaultProfile[] = "default";

// The contents of the files that a profile names, PEM. The private key among them: keep it
// out of messages.
struct Credentials {
  std::string ca;
  std::string certificate;
  std::string private_key;
};

// The file of a profile. `name_or_path` with a '/' or ending in ".textproto" is a path
// already; a plain name stands for $XDG_CONFIG_HOME/topicwall/profiles/NAME.textproto (or
// ~/.config/…); empty: the environment's TOPICWALL_PROFILE, else kDefaultProfile.
// INVALID_ARGUMENT for a name with other characters than letters, digits, '.', '-' and '_';
// FAILED_PRECONDITION if a home folder is needed and the environment names none, NOT_FOUND if that
// is of the default.
absl::StatusOr<std::string> ProfilePath(absl::string_view name_or_path);

// Checks `profile`, makes its paths absolute and writes it (mode 0600), creating folders.
// INVALID_ARGUMENT if the server is not HOST:PORT or a file is missing, unreadable or no PEM
// of its kind; nothing is written then. An older profile of that path is replaced, but for the
// custodian's key that it pins: only another one takes its place, or who removes the file. What was
// written.
absl::StatusOr<v1::Profile> WriteProfile(const std::string& path, v1::Profile profile);

// NOT_FOUND, naming `topicwall login`, if there is no such file; INVALID_ARGUMENT if it is
// no profile.
absl::StatusOr<v1::Profile> ReadProfile(const std::string& path);

// Reads the files that `profile` names. Errors name the field and the file, never contents.
absl::StatusOr<Credentials> LoadCredentials(const v1::Profile& profile);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_PROFILE_H_
