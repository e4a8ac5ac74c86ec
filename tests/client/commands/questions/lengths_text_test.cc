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

// Of the rest of an owner's documents nothing is known: it is no length of all of them.
TEST(LengthsTextTest, OfOwnersItIsSaidHowManyDocumentsCountAndHowManyWordsOfEach) {
  v1::LengthsFile file;
  v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
  plan.set_corpus("notes");
  plan.set_max_tokens(200);
  file.set_most_words(800);
  EXPECT_THAT(TextOf(file, lengths::LengthEstimate(), "folder"), HasSubstr("counted up to 800,"));
  file.set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  EXPECT_THAT(TextOf(file, lengths::LengthEstimate(), "folder"),
              HasSubstr("known words of the units of notes, of at most 4 documents of an owner and "
                        "200 words of each, with 95 %"));
  LengthsQuote quote;
  quote.plan = plan;
  quote.most_words = 200;
  quote.description.set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  quote.description.mutable_limits()->set_max_tokens(200);
  EXPECT_THAT(QuoteText(quote), HasSubstr("of at most 1 document of an owner and 200 words of"));
  plan.clear_max_tokens();
  EXPECT_THAT(TextOf(file, lengths::LengthEstimate(), "folder"), HasSubstr("counted up to 800,"));
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
