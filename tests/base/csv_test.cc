#include "base/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace topicwall::base {
namespace {

TEST(CsvTest, AFieldThatWouldEndItselfStandsInQuotes) {
  EXPECT_EQ(CsvField("plain word"), "plain word");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"so\""), "\"say \"\"so\"\"\"");
  EXPECT_EQ(CsvField("two\nlines"), "\"two\nlines\"");
}

TEST(CsvTest, ANumberReadsBackOrIsEmpty) {
  EXPECT_EQ(std::stod(CsvNumber(0.1 + 0.2)), 0.1 + 0.2);
  EXPECT_EQ(CsvNumber(NAN), "");
  EXPECT_EQ(CsvNumber(INFINITY), "");
}

using Rows = std::vector<std::vector<std::string>>;

// All rows, or as the last one the error's line and message.
Rows Read(const std::string& text) {
  std::istringstream input(text);
  CsvReader reader(input);
  Rows rows;
  std::vector<std::string> row;
  while (true) {
    const absl::StatusOr<bool> is_row = reader.Next(row);
    if (!is_row.ok()) {
      rows.push_back({absl::StrCat(reader.line()), std::string(is_row.status().message())});
      return rows;
    }
    if (!*is_row) return rows;
    rows.push_back(row);
  }
}

TEST(CsvReaderTest, QuotesHoldCommasQuotesAndLineEndsAsTheyAre) {
  EXPECT_EQ(Read("a,b\r\n1,2\r\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(Read("\"a,\"\"b\",\"\r\n\nc\"\nlast, x "),
            (Rows{{"a,\"b", "\r\n\nc"}, {"last", " x "}}));
  EXPECT_EQ(Read(",\n\"\"\n"), (Rows{{"", ""}, {""}}));
}

// A mark that stays in the first field makes another column of it: that of Excel's "CSV UTF-8".
TEST(CsvReaderTest, AByteOrderMarkIsNoPartOfTheFirstFieldAndNothingElsewhere) {
  EXPECT_EQ(Read("\xef\xbb\xbf\"text\",b\n"), (Rows{{"text", "b"}}));
  EXPECT_EQ(Read("a\n\xef\xbb\xbf"), (Rows{{"a"}, {"\xef\xbb\xbf"}}));
}

TEST(SkipByteOrderMarkTest, TakesAWholeMarkAndNothingThatOnlyBeginsLikeOne) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::string text : {"", "x", "\xef", "\xef\xbb", "\xefx", "\xef\xbbx\xbf"}) {
    for (const std::string& before : {std::string(), mark}) {
      std::istringstream input(before + text);
      SkipByteOrderMark(input);
      EXPECT_TRUE(input.good()) << CsvField(text);
      EXPECT_EQ(std::string(std::istreambuf_iterator<char>(input), {}), text);
    }
  }
}

TEST(CsvReaderTest, LinesWithoutAnythingAreNoRows) {
  EXPECT_EQ(Read(""), Rows());
  EXPECT_EQ(Read("\n\r\na\n\n\r\nb\n\n"), (Rows{{"a"}, {"b"}}));
}

// Read otherwise it would be a row of other fields, or all that follows one field.
TEST(CsvReaderTest, WhatIsNoCsvIsRefusedWithTheLineOnWhichItsRowBegins) {
  for (const std::string bad :
       {"secret\"", "x,se\"cre\"t", "\"secret", "\"secret\" ", "\"secret\"x,1", "\"a\nb\"secret",
        "secret\rx", "x,\"a\"\"\nsecret\n"}) {
    const Rows rows = Read("a\n\"b\nc\"\n\n" + bad);
    ASSERT_EQ(rows.size(), 3U) << bad;
    EXPECT_EQ(rows[2][0], "5") << bad;
    EXPECT_FALSE(absl::StrContains(rows[2][1], "secret")) << rows[2][1];
  }
}

// Written by CsvField, of all rows of two fields of up to three of these characters.
TEST(CsvReaderTest, WhateverIsWrittenReadsBackAsItWas) {
  constexpr char kCharacters[] = {'a', ',', '"', '\r', '\n', ' '};
  std::vector<std::string> fields = {""};
  for (size_t begin = 0, length = 0; length < 3; ++length) {
    const size_t end = fields.size();
    for (; begin < end; ++begin) {
      for (const char character : kCharacters) fields.push_back(fields[begin] + character);
    }
  }
  ASSERT_EQ(fields.size(), 1U + 6 + 36 + 216);
  Rows rows;
  std::string text;
  for (const std::string& first : fields) {
    for (const std::string& second : fields) {
      rows.push_back({first, second});
      absl::StrAppend(&text, CsvField(first), ",", CsvField(second), "\r\n");
    }
  }
  EXPECT_EQ(Read(text), rows);
}

}  // namespace
}  // namespace topicwall::base
