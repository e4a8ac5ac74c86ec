// What clipping, rounding and adding the sampled units costs beside their E-step.
//
//   clip_bench [rounds [docword topics]]
//   K    terms  threads  along  entries  E-step µs  clip+sum µs  share
//   50   8000         1      0      104       2.71         0.38   14.0 %
//
// along: the direction noise, or 0.
// Units of one document each: those of a UCI docword file, with topics K×V as little-endian
// float32, or else drawn from made-up topics as peaked as trained ones. The same units run
// through the E-step alone, then through the E-step and everything between it and the noise
// (UnitStatistic, clip, grid, sum); the difference is the clip's. Both are CPU time per unit,
// the least of `rounds` interleaved rounds for every few units.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "model/lda/lda_model.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/sufficient_statistics.h"
#include "proto/models/lda_options.h"
#include "server/executor/executor.h"
#include "server/mechanism/noise_mechanism.h"
#include "server/mechanism/partial_sum.h"
#include "server/mechanism/release_coins.h"
#include "tests/bench/trained_like_corpus.h"
#include "tests/support/receipt_for_tests.h"

namespace topicwall::mechanism::bench {
namespace {

struct Corpus {
  lda::LogTopics topics;
  lda::DocumentList documents;
};

Corpus MadeUpCorpus(int num_topics, int documents, int mean_tokens) {
  lda::bench::TrainedLikeCorpus corpus(num_topics, 8000);
  return {.topics = *corpus.Topics(), .documents = corpus.Documents(documents, mean_tokens)};
}

Corpus ReadCorpus(const char* docword, const char* topics) {
  std::ifstream words(docword);
  int64_t documents = 0, terms = 0, entries = 0;
  words >> documents >> terms >> entries;
  std::vector<std::map<uint32_t, uint32_t>> read(static_cast<std::size_t>(documents));
  int64_t document = 0, term = 0, count = 0;
  while (words >> document >> term >> count) {
    read[static_cast<std::size_t>(document - 1)][static_cast<uint32_t>(term - 1)] =
        static_cast<uint32_t>(count);
  }
  lda::DocumentList list;
  for (const auto& counts : read) {
    std::vector<lda::TermCount> one;
    for (const auto& [number, times] : counts) one.push_back({.term = number, .count = times});
    list.Append(one);
  }
  std::ifstream file(topics, std::ios::binary | std::ios::ate);
  std::vector<float> values(static_cast<std::size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  const int num_topics = static_cast<int>(static_cast<int64_t>(values.size()) / terms);
  return {.topics = *lda::LogTopics::Create(num_topics, static_cast<int>(terms), std::move(values)),
          .documents = std::move(list)};
}

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Calls work(thread) on so many threads.
template <typename Work>
void Run(int threads, Work work) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&work, i] { work(i); });
  work(0);
  for (std::thread& other : others) other.join();
}

// The least CPU time of every stretch of units, over the rounds: what other work on the machine
// does to one round, it seldom does to the same stretch of all.
class LeastTimes {
 public:
  static constexpr std::size_t kStretch = 32;

  void Start() { start_ = CpuSeconds(), stretch_ = 0, units_ = 0; }
  void CountUnit() {
    if (++units_ % kStretch == 0) EndStretch();
  }
  void EndStretch() {
    const double now = CpuSeconds();
    if (stretch_ == least_.size()) least_.push_back(1e300);
    least_[stretch_] = std::min(least_[stretch_], now - start_);
    start_ = now;
    ++stretch_;
  }
  double Seconds() const { return std::accumulate(least_.begin(), least_.end(), 0.0); }

 private:
  double start_ = 0;
  std::size_t units_ = 0;
  std::size_t stretch_ = 0;
  std::vector<double> least_;
};

ReleaseCoins PaidCoins() {
  absl::StatusOr<ReleaseKeys> keys = SplitReceipt(
      ledger::ChargeReceiptTestPeer::Make({.charge_id = 1,
                                           .plan_id = "bench",
                                           .iteration = 1,
                                           .request_digest = {},
                                           .corpus_version = {},
                                           .mechanism = {.sampling_rate = 1,
                                                         .noise_multiplier = 6.3,
                                                         .histogram_noise_multiplier = {},
                                                         .max_words = 500,
                                                         .weights = {}}},
                                          random::SecretKey(std::array<uint8_t, 32>{1})),
      1, nullptr);
  return std::move(keys->coins);
}

PartialSum EmptySum(const ReleaseCoins& coins, const lda::LogTopics& topics, int threads,
                    double direction_noise) {
  const auto model = lda::MakeLdaModel(proto::LdaOptionBytes(topics.num_topics(), {0.1}, 100, 1e-3),
                                       topics.vocabulary_size());
  const auto inference = (*model)->Bind(topics.values(), threads);
  auto memory = executor::ReserveSum(**inference, threads, direction_noise != 0);
  return *PartialSum::Create(coins, *std::move(memory),
                             {.clip_norm = 4, .direction_noise = direction_noise});
}

