// What feeding the E-step costs: a release from the sealed file beside one whose blocks are all
// decoded in memory, at ν = 1 and ν = 0.05, and each step of reading by itself.
//
//   feeding_bench --threads 1 --documents 100000
//
// Every round runs everything once, so that a busy machine disturbs all alike; the fastest round
// counts. "cpu" is of all threads together, "wall" what an analyst waits for: reading ahead shows
// in the second only, and only if there is a processor free for it.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "model/models.h"
#include "model/statistic_model.h"
#include "proto/models/lda_options.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/decoded_blocks.h"
#include "server/executor/thread_executor.h"
#include "tests/bench/one_release.h"
#include "tests/bench/trained_like_corpus.h"

namespace {

using namespace topicwall;  // NOLINT: a program of one file

struct Arguments {
  int documents = 100'000, words = 36, topics = 50, terms = 8000, threads = 1, rounds = 5;
  std::string folder = "/tmp";
};

double SecondsOn(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The fastest of all rounds, in ns a unit.
struct Fastest {
  double wall = 1e300, cpu = 1e300;
};

class Stopwatch {
 public:
  explicit Stopwatch(int units) : units_(units) {}
  template <typename Work>
  absl::Status Time(const std::string& what, const Work& work) {
    const double wall = SecondsOn(CLOCK_MONOTONIC), cpu = SecondsOn(CLOCK_PROCESS_CPUTIME_ID);
    TW_RETURN_IF_ERROR(work());
    Fastest& fastest = fastest_[what];
    fastest.wall = std::min(fastest.wall, 1e9 * (SecondsOn(CLOCK_MONOTONIC) - wall) / units_);
    fastest.cpu = std::min(fastest.cpu, 1e9 * (SecondsOn(CLOCK_PROCESS_CPUTIME_ID) - cpu) / units_);
    return absl::OkStatus();
  }
  const Fastest& operator[](const std::string& what) { return fastest_[what]; }
  void Print() const {
    for (const auto& [what, fastest] : fastest_) {
      std::cout << std::setw(28) << std::left << what << std::right << std::fixed
                << std::setprecision(1) << std::setw(9) << fastest.wall << std::setw(9)
                << fastest.cpu << "\n";
    }
  }

 private:
  int units_;
  std::map<std::string, Fastest> fastest_;
};

struct Scene {
  std::unique_ptr<corpus::CorpusFileReader> file;
  std::unique_ptr<corpus::CorpusStore> store;
  corpus::DecodedBlocks none, all;
  std::unique_ptr<model::Inference> inference;
};

absl::StatusOr<Scene> MakeScene(const Arguments& arguments, const std::string& path) {
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key, sealing::CustodianKey::Generate());
  lda::bench::TrainedLikeCorpus made(arguments.topics, arguments.terms);
  const lda::DocumentList documents = made.Documents(arguments.documents, arguments.words);
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<corpus::CorpusWriter> writer,
      corpus::CorpusWriter::Create(path, bench::CountedDocuments(arguments.terms), key));
  for (size_t i = 0; i < documents.size(); ++i) {
    TW_RETURN_IF_ERROR(writer->Add(absl::StrCat(i), "", documents[i]));
  }
  TW_RETURN_IF_ERROR(writer->Finish().status());
  Scene scene;
  TW_ASSIGN_OR_RETURN(scene.file, corpus::CorpusFileReader::Open(path));
  TW_ASSIGN_OR_RETURN(scene.store, corpus::CorpusStore::Open(path, key));
  TW_ASSIGN_OR_RETURN(scene.all, corpus::DecodedBlocks::Fill(*scene.store, int64_t{1} << 40));
  TW_ASSIGN_OR_RETURN(const lda::LogTopics topics, made.Topics());
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<model::StatisticModel> model,
      model::MakeModel("lda",
                       proto::LdaOptionBytes(arguments.topics, {1.0 / arguments.topics}, 100, 1e-3),
                       {.vocabulary_size = arguments.terms}));
  TW_ASSIGN_OR_RETURN(scene.inference, model->Bind(topics.values(), /*num_threads=*/1));
  return scene;
}

