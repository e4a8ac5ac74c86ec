#include "proto/strict_parse.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <memory>

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

// Enums of proto3 are open: the parser itself takes every number.
TEST(StrictParseTest, AnEnumNumberWithoutANameSaysMoreAtAnyDepth) {
  v1::LedgerEvent event = Event(), parsed;
  event.mutable_budget_opened()->set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  EXPECT_EQ(ReadStrictly(event.SerializeAsString(), &parsed), Reading::kWhole);
  for (const int number : {9, -1}) {
    event.mutable_budget_opened()->set_privacy_unit(static_cast<v1::PrivacyUnit>(number));
    EXPECT_EQ(ReadStrictly(event.SerializeAsString(), &parsed), Reading::kSaysMore) << number;
  }
  event.mutable_budget_thawed()->set_ground(static_cast<v1::BudgetThawed::Ground>(4));
  EXPECT_EQ(ReadStrictly(event.SerializeAsString(), &parsed), Reading::kSaysMore);
}

TEST(StrictParseTest, AnEnumNumberWithoutANameSaysMoreInAListAndInAMap) {
  google::protobuf::FileDescriptorProto file;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        name: "holder.proto"
        syntax: "proto3"
        enum_type {
          name: "Kind"
          value { name: "NONE" number: 0 }
          value { name: "ONE" number: 1 }
        }
        message_type {
          name: "Holder"
          field { name: "kinds" number: 1 label: LABEL_REPEATED type: TYPE_ENUM type_name: ".Kind" }
          field {
            name: "named"
            number: 2
            label: LABEL_REPEATED
            type: TYPE_MESSAGE
            type_name: ".Holder.NamedEntry"
          }
          nested_type {
            name: "NamedEntry"
            field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
            field {
              name: "value"
              number: 2
              label: LABEL_OPTIONAL
              type: TYPE_ENUM
              type_name: ".Kind"
            }
            options { map_entry: true }
          }
        })pb",
      &file));
  google::protobuf::DescriptorPool pool;
  ASSERT_NE(pool.BuildFile(file), nullptr);
  google::protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<google::protobuf::Message> holder(
      factory.GetPrototype(pool.FindMessageTypeByName("Holder"))->New());
  EXPECT_EQ(ReadStrictly("\x0a\x02\x01\x01", holder.get()), Reading::kWhole);
  EXPECT_EQ(ReadStrictly("\x0a\x02\x01\x02", holder.get()), Reading::kSaysMore);
  EXPECT_EQ(ReadStrictly("\x12\x04\x08\x05\x10\x01", holder.get()), Reading::kWhole);
  EXPECT_EQ(ReadStrictly("\x12\x04\x08\x05\x10\x02", holder.get()), Reading::kSaysMore);
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
