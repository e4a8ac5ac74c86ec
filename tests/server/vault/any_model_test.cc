// The pipeline of a release knows nothing of any one model: the smallest there can be goes through
// it, from a sealed corpus to noisy numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "server/mechanism/grid_scale.h"
#include "server/mechanism/noise_mechanism.h"
#include "tests/model/scaled_counts/scaled_counts_model.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/server/executor/exact_sum.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace any_model_test {

using corpus::PlainDocument;
using executor::Grid;
using executor::LengthOf;

constexpr int kTerms = 5;  // of the small corpus
constexpr double kClipNorm = 6;
const std::vector<float> kScales = {1, -3, 0.5F, -2, 0.25F};  // of both signs

class AnyModelTest : public ::testing::Test {
 protected:
  struct Summed {
    mechanism::ReleaseKeys keys;
    mechanism::PartialSum sum;
  };
  Summed SumOf(const std::vector<PlainDocument>& documents, int num_threads,
               double noise_multiplier = 1.24) {
    const std::string path = folder_.Path(absl::StrCat("corpus-", next_file_++));
    EXPECT_OK(corpus::WriteCorpus(path, corpus::ParamsOf(v1::PRIVACY_UNIT_OWNER), documents, key_));
    auto store = corpus::CorpusStore::Open(path, key_);
    EXPECT_OK(store);
    const model::ScaledCounts model(kTerms, {});
    const auto inference = model.Bind(kScales, 1);
    EXPECT_OK(inference);
    const model::UnitLimits limits = {
        .vocabulary_size = kTerms, .max_words = 1000, .max_documents = 100};
    mechanism::ReleaseKeys keys = mechanism::SplitForTest(
        mechanism::SmallReceipt([noise_multiplier](ledger::ChargeTerms& terms) {
          terms.mechanism.noise_multiplier = noise_multiplier;
        }));
    mechanism::PartialSum sum = executor::SumOf(
        **store, **inference, {.unit = limits, .has_weights = false, .num_threads = num_threads},
        keys.coins, kClipNorm);
    return {.keys = std::move(keys), .sum = std::move(sum)};
  }
  Grid GridOf(const std::vector<PlainDocument>& documents, int num_threads = 1) {
    return mechanism::PartialSumTestPeer::Grid(SumOf(documents, num_threads).sum);
  }

  testing::TemporaryDirectory folder_;
  sealing::CustodianKey key_ = corpus::NewKey();
  int next_file_ = 0;
};

TEST_F(AnyModelTest, TakingOneOwnerOutTakesOutTheirVectorAndNothingElse) {
  const std::vector<PlainDocument> all = corpus::PlainDocuments(30);
  std::vector<PlainDocument> ann;
  std::vector<PlainDocument> others;
  for (const PlainDocument& document : all) {
    (document.owner == "ann" ? ann : others).push_back(document);
  }
  const Grid alone = GridOf(ann);
  EXPECT_GT(LengthOf(alone), 0);
  EXPECT_LE(LengthOf(alone), static_cast<double>(mechanism::IntegerSensitivity(1.24)));
  const Grid together = executor::Plus(GridOf(others), alone);
  EXPECT_EQ(together, GridOf(all));
  EXPECT_EQ(together, GridOf(all, 3)) << "on three threads";
}

// With the least noise, C/64 an entry, a release shows its sum: 10 standard deviations.
TEST_F(AnyModelTest, WhatIsReleasedIsTheNoisySumInTheModelsOwnUnits) {
  const std::vector<PlainDocument> all = corpus::PlainDocuments(30);
  std::vector<double> expected(kTerms);
  for (const char* const owner : {"ann", "bob", "cyd"}) {
    std::vector<double> unit(kTerms);
    for (const PlainDocument& document : all) {
      if (document.owner != owner) continue;
      for (const auto& [term, count] : document.counts) {
        unit[term] += double{kScales[term]} * count;
      }
    }
    double squares = 0;
    for (const double x : unit) squares += x * x;
    const double factor = squares == 0 ? 0 : std::min(1.0, kClipNorm / std::sqrt(squares));
    for (size_t i = 0; i < unit.size(); ++i) expected[i] += factor * unit[i];
  }
  Summed summed = SumOf(all, 2, 0x1p-6);
  ASSERT_OK_AND_ASSIGN(const auto noisy,
                       mechanism::AddNoise(std::move(summed.sum), std::move(summed.keys.noise), 2));
  ASSERT_EQ(noisy.statistics().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(double{noisy.statistics()[i]}, expected[i], 10 * kClipNorm / 64) << i;
  }
}

}  // namespace any_model_test
}  // namespace topicwall::server
