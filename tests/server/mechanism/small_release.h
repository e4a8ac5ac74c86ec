// A corpus small enough to check unit by unit, and the release of it: what the mechanism's
// tests run on.
#ifndef TOPICWALL_TESTS_SERVER_MECHANISM_SMALL_RELEASE_H_
#define TOPICWALL_TESTS_SERVER_MECHANISM_SMALL_RELEASE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/sufficient_statistics.h"
#include "server/mechanism/noise_mechanism.h"
#include "server/mechanism/partial_sum.h"
#include "server/random/keystream.h"
#include "tests/support/receipt_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {

// Reads the sum that nobody may see.
struct PartialSumTestPeer {
  // D, column by column.
  static std::vector<uint64_t> Grid(const PartialSum& sum) {
    std::vector<uint64_t> grid(sum.memory_.high_.size());
    for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = sum.At(i);
    return grid;
  }
  static const std::array<uint64_t, kNormHistogramBins>& Histogram(const PartialSum& sum) {
    return sum.histogram_;
  }
  // As processes join theirs: number by number.
  static void Join(PartialSum* sum, const PartialSum& other) {
    for (std::size_t i = 0; i < other.memory_.high_.size(); ++i) sum->memory_.Add(i, other.At(i));
    for (std::size_t bin = 0; bin < other.histogram_.size(); ++bin) {
      sum->histogram_[bin] += other.histogram_[bin];
    }
    for (std::size_t shard = 0; shard < other.shards_.size(); ++shard) {
      for (int times = 0; times < other.shards_[shard]; ++times) {
        EXPECT_OK(sum->CountShard(static_cast<int>(shard)));
      }
    }
  }
  static const UnitClipper& Clipper(const PartialSum& sum) { return sum.clipper_; }
};

inline constexpr int kSmallTopics = 5;
inline constexpr int kSmallVocabulary = 40;
inline constexpr double kSmallClipNorm = 6;

using Change = std::function<void(ledger::ChargeTerms&)>;
inline void NoChange(ledger::ChargeTerms&) {}

// Each makes another release of it, or another attempt.
inline std::vector<Change> OtherReleases() {
  return {[](ledger::ChargeTerms& terms) { terms.request_digest[31] = 1; },
          [](ledger::ChargeTerms& terms) { terms.corpus_version[15] = 1; },
          [](ledger::ChargeTerms& terms) { terms.begun_at_ms += 1; }};
}

// A receipt for a full-batch release of the small corpus with a norm histogram, which
// `change` may alter.
inline ledger::ChargeReceipt SmallReceipt(const Change& change = NoChange, uint8_t key = 1) {
  ledger::ChargeTerms terms = {
      .charge_id = 77,
      .plan_id = "plan-1",
      .iteration = 3,
      .request_digest = {4, 5},
      .corpus_version = {6, 7},
      .mechanism = {.sampling_rate = 1,
                    .noise_multiplier = 1.24,
                    .histogram_noise_multiplier = 3,
                    .max_words = 1000,
                    .weights = {}},
  };
  change(terms);
  return ledger::ChargeReceiptTestPeer::Make(std::move(terms),
                                             random::SecretKey(std::array<uint8_t, 32>{key}));
}

inline ReleaseKeys SplitForTest(ledger::ChargeReceipt receipt, int num_shards = 1) {
  absl::StatusOr<ReleaseKeys> keys = SplitReceipt(std::move(receipt), num_shards, nullptr);
  EXPECT_OK(keys);
  return *std::move(keys);
}

// A sum that nothing was added to.
inline PartialSum EmptySum(const ReleaseCoins& coins,
                           model::StatisticShape shape = model::GridOf(kSmallTopics,
                                                                       kSmallVocabulary),
                           double clip_norm = kSmallClipNorm) {
  absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve({.shape = shape, .num_threads = 3});
  EXPECT_OK(memory);
  absl::StatusOr<PartialSum> sum =
      PartialSum::Create(coins, *std::move(memory), {.clip_norm = clip_norm});
  EXPECT_OK(sum);
  return *std::move(sum);
}

// The whole release in one sum, with nothing added yet.
struct SmallRelease {
  explicit SmallRelease(ledger::ChargeReceipt receipt,
                        model::StatisticShape shape = model::GridOf(kSmallTopics, kSmallVocabulary),
                        double clip_norm = kSmallClipNorm)
      : keys(SplitForTest(std::move(receipt))), sum(EmptySum(keys.coins, shape, clip_norm)) {
    EXPECT_OK(sum.CountShard(0));
  }

  ReleaseKeys keys;
  PartialSum sum;
};

// 60 units of one document each, of 1 to 40 tokens, so that some are clipped and some not;
// their statistics come from the real E-step.
class SmallCorpus {
 public:
  SmallCorpus() {
    absl::StatusOr<random::Keystream> stream =
        random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{99}), 0);
    EXPECT_OK(stream);
    std::vector<float> values(kSmallTopics * kSmallVocabulary);
    for (float& value : values) value = -static_cast<float>(stream->NextBits(10)) / 200;
    absl::StatusOr<lda::LogTopics> topics =
        lda::LogTopics::Create(kSmallTopics, kSmallVocabulary, std::move(values));
    EXPECT_OK(topics);
    absl::StatusOr<lda::EStep> e_step = lda::EStep::Create(
        *topics,
        {.document_topic_prior = 0.2, .max_iterations = 20, .mean_change_threshold = 1e-3});
    EXPECT_OK(e_step);
    lda::EStep::Workspace workspace;
    for (uint8_t unit = 0; unit < 60; ++unit) {
      std::array<uint32_t, kSmallVocabulary> counts{};
      for (uint64_t tokens = stream->NextBelow(40) + 1; tokens > 0; --tokens) {
        ++counts[stream->NextBelow(kSmallVocabulary)];
      }
      std::vector<lda::TermCount> document;
      for (uint32_t term = 0; term < kSmallVocabulary; ++term) {
        if (counts[term] > 0) document.push_back({term, counts[term]});
      }
      ids_.push_back({unit, 17});
      e_step->Infer(document, workspace);
      lda::UnitStatistic rows;
      rows.Reset({.num_topics = kSmallTopics, .num_columns = kSmallVocabulary},
                 &statistics_.emplace_back());
      rows.Add(document, workspace);
      rows.Finish();
    }
  }

  const std::vector<random::UnitId>& ids() const { return ids_; }
  const model::SparseStatistic& statistic(std::size_t unit) const { return statistics_[unit]; }

  // Samples and adds the units numbered in `order`.
  void AddTo(const ReleaseCoins& coins, PartialSum* sum,
             const std::vector<std::size_t>& order) const {
    std::vector<SampledUnit> sampled;
    ClippedUnit clipped;
    PartialSum::Adder adder(sum, &clipped);
    for (const std::size_t unit : order) {
      EXPECT_OK(coins.Sample({&ids_[unit], 1}, &sampled));
      for (SampledUnit& one : sampled) adder.Add(std::move(one), statistics_[unit]);
    }
  }

  void AddTo(SmallRelease* release, const std::vector<std::size_t>& order) const {
    AddTo(release->keys.coins, &release->sum, order);
  }

  std::vector<std::size_t> everybody() const {
    std::vector<std::size_t> units(ids_.size());
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = i;
    return units;
  }

 private:
  std::vector<random::UnitId> ids_;
  std::vector<model::SparseStatistic> statistics_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_TESTS_SERVER_MECHANISM_SMALL_RELEASE_H_
