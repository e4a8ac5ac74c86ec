// A connection profile (client/wall/profile.h) as somebody may have edited it.
#include <google/protobuf/text_format.h>

#include "client/wall/profile.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

namespace topicwall::fuzz {
namespace {

Verdict Run(absl::string_view input) {
  static MemoryFile& file = *new MemoryFile();
  const RefusalRules rules = {.codes = {absl::StatusCode::kInvalidArgument},
                              .longest_message = 400 + 4 * input.size()};
  file.Replace(input);
  const absl::StatusOr<v1::Profile> profile = client::ReadProfile(file.path());
  if (!profile.ok()) return Refuse(profile.status(), rules);
  const size_t colon = profile->server().rfind(':');
  Require(colon != std::string::npos && colon > 0 && colon + 1 < profile->server().size(),
          "a server is HOST:PORT");
  std::string text;
  Require(google::protobuf::TextFormat::PrintToString(*profile, &text), "it can be printed");
  file.Replace(text);
  const absl::StatusOr<v1::Profile> again = client::ReadProfile(file.path());
  Require(again.ok() && again->SerializeAsString() == profile->SerializeAsString(),
          "a profile reads back as it was");
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() {
  return {R"(server: "wall.example:8443" ca_file: "/ca.pem"
certificate_file: "/me.pem" private_key_file: "/me.key")",
          R"(server: "[::1]:443")"};
}

[[maybe_unused]] const bool registered = Register({.name = "profile", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
