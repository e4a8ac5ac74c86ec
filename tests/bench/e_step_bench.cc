// How fast one thread infers documents.
//
//   build/release/bin/topicwall-bench --benchmark_filter=EStep
//
// Documents are drawn with Zipf-like term frequencies over 8,000 terms, 36 tokens each on average,
// which is what Debian's package catalogue has over deploy/debian-words.txt. The topics are random;
// "iterations" reports how many updates a document took, to which the time is proportional. Items
// are documents.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "lda/document.h"
#include "lda/e_step.h"
#include "lda/log_topics.h"

namespace topicwall::lda {
namespace {

constexpr int kVocabularySize = 8000;
constexpr int kDocuments = 2000;

// Terms by the inverse of u ↦ log(1 + uV)/log(1 + V): the r-th term about as often as 1/r.
DocumentList ZipfDocuments(int mean_tokens, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  std::poisson_distribution<int> length(mean_tokens);
  DocumentList documents;
  for (int d = 0; d < kDocuments; ++d) {
    std::map<uint32_t, uint32_t> counts;
    for (int n = std::max(1, length(random)); n > 0; --n) {
      const double rank = std::expm1(uniform(random) * std::log1p(kVocabularySize));
      ++counts[static_cast<uint32_t>(std::min<double>(rank, kVocabularySize - 1))];
    }
    std::vector<TermCount> document;
    for (const auto& [term, count] : counts) document.push_back({.term = term, .count = count});
    documents.Append(document);
  }
  return documents;
}

// Rows drawn from Dirichlet(1): every entry exponential, then normalised.
absl::StatusOr<LogTopics> RandomTopics(int num_topics, std::mt19937_64& random) {
  std::exponential_distribution<double> exponential;
  std::vector<float> values(static_cast<size_t>(num_topics) * kVocabularySize);
  for (float& value : values) {
    const double share = exponential(random) / kVocabularySize;
    value = static_cast<float>(std::min(0.0, std::log(share)));
  }
  return LogTopics::Create(num_topics, kVocabularySize, std::move(values));
}

// Arguments: K, mean tokens of a document.
void BM_EStep(benchmark::State& state) {
  std::mt19937_64 random(1);
  const int num_topics = static_cast<int>(state.range(0));
  const DocumentList documents = ZipfDocuments(static_cast<int>(state.range(1)), random);
  const absl::StatusOr<LogTopics> topics = RandomTopics(num_topics, random);
  const absl::StatusOr<EStep> e_step =
      topics.ok() ? EStep::Create(*topics, {.document_topic_prior = 1.0 / num_topics,
                                            .max_iterations = 100,
                                            .mean_change_threshold = 1e-3})
                  : topics.status();
  if (!e_step.ok()) {
    state.SkipWithError("the E-step refuses the benchmark's topics");
    return;
  }
  EStep::Workspace workspace;
  int64_t iterations = 0;
  for (auto _ : state) {
    for (size_t d = 0; d < documents.size(); ++d) {
      e_step->Infer(documents[d], workspace);
      iterations += workspace.iterations();
      benchmark::DoNotOptimize(workspace.gamma().data());
    }
  }
  const double inferred = static_cast<double>(state.iterations()) * kDocuments;
  state.SetItemsProcessed(static_cast<int64_t>(inferred));
  state.counters["iterations"] = static_cast<double>(iterations) / inferred;
  state.counters["tokens/s"] = benchmark::Counter(
      static_cast<double>(state.iterations() * TokenCount(documents)), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_EStep)->Args({50, 36})->Args({50, 200})->Args({200, 36})->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace topicwall::lda
