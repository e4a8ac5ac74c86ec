// How much memory a corpus takes as it grows: ingests synthetic documents into a temporary folder
// and runs one full-batch release of them, and prints each one's peak resident memory.
//
//   corpus_memory --documents 500000 --documents 5000000
//   corpus_memory --topics 200 --terms 100000 --documents 100000
//
// Ingestion and release run in a process of their own each. Takes about 0.5 GB of disk for a
// million documents, given back at the end.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "model/models.h"
#include "model/statistic_model.h"
#include "proto/models/lda_options.h"
#include "server/corpus/corpus_store.h"
#include "server/executor/thread_executor.h"
#include "server/mechanism/noise_mechanism.h"
#include "tests/bench/one_release.h"

namespace {

using namespace topicwall;  // NOLINT: a program of one file

struct Arguments {
  std::vector<int64_t> documents = {500'000, 5'000'000};
  int words = 36, topics = 50, terms = 8000, threads = 2;
  std::string folder = "/tmp";
};

// SplitMix64.
uint64_t Scatter(uint64_t counter) {
  uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// Small term numbers are the frequent ones.
void FillDocument(const Arguments& arguments, int64_t number,
                  std::vector<lda::TermCount>* document) {
  std::vector<uint32_t> words;
  for (int i = 0; i < arguments.words; ++i) {
    const auto counter = static_cast<uint64_t>(number * arguments.words + i);
    const double uniform = static_cast<double>(Scatter(counter) >> 11) * 0x1p-53;
    words.push_back(static_cast<uint32_t>(uniform * uniform * uniform * arguments.terms));
  }
  std::sort(words.begin(), words.end());
  document->clear();
  for (const uint32_t term : words) {
    if (document->empty() || document->back().term != term) document->push_back({term, 0});
    ++document->back().count;
  }
}

absl::Status Ingest(const Arguments& arguments, int64_t documents, const std::string& path,
                    const sealing::CustodianKey& key) {
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<corpus::CorpusWriter> writer,
      corpus::CorpusWriter::Create(path, bench::CountedDocuments(arguments.terms), key));
  std::vector<lda::TermCount> document;
  for (int64_t i = 0; i < documents; ++i) {
    FillDocument(arguments, i, &document);
    TW_RETURN_IF_ERROR(writer->Add(absl::StrCat(i), "", document));
  }
  return writer->Finish().status();
}

absl::StatusOr<std::unique_ptr<model::Inference>> MakeInference(const Arguments& arguments) {
  std::vector<float> values(static_cast<size_t>(arguments.topics) *
                            static_cast<size_t>(arguments.terms));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = -10.0F * static_cast<float>(Scatter(i) >> 40) * 0x1p-24F;
  }
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<model::StatisticModel> model,
      model::MakeModel("lda",
                       proto::LdaOptionBytes(arguments.topics, {1.0 / arguments.topics}, 100, 1e-3),
                       {.vocabulary_size = arguments.terms}));
  return model->Bind(values, /*num_threads=*/1);
}

absl::Status Release(const Arguments& arguments, const std::string& path,
                     const sealing::CustodianKey& key) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<corpus::CorpusStore> store,
                      corpus::CorpusStore::Open(path, key));
  TW_RETURN_IF_ERROR(store->VerifyAll());
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference, MakeInference(arguments));
  TW_ASSIGN_OR_RETURN(mechanism::ReleaseKeys keys, bench::PaidKeys(1));
  const corpus::DecodedBlocks none;
  TW_ASSIGN_OR_RETURN(executor::ThreadExecutor executor,
                      executor::ThreadExecutor::Reserve(
                          *inference, {.corpus = *store,
                                       .decoded = none,
                                       .bounds = {.unit = {.vocabulary_size = arguments.terms,
                                                           .max_words = arguments.terms,
                                                           .max_documents = 1},
                                                  .has_weights = false,
                                                  .num_threads = arguments.threads}}));
  TW_ASSIGN_OR_RETURN(
      executor::UnitSum units,
      executor.Sum(
          {.coins = keys.coins, .clip_norm = 4, .max_documents_per_unit = 1, .shards = {0}}));
  return mechanism::AddNoise(std::move(units.sum), std::move(keys.noise), arguments.threads)
      .status();
}

// In a process of its own, so that its peak is its own.
bool Measure(const std::string& what, const std::function<absl::Status()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const absl::Status status = work();
    if (!status.ok()) std::cerr << "corpus_memory: " << status << "\n";
    _exit(status.ok() ? 0 : 1);
  }
  int result = 1;
  rusage usage = {};
  if (child < 0 || wait4(child, &result, 0, &usage) != child || result != 0) return false;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << std::setw(12) << what << std::setw(9) << usage.ru_maxrss / 1024 << " MiB peak"
            << std::setw(9) << std::fixed << std::setprecision(1) << seconds.count() << " s"
            << std::endl;
  return true;
}

bool Run(const Arguments& arguments) {
  const absl::StatusOr<sealing::CustodianKey> key = sealing::CustodianKey::Generate();
  if (!key.ok()) return false;
  for (const int64_t documents : arguments.documents) {
    const bench::TemporaryFolder folder(arguments.folder);
    const std::string path = folder.Path("corpus");
    std::cout << documents << " documents" << std::endl;
    if (!Measure("ingestion", [&] { return Ingest(arguments, documents, path, *key); })) {
      return false;
    }
    std::cout << std::setw(12) << "file" << std::setw(9) << (std::filesystem::file_size(path) >> 20)
              << " MiB" << std::endl;
    if (!Measure("release", [&] { return Release(arguments, path, *key); })) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures the memory of ingestion and release as a corpus grows.", "corpus_memory"};
  Arguments arguments;
  app.add_option("--documents", arguments.documents, "May be given several times");
  app.add_option("--words", arguments.words, "Of a document")->check(CLI::PositiveNumber);
  app.add_option("--topics", arguments.topics)->check(CLI::PositiveNumber);
  app.add_option("--terms", arguments.terms)->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads)->check(CLI::PositiveNumber);
  app.add_option("--folder", arguments.folder, "Where there is room for the corpus");
  CLI11_PARSE(app, argc, argv);
  return Run(arguments) ? 0 : 1;
}
