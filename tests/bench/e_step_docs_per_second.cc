// How many documents a second the E-step infers: one measurement, for scripts that compare engines.
//
//   e_step_docs_per_second --docword docword.txt --topics topics.f32 --kernel avx2-f32-4
//   {"kernel":"avx2-f32-4","num_topics":50,"threads":1,"documents":61774,"tokens":2226179,
//    "summed":false,"iterations_per_document":24.1,"seconds":0.21,"mean_cpu_seconds":0.213,
//    "documents_per_second":294000}
//
// --docword: UCI bag of words (docword_file.h).
// --topics: ℓ, K×V little-endian float32, row = topic; K follows from the size of the file.
// Documents are sorted by length, dealt to the threads in turn, and all inferred --repeat times;
// the fastest time counts. Reading is not in it. A document's result is dropped where it is made,
// unless --sum adds all statistics up into K×V, as other engines do for their M-step.
// "mean_cpu_seconds": processor time of all threads, a pass, over all --repeat passes.
// --statistics-out, --gamma-out: that sum and γ (one row of K a document, in the file's order), as
// float32; made afterwards, outside the time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/statistic_sum.h"
#include "tests/bench/docword_file.h"
#include "tests/bench/measuring.h"

namespace {

using topicwall::bench::SecondsOn;
using topicwall::bench::WriteFloats;
using topicwall::lda::DocumentList;
using topicwall::lda::DocumentView;
using topicwall::lda::EStep;
using topicwall::lda::EStepOptions;
using topicwall::lda::LogTopics;
using topicwall::lda::StatisticSum;

struct Arguments {
  std::string docword, topics, kernel, statistics_out, gamma_out;
  bool sum = false;
  int threads = 1, repeat = 5, max_iterations = 100;
  int64_t documents = 0;
  double prior = 0, threshold = 1e-3;
};

struct Corpus {
  int vocabulary_size = 0;
  DocumentList documents;      // shortest first
  std::vector<size_t> places;  // of documents[i] in the file, from 0
};

absl::StatusOr<Corpus> ReadCorpus(const Arguments& arguments) {
  const auto file = topicwall::lda::bench::ReadDocword(arguments.docword);
  if (!file.ok()) return file.status();
  Corpus corpus = {.vocabulary_size = file->vocabulary_size, .documents = {}, .places = {}};
  size_t documents = file->documents.size();
  if (arguments.documents > 0) {
    documents = std::min(documents, static_cast<size_t>(arguments.documents));
  }
  corpus.places.resize(documents);
  std::iota(corpus.places.begin(), corpus.places.end(), size_t{0});
  std::stable_sort(corpus.places.begin(), corpus.places.end(), [&file](size_t a, size_t b) {
    return file->documents[a].size() < file->documents[b].size();
  });
  for (const size_t place : corpus.places) corpus.documents.Append(file->documents[place]);
  return corpus;
}

absl::StatusOr<LogTopics> ReadTopics(const std::string& path, int vocabulary_size) {
  absl::StatusOr<std::vector<float>> values = topicwall::bench::ReadFloats(path);
  if (!values.ok()) return values.status();
  const int num_topics = static_cast<int>(values->size()) / vocabulary_size;
  return LogTopics::Create(num_topics, vocabulary_size, *std::move(values));
}

// Seconds for all documents once. Every thread takes the next stretch of documents.
double InferAll(const EStep& e_step, const DocumentList& documents, int threads,
                int64_t* iterations) {
  constexpr size_t kStretch = 64;
  std::atomic<size_t> next = 0;
  std::atomic<int64_t> total = 0;
  const auto work = [&] {
    EStep::Workspace workspace;
    int64_t mine = 0;
    for (size_t begin; (begin = next.fetch_add(kStretch)) < documents.size();) {
      for (size_t d = begin; d < std::min(documents.size(), begin + kStretch); ++d) {
        e_step.Infer(documents[d], workspace);
        mine += workspace.iterations();
      }
    }
    total += mine;
  };
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  *iterations = total;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds for all statistics and their sum; `sum` is zeroed first.
double SumAll(const EStep& e_step, absl::Span<const DocumentView> views, int threads,
              StatisticSum& sum) {
  const auto start = std::chrono::steady_clock::now();
  sum.Reset();
  sum.Add(e_step, views, threads);
  sum.Scaled(1, threads);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

absl::Status WriteGamma(const std::string& path, const EStep& e_step, const Corpus& corpus) {
  const auto topics = static_cast<size_t>(e_step.num_topics());
  std::vector<float> gamma(corpus.documents.size() * topics);
  EStep::Workspace workspace;
  for (size_t d = 0; d < corpus.documents.size(); ++d) {
    e_step.Infer(corpus.documents[d], workspace);
    std::copy(workspace.gamma().begin(), workspace.gamma().end(),
              gamma.begin() + static_cast<std::ptrdiff_t>(corpus.places[d] * topics));
  }
  return WriteFloats(path, gamma);
}

struct Measured {
  double seconds = 1e300, mean_cpu_seconds = 0;
  int64_t iterations = 0;
};

Measured Repeat(const Arguments& arguments, const EStep& e_step, const DocumentList& documents,
                absl::Span<const DocumentView> views, StatisticSum& sum) {
  Measured measured;
  // Neither the first pass over new memory nor, with --sum, the count of iterations is timed.
  InferAll(e_step, documents, arguments.threads, &measured.iterations);
  const double cpu = SecondsOn(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < arguments.repeat; ++i) {
    const double seconds =
        arguments.sum ? SumAll(e_step, views, arguments.threads, sum)
                      : InferAll(e_step, documents, arguments.threads, &measured.iterations);
    measured.seconds = std::min(measured.seconds, seconds);
  }
  measured.mean_cpu_seconds = (SecondsOn(CLOCK_PROCESS_CPUTIME_ID) - cpu) / arguments.repeat;
  return measured;
}

void Report(const Arguments& arguments, const EStep& e_step, const Corpus& corpus,
            const Measured& measured) {
  const auto documents = static_cast<double>(corpus.documents.size());
  std::cout << "{\"kernel\":\"" << e_step.kernel_name()
            << "\",\"num_topics\":" << e_step.num_topics() << ",\"threads\":" << arguments.threads
            << ",\"documents\":" << corpus.documents.size()
            << ",\"tokens\":" << TokenCount(corpus.documents)
            << ",\"summed\":" << (arguments.sum ? "true" : "false")
            << ",\"iterations_per_document\":"
            << static_cast<double>(measured.iterations) / documents
            << ",\"seconds\":" << measured.seconds
            << ",\"mean_cpu_seconds\":" << measured.mean_cpu_seconds
            << ",\"documents_per_second\":" << static_cast<int64_t>(documents / measured.seconds)
            << "}" << std::endl;
}

absl::StatusOr<EStep> CreateEStep(const Arguments& arguments, const LogTopics& topics) {
  if (!arguments.kernel.empty()) {
    absl::Status status = topicwall::lda::ChooseKernel(arguments.kernel);
    if (!status.ok()) return status;
  }
  const EStepOptions options = {
      .document_topic_prior = arguments.prior > 0 ? arguments.prior : 1.0 / topics.num_topics(),
      .max_iterations = arguments.max_iterations,
      .mean_change_threshold = arguments.threshold};
  return EStep::Create(topics, options);
}

absl::Status Measure(const Arguments& arguments) {
  const absl::StatusOr<Corpus> corpus = ReadCorpus(arguments);
  if (!corpus.ok()) return corpus.status();
  const absl::StatusOr<LogTopics> topics = ReadTopics(arguments.topics, corpus->vocabulary_size);
  if (!topics.ok()) return topics.status();
  const absl::StatusOr<EStep> e_step = CreateEStep(arguments, *topics);
  if (!e_step.ok()) return e_step.status();
  std::vector<DocumentView> views;
  for (size_t d = 0; d < corpus->documents.size(); ++d) views.push_back(corpus->documents[d]);
  const bool sums = arguments.sum || !arguments.statistics_out.empty();
  StatisticSum sum(sums ? e_step->num_topics() : 1, sums ? e_step->vocabulary_size() : 1);
  Report(arguments, *e_step, *corpus, Repeat(arguments, *e_step, corpus->documents, views, sum));
  if (!arguments.statistics_out.empty()) {
    SumAll(*e_step, views, arguments.threads, sum);
    absl::Status status = WriteFloats(arguments.statistics_out, sum.Scaled(1, arguments.threads));
    if (!status.ok()) return status;
  }
  if (arguments.gamma_out.empty()) return absl::OkStatus();
  return WriteGamma(arguments.gamma_out, *e_step, *corpus);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures the E-step on one corpus and one set of topics.",
               "e_step_docs_per_second"};
  Arguments arguments;
  app.add_option("--docword", arguments.docword, "UCI bag of words")->required();
  app.add_option("--topics", arguments.topics, "K×V float32 log topics")->required();
  app.add_option("--kernel", arguments.kernel, "Name of the kernel; the fastest if not given")
      ->envname("TOPICWALL_KERNEL");
  app.add_option("--threads", arguments.threads)->check(CLI::PositiveNumber);
  app.add_option("--repeat", arguments.repeat, "The fastest of so many counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--documents", arguments.documents, "Only the first so many; 0: all");
  app.add_option("--alpha", arguments.prior, "Document-topic prior; 0: 1/K");
  app.add_option("--threshold", arguments.threshold, "Of the mean change of gamma");
  app.add_option("--max-iterations", arguments.max_iterations);
  app.add_flag("--sum", arguments.sum, "Add the statistics up, and count that as well");
  app.add_option("--statistics-out", arguments.statistics_out, "Their sum, K×V float32");
  app.add_option("--gamma-out", arguments.gamma_out, "γ, documents × K float32");
  app.add_flag_callback(
      "--list-kernels",
      [] {
        for (const auto& kernel : topicwall::lda::SupportedKernels()) {
          std::cout << kernel.name << "\n";
        }
        throw CLI::Success();
      },
      "Print the kernels of this machine, the fastest first, and nothing else");
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = Measure(arguments); !status.ok()) {
    std::cerr << "e_step_docs_per_second: " << status.message() << "\n";
    return 1;
  }
  return 0;
}
