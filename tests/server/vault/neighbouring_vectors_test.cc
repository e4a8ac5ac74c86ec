// The guarantee begins at the input file, also where documents are vectors: what one privacy unit's
// lines change in it, through ingestion, down to the exact integers that noise is added to.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/corpus/ingest/corpus_importer.h"
#include "server/mechanism/grid_scale.h"
#include "tests/model/summed_vectors/summed_vectors_model.h"
#include "tests/server/corpus/npy_file.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/server/executor/exact_sum.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace neighbouring_vectors_test {
using executor::Grid;
using executor::Plus;
using Lines = std::vector<std::string>;

constexpr int kDimension = 3;
constexpr double kBound = 2;
constexpr double kNoise = 1.24;
constexpr double kClipNorm = 1.5;
constexpr double kPriced = 1 + 1e-12;  // the norm is computed in floating point here

std::string Line(const std::string& owner, const std::string& id, const std::string& vector) {
  return absl::StrCat(R"({"id": ")", id, R"(", "owner": ")", owner, R"(", "vector": )", vector,
                      "}\n");
}

Lines Joined(Lines lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

class NeighbouringVectorsTest : public ::testing::Test {
 protected:
  // Nothing if ingestion refuses the documents.
  std::optional<Grid> SumOf(const std::string& documents, corpus::DocumentFormat format,
                            v1::PrivacyUnit unit, int64_t max_documents = 1'000'000) {
    const std::string path = folder_.Path(absl::StrCat("corpus-", next_++));
    const auto report = corpus::Ingest(
        {.format = format,
         .documents = documents,
         .vocabulary = "",
         .privacy_unit = unit,
         .strict = false,
         .vectors = model::VectorSpace{.dimension = kDimension, .norm_bound = kBound}},
        key_, path, nullptr);
    if (!report.ok()) {
      EXPECT_FALSE(std::filesystem::exists(path));
      return std::nullopt;
    }
    const auto store = corpus::CorpusStore::Open(path, key_);
    EXPECT_OK(store);
    EXPECT_OK((*store)->RequireUndamaged());
    return executor::GridOf(
        **store, model_,
        {.unit = {.vocabulary_size = kDimension, .max_words = 1, .max_documents = max_documents},
         .has_weights = false,
         .num_threads = 1,
         .vector_dimension = kDimension},
        kNoise, kClipNorm);
  }

  std::optional<Grid> SumOfLines(const Lines& lines, v1::PrivacyUnit unit,
                                 int64_t max_documents = 1'000'000) {
    return SumOf(folder_.Write("lines", absl::StrJoin(lines, "")),
                 corpus::DocumentFormat::kJsonLines, unit, max_documents);
  }

  testing::TemporaryDirectory folder_;
  const sealing::CustodianKey key_ = corpus::NewKey();
  const model::SummedVectors model_{kDimension};
  int next_ = 0;
};

// Of a sum, or a difference of two, in units of M, which is what is priced.
double LengthOf(const Grid& sum) {
  return executor::LengthOf(sum) / static_cast<double>(mechanism::IntegerSensitivity(kNoise));
}

// Whatever Eve writes, the sum over all is that over the others and that over hers, to the last
// bit: longer than the bound, too long for a double, none at all, with others' ids, beyond the cap.
TEST_F(NeighbouringVectorsTest, AnOwnersVectorsAddWhatTheyAreAloneAndNothingElse) {
  Lines others;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j <= i % 3; ++j) {
      others.push_back(Line(absl::StrCat("owner-", i), absl::StrCat("id-", j),
                            absl::StrCat("[", i, ", -", j, ", 0.5]")));
    }
  }
  others.push_back(Line("owner-1", "id-9", "[1, 2]"));
  others.push_back("no JSON at all\n");
  Lines many;
  for (int i = 0; i < 300; ++i) many.push_back(Line("eve", absl::StrCat(i), "[1e3, 0, 0]"));
  const std::vector<Lines> eves = {
      {Line("eve", "id-0", "[1, 1, 1]")},
      {Line("eve", "id-0", "[1e308, -1e308, 1e308]"), Line("eve", "id-1", "[0, 0, 1e-308]")},
      {Line("eve", "id-0", "[0.1, 0, 0]"), Line("eve", "id-1", "[NaN, 0, 0]"),
       Line("eve", "id-2", "[]"), Line("eve", "id-2", "[1, \"1\", 1]")},
      many};
  const Grid without = *SumOfLines(others, v1::PRIVACY_UNIT_OWNER);
  for (size_t i = 0; i < eves.size(); ++i) {
    const std::optional<Grid> alone = SumOfLines(eves[i], v1::PRIVACY_UNIT_OWNER);
    ASSERT_TRUE(alone.has_value()) << i;
    EXPECT_LE(LengthOf(*alone), kPriced) << i;
    EXPECT_GT(LengthOf(*alone), 0.5) << i;
    Lines with = Joined(eves[i], others);
    EXPECT_EQ(SumOfLines(with, v1::PRIVACY_UNIT_OWNER), Plus(without, *alone)) << i;
    std::reverse(with.begin(), with.end());
    EXPECT_EQ(SumOfLines(with, v1::PRIVACY_UNIT_OWNER), Plus(without, *alone)) << i;
  }
}

