// The vault's deaths of vault_death_test.cc twenty times each, and at random moments.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <string>

#include "absl/strings/str_replace.h"
#include "tests/crash/vault_death.h"

namespace topicwall::testing {
namespace {

constexpr int kTimes = 20;

class VaultDeathSoakTest : public ::testing::TestWithParam<VaultDeath> {};

TEST_P(VaultDeathSoakTest, TwentyDeathsAreAnsweredAtTheInstantAndPaidOnce) {
  double latest_ms = 0;
  for (int times = 0; times < kTimes; ++times) latest_ms = std::max(latest_ms, DieAt(GetParam()));
  std::cout << GetParam().kill_at << ": at most " << latest_ms << " ms after the instant\n";
}

INSTANTIATE_TEST_SUITE_P(
    EveryPoint, VaultDeathSoakTest, ::testing::ValuesIn(kVaultDeaths), [](const auto& death) {
      return absl::StrReplaceAll(death.param.kill_at, {{"-", "_"}, {";", "_then_"}});
    });

TEST(VaultDeathsSoakTest, TwentyDeathsInEachQuestionAreAnsweredByTheNextVault) {
  for (int times = 0; times < kTimes; ++times) DieInEveryQuestion();
}

TEST(VaultDeathsSoakTest, KillsAtAnyMomentLoseNothingAndPayNothingTwice) {
  for (int times = 0; times < kTimes; ++times) {
    DieAtRandom(std::random_device{}(), /*kills=*/2, /*releases=*/3);
  }
}

}  // namespace
}  // namespace topicwall::testing
