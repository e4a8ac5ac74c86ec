#include "model/data/npy.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace topicwall::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// What numpy.save writes of [[1.5, -2], [0.25, 3]] as float32, by NEP 1: padded to 64 bytes …
const std::string kFloats =
    std::string("\x93NUMPY\x01\x00v\x00", 10) +
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }" + std::string(58, ' ') + "\n" +
    std::string("\x00\x00\xc0\x3f\x00\x00\x00\xc0\x00\x00\x80\x3e\x00\x00\x40\x40", 16);
// … and of [[0.1, inf]] as float64 in version 2.0.
const std::string kDoubles =
    std::string("\x93NUMPY\x02\x00t\x00\x00\x00", 12) +
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }" + std::string(56, ' ') + "\n" +
    std::string("\x9a\x99\x99\x99\x99\x99\xb9\x3f\x00\x00\x00\x00\x00\x00\xf0\x7f", 16);

std::string WithHeader(const std::string& header, char version = 1) {
  std::string length = {static_cast<char>(header.size() % 256),
                        static_cast<char>(header.size() / 256)};
  if (version == 2) length += std::string(2, '\0');
  return std::string("\x93NUMPY") + version + '\0' + length + header;
}

std::string Dictionary(const std::string& descr, const std::string& order,
                       const std::string& shape) {
  return absl::StrCat("{'descr': ", descr, ", 'fortran_order': ", order, ", 'shape': ", shape,
                      ", }\n");
}

absl::Status Refusal(const std::string& bytes) { return ParseNpyHeader(bytes).status(); }

void ExpectRefused(const std::string& bytes, const std::string& rule) {
  EXPECT_THAT(Refusal(bytes), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(rule)));
}

TEST(NpyTest, ReadsWhatNumPyWrites) {
  ASSERT_OK_AND_ASSIGN(const auto floats, ParseNpyHeader(kFloats));
  EXPECT_EQ(floats.size, 128u);
  EXPECT_EQ(floats.rows, 2);
  EXPECT_EQ(floats.columns, 2);
  EXPECT_EQ(floats.number_bytes, 4);
  EXPECT_EQ(floats.FileBytes(), static_cast<int64_t>(kFloats.size()));
  std::vector<double> row(2);
  DecodeNpyRow(floats, absl::string_view(kFloats).substr(128, 8), absl::MakeSpan(row));
  EXPECT_THAT(row, ElementsAre(1.5, -2));
  DecodeNpyRow(floats, absl::string_view(kFloats).substr(136, 8), absl::MakeSpan(row));
  EXPECT_THAT(row, ElementsAre(0.25, 3));

  ASSERT_OK_AND_ASSIGN(const auto doubles, ParseNpyHeader(kDoubles));
  EXPECT_EQ(doubles.size, 128u);
  EXPECT_EQ(doubles.RowBytes(), 16u);
  DecodeNpyRow(doubles, absl::string_view(kDoubles).substr(128), absl::MakeSpan(row));
  EXPECT_THAT(row, ElementsAre(0.1, std::numeric_limits<double>::infinity()));
}

TEST(NpyTest, KeysMayComeInAnyOrderWithAnyBlanks) {
  for (const char* header :
       {"{\"shape\":(3,1),\"descr\":\"<f4\",\"fortran_order\":False}",
        " { 'fortran_order' : False , 'shape' : ( 3 , 1 , ) , 'descr' : '<f4' , } \n"}) {
    for (const char version : {'\x01', '\x02'}) {
      ASSERT_OK_AND_ASSIGN(const auto parsed, ParseNpyHeader(WithHeader(header, version)));
      EXPECT_EQ(parsed.rows, 3);
      EXPECT_EQ(parsed.columns, 1);
    }
  }
}

