#include "server/corpus/ingest/npy_reader.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/server/corpus/npy_file.h"
#include "tests/server/corpus/read_documents.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::topicwall::testing::StatusIs;

class NpyReaderTest : public ::testing::Test {
 protected:
  // Of two dimensions within a bound of 2.
  absl::StatusOr<std::vector<SourceDocument>> Read(const std::string& content) {
    auto reader =
        NpyReader::Open(folder_.Write("in.npy", content), {.dimension = 2, .norm_bound = 2});
    if (!reader.ok()) return reader.status();
    EXPECT_EQ((*reader)->FractionRead() < 1, content.size() > 128);
    auto documents = ReadDocuments(**reader);
    EXPECT_EQ((*reader)->FractionRead(), 1);
    return documents;
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(NpyReaderTest, EveryRowIsAVectorNamedByItsNumber) {
  for (const bool doubles : {false, true}) {
    ASSERT_OK_AND_ASSIGN(const auto documents,
                         Read(NpyFile({{1, -0.5}, {0, 40}, {0, 0}}, doubles)));
    EXPECT_THAT(ProblemsOf(documents), IsEmpty());
    EXPECT_THAT(UsableIds(documents), ElementsAre("1", "2", "3"));
    EXPECT_THAT(documents.at(0).vector, ElementsAre(0.5F, -0.25F));
    EXPECT_THAT(documents.at(1).vector, ElementsAre(0, 1));
    EXPECT_THAT(documents.at(2).vector, ElementsAre(0, 0));
    EXPECT_EQ(documents.at(1).line, 2);
    EXPECT_EQ(documents.at(1).name, "row 2");
  }
}

TEST_F(NpyReaderTest, ARowThatIsNotFiniteIsReportedAndTheRestKept) {
  ASSERT_OK_AND_ASSIGN(const auto documents,
                       Read(NpyFile({{1, NAN}, {1, 0}, {-INFINITY, 0}}, false)));
  EXPECT_THAT(ProblemsOf(documents),
              ElementsAre(Pair(1, Problem::kBadVector), Pair(3, Problem::kBadVector)));
  EXPECT_THAT(UsableIds(documents), ElementsAre("2"));
}

TEST_F(NpyReaderTest, AFileThatIsNotWhatItsHeaderSaysIsRefusedAsAWhole) {
  const std::string good = NpyFile({{1, 2}, {3, 4}}, false);
  for (const std::string& bad : {good.substr(0, good.size() - 1), good.substr(0, good.size() - 8),
                                 good + "x", good.substr(0, 50), std::string()}) {
    EXPECT_THAT(Read(bad), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("in.npy")));
  }
  EXPECT_THAT(Read(NpyFile({{1, 2, 3}}, false)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("2 dimensions"), HasSubstr("they are 3"))));
}

TEST_F(NpyReaderTest, AFileThatBecomesShorterIsNoWholeOne) {
  std::vector<std::vector<double>> rows(20'000, {1, 2});
  const std::string path = folder_.Write("in.npy", NpyFile(rows, true));
  ASSERT_OK_AND_ASSIGN(const auto reader, NpyReader::Open(path, {.dimension = 2, .norm_bound = 2}));
  ASSERT_EQ(truncate(path.c_str(), 128 + 16 * 10'000), 0);
  EXPECT_THAT(ReadDocuments(*reader),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("shorter")));
}

TEST_F(NpyReaderTest, AnAbsentFileIsNotFoundAndAFolderIsNone) {
  EXPECT_THAT(NpyReader::Open(folder_.Path("no.npy"), {.dimension = 2, .norm_bound = 2}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no.npy")));
  folder_.Write("sub/a", "x");
  EXPECT_THAT(NpyReader::Open(folder_.Path("sub"), {.dimension = 2, .norm_bound = 2}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace topicwall::corpus
