#include "server/corpus/attribute_record.h"

#include <gtest/gtest.h>

#include <vector>

#include "proto/corpus.pb.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::corpus {
namespace {

using ::topicwall::testing::StatusIs;

TEST(AttributeRecord, SaysNamesValuesAndWhetherTheyAreDates) {
  const AttributeRecords records = RecordsOf(WardAndMonth());
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0].name(), "ward");
  EXPECT_FALSE(records[0].is_date());
  EXPECT_EQ(records[0].values(1), "south");
  EXPECT_EQ(records[1].name(), "month");
  EXPECT_TRUE(records[1].is_date());
  EXPECT_EQ(records[1].values_size(), 3);
}

TEST(AttributeRecord, ReadsBackWhatItWrote) {
  ASSERT_OK_AND_ASSIGN(const auto again, AttributesOf(RecordsOf(WardAndMonth())));
  EXPECT_EQ(again, WardAndMonth());
  ASSERT_OK_AND_ASSIGN(const auto none, AttributesOf(RecordsOf({})));
  EXPECT_TRUE(none.empty());
}

TEST(AttributeRecord, ChecksWhatItReads) {
  std::vector<model::Attribute> attributes = WardAndMonth();
  attributes[1].name = "ward";
  EXPECT_THAT(AttributesOf(RecordsOf(attributes)), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::corpus