TEST_F(NeighbouringVectorsTest, LinesOfOneNameAreRefusedAndDisplaceNobody) {
  const Lines lines = {Line("x", "a", "[1, 0, 0]"), Line("x", "b", "[0, 1, 0]")};
  const Lines again = Joined(lines, {Line("y", "a", "[0, 0, 1]")});
  EXPECT_FALSE(SumOfLines(again, v1::PRIVACY_UNIT_DOCUMENT).has_value());
  // Of another owner the name is another.
  const std::optional<Grid> owned = SumOfLines(again, v1::PRIVACY_UNIT_OWNER);
  ASSERT_TRUE(owned.has_value());
  EXPECT_EQ(owned, Plus(*SumOfLines(lines, v1::PRIVACY_UNIT_OWNER),
                        *SumOfLines({again.back()}, v1::PRIVACY_UNIT_OWNER)));
}

// A vector of twice the bound counts as one of the bound, a shorter one as it is.
TEST_F(NeighbouringVectorsTest, NoVectorCountsForMoreThanTheBound) {
  const auto sum = [&](const std::string& vector) {
    return *SumOfLines({Line("ann", "1", vector)}, v1::PRIVACY_UNIT_DOCUMENT);
  };
  EXPECT_EQ(sum("[4, 0, 0]"), sum("[2, 0, 0]"));
  EXPECT_EQ(sum("[-1e300, 0, 0]"), sum("[-2, 0, 0]"));
  EXPECT_NE(sum("[1, 0, 0]"), sum("[2, 0, 0]"));
  EXPECT_LE(LengthOf(sum("[1e9, -1e9, 1e9]")), kPriced);
}

TEST_F(NeighbouringVectorsTest, AUnitsVectorsAreCappedAsDocumentsAre) {
  Lines lines;
  for (int i = 0; i < 40; ++i) lines.push_back(Line("ann", absl::StrCat(i), "[0.02, 0, 0]"));
  // Each counts 1 in the last column, and is clipped with the others.
  const Grid one = *SumOfLines({lines[0]}, v1::PRIVACY_UNIT_OWNER);
  EXPECT_EQ(SumOfLines(lines, v1::PRIVACY_UNIT_OWNER, 1), one);
  EXPECT_NE(SumOfLines(lines, v1::PRIVACY_UNIT_OWNER, 2), one);
}

TEST_F(NeighbouringVectorsTest, ARowMoreIsOneUnitMore) {
  std::vector<std::vector<double>> rows = {{1, 0, 0}, {0, 3, 0}, {0.5, 0.5, NAN}, {1, 1, 1}};
  const auto sum = [&](bool doubles) {
    return *SumOf(folder_.Write("rows.npy", corpus::NpyFile(rows, doubles)),
                  corpus::DocumentFormat::kNpy, v1::PRIVACY_UNIT_DOCUMENT);
  };
  const Grid all = sum(false);
  EXPECT_EQ(sum(true), all);
  rows.pop_back();
  Grid moved = sum(false);
  for (size_t i = 0; i < all.size(); ++i) moved[i] = all[i] - moved[i];
  EXPECT_LE(LengthOf(moved), kPriced);
  // 1/2 in each direction, and 1 for the row itself, of a clip norm of 1.5.
  EXPECT_NEAR(LengthOf(moved), std::sqrt(1.75) / 1.5, 1e-3);
}

}  // namespace neighbouring_vectors_test
}  // namespace topicwall::server
