// What the loops over whole K×V matrices cost, beside the same loops as anybody would write them.
//
//   m_step_bench --num-topics 50 --vocabulary-size 8000 --threads 2
//   E[log beta]            before  21.4 ns an entry, now  4.9 ( 4.4 times), 2 threads  …
//   …
//   one M-step with E[log beta] 4.9 ms, 3.1 % of inferring 60,000 documents of 36 words (160 ms)
//
// "Before": scalar double, one libm call an entry, one thread. All in turn, the fastest of --rounds
// counts; one thread by its processor time, several by the clock, so that other work on the machine
// disturbs little. The documents are those of trained_like_corpus.h.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "model/lda/math/exp_digamma.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/m_step.h"
#include "model/lda/topics/topic_model.h"
#include "tests/bench/trained_like_corpus.h"

namespace topicwall::lda::bench {
namespace {

struct Arguments {
  int num_topics = 50, vocabulary_size = 8000, threads = 2, rounds = 7;
};

double ThreadSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// λ as peaked as trained topics', η = 0.02 in every entry.
TopicModel TrainedLikeModel(const Arguments& arguments) {
  const auto terms = static_cast<size_t>(arguments.vocabulary_size);
  std::vector<float> parameters(static_cast<size_t>(arguments.num_topics) * terms);
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i] = 0.02f + 300 * std::exp(3 * normal(random)) / static_cast<float>(i % terms + 1);
  }
  return *TopicModel::Create({.num_topics = arguments.num_topics,
                              .vocabulary_size = arguments.vocabulary_size,
                              .document_topic_prior = 0.02,
                              .topic_term_prior = 0.02,
                              .topic_parameters = std::move(parameters)});
}

// The loops as they would be written without thinking of speed.
std::vector<float> PlainExpectedLogBeta(const TopicModel& model) {
  std::vector<float> values;
  for (int k = 0; k < model.num_topics(); ++k) {
    const double of_sum = QuickDigamma(model.topic_sum(k));
    for (const float entry : model.topic(k)) {
      values.push_back(static_cast<float>(QuickDigamma(entry) - of_sum));
    }
  }
  return values;
}

std::vector<float> PlainLogMeanTopics(const TopicModel& model) {
  std::vector<float> values;
  for (const double mean : MeanTopics(model)) values.push_back(static_cast<float>(std::log(mean)));
  return values;
}

std::vector<float> PlainUpdate(const TopicModel& model, const std::vector<float>& sum) {
  std::vector<float> updated;
  for (size_t i = 0; i < sum.size(); ++i) {
    const double target = 0.02 + std::max(sum[i] / 0.05, 0.0);
    updated.push_back(static_cast<float>(0.9 * model.topic_parameters()[i] + 0.1 * target));
  }
  return updated;
}

std::vector<float> PlainWeights(const LogTopics& topics) {
  const auto num_topics = static_cast<size_t>(topics.num_topics());
  const auto terms = static_cast<size_t>(topics.vocabulary_size());
  std::vector<float> weights(num_topics * terms);
  for (size_t v = 0; v < terms; ++v) {
    float largest = -HUGE_VALF;
    for (size_t k = 0; k < num_topics; ++k) {
      largest = std::max(largest, topics.values()[k * terms + v]);
    }
    for (size_t k = 0; k < num_topics; ++k) {
      weights[v * num_topics + k] =
          static_cast<float>(std::exp(double{topics.values()[k * terms + v]} - double{largest}));
    }
  }
  return weights;
}

struct Loop {
  std::string name;
  std::function<void()> before;
  std::function<void(int threads)> now;
};

// The least that `run` takes by `clock`, or what it took before.
void Time(double (*clock)(), const std::function<void()>& run, double& least) {
  const double start = clock();
  run();
  least = std::min(least, clock() - start);
}

// Seconds of the loop now, on one thread.
double Measure(const Loop& loop, const Arguments& arguments) {
  double before = HUGE_VAL, now = HUGE_VAL, threaded = HUGE_VAL;
  for (int round = 0; round < arguments.rounds; ++round) {
    Time(ThreadSeconds, loop.before, before);
    Time(
        ThreadSeconds, [&] { loop.now(1); }, now);
    Time(
        WallSeconds, [&] { loop.now(arguments.threads); }, threaded);
  }
  const double to_ns = 1e9 / (double{1} * arguments.num_topics * arguments.vocabulary_size);
  std::printf(
      "%-22s before %5.1f ns an entry, now %4.1f (%4.1f times), %d threads %4.1f (%4.1f times)\n",
      loop.name.c_str(), before * to_ns, now * to_ns, before / now, arguments.threads,
      threaded * to_ns, before / threaded);
  return now;
}

