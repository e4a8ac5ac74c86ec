// One epoch of online variational Bayes: one measurement, for scripts that compare engines.
//
//   online_epoch --docword docword.txt --num-topics 50 --batch-size 4096 --passes 1
//                --tau0 1 --kappa 0.7 --threads 1 --topics-out lambda.f32
//   {"kernel":"avx2-f32-4","num_topics":50,"vocabulary_size":8000,"documents":61774,
//    "tokens":2226179,"batch_size":4096,"passes":1,"updates":16,"threads":1,
//    "init_cpu_seconds":0.02,"cpu_seconds":0.21,"seconds":0.21}
//
// --docword, --held-out: UCI bags of words over the same vocabulary; documents keep their order.
// --init: λ to start from, K×V little-endian float32, row = topic, or the word "random" for
// RandomTopics(--seed); without it TopicsFromDocuments(--seed).
// --topics-out: λ after the last update, in the same form.
// ρ_t = (τ0 + t)^−κ with t = 1 for the first batch. α and η are 1/K unless given.
// cpu_seconds: processor time of all threads for the passes alone; reading, the start
// (init_cpu_seconds) and scoring are not in it. With --held-out also the measures of
// held_out_perplexity.h: "bound_perplexity" and "completion_perplexity" (split by seed 1).
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/initial_topics.h"
#include "tests/bench/docword_file.h"
#include "tests/bench/measuring.h"
#include "tests/bench/online_trainer.h"

