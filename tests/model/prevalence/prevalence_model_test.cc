#include "model/prevalence/prevalence_model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "proto/models/lda_options.h"
#include "proto/models/prevalence.pb.h"
#include "tests/model/no_bits.h"
#include "tests/support/status_matchers.h"

namespace topicwall::prevalence {
namespace prevalence_model_test {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;
using ::topicwall::testing::StatusIs;

constexpr int kTerms = 4;  // V
const model::CorpusShape& Corpus() {
  static const auto* const shape =
      new model::CorpusShape{.vocabulary_size = kTerms, .attribute_sizes = {3, 2}};
  return *shape;
}

std::string Options(const std::vector<int>& attributes, int num_topics = 2) {
  v1::PrevalenceOptions options;
  EXPECT_TRUE(options.mutable_topics()->ParseFromString(
      proto::LdaOptionBytes(num_topics, {1e-6}, 100, 1e-6)));
  for (const int attribute : attributes) options.add_attributes(attribute);
  return options.SerializeAsString();
}

// Terms 0 and 1 are the first topic's alone, 2 and 3 the second's, so a document's shares are those
// of its words.
std::vector<float> Topics() { return {-1, -1, -1e4F, -1e4F, -1e4F, -1e4F, -1, -1}; }

model::SparseStatistic Infer(const std::vector<int>& attributes,
                             const std::vector<model::UnitDocument>& unit) {
  const auto model = MakePrevalenceModel(Options(attributes), Corpus());
  EXPECT_OK(model);
  const auto inference = (*model)->Bind(Topics(), 1);
  EXPECT_OK(inference);
  model::SparseStatistic statistic;
  model::NoBits bits;
  (*inference)
      ->NewThread({.vocabulary_size = kTerms, .max_words = 10, .max_documents = 3})
      ->Infer({.documents = unit}, bits, &statistic);
  return statistic;
}

const std::vector<lda::TermCount> kThreeToOne = {{0, 2}, {1, 1}, {3, 1}}, kSecond = {{2, 5}},
                                  kOneToOne = {{0, 1}, {2, 1}};
constexpr uint16_t kCellFour[] = {2, 0}, kCellOne[] = {0, 1}, kNoSuch[] = {9, 9};

TEST(PrevalenceModelTest, AUnitsStatisticHoldsTheSharesOfItsDocumentsInTheirCells) {
  const model::SparseStatistic statistic =
      Infer({0, 1}, {{.counts = kThreeToOne, .number = 0, .attributes = kCellFour},
                     {.counts = kSecond, .number = 1, .attributes = kCellOne},
                     {.counts = kOneToOne, .number = 2, .attributes = kCellFour}});
  EXPECT_THAT(statistic.columns, ElementsAre(0, 1, 2));
  EXPECT_THAT(statistic.rows, ElementsAre(1, 4));
  // By column, and in it by cell.
  EXPECT_THAT(statistic.values, Pointwise(FloatNear(1e-5F), {0.0F, 1.25F, 1.0F, .75F, 1.0F, 2.0F}));
}

// With φ_0 = (½, ¼, ⅛, ⅛), φ_1 = (⅛, ⅛, ¼, ½) and π = (¾, ¼): of {0, 0, 2} r = 24/25 and 1/25, of
// {2, 3} 3/11 and 8/11; a document without words is of nothing, and not of π.
TEST(PrevalenceModelTest, OfAMixtureADocumentsSharesAreHowLikelyItsComponentsAre) {
  v1::PrevalenceOptions options;
  options.mutable_topics()->set_num_topics(2);
  options.mutable_topics()->set_one_topic_a_document(true);
  options.add_attributes(0);
  const auto model = MakePrevalenceModel(options.SerializeAsString(), Corpus());
  ASSERT_OK(model);
  EXPECT_EQ((*model)->demand().parameters, 2 * (kTerms + 1));
  std::vector<float> parameters;
  for (const double p : {.5, .25, .125, .125, .75, .125, .125, .25, .5, .25}) {
    parameters.push_back(static_cast<float>(std::log(p)));
  }
  ASSERT_OK_AND_ASSIGN(const auto inference, (*model)->Bind(parameters, 1));
  const std::vector<lda::TermCount> first = {{0, 2}, {2, 1}}, second = {{2, 1}, {3, 1}};
  const std::vector<model::UnitDocument> unit = {
      {.counts = first, .number = 0, .attributes = kCellFour},
      {.counts = second, .number = 1, .attributes = kCellOne},
      {.counts = {}, .number = 2, .attributes = kCellFour}};
  model::SparseStatistic statistic;
  model::NoBits bits;
  (inference)
      ->NewThread({.vocabulary_size = kTerms, .max_words = 10, .max_documents = 3})
      ->Infer({.documents = unit}, bits, &statistic);
  EXPECT_THAT(statistic.columns, ElementsAre(0, 1, 2));
  EXPECT_THAT(statistic.rows, ElementsAre(0, 2));
  EXPECT_THAT(statistic.values, Pointwise(FloatNear(1e-6F), {3.0F / 11, 24.0F / 25, 8.0F / 11,
                                                             1.0F / 25, 1.0F, 1.0F}));
}

// However long a document is: it counts once, and its shares sum to 1.
TEST(PrevalenceModelTest, ADocumentsNormDoesNotGrowWithItsLength) {
  std::vector<lda::TermCount> long_document = kThreeToOne;
  for (lda::TermCount& entry : long_document) entry.count *= 1000;
  const auto expected = Infer({}, {{.counts = kThreeToOne, .number = 0}});
  EXPECT_THAT(Infer({}, {{.counts = long_document, .number = 0}}).values,
              Pointwise(FloatNear(1e-5F), expected.values));
}

TEST(PrevalenceModelTest, WithoutAttributesThereIsOneCell) {
  const model::SparseStatistic statistic =
      Infer({}, {{.counts = kSecond, .number = 0, .attributes = kCellFour}});
  EXPECT_THAT(statistic.rows, ElementsAre(0));
  EXPECT_EQ((*MakePrevalenceModel(Options({}), Corpus()))->shape().dimension, 3);
}

TEST(PrevalenceModelTest, AValueThatIsNoneIsTheLastAndAddsToNoOtherCell) {
  EXPECT_THAT(Infer({0, 1}, {{.counts = kSecond, .number = 0, .attributes = kNoSuch}}).rows,
              ElementsAre(5));
  EXPECT_THAT(Infer({0, 1}, {{.counts = kSecond, .number = 0}}).rows, ElementsAre(5));
}

TEST(PrevalenceModelTest, AUnitWithoutWordsIsInNoCell) {
  EXPECT_THAT(Infer({0}, {{.counts = {}, .number = 0, .attributes = kCellFour}}).rows, IsEmpty());
}

TEST(PrevalenceModelTest, EveryCombinationOfValuesIsACellWhetherDocumentsHaveItOrNot) {
  ASSERT_OK_AND_ASSIGN(const auto model, MakePrevalenceModel(Options({0, 1}), Corpus()));
  EXPECT_EQ(model->shape().period, 3);
  EXPECT_EQ(model->shape().dimension, 3 * 6);
  EXPECT_EQ(model->demand().parameters, 2 * kTerms);
}

TEST(PrevalenceModelTest, WhatTheCorpusDoesNotHaveIsRefused) {
  for (const std::vector<int>& attributes :
       {std::vector<int>{2}, {-1}, {1, 0}, {1, 1}, {0, 1, 2}}) {
    EXPECT_THAT(MakePrevalenceModel(Options(attributes), Corpus()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("attributes")));
  }
  EXPECT_THAT(MakePrevalenceModel("\xFF", Corpus()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("PrevalenceOptions")));
  EXPECT_THAT(MakePrevalenceModel(Options({}, 0), Corpus()),
              StatusIs(absl::StatusCode::kInvalidArgument));
  const model::CorpusShape many = {.vocabulary_size = kTerms,
                                   .attribute_sizes = {65535, 65535, 65535}};
  EXPECT_THAT(MakePrevalenceModel(Options({0, 1, 2}), many),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^32")));
  // Of one topic, too: its column and that of the documents are twice as many as the cells.
  for (const int topics : {1, 2}) {
    EXPECT_THAT(MakePrevalenceModel(Options({0, 1}, topics), many),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^32")));
  }
  EXPECT_OK(MakePrevalenceModel(Options({0, 1}, 1),
                                {.vocabulary_size = kTerms, .attribute_sizes = {65'536, 32'768}}));
}

TEST(PrevalenceModelTest, AUnitIsInNoMoreCellsThanThereAreOrThanItHasDocuments) {
  const auto rows = [](const std::vector<int>& attributes, int64_t documents) {
    return (*MakePrevalenceModel(Options(attributes), Corpus()))
        ->Worst({.vocabulary_size = kTerms, .max_words = 10, .max_documents = documents})
        .rows;
  };
  EXPECT_EQ(rows({0, 1}, 4), 4);
  EXPECT_EQ(rows({0, 1}, 1000), 6);
}

}  // namespace prevalence_model_test
}  // namespace topicwall::prevalence
