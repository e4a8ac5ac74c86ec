#include "server/corpus/ingest/repeated_lines.h"

#include <gmock/gmock.h>

namespace topicwall::corpus {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RepeatedLines, NamesTheFirstByNumberAndCountsAll) {
  RepeatedLines repeated;
  EXPECT_EQ(repeated.Text(), "");
  for (int64_t line = 40; line > 10; --line) repeated.Add(line, line - 9);
  EXPECT_EQ(repeated.size(), 30);
  EXPECT_THAT(repeated.Text(), HasSubstr("\n  line 11 repeats line 2\n  line 12 repeats line 3\n"));
  EXPECT_THAT(repeated.Text(), HasSubstr("line 30 repeats"));
  EXPECT_THAT(repeated.Text(), Not(HasSubstr("line 31 repeats")));
  EXPECT_THAT(repeated.Text(), EndsWith("\n  and 10 more"));
}

}  // namespace
}  // namespace topicwall::corpus