namespace {

using topicwall::bench::SecondsOn;
using topicwall::lda::bench::DocwordFile;
using topicwall::lda::bench::OnlineTrainer;
using topicwall::lda::bench::ReadDocword;
using topicwall::lda::bench::TopicsFromDocuments;
namespace lda = topicwall::lda;

struct Arguments {
  std::string docword, held_out, init, topics_out, kernel;
  int num_topics = 50, passes = 1, threads = 1, max_iterations = 100;
  int64_t batch_size = 4096;
  double tau0 = 1, kappa = 0.7, alpha = 0, eta = 0, threshold = 1e-3;
  uint64_t seed = 1;
};

struct Times {
  double init_cpu = 0, cpu = 0, wall = 0;
};

absl::StatusOr<std::vector<float>> InitialTopics(const Arguments& arguments,
                                                 const DocwordFile& corpus) {
  if (arguments.init.empty()) {
    return TopicsFromDocuments(corpus.documents, arguments.num_topics, corpus.vocabulary_size,
                               arguments.seed);
  }
  if (arguments.init == "random") {
    return lda::RandomTopics(arguments.num_topics, corpus.vocabulary_size, arguments.seed);
  }
  return topicwall::bench::ReadFloats(arguments.init);
}

absl::StatusOr<OnlineTrainer> Start(const Arguments& arguments, const DocwordFile& corpus) {
  absl::StatusOr<std::vector<float>> topics = InitialTopics(arguments, corpus);
  if (!topics.ok()) return topics.status();
  const double flat = 1.0 / arguments.num_topics;
  return OnlineTrainer::Create(
      {.num_topics = arguments.num_topics,
       .vocabulary_size = corpus.vocabulary_size,
       .topic_term_prior = arguments.eta > 0 ? arguments.eta : flat,
       .corpus_size = static_cast<int64_t>(corpus.documents.size()),
       .tau0 = arguments.tau0,
       .kappa = arguments.kappa,
       .e_step = {.document_topic_prior = arguments.alpha > 0 ? arguments.alpha : flat,
                  .max_iterations = arguments.max_iterations,
                  .mean_change_threshold = arguments.threshold},
       .num_threads = arguments.threads},
      lda::InitialMStepState(*std::move(topics)));
}

absl::Status PrintHeldOut(const lda::TopicModel& model, const std::string& path) {
  const absl::StatusOr<DocwordFile> file = ReadDocword(path);
  if (!file.ok()) return file.status();
  const lda::HeldOutOptions options = {.max_iterations = 100, .mean_change_threshold = 1e-3};
  const auto bound = lda::ComputePerplexityBound(model, file->documents, options);
  if (!bound.ok()) return bound.status();
  const auto completion =
      lda::DocumentCompletionPerplexity(model, lda::SplitTokens(file->documents, 1), options);
  if (!completion.ok()) return completion.status();
  std::cout << ",\"bound_perplexity\":" << bound->perplexity
            << ",\"completion_perplexity\":" << completion->perplexity;
  return absl::OkStatus();
}

absl::Status Report(const Arguments& arguments, const DocwordFile& corpus,
                    const OnlineTrainer& trainer, const Times& times) {
  std::cout << "{\"kernel\":\"" << lda::ChosenKernel().name
            << "\",\"num_topics\":" << arguments.num_topics
            << ",\"vocabulary_size\":" << corpus.vocabulary_size
            << ",\"documents\":" << corpus.documents.size()
            << ",\"tokens\":" << TokenCount(corpus.documents)
            << ",\"batch_size\":" << arguments.batch_size << ",\"passes\":" << arguments.passes
            << ",\"updates\":" << trainer.state().updates << ",\"threads\":" << arguments.threads
            << ",\"init_cpu_seconds\":" << times.init_cpu << ",\"cpu_seconds\":" << times.cpu
            << ",\"seconds\":" << times.wall;
  if (!arguments.held_out.empty()) {
    absl::Status status = PrintHeldOut(trainer.Model(), arguments.held_out);
    if (!status.ok()) return status;
  }
  std::cout << "}" << std::endl;
  if (arguments.topics_out.empty()) return absl::OkStatus();
  return topicwall::bench::WriteFloats(arguments.topics_out, trainer.state().topics);
}

absl::Status Measure(const Arguments& arguments) {
  if (!arguments.kernel.empty()) {
    absl::Status status = lda::ChooseKernel(arguments.kernel);
    if (!status.ok()) return status;
  }
  const absl::StatusOr<DocwordFile> corpus = ReadDocword(arguments.docword);
  if (!corpus.ok()) return corpus.status();
  Times times;
  double cpu = SecondsOn(CLOCK_PROCESS_CPUTIME_ID);
  absl::StatusOr<OnlineTrainer> trainer = Start(arguments, *corpus);
  if (!trainer.ok()) return trainer.status();
  times.init_cpu = SecondsOn(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  cpu = SecondsOn(CLOCK_PROCESS_CPUTIME_ID);
  const auto wall = std::chrono::steady_clock::now();
  for (int pass = 0; pass < arguments.passes; ++pass) {
    absl::Status status = trainer->Pass(corpus->documents, arguments.batch_size);
    if (!status.ok()) return status;
  }
  times.cpu = SecondsOn(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  times.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  return Report(arguments, *corpus, *trainer, times);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures online variational Bayes on one corpus.", "online_epoch"};
  Arguments arguments;
  app.add_option("--docword", arguments.docword, "UCI bag of words")->required();
  app.add_option("--num-topics", arguments.num_topics, "K")->check(CLI::PositiveNumber);
  app.add_option("--batch-size", arguments.batch_size)->check(CLI::PositiveNumber);
  app.add_option("--passes", arguments.passes)->check(CLI::NonNegativeNumber);
  app.add_option("--tau0", arguments.tau0);
  app.add_option("--kappa", arguments.kappa);
  app.add_option("--alpha", arguments.alpha, "Document-topic prior; 0: 1/K");
  app.add_option("--eta", arguments.eta, "Topic-term prior; 0: 1/K");
  app.add_option("--threshold", arguments.threshold, "Of the mean change of gamma");
  app.add_option("--max-iterations", arguments.max_iterations);
  app.add_option("--kernel", arguments.kernel, "Name of the kernel; the fastest if not given")
      ->envname("TOPICWALL_KERNEL");
  app.add_option("--threads", arguments.threads)->check(CLI::PositiveNumber);
  app.add_option("--seed", arguments.seed, "Of the start");
  app.add_option("--init", arguments.init, "K×V float32 λ to start from, or \"random\"");
  app.add_option("--topics-out", arguments.topics_out, "Where λ goes, K×V float32");
  app.add_option("--held-out", arguments.held_out, "Documents to score the topics on");
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = Measure(arguments); !status.ok()) {
    std::cerr << "online_epoch: " << status.message() << "\n";
    return 1;
  }
  return 0;
}
