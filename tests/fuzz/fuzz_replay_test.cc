// Every target on its seeds and on the inputs that are kept: those that once broke a claim, and
// those that libFuzzer found worth keeping (corpus/NAME/).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::fuzz {

void PrintTo(const FuzzTarget& target, std::ostream* out) { *out << target.name; }

namespace {

class FuzzReplayTest : public ::testing::TestWithParam<FuzzTarget> {};

TEST_P(FuzzReplayTest, AcceptsItsSeeds) {
  const std::vector<std::string> seeds = GetParam().seeds();
  ASSERT_FALSE(seeds.empty());
  for (size_t i = 0; i < seeds.size(); ++i) {
    EXPECT_EQ(GetParam().run(seeds[i]), Verdict::kAccepted) << "seed " << i;
  }
}

TEST_P(FuzzReplayTest, KeepsItsClaimsOnEveryKeptInput) {
  const std::filesystem::path folder =
      std::filesystem::path(TOPICWALL_FUZZ_CORPUS_DIR) / GetParam().name;
  std::vector<std::string> inputs;
  if (std::filesystem::exists(folder)) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      inputs.push_back(file.path().string());
    }
  }
  std::sort(inputs.begin(), inputs.end());
  for (const std::string& input : inputs) {
    SCOPED_TRACE(input);
    GetParam().run(testing::ReadWholeFile(input));
  }
  // Without kept inputs: the seeds, cut at every half, quarter and so on.
  for (const std::string& seed : GetParam().seeds()) {
    for (size_t size = seed.size(); size > 0; size /= 2) GetParam().run(seed.substr(0, size / 2));
  }
}

TEST(FuzzTargetsTest, EveryFolderOfKeptInputsHasItsTarget) {
  const std::filesystem::path corpus = TOPICWALL_FUZZ_CORPUS_DIR;
  ASSERT_FALSE(AllTargets().empty());
  if (!std::filesystem::exists(corpus)) return;
  for (const auto& folder : std::filesystem::directory_iterator(corpus)) {
    const std::string name = folder.path().filename().string();
    EXPECT_TRUE(std::any_of(AllTargets().begin(), AllTargets().end(),
                            [&](const FuzzTarget& target) { return target.name == name; }))
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplayTest, ::testing::ValuesIn(AllTargets()),
                         [](const auto& target) { return target.param.name; });

}  // namespace
}  // namespace topicwall::fuzz
