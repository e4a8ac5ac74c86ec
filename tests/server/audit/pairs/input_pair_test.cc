#include "server/audit/pairs/input_pair.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/server/audit/pairs/replay_world.h"

namespace topicwall::audit {
namespace {

class InputPairTest : public ReplayWorld {
 protected:
  std::optional<ReplayedPair> Run(const InputPair& pair, v1::DuplicateRule rule) {
    const auto replayed = ReplayInput(pair, rule, *attack_, *replay_);
    EXPECT_OK(replayed) << pair.name;
    return replayed.ok() ? *replayed : std::nullopt;
  }
};

// Where ids of several owners met in one name, the second pair moved the sum by 35 M.
TEST_F(InputPairTest, WhateverOneOwnersLinesHoldTheyMoveTheSumByOneUnit) {
  int compared = 0;
  for (const InputPair& pair : InputPairsByName()) {
    const auto replayed = Run(pair, v1::DUPLICATE_RULE_MERGE);
    if (pair.one_line_of_several || !replayed.has_value()) continue;
    ++compared;
    EXPECT_TRUE(replayed->within_bound) << pair.name << ": " << replayed->length << " M";
    EXPECT_TRUE(replayed->histogram_within_bound) << pair.name;
    EXPECT_TRUE(replayed->independent) << pair.name;
    EXPECT_TRUE(replayed->repeatable) << pair.name;
  }
  EXPECT_GE(compared, 10);
}

TEST_F(InputPairTest, WhatIngestionRefusesIsNotCompared) {
  for (const InputPair& pair : InputPairsByName()) {
    if (!pair.one_line_of_several) continue;
    EXPECT_FALSE(Run(pair, v1::DUPLICATE_RULE_REFUSE).has_value()) << pair.name;
  }
}

// Inputs that differ in three owners' lines: what a coupling of units looks like.
TEST_F(InputPairTest, ThreeUnitsAreMoreThanOne) {
  InputPair pair = InputPairsByName()[0];
  int foreign = 0;  // one line of one owner, two of another
  for (InputLine& line : pair.lines) {
    if (line.of_unit || foreign == 3) continue;
    line.of_unit = true;
    ++foreign;
  }
  const auto replayed = Run(pair, v1::DUPLICATE_RULE_REFUSE);
  ASSERT_TRUE(replayed.has_value());
  EXPECT_FALSE(replayed->within_bound);
  EXPECT_GT(replayed->length, 1.9);
  EXPECT_TRUE(replayed->independent) << "they do not change each other";
}

}  // namespace
}  // namespace topicwall::audit
