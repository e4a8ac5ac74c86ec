// How fast one thread infers documents, kernel by kernel, and how near that is to what the core can
// do.
//
//   build/release/bin/topicwall-bench --benchmark_filter=EStep
//
// EStep/<kernel>/K/tokens: documents drawn from made-up topics as peaked as trained ones
// (trained_like_corpus.h) over 8,000 terms: 36 tokens, as Debian's package descriptions have, and
// 250, which is about 150 distinct words. Items are documents; "iterations" is per document.
// DenseEStep: 30 iterations with a prior at which no topic dies out, so that all work is dense.
// "flop/s" counts 4·n·K an iteration and nothing else, and "of_peak" divides it by FmaPeak, which
// is measured for AVX2 whatever the kernel. On an AMD EPYC with two 256-bit multipliers (101
// Gflop/s), the least time of each document with AVX2: 0.41 at K = 100 and 121 distinct words, 0.25
// at K = 50 and 26 words. One with AVX-512 (117 Gflop/s) had 0.39 and 0.24 with it before the
// documents' rows were packed.
//
// What bounds it at K = 100 and 121 words with AVX2, cycles an iteration: every multiply-add loads
// a vector, two a cycle: 1612; the pass takes 2420, ψ and γ 320. With short documents these are two
// fifths. deploy/study/SPEED.md says what was tried.
// TrainedOverRandom: the same documents and operations with topics trained on them, whose weights
// go down to e^-50, and with random ones: "ratio" of the times. Where products underflow and that
// costs the processor anything (e_step.cc), it shows here.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/initial_topics.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/topic_model.h"
#include "tests/bench/online_trainer.h"
#include "tests/bench/trained_like_corpus.h"

