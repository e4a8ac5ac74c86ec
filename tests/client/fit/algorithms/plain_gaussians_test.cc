// The yardstick: nothing that was fitted behind a wall is better than it on the same vectors.
#include "client/fit/algorithms/plain_gaussians.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/evaluate/evaluator.h"
#include "client/fit/fit.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace plain_gaussians_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr int kDimension = 3;
constexpr model::VectorSpace kSpace = {.dimension = kDimension, .norm_bound = 2.5};

// 2,000 vectors about each of three means, ± 0.1 in each number.
const double kMeans[3][kDimension] = {{0.6, 0.3, 0}, {-0.3, 0, 0.4}, {0, -0.6, -0.3}};
LocalWall::Planted ThreeKinds() {
  LocalWall::Planted planted;
  for (int i = 0; i < 6000; ++i) {
    std::vector<float> vector;
    for (int j = 0; j < kDimension; ++j) {
      vector.push_back(static_cast<float>(kMeans[i % 3][j] + ((i / 3 >> j) % 2 == 0 ? 0.1 : -0.1)));
    }
    planted.vectors.push_back(vector);
  }
  return planted;
}

VectorMatrix AtHand() {
  VectorMatrix matrix = {.dimension = kDimension, .values = {}};
  for (const std::vector<float>& vector : ThreeKinds().vectors) {
    matrix.values.insert(matrix.values.end(), vector.begin(), vector.end());
  }
  return matrix;
}

class PlainGaussiansTest : public ::testing::Test {
 protected:
  absl::StatusOr<v1::ModelFile> BehindAWall(FitSpec spec) {
    LocalWall wall(ThreeKinds());
    spec.corpus = "notes";
    spec.algorithm = kGaussian;
    spec.num_topics = 3;
    const auto directory = ModelDirectory::Open(absl::StrCat(folder_.path(), "/", ++models_));
    if (!directory.ok()) return directory.status();
    const auto agree = [](const FitQuote&) { return absl::OkStatus(); };
    const auto fitted = Fit(wall, **directory, spec, {.agree = agree, .on_progress = {}});
    if (!fitted.ok()) return fitted.status();
    return fitted->model;
  }

  testing::TemporaryDirectory folder_;
  int models_ = 0;
};

double LogLikelihood(const v1::ModelFile& model) {
  return EvaluateGaussians(model, AtHand())->log_likelihood;
}

TEST_F(PlainGaussiansTest, NoPrivateFitOfTheSameVectorsIsBetter) {
  const VectorMatrix vectors = AtHand();
  for (const uint64_t seed : {1, 2, 3}) {
    ASSERT_OK_AND_ASSIGN(const auto plain,
                         FitPlainGaussians({.values = vectors.values, .space = kSpace},
                                           {.num_components = 3, .seed = seed}));
    ASSERT_OK(ParseModelFile(plain.SerializeAsString(), "plain"));
    EXPECT_EQ(plain.gaussian().vectors(), 6000);
    EXPECT_TRUE(std::isinf(plain.epsilon()));
    for (const double epsilon : {0.5, 2.0}) {
      FitSpec spec;
      spec.seed = seed;
      spec.iterations = 12;
      spec.epsilon = epsilon;
      ASSERT_OK_AND_ASSIGN(const auto fitted, BehindAWall(spec));
      // What float32 leaves of a log density of about 3.
      EXPECT_LE(LogLikelihood(fitted), LogLikelihood(plain) + 1e-4) << epsilon << " " << seed;
    }
  }
}

// K vectors or fewer are means as they stand, however far their spread is from anybody's guess.
TEST_F(PlainGaussiansTest, MeansThatArePublicAreFoundAgainWhateverTheSeed) {
  std::vector<float> means;
  for (const auto& mean : kMeans) means.insert(means.end(), mean, mean + kDimension);
  ASSERT_OK_AND_ASSIGN(const auto initial,
                       InitialGaussians({.values = means, .space = kSpace}, {.num_components = 3}));
  FitSpec spec;
  spec.epsilon = 2;
  spec.iterations = 6;
  spec.seed = 77;
  spec.initial_model = std::make_shared<const v1::ModelFile>(initial);
  ASSERT_OK_AND_ASSIGN(const auto fitted, BehindAWall(spec));
  const gaussian::Components found = ComponentsOf(fitted);
  // In the order in which they were given: nothing was drawn. Their noise is 0.003 or less.
  for (size_t i = 0; i < means.size(); ++i) EXPECT_NEAR(found.means[i], means[i], 0.02) << i;
  // Fewer are the first of them.
  means.resize(2 * kDimension);
  ASSERT_OK_AND_ASSIGN(const auto two,
                       InitialGaussians({.values = means, .space = kSpace}, {.num_components = 3}));
  EXPECT_EQ(two.num_topics(), 2);
}

TEST_F(PlainGaussiansTest, OfMoreVectorsAMixtureIsMadeAndKnownByTheVectors) {
  const VectorMatrix vectors = AtHand();
  ASSERT_OK_AND_ASSIGN(
      const auto initial,
      InitialGaussians({.values = vectors.values, .space = kSpace}, {.num_components = 3}));
  EXPECT_EQ(initial.num_topics(), 3);
  FitSpec spec;
  spec.epsilon = 2;
  spec.iterations = 2;
  spec.initial_model = std::make_shared<const v1::ModelFile>(initial);
  spec.initial_sha256 = std::string(32, 'v');
  ASSERT_OK_AND_ASSIGN(const auto fitted, BehindAWall(spec));
  EXPECT_EQ(fitted.spec().initial_model_sha256(), spec.initial_sha256);
  // By the same vectors on a machine whose arithmetic makes another mixture of them.
  FitSpec again = spec;
  again.corpus = "notes";
  again.algorithm = kGaussian;
  again.num_topics = 3;
  v1::ModelFile other = initial;
  other.mutable_gaussian()->set_means(0, 0.61);
  again.initial_model = std::make_shared<const v1::ModelFile>(other);
  EXPECT_OK(CheckSameModel(again, fitted));
  again.initial_sha256 = std::string(32, 'w');
  EXPECT_THAT(CheckSameModel(again, fitted),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("init")));
}

}  // namespace plain_gaussians_test
}  // namespace topicwall::client
