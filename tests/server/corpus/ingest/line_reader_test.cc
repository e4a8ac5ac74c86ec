#include "server/corpus/ingest/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

class LineReaderTest : public ::testing::Test {
 protected:
  // All lines of a file with this content, "<too long>" in place of such a line.
  std::vector<std::string> Lines(const std::string& content, size_t max_line_bytes) {
    const auto reader = LineReader::Open(folder_.Write("lines", content), max_line_bytes);
    EXPECT_OK(reader);
    std::vector<std::string> lines;
    for (;;) {
      absl::string_view line;
      const auto found = (*reader)->Next(&line);
      EXPECT_OK(found);
      if (!found.ok() || *found == LineReader::Found::kEnd) return lines;
      lines.push_back(*found == LineReader::Found::kTooLong ? "<too long>" : std::string(line));
      EXPECT_EQ((*reader)->line_number(), static_cast<int64_t>(lines.size()));
    }
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(LineReaderTest, GivesEveryLineWithoutItsEnd) {
  EXPECT_THAT(Lines("", 10), IsEmpty());
  EXPECT_THAT(Lines("\n", 10), ElementsAre(""));
  EXPECT_THAT(Lines("one\ntwo\n", 10), ElementsAre("one", "two"));
  EXPECT_THAT(Lines("one\n\ntwo", 10), ElementsAre("one", "", "two"));
  EXPECT_THAT(Lines("a\r\nb\r\n", 10), ElementsAre("a\r", "b\r"));
  EXPECT_THAT(Lines(std::string("a\0b\n", 4), 10), ElementsAre(std::string("a\0b", 3)));
}

// As editors on Windows leave it, and files that were joined have it inside. Of the first line
// alone it would be told by what stands before a line whether that line is one.
TEST_F(LineReaderTest, AByteOrderMarkIsNoPartOfAnyLine) {
  EXPECT_THAT(Lines("\xef\xbb\xbf{}\n\xef\xbb\xbf{}", 10), ElementsAre("{}", "{}"));
  // An empty file and another that were joined.
  EXPECT_THAT(Lines("\xef\xbb\xbf\xef\xbb\xbf{}", 10), ElementsAre("{}"));
}

TEST_F(LineReaderTest, TheBoundItselfIsAllowed) {
  EXPECT_THAT(Lines("12345\n123456\n12345", 5), ElementsAre("12345", "<too long>", "12345"));
  EXPECT_THAT(Lines("1\n123456", 5), ElementsAre("1", "<too long>"));
}

// Longer than what is read at once, so that lines lie across reads in every way.
TEST_F(LineReaderTest, LinesMayLieAcrossReads) {
  std::string content;
  std::vector<std::string> expected;
  for (const size_t size : {300000, 1, 16383, 0, 16384, 16385, 5, 1000000, 16383}) {
    expected.emplace_back(size, static_cast<char>('a' + expected.size()));
    content += expected.back() + "\n";
  }
  EXPECT_EQ(Lines(content, 1000000), expected);
  expected[7] = "<too long>";
  EXPECT_EQ(Lines(content, 999999), expected);
}

TEST_F(LineReaderTest, SaysHowMuchOfTheFileIsRead) {
  ASSERT_OK_AND_ASSIGN(const auto reader,
                       LineReader::Open(folder_.Write("lines", std::string(1 << 20, '\n')), 10));
  EXPECT_EQ(reader->FractionRead(), 0.0);
  absl::string_view line;
  ASSERT_OK(reader->Next(&line));
  EXPECT_GT(reader->FractionRead(), 0.0);
  EXPECT_LT(reader->FractionRead(), 1.0);
  while (*reader->Next(&line) != LineReader::Found::kEnd) {
  }
  EXPECT_EQ(reader->FractionRead(), 1.0);
}

TEST_F(LineReaderTest, FilesThatCannotBeReadAreNamed) {
  EXPECT_THAT(LineReader::Open(folder_.Path("absent"), 10),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent")));
  EXPECT_THAT(LineReader::Open(folder_.Path(""), 10),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace topicwall::corpus
