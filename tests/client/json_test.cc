#include "client/json.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "proto/topicwall.pb.h"

namespace topicwall::client {
namespace {

TEST(JsonTest, KeysStayInOrderAndValuesHaveTheirTypes) {
  EXPECT_EQ(JsonObject()
                .SetString("b", "x")
                .SetNumber("a", 0.5)
                .SetInteger("n", -7)
                .SetBool("t", true)
                .SetRaw("list", JsonArray({"1", "{}"}))
                .Text(),
            R"({"b":"x","a":0.5,"n":-7,"t":true,"list":[1,{}]})");
  EXPECT_EQ(JsonObject().Text(), "{}");
}

TEST(JsonTest, AnyStringAndNumberComesBackThroughAnotherParser) {
  std::string text = "é \"quoted\" \\ / \n\t\x01 end";
  const double number = 2.4411069487303927;
  google::protobuf::Struct parsed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                  JsonObject().SetString(text, text).SetNumber("x", number).Text(), &parsed)
                  .ok());
  EXPECT_EQ(parsed.fields().at(text).string_value(), text);
  EXPECT_EQ(parsed.fields().at("x").number_value(), number);
}

TEST(JsonTest, NumbersHaveNoMoreDigitsThanTheyNeed) {
  EXPECT_EQ(JsonObject().SetNumber("x", 2.44).SetNumber("y", 1e-6).Text(),
            R"({"x":2.44,"y":1e-06})");
}

TEST(JsonTest, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(JsonObject().SetNumber("x", INFINITY).SetNumber("y", NAN).Text(),
            R"({"x":null,"y":null})");
}

TEST(JsonTest, MessagesKeepTheirFieldNamesAndShowDefaults) {
  v1::CancelPlanRequest message;
  EXPECT_EQ(JsonOf(message), R"({"plan_id":""})");
}

TEST(JsonTest, HexHasTwoDigitsAByte) { EXPECT_EQ(Hex(std::string("\x00\xff\x0a", 3)), "00ff0a"); }

}  // namespace
}  // namespace topicwall::client