double InferSeconds(const Arguments& arguments, const EStep& e_step, int num_documents) {
  const DocumentList documents = TrainedLikeCorpus(arguments.num_topics, arguments.vocabulary_size)
                                     .Documents(num_documents, 36);
  EStep::Workspace workspace;
  double seconds = HUGE_VAL;
  for (int round = 0; round < arguments.rounds; ++round) {
    Time(
        ThreadSeconds,
        [&] {
          for (size_t d = 0; d < documents.size(); ++d) e_step.Infer(documents[d], workspace);
        },
        seconds);
  }
  return seconds;
}

int Run(const Arguments& arguments) {
  const TopicModel model = TrainedLikeModel(arguments);
  const LogTopics topics = ExpectedLogBeta(model);
  const std::vector<float> sum(model.topic_parameters().begin(), model.topic_parameters().end());
  const EStepOptions options = {
      .document_topic_prior = 0.02, .max_iterations = 100, .mean_change_threshold = 1e-3};
  const auto m_step = *PaperMStep::Create({.shape = {.num_topics = arguments.num_topics,
                                                     .vocabulary_size = arguments.vocabulary_size,
                                                     .document_topic_prior = 0.02,
                                                     .topic_term_prior = 0.02,
                                                     .sampling_rate = 0.05},
                                           .tau0 = 1,
                                           .kappa = 0.7},
                                          InitialMStepState(sum));
  float sink = 0;  // so that no result is left out
  const auto use = [&sink](absl::Span<const float> values) { sink += values[0]; };
  double total = 0;
  for (const Loop& loop :
       {Loop{.name = "E[log beta]",
       .before = [&] { use(PlainExpectedLogBeta(model)); },
       .now = [&](int threads) { use(ExpectedLogBeta(model, threads).values()); }},
        Loop{.name = "log of the mean topics",
        .before = [&] { use(PlainLogMeanTopics(model)); },
        .now = [&](int threads) { use(LogMeanTopics(model, threads).values()); }},
        Loop{.name = "update",
        .before = [&] { use(PlainUpdate(model, sum)); },
        .now =
                 [&](int threads) {
                   m_step->UseThreads(threads);
                   sink += m_step->Update(sum).ok() ? 1.0f : 0.0f;
                 }},
        Loop{.name = "weights of an E-step",
        .before = [&] { use(PlainWeights(topics)); },
        .now =
                 [&](int threads) {
                   use(EStep::Create(topics, options, ChosenKernel(), threads)->weights(0));
                 }}}) {
    const double seconds = Measure(loop, arguments);
    if (loop.name != "log of the mean topics") total += seconds;
  }
  constexpr int kSample = 2000, kEpoch = 60000;
  const absl::StatusOr<LogTopics> trained =
      TrainedLikeCorpus(arguments.num_topics, arguments.vocabulary_size).Topics();
  const double infer =
      InferSeconds(arguments, *EStep::Create(*trained, options), kSample) * kEpoch / kSample;
  std::printf(
      "one M-step with E[log beta] %.1f ms, %.1f %% of inferring 60,000 documents of 36 "
      "words (%.0f ms)%s\n",
      1e3 * total, 100 * total / infer, 1e3 * infer, sink == 0 ? "!" : "");
  return 0;
}

}  // namespace
}  // namespace topicwall::lda::bench

int main(int argc, char** argv) {
  CLI::App app{"Measures the loops over whole matrices of topics.", "m_step_bench"};
  topicwall::lda::bench::Arguments arguments;
  app.add_option("--num-topics", arguments.num_topics, "K")->check(CLI::PositiveNumber);
  app.add_option("--vocabulary-size", arguments.vocabulary_size, "V")->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads)->check(CLI::PositiveNumber);
  app.add_option("--rounds", arguments.rounds, "The fastest of so many counts")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return topicwall::lda::bench::Run(arguments);
}
