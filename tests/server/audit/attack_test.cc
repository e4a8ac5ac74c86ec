#include "server/audit/attack.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;

constexpr char kSeed[] = "00112233445566778899aabbccddeeff";

class AttackTest : public ::testing::Test {
 protected:
  std::unique_ptr<Attack> AttackWith(const std::string& seed) {
    auto attack = Attack::Create({.seed = seed, .scratch_directory = parent_.path()});
    EXPECT_OK(attack);
    return *std::move(attack);
  }
  static uint64_t FirstChoice(const Attack& attack, absl::string_view purpose) {
    auto choices = attack.Choices(purpose);
    EXPECT_OK(choices);
    return choices->Next64();
  }

  const testing::TemporaryDirectory parent_;
};

TEST_F(AttackTest, EveryRunHasASeedOfItsOwnThatGivesTheSameChoicesAgain) {
  const auto one = AttackWith("");
  const auto two = AttackWith("");
  EXPECT_NE(one->seed(), two->seed());  // false alarm 2^-128
  EXPECT_NE(FirstChoice(*one, "pairs"), FirstChoice(*two, "pairs"));
  const auto again = AttackWith(one->seed());
  EXPECT_EQ(again->seed(), one->seed());
  EXPECT_EQ(FirstChoice(*one, "pairs"), FirstChoice(*again, "pairs"));
  EXPECT_NE(FirstChoice(*one, "pairs"), FirstChoice(*one, "inputs"));
}

TEST_F(AttackTest, WhatIsNoSeedIsRefused) {
  for (const char* seed :
       {"1", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeeff0",
        "zz112233445566778899aabbccddeeff"}) {
    EXPECT_THAT(Attack::Create({.seed = seed}), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_F(AttackTest, ItsFolderIsTheOwnersAloneAndGoesWithEverythingInIt) {
  {
    const auto attack = AttackWith(kSeed);
    const std::string path = attack->NewPath("a");
    EXPECT_NE(path, attack->NewPath("a"));
    struct stat status;
    ASSERT_EQ(stat(std::filesystem::path(path).parent_path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    std::ofstream(path) << "text";
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(std::filesystem::is_empty(parent_.path()));
}

}  // namespace
}  // namespace topicwall::audit
