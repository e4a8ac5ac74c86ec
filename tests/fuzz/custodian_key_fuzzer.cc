// The custodian's key file (server/sealing/custodian_key.h): read to the letter, and never
// repeated.
#include <sys/stat.h>
#include <unistd.h>

#include "server/sealing/custodian_key.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::fuzz {
namespace {

struct World {
  World() : path(directory.path() + "/corpus.key"), again(directory.path() + "/again.key") {
    testing::WriteWholeFile(path, "");
    Require(::chmod(path.c_str(), 0600) == 0, "a file can be made private");
  }
  testing::TemporaryDirectory directory;
  std::string path;
  std::string again;
};

// Runs of twelve digits of `input`, one after another: a text that repeats one repeats a secret.
std::vector<std::string> SecretsOf(absl::string_view input) {
  constexpr size_t kTelling = 12;
  std::vector<std::string> secrets;
  for (size_t i = 0; i + kTelling <= input.size(); i += kTelling) {
    const absl::string_view run = input.substr(i, kTelling);
    if (run.find_first_not_of("0123456789abcdef") == absl::string_view::npos) {
      secrets.emplace_back(run);
    }
  }
  return secrets;
}

Verdict Run(absl::string_view input) {
  static World world;  // destroyed at exit, and its folder removed with it
  testing::WriteWholeFile(world.path, std::string(input));
  const auto key = sealing::CustodianKey::Read(world.path);
  if (!key.ok()) {
    return Refuse(key.status(),
                  {.codes = {absl::StatusCode::kInvalidArgument}, .never_said = SecretsOf(input)});
  }
  ::unlink(world.again.c_str());
  Require(key->WriteNew(world.again).ok(), "a key can be written");
  Require(testing::ReadWholeFile(world.again) == input, "a key has one file, to the letter");
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/seed.key";
  Require(sealing::CustodianKey::Generate()->WriteNew(path).ok(), "a key can be written");
  return {testing::ReadWholeFile(path)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "custodian_key", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
