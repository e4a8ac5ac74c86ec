#include "base/json.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace topicwall::base {
namespace {

// The independent reader is protobuf's.
google::protobuf::Struct Parsed(const std::string& json) {
  google::protobuf::Struct parsed;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &parsed).ok()) << json;
  return parsed;
}

TEST(JsonTest, KeysStayInOrderAndValuesHaveTheirTypes) {
  EXPECT_EQ(JsonObject()
                .SetString("b", "x")
                .SetNumber("a", 0.5)
                .SetInteger("n", -7)
                .SetBool("t", true)
                .SetStrings("e", {"y", "z"})
                .SetRaw("list", JsonArray({"1", "{}"}))
                .Text(),
            R"({"b":"x","a":0.5,"n":-7,"t":true,"e":["y","z"],"list":[1,{}]})");
  EXPECT_EQ(JsonObject().Text(), "{}");
}

TEST(JsonTest, ObjectsAreNestedAndEmptyListsShown) {
  JsonObject inner;
  inner.SetInteger("n", 1);
  EXPECT_EQ(JsonObject()
                .SetObject("one", inner)
                .SetObjects("two", {inner, inner})
                .SetObjects("none", {})
                .SetStrings("no_words", {})
                .Text(),
            R"({"one":{"n":1},"two":[{"n":1},{"n":1}],"none":[],"no_words":[]})");
}

TEST(JsonTest, NumbersReadBackAsTheSameDoubleAndHaveNoMoreDigitsThanTheyNeed) {
  for (const double value : {1e-6, 0.1, 1.0 / 3, 2.44, 2.4411069487303927, 1e300, -5e-324,
                             std::numeric_limits<double>::max(), 123456789.0, 0.0}) {
    EXPECT_EQ(std::strtod(JsonNumber(value).c_str(), nullptr), value) << JsonNumber(value);
    EXPECT_EQ(Parsed(JsonObject().SetNumber("x", value).Text()).fields().at("x").number_value(),
              value);
  }
  EXPECT_EQ(JsonNumber(2.44), "2.44");
  EXPECT_EQ(JsonNumber(1e-6), "1e-06");
}

TEST(JsonTest, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(JsonObject().SetNumber("x", INFINITY).SetNumber("y", NAN).Text(),
            R"({"x":null,"y":null})");
}

TEST(JsonTest, EveryTextIsReadBackByAnIndependentReader) {
  const std::string text = "é ε \"quoted\" \\ / \n\t\x01\a\x7f end";
  EXPECT_EQ(Parsed(JsonObject().SetString(text, text).Text()).fields().at(text).string_value(),
            text);
  EXPECT_EQ(
      Parsed(JsonObject().SetRaw("x", JsonAscii(text)).Text()).fields().at("x").string_value(),
      text);
  EXPECT_EQ(JsonString("ε"), "\"ε\"");
}

TEST(JsonTest, BytesThatAreNotUtf8StandAsTheirCodePoints) {
  const std::string json = JsonObject().SetString("x", "a\xff\xe9\x80").Text();
  EXPECT_EQ(json, "{\"x\":\"a\u00ff\u00e9\u0080\"}");
  EXPECT_EQ(Parsed(json).fields().at("x").string_value(), "a\u00ff\u00e9\u0080");
  EXPECT_EQ(JsonAscii("a\xff"), R"("a\u00ff")");
  // Overlong, and cut short.
  EXPECT_EQ(JsonString("\xc0\x80"), "\"\u00c0\u0080\"");
  EXPECT_EQ(JsonString("\xe2\x82"), "\"\u00e2\u0082\"");
}

TEST(JsonTest, AsciiIsAsciiAndOneLine) {
  EXPECT_EQ(JsonAscii("a\"b\\c\nd\x01\x7f ε"), R"("a\"b\\c\nd\u0001\u007f \u03b5")");
}

}  // namespace
}  // namespace topicwall::base
