// The exact sum over a corpus, as threads make it and nobody may see it, and what tests ask of it:
// that one unit more changes it by that unit's own vector, which is no longer than is priced.
#ifndef TOPICWALL_TESTS_SERVER_EXECUTOR_EXACT_SUM_H_
#define TOPICWALL_TESTS_SERVER_EXECUTOR_EXACT_SUM_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "server/executor/thread_executor.h"
#include "tests/server/mechanism/small_release.h"
#include "tests/support/status_matchers.h"

namespace topicwall::executor {

using Grid = std::vector<uint64_t>;  // D integers in two's complement, column by column

inline Grid Plus(Grid sum, const Grid& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
  return sum;
}

// In steps of the grid, as server/mechanism/grid_scale.h has the sensitivity.
inline double LengthOf(const Grid& sum) {
  double squares = 0;
  for (const uint64_t value : sum) {
    squares += std::pow(static_cast<double>(static_cast<int64_t>(value)), 2);
  }
  return std::sqrt(squares);
}

// Over all shards.
inline mechanism::PartialSum SumOf(const corpus::CorpusStore& store,
                                   const model::Inference& inference, const UnitBounds& bounds,
                                   const mechanism::ReleaseCoins& coins, double clip_norm) {
  const corpus::DecodedBlocks none;
  auto executor =
      ThreadExecutor::Reserve(inference, {.corpus = store, .decoded = none, .bounds = bounds});
  EXPECT_OK(executor);
  auto units = executor->Sum({.coins = coins,
                              .clip_norm = clip_norm,
                              .max_documents_per_unit = bounds.unit.max_documents,
                              .shards = AllShards(coins)});
  EXPECT_OK(units);
  EXPECT_FALSE(units->unreadable);
  return std::move(units->sum);
}

// Of a release with this much noise, without a norm histogram, that takes `bounds`' words.
inline Grid GridOf(const corpus::CorpusStore& store, const model::Inference& inference,
                   const UnitBounds& bounds, double noise_multiplier, double clip_norm) {
  const mechanism::ReleaseKeys keys =
      mechanism::SplitForTest(mechanism::SmallReceipt([&](ledger::ChargeTerms& terms) {
        terms.mechanism.noise_multiplier = noise_multiplier;
        terms.mechanism.histogram_noise_multiplier.reset();
        terms.mechanism.max_words = bounds.unit.max_words;
      }));
  return mechanism::PartialSumTestPeer::Grid(
      SumOf(store, inference, bounds, keys.coins, clip_norm));
}

}  // namespace topicwall::executor

#endif  // TOPICWALL_TESTS_SERVER_EXECUTOR_EXACT_SUM_H_
