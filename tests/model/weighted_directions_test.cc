#include "model/weighted_directions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "model/models.h"
#include "proto/models/lda.pb.h"
#include "tests/support/status_matchers.h"

namespace topicwall::model {
namespace weighted_directions_test {

constexpr double kNoise = 2;  // r

std::unique_ptr<Inference> Bound(const std::string& model) {
  v1::LdaOptions options;
  options.set_num_topics(2);
  options.add_document_topic_prior(0.5);
  options.set_max_iterations(5);
  const auto made = MakeModel(model, options.SerializeAsString(), {.vocabulary_size = 3});
  EXPECT_OK(made);
  // The second topic ten nats below the first: of a row the length does not count.
  const std::vector<float> log_topics = {-1, -2, -3, -13, -11, -11};
  return *(*made)->Bind(log_topics, 1);
}

TEST(WeightedDirectionsTest, AreTheModelsWeightedAndOfLengthOne) {
  const std::vector<float> weights = {1, 2, 0.5};
  const auto along = WeightedDirections::Of(*Bound("lda"), weights, kNoise);
  ASSERT_TRUE(along.has_value());
  // Row 1: w·exp(ℓ) ∝ (e⁻², 2, ½).
  const double length = std::sqrt(std::exp(-4.0) + 4 + 0.25);
  EXPECT_NEAR(along->Step(1, 0), kNoise * std::exp(-2.0) / length, 1e-6);
  EXPECT_NEAR(along->Step(1, 1), kNoise / length, 1e-6);
  EXPECT_NEAR(along->Step(1, 2), kNoise / length, 1e-6);
  // What is 3 times d_1 when it is weighted: of its 9 the share r²/(1 + r²).
  SparseStatistic x = {.columns = {0, 1, 2}, .rows = {1}, .values = {}};
  for (size_t v = 0; v < 3; ++v) {
    x.values.push_back(static_cast<float>(3 / kNoise * along->Step(1, v)));
  }
  std::vector<double> room;
  EXPECT_NEAR(along->SquaresLeftOut(x, &room), 9 * 4.0 / 5, 1e-5);
  EXPECT_NEAR(along->SquaresLeftOut(x, &room), 9 * 4.0 / 5, 1e-5) << "nothing of the unit before";
}

TEST(WeightedDirectionsTest, OfNoNoiseThereAreNoneAndOfAModelWithoutNothing) {
  const auto none = WeightedDirections::Of(*Bound("lda"), {}, 0);
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(none->empty());
  std::vector<double> room;
  const SparseStatistic x = {.columns = {1}, .rows = {0}, .values = {7}};
  EXPECT_EQ(none->SquaresLeftOut(x, &room), 0);
  EXPECT_FALSE(WeightedDirections::Of(*Bound("document_completion"), {}, kNoise).has_value());
}

}  // namespace weighted_directions_test
}  // namespace topicwall::model
