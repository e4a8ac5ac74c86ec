#include "model/data/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace topicwall::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

Attribute Ward() { return {.name = "ward", .values = {"north", "south"}}; }

Attribute Month() {
  return {.name = "month", .values = {"2024-01-01", "2024-02-01", "2024-03-01"}, .is_date = true};
}

// 1 if `day` is a day between the first and the last that can be written, 0 if it is none.
bool IsDay(const std::string& day) {
  const Attribute always = {.name = "day", .values = {"0000-01-01", "9999-12-31"}, .is_date = true};
  return ValueOf(always, day) == 0;
}

std::string RefusalOf(const std::vector<Attribute>& attributes) {
  const absl::Status status = CheckAttributes(attributes);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
  return std::string(status.message());
}

TEST(Attributes, ACategoryHasTheValuesOfItsListByteByByteAndOther) {
  EXPECT_EQ(NumValues(Ward()), 3);
  EXPECT_EQ(ValueOf(Ward(), "north"), 0);
  EXPECT_EQ(ValueOf(Ward(), "south"), 1);
  EXPECT_EQ(OtherOf(Ward()), 2);
  for (const char* text : {"west", "", "North", "north ", "nort", "northern", "other"}) {
    EXPECT_EQ(ValueOf(Ward(), text), 2) << text;
  }
}

TEST(Attributes, ADateHasAPeriodFewerThanBoundariesAndOther) {
  EXPECT_EQ(NumValues(Month()), 3);
  EXPECT_EQ(OtherOf(Month()), 2);
  EXPECT_EQ(ValueOf(Month(), "2024-01-01"), 0);
  EXPECT_EQ(ValueOf(Month(), "2024-01-31"), 0);
  EXPECT_EQ(ValueOf(Month(), "2024-02-01"), 1);
  EXPECT_EQ(ValueOf(Month(), "2024-02-29"), 1);
}

TEST(Attributes, BeforeTheFirstDayAndFromTheLastBoundaryOnIsOther) {
  for (const char* day : {"2023-12-31", "0001-01-01", "2024-03-01", "2024-03-02", "9999-12-31"}) {
    EXPECT_EQ(ValueOf(Month(), day), 2) << day;
  }
}

TEST(Attributes, OnlyDaysOfTheCalendarAreDays) {
  for (const char* day : {"2024-02-29", "2000-02-29", "1600-02-29", "2023-02-28", "2023-04-30",
                          "2023-12-31", "2023-01-31", "0000-02-29"}) {
    EXPECT_TRUE(IsDay(day)) << day;
  }
  for (const char* day :
       {"2023-02-29", "1900-02-29", "2100-02-29",    "2024-02-30", "2023-04-31", "2023-06-31",
        "2023-09-31", "2023-11-31", "2023-01-32",    "2023-13-01", "2023-00-10", "2023-01-00",
        "2023-1-01",  "2023/01/01", "20230101",      "+023-01-01", "2023-01- 1", "2023-01-0",
        "",           "day",        "２０２３-01-01"}) {
    EXPECT_FALSE(IsDay(day)) << day;
  }
}

TEST(Attributes, TheTimeOfTheDayIsReadOver) {
  for (const char* text : {"2024-02-17T23:59:60Z", "2024-02-17 08:00", "2024-02-17T", "2024-02-17 ",
                           "2024-02-17Tnonsense"}) {
    EXPECT_EQ(ValueOf(Month(), text), 1) << text;
  }
  for (const char* text : {"2024-02-17t08:00", "2024-02-17Z", "2024-02-170", "2024-02-17+01:00",
                           " 2024-02-17", "2023-02-29T08:00"}) {
    EXPECT_EQ(ValueOf(Month(), text), 2) << text;
  }
}

TEST(Attributes, LabelsAreValuesFirstDaysAndOther) {
  std::vector<std::string> labels;
  for (const Attribute& attribute : {Ward(), Month()}) {
    for (int value = 0; value < NumValues(attribute); ++value) {
      labels.push_back(LabelOf(attribute, value));
    }
  }
  EXPECT_THAT(labels, ElementsAre("north", "south", "other", "2024-01-01", "2024-02-01", "other"));
}

TEST(Attributes, SizesAreNumbersOfValues) {
  EXPECT_THAT(SizesOf(std::vector<Attribute>{Ward(), Month(), {.name = "a", .values = {"b"}}}),
              ElementsAre(3, 3, 2));
  EXPECT_THAT(SizesOf({}), ElementsAre());
}