TEST(NpyTest, OtherFormatsVersionsAndEndsAreRefused) {
  ExpectRefused("", "NumPy's format");
  ExpectRefused("\x93NUMP", "NumPy's format");
  ExpectRefused("PK\x03\x04 an archive", "NumPy's format");
  std::string other = kFloats;
  for (const char version : {'\x00', '\x03', '\x04'}) {
    other[6] = version;
    ExpectRefused(other, "1.0 or 2.0");
  }
  other = kFloats;
  other[7] = 1;
  ExpectRefused(other, "1.0 or 2.0");
  for (size_t size = 6; size < 128; ++size) {
    EXPECT_THAT(Refusal(kFloats.substr(0, size)), StatusIs(absl::StatusCode::kInvalidArgument))
        << size;
  }
  ExpectRefused(kFloats.substr(0, 127), "ends within its header");
  ExpectRefused(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13), "at most 4096");
  ExpectRefused(WithHeader(Dictionary("'<f4'", "False", "(1, 1)") + std::string(5000, ' ')),
                "at most 4096");
}

TEST(NpyTest, OtherNumbersThanLittleEndianFloatsAreRefused) {
  for (const char* descr : {"'>f4'", "'>f8'", "'=f4'", "'|f4'", "'<f2'", "'<f16'", "'<i8'", "'|O'",
                            "'O'", "'<c8'", "'|S4'", "''", "'<f4", "[('x', '<f4')]", "<f4"}) {
    ExpectRefused(WithHeader(Dictionary(descr, "False", "(2, 2)")), "descr");
  }
}

TEST(NpyTest, ColumnsBehindEachOtherAreRefused) {
  for (const char* order : {"True", "0", "'False'", "false", ""}) {
    ExpectRefused(WithHeader(Dictionary("'<f4'", order, "(2, 2)")), "fortran_order");
  }
}

TEST(NpyTest, OnlyMatricesOfBoundedSizeAreTaken) {
  for (const char* shape : {"()", "(2,)", "(2, 2, 2)", "(-1, 2)", "(2, -2)", "(+2, 2)", "(2L, 2)",
                            "(2.0, 2)", "(2, x)", "2", "[2, 2]", "(2, 2", "(0x2, 2)",
                            "(18446744073709551618, 2)", "(2, 99999999999999999999)"}) {
    ExpectRefused(WithHeader(Dictionary("'<f4'", "False", shape)), "shape");
  }
  ExpectRefused(WithHeader(Dictionary("'<f4'", "False", "(2147483649, 1)")), "rows");
  ExpectRefused(WithHeader(Dictionary("'<f4'", "False", "(9223372036854775807, 1)")), "rows");
  ExpectRefused(WithHeader(Dictionary("'<f4'", "False", "(1, 0)")), "columns");
  ExpectRefused(WithHeader(Dictionary("'<f4'", "False", "(1, 1025)")), "columns");
  ASSERT_OK_AND_ASSIGN(
      const auto largest,
      ParseNpyHeader(WithHeader(Dictionary("'<f8'", "False", "(2147483648, 1024)"))));
  EXPECT_GT(largest.FileBytes(), int64_t{1} << 44);
  ASSERT_OK(ParseNpyHeader(WithHeader(Dictionary("'<f4'", "False", "(0, 7)"))));
}

TEST(NpyTest, EachKeyStandsOnceAndNothingElseDoes) {
  const std::string two = "{'descr': '<f4', 'fortran_order': False, ";
  for (const std::string& header :
       {two + "}", two + "'shape': (1, 1), 'shape': (2, 1)}",
        two + "'shape': (1, 1), 'descr': '<f8'}", two + "'shape': (1, 1), 'more': 1}",
        two + "'shape': (1, 1)} secretive", two + "'shape': (1, 1)", two + "'shape' (1, 1)}",
        two + "'shape': (1, 1),, }", two + "shape: (1, 1)}", std::string("{}"), std::string(),
        std::string("{"), std::string("{'descr'"), std::string("{,}")}) {
    ExpectRefused(WithHeader(header), "dictionary");
    EXPECT_THAT(Refusal(WithHeader(header)).message(), ::testing::Not(HasSubstr("secretive")));
  }
}

TEST(NpyTest, AFileHasExactlyTheRowsThatItsHeaderSays) {
  const NpyHeader header = *ParseNpyHeader(kFloats);
  EXPECT_OK(CheckNpyFile(header, 2, 144));
  EXPECT_THAT(CheckNpyFile(header, 3, 144),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("3 dimensions")));
  EXPECT_THAT(CheckNpyFile(header, 2, 143),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ends before")));
  EXPECT_THAT(CheckNpyFile(header, 2, 145),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("goes on")));
}

}  // namespace
}  // namespace topicwall::model
