#include "proto/strict_parse.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "proto/budget_refusal.h"
#include "proto/ledger.pb.h"
#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace {

using ::topicwall::testing::StatusIs;

v1::LedgerEvent Event() {
  v1::LedgerEvent event;
  event.set_sequence(3);
  event.mutable_budget_opened()->mutable_inventory()->add_kinds()->set_count(2);
  return event;
}

bool Parses(const v1::LedgerEvent& event) {
  v1::LedgerEvent parsed;
  return ParseStrictly(event.SerializeAsString(), &parsed) &&
         parsed.SerializeAsString() == event.SerializeAsString();
}

template <typename Message>
void AddUnknown(Message* message) {
  message->GetReflection()->MutableUnknownFields(message)->AddVarint(1000, 1);
}

TEST(StrictParseTest, WhatIsKnownToTheLastFieldParses) {
  EXPECT_TRUE(Parses(Event()));
  EXPECT_TRUE(Parses({}));
}

TEST(StrictParseTest, AnUnknownFieldAtAnyDepthIsRefused) {
  v1::LedgerEvent event = Event();
  AddUnknown(&event);
  EXPECT_FALSE(Parses(event));
  event = Event();
  AddUnknown(event.mutable_budget_opened());
  EXPECT_FALSE(Parses(event));
  event = Event();
  AddUnknown(event.mutable_budget_opened()->mutable_inventory()->mutable_kinds(0));
  EXPECT_FALSE(Parses(event));
}

TEST(StrictParseTest, WhatSaysMoreThanIsKnownIsToldFromWhatCannotBeRead) {
  v1::LedgerEvent event = Event(), parsed;
  EXPECT_EQ(ReadStrictly(event.SerializeAsString(), &parsed), Reading::kWhole);
  AddUnknown(event.mutable_budget_opened());
  EXPECT_EQ(ReadStrictly(event.SerializeAsString(), &parsed), Reading::kSaysMore);
  EXPECT_EQ(ReadStrictly(event.SerializeAsString() + "\x0a\x7f", &parsed), Reading::kUnreadable);
}

TEST(StrictParseTest, WhatANewerProgramWroteIsTellableFromEveryOtherRefusal) {
  const absl::Status newer = WrittenByNewer("ledger entry 7");
  EXPECT_THAT(newer, StatusIs(absl::StatusCode::kFailedPrecondition,
                              ::testing::AllOf(::testing::StartsWith("ledger entry 7 says more"),
                                               ::testing::HasSubstr("upgrade this program"))));
  EXPECT_TRUE(IsWrittenByNewer(newer));
  EXPECT_FALSE(IsWrittenByNewer(absl::FailedPreconditionError(newer.message())));
  EXPECT_FALSE(IsWrittenByNewer(absl::OkStatus()));
  EXPECT_FALSE(BudgetExhaustedOf(newer).has_value()) << "nor a refusal of the budget's";
}

TEST(StrictParseTest, BytesThatAreNoMessageAreRefused) {
  v1::LedgerEvent parsed;
  EXPECT_FALSE(ParseStrictly("\x08", &parsed));
  EXPECT_FALSE(ParseStrictly(Event().SerializeAsString() + "\x0a\x7f", &parsed));
}

TEST(ParseTextTest, ReadsAMessage) {
  v1::LedgerEvent event;
  ASSERT_OK(ParseText("sequence: 3 # the third\nbudget_opened { inventory { kinds { count: 2 } } }",
                      "event", &event));
  EXPECT_EQ(event.SerializeAsString(), Event().SerializeAsString());
}

TEST(ParseTextTest, AByteOrderMarkIsNoPartOfTheText) {
  v1::LedgerEvent event;
  ASSERT_OK(ParseText("\xEF\xBB\xBFsequence: 3", "event.textproto", &event));
  EXPECT_EQ(event.sequence(), 3);
}

TEST(ParseTextTest, AnUnknownFieldOneGivenTwiceAndWhatIsNoTextAreRefusedWithTheirPlace) {
  v1::LedgerEvent event;
  for (const char* text :
       {"\nsequence: 3 number: 4", "\nsequence: 3 sequence: 4", "\nsequence 3", "\nsequence: x"}) {
    EXPECT_THAT(
        ParseText(text, "event.textproto", &event),
        StatusIs(absl::StatusCode::kInvalidArgument, ::testing::StartsWith("event.textproto:2:")))
        << text;
  }
}

}  // namespace
}  // namespace topicwall::proto