TEST(Attributes, WhatKeepsTheRulesPasses) {
  EXPECT_OK(CheckAttributes({}));
  EXPECT_OK(CheckAttributes(std::vector<Attribute>{Ward(), Month()}));
  EXPECT_OK(CheckAttributes(std::vector<Attribute>{
      {.name = std::string(64, 'n'), .values = {std::string(256, 'v'), "\xc3\xa9"}},
      {.name = "A-z_09", .values = {"2024-01-01"}},
      {.name = "years", .values = {"0000-01-01", "9999-12-31"}, .is_date = true}}));
  std::vector<Attribute> nine;
  for (int i = 0; i < kMaxAttributes; ++i) {
    nine.push_back({.name = absl::StrCat("n", i), .values = {"v"}});
  }
  EXPECT_OK(CheckAttributes(nine));
}

TEST(Attributes, MoreThanNineAreRefused) {
  std::vector<Attribute> ten;
  for (int i = 0; i < 10; ++i) ten.push_back({.name = absl::StrCat("n", i), .values = {"v"}});
  EXPECT_THAT(RefusalOf(ten), HasSubstr("at most 9 attributes; got 10"));
}

TEST(Attributes, NamesThatAreNoneOrTakenAreRefused) {
  for (const std::string& name :
       {std::string(), std::string(65, 'n'), std::string("two words"), std::string("w\xc3\xa4rd"),
        std::string("a.b"), std::string("id"), std::string("owner"), std::string("text")}) {
    EXPECT_THAT(RefusalOf({{.name = name, .values = {"v"}}}), HasSubstr(name));
  }
  EXPECT_THAT(RefusalOf({Ward(), Month(), Ward()}), HasSubstr("ward is one twice"));
}

TEST(Attributes, ValuesThatAreNoneOtherOrRepeatedAreRefused) {
  const auto refusal = [](std::vector<std::string> values) {
    return RefusalOf({{.name = "ward", .values = std::move(values)}});
  };
  EXPECT_THAT(refusal({}), HasSubstr("1 to 65534 values; got 0"));
  EXPECT_THAT(refusal({"a", ""}), HasSubstr("1 to 256 bytes"));
  EXPECT_THAT(refusal({std::string(257, 'v')}), HasSubstr("1 to 256 bytes"));
  EXPECT_THAT(refusal({"\xff"}), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal({"a", "other"}), HasSubstr("Leave it out"));
  EXPECT_THAT(refusal({"a", "b", "a"}), HasSubstr("\"a\" is there twice"));
}

TEST(Attributes, AsManyValuesAsSixteenBitsTellApartAreTheMost) {
  Attribute attribute = {.name = "number", .values = {}};
  for (int i = 0; i < 65534; ++i) attribute.values.push_back(absl::StrCat(i));
  EXPECT_OK(CheckAttributes({attribute}));
  EXPECT_EQ(OtherOf(attribute), 65534);
  EXPECT_EQ(ValueOf(attribute, "65533"), 65533);
  attribute.values.push_back("one more");
  EXPECT_THAT(RefusalOf({attribute}), HasSubstr("got 65535"));
}

TEST(Attributes, BoundariesThatAreFewNoDaysOrDoNotAscendAreRefused) {
  const auto refusal = [](std::vector<std::string> values) {
    return RefusalOf({{.name = "day", .values = std::move(values), .is_date = true}});
  };
  EXPECT_THAT(refusal({}), HasSubstr("got 0"));
  EXPECT_THAT(refusal({"2024-01-01"}), HasSubstr("at least two boundaries"));
  EXPECT_THAT(refusal({"2024-01-01", "2023-02-29"}), HasSubstr("got \"2023-02-29\""));
  EXPECT_THAT(refusal({"2024-01-01", "2024-02-01T00:00"}), HasSubstr("YYYY-MM-DD"));
  EXPECT_THAT(refusal({"2024-01-02", "2024-01-01"}), HasSubstr("2024-01-01 follows 2024-01-02"));
  EXPECT_THAT(refusal({"2024-01-01", "2024-01-01"}), HasSubstr("must ascend"));
}

TEST(Attributes, NamesAndValuesTogetherHaveAtMostAMebibyte) {
  std::vector<Attribute> attributes = {{.name = "even", .values = {}},
                                       {.name = "odd", .values = {}}};
  const auto add = [&attributes](int i) {
    const std::string number = absl::StrCat(i);
    attributes[static_cast<size_t>(i) % 2].values.push_back(number +
                                                            std::string(256 - number.size(), '.'));
  };
  // 4,095 × 256 + 4 + 3 bytes, of 4,096 × 256.
  for (int i = 0; i < 4095; ++i) add(i);
  EXPECT_OK(CheckAttributes(attributes));
  add(4095);
  EXPECT_THAT(RefusalOf(attributes), HasSubstr("1048576 bytes; they have 1048583"));
}

}  // namespace
}  // namespace topicwall::model
