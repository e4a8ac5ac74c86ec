#include "client/evaluate/vector_reader.h"

#include <gmock/gmock.h>

#include <cmath>
#include <sstream>
#include <string>

#include "tests/server/corpus/npy_file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

constexpr model::VectorSpace kSpace = {.dimension = 2, .norm_bound = 2};

absl::StatusOr<VectorMatrix> Lines(const std::string& text) {
  std::istringstream input(text);
  return ReadVectorLines(input, "mine.jsonl", kSpace);
}

TEST(VectorReaderTest, LinesAndRowsAreScaledAlike) {
  const auto lines = Lines(
      "{\"id\": 7, \"vector\": [1, -0.5]}\n"
      "\n"
      "{\"vector\": [0, 4e9]}");
  const auto rows = ReadNpy(corpus::NpyFile({{1, -0.5}, {0, 4e9}}, true), "mine.npy", kSpace);
  for (const auto* matrix : {&lines, &rows}) {
    ASSERT_OK(*matrix);
    ASSERT_EQ((*matrix)->rows(), 2u);
    EXPECT_THAT((*matrix)->row(0), ElementsAre(0.5F, -0.25F));
    EXPECT_THAT((*matrix)->row(1), ElementsAre(0, 1));
  }
}

TEST(VectorReaderTest, OneBadVectorEndsTheReadingByItsPlaceAndNotItsContent) {
  for (const char* bad : {"{\"vector\": [1]}", "{\"vector\": [1, \"secretive\"]}", "{}",
                          "{\"text\": \"secretive\"}", "{\"vector\": 1}"}) {
    EXPECT_THAT(Lines(absl::StrCat("{\"vector\": [1, 2]}\n", bad, "\n")),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("mine.jsonl, line 2"), HasSubstr("2 finite numbers"),
                               Not(HasSubstr("secretive")))));
  }
  EXPECT_THAT(Lines("secretive"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("line 1"), Not(HasSubstr("secretive")))));
  EXPECT_THAT(ReadNpy(corpus::NpyFile({{1, 2}, {NAN, 2}}, false), "mine.npy", kSpace),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("mine.npy, row 2")));
  EXPECT_THAT(ReadNpy(corpus::NpyFile({{1, 2, 3}}, false), "mine.npy", kSpace),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 dimensions")));
  EXPECT_THAT(ReadNpy("no array", "mine.npy", kSpace),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("mine.npy")));
}

TEST(VectorReaderTest, FilesAreReadByTheirFormat) {
  const testing::TemporaryDirectory folder;
  testing::WriteWholeFile(folder.path() + "/a.npy", corpus::NpyFile({{0, 2}}, false));
  testing::WriteWholeFile(folder.path() + "/a.jsonl", "{\"vector\": [0, 2]}\n");
  ASSERT_OK_AND_ASSIGN(const auto npy,
                       ReadVectors(folder.path() + "/a.npy", VectorFormat::kNpy, kSpace));
  ASSERT_OK_AND_ASSIGN(const auto lines,
                       ReadVectors(folder.path() + "/a.jsonl", VectorFormat::kJsonl, kSpace));
  EXPECT_EQ(npy.values, lines.values);
  testing::WriteWholeFile(folder.path() + "/marked.jsonl", "\xef\xbb\xbf{\"vector\": [0, 2]}\n");
  ASSERT_OK_AND_ASSIGN(const auto marked,
                       ReadVectors(folder.path() + "/marked.jsonl", VectorFormat::kJsonl, kSpace));
  EXPECT_EQ(marked.values, lines.values) << "a byte order mark is no part of the first line";
  EXPECT_EQ(*DimensionOf(folder.path() + "/marked.jsonl"), 2);
  for (const VectorFormat format : {VectorFormat::kNpy, VectorFormat::kJsonl}) {
    EXPECT_THAT(ReadVectors(folder.path() + "/none", format, kSpace),
                StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
  }
  EXPECT_THAT(
      ReadVectors(folder.path() + "/a.npy", VectorFormat::kNpy, {.dimension = 2, .norm_bound = 0}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("norm bound")));
}

}  // namespace
}  // namespace topicwall::client