absl::Status Release(const Arguments& arguments, const Scene& scene, double sampling_rate,
                     const corpus::DecodedBlocks& decoded) {
  TW_ASSIGN_OR_RETURN(const mechanism::ReleaseKeys keys, bench::PaidKeys(sampling_rate));
  TW_ASSIGN_OR_RETURN(executor::ThreadExecutor executor,
                      executor::ThreadExecutor::Reserve(
                          *scene.inference, {.corpus = *scene.store,
                                             .decoded = decoded,
                                             .bounds = {.unit = {.vocabulary_size = arguments.terms,
                                                                 .max_words = arguments.terms,
                                                                 .max_documents = 1},
                                                        .has_weights = false,
                                                        .num_threads = arguments.threads}}));
  return executor
      .Sum({.coins = keys.coins, .clip_norm = 4, .max_documents_per_unit = 1, .shards = {0}})
      .status();
}

absl::Status ReadSealed(const Scene& scene) {
  std::string sealed;
  for (int number = 0; number < scene.store->num_blocks(); ++number) {
    TW_RETURN_IF_ERROR(scene.file->ReadBlock(number, &sealed));
  }
  return absl::OkStatus();
}

absl::Status ReadAndDecode(const Scene& scene) {
  corpus::UnitBlock block;
  corpus::CorpusStore::ReadSpace space;
  for (int number = 0; number < scene.store->num_blocks(); ++number) {
    TW_RETURN_IF_ERROR(scene.store->ReadBlock(number, &block, &space));
  }
  return absl::OkStatus();
}

absl::Status TossCoins(const Scene& scene) {
  TW_ASSIGN_OR_RETURN(const mechanism::ReleaseKeys keys, bench::PaidKeys(0.05));
  std::vector<mechanism::SampledUnit> sampled;
  for (int number = 0; number < scene.all.size(); ++number) {
    TW_RETURN_IF_ERROR(keys.coins.Sample(scene.all.block(number).ids(), &sampled));
  }
  return absl::OkStatus();
}

void PrintRatios(Stopwatch& times) {
  const Fastest &full = times["release nu=1"], &full_decoded = times["release nu=1 decoded"];
  const Fastest& part = times["release nu=0.05"];
  const double bound =
      times["read+unseal+parse"].cpu + times["coins"].cpu + 0.05 * full_decoded.cpu;
  std::cout << std::setprecision(1)
            << "feeding, of a full-batch release: " << 100 * (1 - full_decoded.wall / full.wall)
            << " % of wall time, " << 100 * (1 - full_decoded.cpu / full.cpu) << " % of cpu time\n"
            << "nu = 0.05 beside reading all + coins + 5 % of the arithmetic: "
            << std::setprecision(2) << part.cpu / bound << " times its cpu time, "
            << part.cpu / full.cpu << " of a full batch\n";
}

absl::Status Run(const Arguments& arguments) {
  const bench::TemporaryFolder folder(arguments.folder);
  TW_ASSIGN_OR_RETURN(const Scene scene, MakeScene(arguments, folder.Path("corpus")));
  Stopwatch times(arguments.documents);
  for (int round = 0; round < arguments.rounds; ++round) {
    TW_RETURN_IF_ERROR(times.Time("read", [&] { return ReadSealed(scene); }));
    TW_RETURN_IF_ERROR(times.Time("read+unseal+parse", [&] { return ReadAndDecode(scene); }));
    TW_RETURN_IF_ERROR(times.Time("coins", [&] { return TossCoins(scene); }));
    for (const double rate : {1.0, 0.05}) {
      const std::string name = absl::StrCat("release nu=", rate);
      TW_RETURN_IF_ERROR(
          times.Time(name, [&] { return Release(arguments, scene, rate, scene.none); }));
      TW_RETURN_IF_ERROR(times.Time(name + " decoded",
                                    [&] { return Release(arguments, scene, rate, scene.all); }));
    }
  }
  std::cout << "ns a unit                       wall      cpu   (" << arguments.threads
            << " threads, kernel " << scene.inference->kernel_name() << ")\n";
  times.Print();
  PrintRatios(times);
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures what feeding the E-step costs.", "feeding_bench"};
  Arguments arguments;
  app.add_option("--documents", arguments.documents)->check(CLI::PositiveNumber);
  app.add_option("--words", arguments.words, "Of a document, on average");
  app.add_option("--topics", arguments.topics)->check(CLI::PositiveNumber);
  app.add_option("--terms", arguments.terms)->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads)->check(CLI::PositiveNumber);
  app.add_option("--rounds", arguments.rounds)->check(CLI::PositiveNumber);
  app.add_option("--folder", arguments.folder, "Where there is room for the corpus");
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = Run(arguments); !status.ok()) {
    std::cerr << "feeding_bench: " << status << "\n";
    return 1;
  }
  return 0;
}
