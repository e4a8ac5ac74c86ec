#include "server/audit/pairs/input_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "server/audit/audit_seed.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

TEST(InputPairTest, EveryPairByNameHasLinesOfTheUnitAndOfOthers) {
  std::set<std::string> names;
  std::set<corpus::DocumentFormat> formats;
  for (const InputPair& pair : InputPairsByName()) {
    EXPECT_TRUE(names.insert(pair.name).second) << pair.name;
    formats.insert(pair.format);
    const auto of_unit = std::count_if(pair.lines.begin(), pair.lines.end(),
                                       [](const InputLine& line) { return line.of_unit; });
    EXPECT_GT(of_unit, 0) << pair.name;
    EXPECT_LT(of_unit, static_cast<std::ptrdiff_t>(pair.lines.size())) << pair.name;
  }
  EXPECT_EQ(formats.size(), 3u);
}

TEST(InputPairTest, WhatIsMadeUpFollowsFromTheSeed) {
  const auto seed = AuditSeed::Fresh();
  ASSERT_OK(seed);
  auto one = seed->Choices("inputs");
  auto two = seed->Choices("inputs");
  ASSERT_OK(one);
  ASSERT_OK(two);
  for (int i = 0; i < 20; ++i) {
    const InputPair pair = MakeUpInput(*one);
    const InputPair again = MakeUpInput(*two);
    ASSERT_EQ(pair.lines.size(), again.lines.size());
    for (std::size_t line = 0; line < pair.lines.size(); ++line) {
      EXPECT_EQ(pair.lines[line].text, again.lines[line].text);
    }
  }
}

}  // namespace
}  // namespace topicwall::audit