// One thread's share of the units: those whose number is `thread` modulo the threads.
class Share {
 public:
  Share(const lda::DocumentList& documents, const lda::EStep& e_step, int thread, int threads)
      : documents_(documents), e_step_(e_step), thread_(thread), threads_(threads) {}

  void Infer() {
    lda::EStep::Workspace workspace;
    infer_.Start();
    for (std::size_t d = thread_; d < documents_.size(); d += threads_) {
      e_step_.Infer(documents_[d], workspace);
      infer_.CountUnit();
    }
    infer_.EndStretch();
  }

  void InferAndAdd(const ReleaseCoins& coins, PartialSum* sum) {
    std::vector<random::UnitId> ids;
    for (std::size_t d = thread_; d < documents_.size(); d += threads_) {
      ids.push_back({static_cast<uint8_t>(d), static_cast<uint8_t>(d >> 8)});
    }
    std::vector<SampledUnit> sampled;
    if (!coins.Sample(ids, &sampled).ok()) std::abort();
    ClippedUnit clipped;
    PartialSum::Adder adder(sum, &clipped);
    entries_ = 0;
    lda::EStep::Workspace workspace;
    lda::UnitStatistic rows;
    model::SparseStatistic statistic;
    all_.Start();
    for (SampledUnit& unit : sampled) {
      const lda::DocumentView document = documents_[thread_ + unit.position() * threads_];
      e_step_.Infer(document, workspace);
      rows.Reset({.num_topics = static_cast<size_t>(e_step_.num_topics()),
                  .num_columns = static_cast<size_t>(e_step_.vocabulary_size())},
                 &statistic);
      rows.Add(document, workspace);
      rows.Finish();
      entries_ += statistic.values.size();
      adder.Add(std::move(unit), statistic);
      all_.CountUnit();
    }
    all_.EndStretch();
  }

  std::size_t entries() const { return entries_; }
  double infer_seconds() const { return infer_.Seconds(); }
  double all_seconds() const { return all_.Seconds(); }

 private:
  const lda::DocumentList& documents_;
  const lda::EStep& e_step_;
  std::size_t thread_;
  std::size_t threads_;
  std::size_t entries_ = 0;
  LeastTimes infer_;
  LeastTimes all_;
};

void Measure(const Corpus& corpus, int threads, int rounds, double direction_noise) {
  const lda::EStep e_step =
      *lda::EStep::Create(corpus.topics, {.document_topic_prior = 1.0 / corpus.topics.num_topics(),
                                          .max_iterations = 100,
                                          .mean_change_threshold = 1e-3});
  const ReleaseCoins coins = PaidCoins();
  PartialSum sum = EmptySum(coins, corpus.topics, threads, direction_noise);
  std::vector<Share> shares;
  for (int i = 0; i < threads; ++i) shares.emplace_back(corpus.documents, e_step, i, threads);
  for (int round = 0; round < rounds; ++round) {
    Run(threads, [&](int i) { shares[i].Infer(); });
    Run(threads, [&](int i) { shares[i].InferAndAdd(coins, &sum); });
  }
  std::size_t entries = 0;
  double infer = 0;
  double all = 0;
  for (const Share& share : shares) {
    entries += share.entries();
    infer += share.infer_seconds();
    all += share.all_seconds();
  }
  const double units = static_cast<double>(corpus.documents.size());
  std::printf("%4d %6d %8d %6.0f %8.0f %10.2f %12.3f %5.1f %%\n", e_step.num_topics(),
              e_step.vocabulary_size(), threads, direction_noise,
              static_cast<double>(entries) / units, infer / units * 1e6,
              (all - infer) / units * 1e6, (all - infer) / infer * 100);
}

}  // namespace
}  // namespace topicwall::mechanism::bench

int main(int argc, char** argv) {
  using namespace topicwall::mechanism::bench;
  const int rounds = std::max(1, argc > 1 ? std::atoi(argv[1]) : 10);
  std::vector<Corpus> corpora;
  if (argc > 3) {
    corpora.push_back(ReadCorpus(argv[2], argv[3]));
  } else {
    for (const int num_topics : {50, 100, 200}) {
      corpora.push_back(MadeUpCorpus(num_topics, 10'000, 36));
    }
    corpora.push_back(MadeUpCorpus(100, 2'000, 300));
  }
  std::printf("   K  terms  threads  along  entries  E-step us  clip+sum us   share\n");
  for (const Corpus& corpus : corpora) {
    for (const int threads : {1, 2}) {
      for (const double direction_noise : {0.0, 5.0}) {
        Measure(corpus, threads, rounds, direction_noise);
      }
    }
  }
  return 0;
}
