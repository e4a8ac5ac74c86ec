#include "accountant/commands/csv_table.h"

#include <sstream>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::topicwall::testing::StatusIs;

absl::StatusOr<CsvTable> Read(const std::string& text) {
  std::istringstream in(text);
  return CsvTable::Read(in, "plans.csv");
}

TEST(CsvTableTest, ColumnsAreFoundByNameInAnyOrder) {
  const CsvTable table = *Read("nu,steps, sigma \n0.05,20,1.24\n1, 3 ,9\n");
  EXPECT_THAT(table.columns(), ElementsAre("nu", "steps", "sigma"));
  ASSERT_THAT(table.rows(), SizeIs(2));
  EXPECT_EQ(table.rows()[0].cells[*table.ColumnNamed("sigma")], "1.24");
  EXPECT_EQ(table.rows()[1].cells[*table.ColumnNamed("steps")], "3");
  EXPECT_EQ(table.rows()[1].text, "1, 3 ,9");
  EXPECT_THAT(table.ColumnNamed("delta"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"delta\"")));
}

TEST(CsvTableTest, BlankLinesCommentsAndForeignLineEndsDoNoHarm) {
  const CsvTable table = *Read("\xEF\xBB\xBF# how it was made\r\n\r\na,b\r\n\r\n1,2\r\n  \n3,4");
  EXPECT_THAT(table.columns(), ElementsAre("a", "b"));
  ASSERT_THAT(table.rows(), SizeIs(2));
  EXPECT_EQ(table.rows()[0].line, 5);
  EXPECT_EQ(table.rows()[0].text, "1,2");
  EXPECT_EQ(table.rows()[1].line, 7);
}

TEST(CsvTableTest, AByteOrderMarkBeforeTheHeaderIsNoPartOfItWhereverItStands) {
  for (const char* text : {"\xEF\xBB\xBF"
                           "a,b\n",
                           "\r\n\xEF\xBB\xBF"
                           "a,b\n",
                           "\xEF\xBB\xBF\xEF\xBB\xBF"
                           "a,b\n"}) {
    const CsvTable table = *Read(text);
    EXPECT_THAT(table.columns(), ElementsAre("a", "b"));
    EXPECT_EQ(table.header_text(), "a,b");
  }
}

TEST(CsvTableTest, QuotedCellsMayHoldCommasAndQuotes) {
  const CsvTable table = *Read("a,b,c\n\"x, y\", \"say \"\"so\"\"\" ,\n");
  EXPECT_THAT(table.rows()[0].cells, ElementsAre("x, y", "say \"so\"", ""));
}

// As std::filebuf does of a disk that fails.
class FailingAfter : public std::stringbuf {
 public:
  explicit FailingAfter(const std::string& text) : std::stringbuf(text, std::ios::in) {}

 protected:
  int_type underflow() override {
    if (gptr() < egptr()) return std::stringbuf::underflow();
    throw std::ios_base::failure("Input/output error");
  }
};

TEST(CsvTableTest, AFileThatCannotBeReadToItsEndIsNotTakenForAShorterOne) {
  FailingAfter file("sigma,steps\n2,10\n2,10\n");
  std::istream in(&file);
  EXPECT_THAT(CsvTable::Read(in, "plans.csv"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cannot read plans.csv to its end")));
}

TEST(CsvTableTest, WhatIsNoTableIsRefusedWithItsLine) {
  EXPECT_THAT(Read(""), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("plans.csv:1")));
  EXPECT_THAT(Read("# only\n"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Read("a,b,a\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("name of its own")));
  EXPECT_THAT(Read("a,b\n1,2\n1,2,3\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("plans.csv:3: ")));
  EXPECT_THAT(Read("a,b\n1\n"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 cells")));
  EXPECT_THAT(Read("a,b\n\"1,2\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("quote")));
  EXPECT_THAT(Read("a,b\n\"1\"x,2\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("quote")));
}

}  // namespace
}  // namespace topicwall::accountant
