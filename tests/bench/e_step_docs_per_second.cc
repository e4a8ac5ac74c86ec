// How many documents a second the E-step infers: one measurement, for scripts that compare engines.
//
//   e_step_docs_per_second --docword docword.txt --topics topics.f32 --kernel avx2-f32-2
//   {"kernel":"avx2-f32-2","num_topics":50,"threads":1,"documents":61774,"tokens":2226179,
//    "iterations_per_document":24.1,"seconds":0.21,"documents_per_second":294000}
//
// --docword: UCI bag of words (D, V, number of entries, then `document term count` from 1).
// --topics: ℓ, K×V little-endian float32, row = topic; K follows from the size of the file.
// Documents are sorted by length, dealt to the threads in turn, and all inferred --repeat times;
// the fastest time counts. Reading is not in it. A document's result is dropped where it is made.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lda/document.h"
#include "lda/e_step.h"
#include "lda/log_topics.h"

namespace {

using topicwall::lda::DocumentList;
using topicwall::lda::EStep;
using topicwall::lda::EStepOptions;
using topicwall::lda::LogTopics;
using topicwall::lda::TermCount;

struct Arguments {
  std::string docword, topics, kernel;
  int threads = 1, repeat = 5, max_iterations = 100;
  int64_t documents = 0;
  double prior = 0, threshold = 1e-3;
};

struct Corpus {
  int vocabulary_size = 0;
  DocumentList documents;  // shortest first
};

absl::StatusOr<Corpus> ReadDocword(const Arguments& arguments) {
  std::ifstream file(arguments.docword);
  int64_t documents = 0, terms = 0, entries = 0;
  if (!(file >> documents >> terms >> entries)) {
    return absl::NotFoundError("--docword cannot be read: " + arguments.docword);
  }
  if (arguments.documents > 0) documents = std::min(documents, arguments.documents);
  std::vector<std::vector<TermCount>> read(static_cast<size_t>(documents));
  int64_t document = 0, term = 0, count = 0;
  while (file >> document >> term >> count) {
    if (document > documents) continue;
    read[static_cast<size_t>(document - 1)].push_back(
        {.term = static_cast<uint32_t>(term - 1), .count = static_cast<uint32_t>(count)});
  }
  std::stable_sort(read.begin(), read.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  Corpus corpus = {.vocabulary_size = static_cast<int>(terms), .documents = {}};
  for (auto& entry_list : read) {
    std::sort(entry_list.begin(), entry_list.end(),
              [](TermCount a, TermCount b) { return a.term < b.term; });
    corpus.documents.Append(entry_list);
  }
  return corpus;
}

absl::StatusOr<LogTopics> ReadTopics(const std::string& path, int vocabulary_size) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return absl::NotFoundError("--topics cannot be read: " + path);
  std::vector<float> values(static_cast<size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  const int num_topics = static_cast<int>(values.size()) / vocabulary_size;
  return LogTopics::Create(num_topics, vocabulary_size, std::move(values));
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

absl::Status Measure(const Arguments& arguments) {
  const absl::StatusOr<Corpus> corpus = ReadDocword(arguments);
  if (!corpus.ok()) return corpus.status();
  const absl::StatusOr<LogTopics> topics = ReadTopics(arguments.topics, corpus->vocabulary_size);
  if (!topics.ok()) return topics.status();
  if (!arguments.kernel.empty()) {
    if (absl::Status status = topicwall::lda::ChooseKernel(arguments.kernel); !status.ok()) {
      return status;
    }
  }
  const EStepOptions options = {
      .document_topic_prior = arguments.prior > 0 ? arguments.prior : 1.0 / topics->num_topics(),
      .max_iterations = arguments.max_iterations,
      .mean_change_threshold = arguments.threshold};
  const absl::StatusOr<EStep> e_step = EStep::Create(*topics, options);
  if (!e_step.ok()) return e_step.status();
  double seconds = 1e300;
  int64_t iterations = 0;
  for (int i = 0; i < arguments.repeat; ++i) {
    seconds =
        std::min(seconds, InferAll(*e_step, corpus->documents, arguments.threads, &iterations));
  }
  const auto documents = static_cast<double>(corpus->documents.size());
  std::cout << "{\"kernel\":\"" << e_step->kernel_name()
            << "\",\"num_topics\":" << e_step->num_topics() << ",\"threads\":" << arguments.threads
            << ",\"documents\":" << corpus->documents.size()
            << ",\"tokens\":" << TokenCount(corpus->documents)
            << ",\"iterations_per_document\":" << static_cast<double>(iterations) / documents
            << ",\"seconds\":" << seconds
            << ",\"documents_per_second\":" << static_cast<int64_t>(documents / seconds) << "}"
            << std::endl;
  return absl::OkStatus();
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
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = Measure(arguments); !status.ok()) {
    std::cerr << "e_step_docs_per_second: " << status.message() << "\n";
    return 1;
  }
  return 0;
}
