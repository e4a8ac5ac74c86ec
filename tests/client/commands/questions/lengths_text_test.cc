#include "client/commands/questions/lengths_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/lengths/length_estimate.h"
#include "proto/model.pb.h"

namespace topicwall::client {
namespace lengths_text_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A unit counts once, however long it is; in the mean by its length.
TEST(LengthsTextTest, OnlyTheMeanIsSaidToMoveWithAFewLongUnits) {
  const std::string remark = "a few very long units would be as much";
  lengths::LengthEstimate told = {.units = {.value = 0, .low = 0, .high = 9.34},
                                  .lower_quartile = {},
                                  .median = {},
                                  .upper_quartile = {},
                                  .mean = {}};
  EXPECT_THAT(TextOf(v1::LengthsFile(), told, "folder"),
              AllOf(HasSubstr("0 to 9.34"), Not(HasSubstr(remark))));
  told.mean = lengths::LengthRange{.value = 40, .low = 3, .high = 900};
  EXPECT_THAT(TextOf(v1::LengthsFile(), told, "folder"), HasSubstr("3 to 900: " + remark));
}

TEST(LengthsTextTest, HowFarLengthsAreCountedIsSaid) {
  v1::LengthsFile file;
  file.mutable_plan()->mutable_plan()->set_corpus("notes");
  file.set_most_words(40);
  EXPECT_THAT(TextOf(file, lengths::LengthEstimate(), "folder"),
              HasSubstr("known words of the units of notes, counted up to 40, with 95 %"));
}

TEST(LengthsTextTest, WhatIsTakenWithoutAMeasurementIsNoMoreThanCounts) {
  v1::LengthsFile file;
  file.set_most_words(500);
  lengths::LengthEstimate told;
  EXPECT_THAT(TextOf(file, told, "folder"), HasSubstr("an assumption, 40 if you make none"));
  file.set_most_words(8);
  EXPECT_THAT(TextOf(file, told, "folder"), HasSubstr("an assumption, 8 if you make none"));
  told.median = lengths::LengthRange{.value = 4, .low = 3, .high = 5};
  EXPECT_THAT(TextOf(file, told, "folder"), HasSubstr("take 4 words, the median, by"));
  EXPECT_THAT(TextOf(file, told, "folder"), HasSubstr("without it 8 are assumed"));
}

}  // namespace lengths_text_test
}  // namespace topicwall::client