namespace topicwall::lda {
namespace {

using ::topicwall::lda::bench::OnlineTrainer;
using ::topicwall::lda::bench::TopicsFromDocuments;
using ::topicwall::lda::bench::TrainedLikeCorpus;

constexpr int kVocabularySize = 8000;
constexpr int kDocuments = 2000;

struct Work {
  int num_topics;
  int tokens;
  double prior;  // α
  bool dense;    // a fixed number of iterations over all topics
};

#ifdef __x86_64__
using EightFloats = float __attribute__((vector_size(32)));
// What a core does at most: twelve chains of fused multiply-adds in registers.
constexpr int kChains = 12, kFmas = 1000;
constexpr double kFlopOfRun = 2.0 * 8 * kChains * kFmas;
__attribute__((target("avx2,fma"), noinline)) EightFloats RunFmas(EightFloats factor,
                                                                  EightFloats term) {
  EightFloats a0 = term, a1 = term, a2 = term, a3 = term, a4 = term, a5 = term;
  EightFloats b0 = term, b1 = term, b2 = term, b3 = term, b4 = term, b5 = term;
  for (int i = 0; i < kFmas; ++i) {
    for (EightFloats* sum : {&a0, &a1, &a2, &a3, &a4, &a5, &b0, &b1, &b2, &b3, &b4, &b5}) {
      asm volatile("vfmadd213ps %2, %1, %0" : "+x"(*sum) : "x"(factor), "x"(term));
    }
  }
  return ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (b0 + b1)) + ((b2 + b3) + (b4 + b5));
}

__attribute__((target("avx2,fma"))) void BM_FmaPeakAvx2(benchmark::State& state) {
  const EightFloats factor = EightFloats{} + 0.999f, term = EightFloats{} + 1e-9f;
  for (auto _ : state) {
    EightFloats result = RunFmas(factor, term);
    benchmark::DoNotOptimize(result);
  }
  state.counters["flop/s"] = benchmark::Counter(
      kFlopOfRun * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// The fastest of many short runs, in flop/s; 0 where there is no such instruction.
__attribute__((target("avx2,fma"))) double MeasureFmaPeak() {
  const EightFloats factor = EightFloats{} + 0.999f, term = EightFloats{} + 1e-9f;
  double best = 0;
  for (int i = 0; i < 500; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EightFloats result = RunFmas(factor, term);
    benchmark::DoNotOptimize(result);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, kFlopOfRun / elapsed.count());
  }
  return best;
}
bool HasFma() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
double FmaPeak() {
  static const double peak = HasFma() ? MeasureFmaPeak() : 0;
  return peak;
}
#else
double FmaPeak() { return 0; }
#endif

void BM_EStep(benchmark::State& state, const EStepKernel& kernel, const Work& work) {
  TrainedLikeCorpus corpus(work.num_topics, kVocabularySize);
  const DocumentList documents = corpus.Documents(kDocuments, work.tokens);
  const absl::StatusOr<LogTopics> topics = corpus.Topics();
  const EStepOptions options = {.document_topic_prior = work.prior,
                                .max_iterations = work.dense ? 30 : 100,
                                .mean_change_threshold = work.dense ? 0 : 1e-3};
  const absl::StatusOr<EStep> e_step =
      topics.ok() ? EStep::Create(*topics, options, kernel) : topics.status();
  if (!e_step.ok()) {
    state.SkipWithError("the E-step refuses the benchmark's topics");
    return;
  }
  EStep::Workspace workspace;
  double iterations = 0, operations = 0;
  for (auto _ : state) {
    for (size_t d = 0; d < documents.size(); ++d) {
      e_step->Infer(documents[d], workspace);
      iterations += workspace.iterations();
      operations +=
          4.0 * static_cast<double>(documents[d].size()) * work.num_topics * workspace.iterations();
      benchmark::DoNotOptimize(workspace.gamma().data());
    }
  }
  const double inferred = static_cast<double>(state.iterations()) * kDocuments;
  state.SetItemsProcessed(static_cast<int64_t>(inferred));
  state.counters["iterations"] = iterations / inferred;
  if (work.dense) {
    state.counters["flop/s"] = benchmark::Counter(operations, benchmark::Counter::kIsRate);
    if (const double peak = FmaPeak(); peak > 0) {
      state.counters["of_peak"] =
          benchmark::Counter(operations / peak, benchmark::Counter::kIsRate);
    }
  }
}

// λ after a few passes over the documents, or `random` ones.
absl::StatusOr<LogTopics> TopicsOf(const DocumentList& documents, int num_topics, bool trained) {
  absl::StatusOr<std::vector<float>> start =
      trained ? TopicsFromDocuments(documents, num_topics, kVocabularySize, /*seed=*/1)
              : RandomTopics(num_topics, kVocabularySize, /*seed=*/1);
  if (!start.ok()) return start.status();
  const double flat = 1.0 / num_topics;
  absl::StatusOr<OnlineTrainer> trainer =
      OnlineTrainer::Create({.num_topics = num_topics,
                             .vocabulary_size = kVocabularySize,
                             .topic_term_prior = flat,
                             .corpus_size = kDocuments,
                             .tau0 = 1,
                             .kappa = 0.7,
                             .e_step = {.document_topic_prior = flat,
                                        .max_iterations = 100,
                                        .mean_change_threshold = 1e-3},
                             .num_threads = 1},
                            InitialMStepState(*std::move(start)));
  if (!trainer.ok()) return trainer.status();
  for (int pass = 0; trained && pass < 5; ++pass) {
    if (absl::Status status = trainer->Pass(documents, 200); !status.ok()) return status;
  }
  return ExpectedLogBeta(trainer->Model());
}

// At α = 0.06 no topic of 50 may be dropped (drop_limit.h): 20 dense iterations, whatever the
// topics. The least time of every stretch of documents, in turns.
void BM_TrainedOverRandom(benchmark::State& state, const EStepKernel& kernel) {
  constexpr int kTopics = 50;
  constexpr size_t kStretch = 100;
  const DocumentList documents =
      TrainedLikeCorpus(kTopics, kVocabularySize).Documents(kDocuments, 36);
  const EStepOptions options = {
      .document_topic_prior = 0.06, .max_iterations = 20, .mean_change_threshold = 0};
  std::vector<EStep> e_steps;
  for (const bool trained : {true, false}) {
    const absl::StatusOr<LogTopics> topics = TopicsOf(documents, kTopics, trained);
    absl::StatusOr<EStep> e_step =
        topics.ok() ? EStep::Create(*topics, options, kernel) : topics.status();
    if (!e_step.ok()) return state.SkipWithError("the benchmark's topics cannot be made");
    e_steps.push_back(*std::move(e_step));
  }
  std::vector<double> least[2];
  for (std::vector<double>& times : least) times.assign(kDocuments / kStretch, 1e300);
  EStep::Workspace workspace;
  for (auto _ : state) {
    for (size_t stretch = 0; stretch < kDocuments / kStretch; ++stretch) {
      for (size_t which = 0; which < 2; ++which) {
        const auto start = std::chrono::steady_clock::now();
        for (size_t d = stretch * kStretch; d < (stretch + 1) * kStretch; ++d) {
          e_steps[which].Infer(documents[d], workspace);
          benchmark::DoNotOptimize(workspace.gamma().data());
        }
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        least[which][stretch] = std::min(least[which][stretch], elapsed.count());
      }
    }
  }
  state.counters["ratio"] = std::accumulate(least[0].begin(), least[0].end(), 0.0) /
                            std::accumulate(least[1].begin(), least[1].end(), 0.0);
}

void BM_ExpectedLogBeta(benchmark::State& state) {
  constexpr int kTopics = 50;
  std::vector<float> parameters;
  for (int i = 0; i < kTopics * kVocabularySize; ++i) {
    parameters.push_back(0.02f + static_cast<float>(i % 1000) * 0.01f);
  }
  const auto model = TopicModel::Create({.num_topics = kTopics,
                                         .vocabulary_size = kVocabularySize,
                                         .document_topic_prior = 0.02,
                                         .topic_term_prior = 0.02,
                                         .topic_parameters = parameters});
  for (auto _ : state) benchmark::DoNotOptimize(ExpectedLogBeta(*model));
  state.SetItemsProcessed(state.iterations() * kTopics * kVocabularySize);
}
BENCHMARK(BM_ExpectedLogBeta)->Unit(benchmark::kMillisecond);

bool RegisterEverything() {
  for (const EStepKernel& kernel : SupportedKernels()) {
    const auto add = [&kernel](const std::string& name, const Work& work) {
      benchmark::RegisterBenchmark(
          absl::StrCat(name, "/", kernel.name, "/", work.num_topics, "/", work.tokens).c_str(),
          [&kernel, work](benchmark::State& state) { BM_EStep(state, kernel, work); })
          ->Unit(benchmark::kMillisecond);
    };
    for (const int num_topics : {50, 100, 200, 500, 1000}) {
      add("EStep",
          {.num_topics = num_topics, .tokens = 36, .prior = 1.0 / num_topics, .dense = false});
    }
    add("EStep", {.num_topics = 100, .tokens = 250, .prior = 0.01, .dense = false});
    add("DenseEStep", {.num_topics = 50, .tokens = 36, .prior = 0.5, .dense = true});
    add("DenseEStep", {.num_topics = 100, .tokens = 250, .prior = 0.5, .dense = true});
    benchmark::RegisterBenchmark(
        absl::StrCat("TrainedOverRandom/", kernel.name).c_str(),
        [&kernel](benchmark::State& state) { BM_TrainedOverRandom(state, kernel); })
        ->Unit(benchmark::kMillisecond);
  }
#ifdef __x86_64__
  if (HasFma()) benchmark::RegisterBenchmark("FmaPeak/avx2", BM_FmaPeakAvx2);
#endif
  return true;
}
[[maybe_unused]] const bool kRegistered = RegisterEverything();

}  // namespace
}  // namespace topicwall::lda
