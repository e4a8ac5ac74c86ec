#include "model/mixture/mixture_model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "proto/models/mixture.pb.h"
#include "tests/model/no_bits.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mixture {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::topicwall::testing::StatusIs;

constexpr int kTerms = 4;  // V

std::string Options(int num_components) {
  v1::MixtureOptions options;
  options.set_num_components(num_components);
  return options.SerializeAsString();
}

// Two documents of one owner, with a word in common, and before them one without words. With φ_0 =
// (½, ¼, ⅛, ⅛), φ_1 = (⅛, ⅛, ¼, ½), π = (¾, ¼): of {0, 0, 2}, component 0 has ¾·½·½·⅛ and 1 has
// ¼·⅛·⅛·¼, so r = 24/25 and 1/25; of {2, 3}, ¾·⅛·⅛ and ¼·¼·½, so r = 3/11 and 8/11.
TEST(MixtureModelTest, AUnitsStatisticIsWhatOneComputesByHand) {
  ASSERT_OK_AND_ASSIGN(const auto made, MakeMixtureModel(Options(2), kTerms));
  const model::StatisticModel& mixture = *made;
  EXPECT_EQ(mixture.shape().dimension, 10);
  EXPECT_EQ(mixture.shape().period, 5);
  EXPECT_EQ(mixture.demand().parameters, 10);
  std::vector<float> parameters;
  for (const double p : {.5, .25, .125, .125, .75, .125, .125, .25, .5, .25}) {
    parameters.push_back(static_cast<float>(std::log(p)));
  }
  ASSERT_OK_AND_ASSIGN(const auto inference, mixture.Bind(parameters, 1));
  const std::vector<lda::TermCount> first = {{0, 2}, {2, 1}}, second = {{2, 1}, {3, 1}};
  const std::vector<model::UnitDocument> unit = {{{}, 0}, {first, 1}, {second, 2}};
  model::SparseStatistic statistic;
  model::NoBits bits;
  (inference)
      ->NewThread({.vocabulary_size = kTerms, .max_words = 10, .max_documents = 3})
      ->Infer({.documents = unit}, bits, &statistic);
  EXPECT_THAT(statistic.columns, ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(statistic.rows, ElementsAre(0, 1));
  const double a = 24. / 25, b = 3. / 11;
  EXPECT_THAT(statistic.values, Pointwise(DoubleNear(1e-6), {2 * a, 2 * (1 - a), a + b, 2 - a - b,
                                                             b, 1 - b, a + b, 2 - a - b}));
}

TEST(MixtureModelTest, AnEmptyDocumentIsOfNoComponent) {
  const auto made = MakeMixtureModel(Options(2), kTerms);
  ASSERT_OK_AND_ASSIGN(const auto inference, (*made)->Bind(std::vector<float>(10, -1), 1));
  const std::vector<model::UnitDocument> unit = {{{}, 0}};
  model::SparseStatistic statistic;
  model::NoBits bits;
  (inference)
      ->NewThread({.vocabulary_size = kTerms, .max_words = 10, .max_documents = 2})
      ->Infer({.documents = unit}, bits, &statistic);
  EXPECT_THAT(statistic.columns, ElementsAre());
}

TEST(MixtureModelTest, OptionsOutOfRangeAreRefusedBeforeTheyShapeAnything) {
  for (const int components : {0, -1}) {
    EXPECT_THAT(MakeMixtureModel(Options(components), kTerms),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("num_components")));
  }
  EXPECT_THAT(MakeMixtureModel(Options(1 << 20), 1 << 20),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^32")));
  EXPECT_THAT(MakeMixtureModel("\xFF", kTerms),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MixtureOptions")));
}

TEST(MixtureModelTest, ItsWorstCaseIsARequestWithinTheLimits) {
  const model::AnalystLimits limits = {
      .vocabulary_size = 1000, .words = 50, .parameters_per_term = 20, .iterations = 100};
  ASSERT_OK_AND_ASSIGN(const auto cases, WorstMixtures(limits));
  ASSERT_EQ(cases.size(), 1u);
  ASSERT_OK_AND_ASSIGN(const auto made,
                       MakeMixtureModel(cases.front().options, limits.vocabulary_size));
  EXPECT_LE(made->demand().parameters, limits.parameters_per_term * limits.vocabulary_size);
  EXPECT_OK(made->Check(cases.front().parameters()));
  EXPECT_THAT(
      WorstMixtures({.vocabulary_size = 0, .words = 1, .parameters_per_term = 1, .iterations = 1}),
      StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::mixture
