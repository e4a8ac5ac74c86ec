#include "server/admin/json_object.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace topicwall::admin {
namespace {

TEST(JsonObject, KeepsFieldsInTheOrderTheyWereGiven) {
  JsonObject object;
  object.Text("b", "x").Count("a", -3).Number("c", 0.5).Flag("d", true).Texts("e", {"y", "z"});
  EXPECT_EQ(object.text(), R"({"b": "x", "a": -3, "c": 0.5, "d": true, "e": ["y", "z"]})");
}

TEST(JsonObject, NestsObjectsAndShowsEmptyLists) {
  JsonObject inner;
  inner.Count("n", 1);
  JsonObject object;
  object.Object("one", inner).Objects("two", {inner, inner}).Objects("none", {});
  EXPECT_EQ(object.text(), R"({"one": {"n": 1}, "two": [{"n": 1}, {"n": 1}], "none": []})");
  EXPECT_EQ(JsonObject().text(), "{}");
}

TEST(JsonObject, NumbersReadBackAsTheSameDouble) {
  for (const double value : {1e-6, 0.1, 1.0 / 3, 2.44, 1e300, -5e-324, 123456789.0}) {
    const std::string text = JsonObject().Number("x", value).text();
    EXPECT_EQ(std::strtod(text.c_str() + 6, nullptr), value) << text;
  }
}

TEST(JsonObject, WhatJsonCannotSayIsNull) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(JsonObject().Number("x", infinity).text(), R"({"x": null})");
  EXPECT_EQ(JsonObject().Number("x", std::nan("")).text(), R"({"x": null})");
}

// The independent reader is protobuf's.
TEST(JsonObject, EveryTextIsReadBackByAnIndependentReader) {
  const std::string text = "quote \" backslash \\ newline \n bell \a del \x7f umlaut \u00e4";
  google::protobuf::Struct parsed;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(JsonObject().Text("x", text).text(), &parsed)
          .ok());
  EXPECT_EQ(parsed.fields().at("x").string_value(), text);
}

TEST(JsonObject, BytesThatAreNotUtf8DoNotBreakTheObject) {
  EXPECT_EQ(JsonObject().Text("x", "a\xff").text(), R"({"x": "a\u00ff"})");
}

}  // namespace
}  // namespace topicwall::admin
