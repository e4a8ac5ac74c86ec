#include "server/audit/audit_seed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/string_view.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;

constexpr char kSeed[] = "00112233445566778899aabbccddeeff";

uint64_t FirstChoice(const AuditSeed& seed, absl::string_view purpose) {
  auto choices = seed.Choices(purpose);
  EXPECT_OK(choices);
  return choices->Next64();
}

TEST(AuditSeedTest, EveryRunHasItsOwn) {
  const auto one = AuditSeed::Fresh();
  const auto two = AuditSeed::Fresh();
  ASSERT_OK(one);
  ASSERT_OK(two);
  EXPECT_NE(one->Hex(), two->Hex());  // false alarm 2^-128
  EXPECT_NE(FirstChoice(*one, "pairs"), FirstChoice(*two, "pairs"));
}

TEST(AuditSeedTest, ASeedThatWasPrintedGivesTheSameChoices) {
  const auto one = AuditSeed::Fresh();
  ASSERT_OK(one);
  const auto again = AuditSeed::Of(one->Hex());
  ASSERT_OK(again);
  EXPECT_EQ(again->Hex(), one->Hex());
  EXPECT_EQ(FirstChoice(*one, "pairs"), FirstChoice(*again, "pairs"));
}

TEST(AuditSeedTest, PurposesAreIndependent) {
  const auto seed = AuditSeed::Of(kSeed);
  ASSERT_OK(seed);
  EXPECT_EQ(seed->Hex(), kSeed);
  EXPECT_NE(FirstChoice(*seed, "pairs"), FirstChoice(*seed, "inputs"));
}

TEST(AuditSeedTest, WhatIsNoSeedIsRefused) {
  for (const char* hex :
       {"", "1", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeeff0",
        "zz112233445566778899aabbccddeeff"}) {
    EXPECT_THAT(AuditSeed::Of(hex), StatusIs(absl::StatusCode::kInvalidArgument)) << hex;
  }
}

}  // namespace
}  // namespace topicwall::audit
