#include "model/lengths/lengths_model.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "proto/models/lengths.pb.h"
#include "tests/model/no_bits.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lengths {
namespace lengths_model_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

constexpr int kTerms = 9;  // V
using Counts = std::vector<lda::TermCount>;

std::string OfBins(int num_bins) {
  v1::LengthOptions options;
  options.set_num_bins(num_bins);
  return options.SerializeAsString();
}

// Of bins below 2, 2 to 7, none, and 8 or more words.
model::SparseStatistic Infer(const std::vector<Counts>& documents) {
  const auto model = MakeLengthsModel(OfBins(4), kTerms);
  EXPECT_OK(model);
  const auto inference = (*model)->Bind({2, 8, 8}, 1);
  EXPECT_OK(inference);
  std::vector<model::UnitDocument> unit;
  for (const Counts& counts : documents) {
    unit.push_back({.counts = counts, .number = static_cast<int>(unit.size())});
  }
  model::SparseStatistic statistic;
  model::NoBits bits;
  (*inference)
      ->NewThread({.vocabulary_size = kTerms, .max_words = 100, .max_documents = 3})
      ->Infer({.documents = unit}, bits, &statistic);
  return statistic;
}

std::vector<uint32_t> BinOf(const std::vector<Counts>& documents) {
  const model::SparseStatistic statistic = Infer(documents);
  for (const float value : statistic.values) EXPECT_EQ(value, 1);
  EXPECT_EQ(statistic.values.size(), statistic.columns.size());
  return statistic.columns;
}

TEST(LengthsModelTest, AUnitIsOneInTheBinOfItsWordsWhereAnEdgeBeginsItsBin) {
  EXPECT_THAT(BinOf({{{3, 1}}}), ElementsAre(0));
  EXPECT_THAT(BinOf({{{3, 1}, {4, 1}}}), ElementsAre(1));
  EXPECT_THAT(BinOf({{{3, 7}}}), ElementsAre(1));
  EXPECT_THAT(BinOf({{{3, 8}}}), ElementsAre(3)) << "between two edges that are the same is nobody";
  EXPECT_THAT(BinOf({{{0, 0xFFFFFFFF}, {1, 0xFFFFFFFF}}}), ElementsAre(3));
}

TEST(LengthsModelTest, AnOwnersWordsAreThoseOfAllDocumentsTogether) {
  EXPECT_THAT(BinOf({{{3, 1}}, {{3, 1}}}), ElementsAre(1));
  EXPECT_THAT(BinOf({{{3, 6}}, {{0, 1}}, {{8, 1}}}), ElementsAre(3));
}

TEST(LengthsModelTest, AUnitWithoutAWordIsInNoBin) {
  EXPECT_THAT(BinOf({}), IsEmpty());
  EXPECT_THAT(BinOf({{{kTerms, 5}}}), IsEmpty()) << "a word that the corpus has not";
}

TEST(LengthsModelTest, OptionsAndEdgesOutsideTheirDomainAreRefusedByName) {
  for (const int bins : {-1, 0, 1, kMaxBins + 1}) {
    EXPECT_THAT(MakeLengthsModel(OfBins(bins), kTerms),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("num_bins")));
  }
  ASSERT_OK_AND_ASSIGN(const auto model, MakeLengthsModel(OfBins(3), kTerms));
  for (const std::vector<float>& edges :
       std::vector<std::vector<float>>{{2}, {2, 1}, {-1, 1}, {1, 2, 3}}) {
    EXPECT_THAT(model->Check(edges),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("edges")));
  }
}

}  // namespace lengths_model_test
}  // namespace topicwall::lengths
