// What it costs to sum a release by processes instead of threads: the same order by one thread of
// this process, by one rank, by two threads and by two ranks, in turns.
//
//   cluster_bench --documents 1000000 --rounds 5
//
// "wall" is what an analyst waits for, from the order to the sum in the vault; "cpu" the processor
// time of all that work for it, and "busiest" that of the one of them that has most, which is what
// the wall time would be on an idle machine. Medians over the rounds; a ratio is the median of the
// rounds' ratios. On a machine that others use as well, only ratios of processor time tell.
// What the exchange by itself costs is seen on a corpus of a few documents.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "tests/bench/measuring.h"
#include "tests/bench/trained_like_corpus.h"
#include "tests/server/cluster/large_job.h"

namespace {

using namespace topicwall;  // NOLINT: a program of one file
using bench::SecondsOn;
using cluster::LargeJobScene;
using cluster::LaunchedRanks;
using cluster::TimedSum;

constexpr int kFew = 64;

struct Arguments {
  int documents = 1'000'000, words = 36, topics = 100, terms = 8000, ranks = 2, rounds = 5;
  std::string folder = "/tmp", mpirun = "--oversubscribe --bind-to none";
};

// Of a process: what it has used so far.
double SecondsOf(pid_t pid) {
  clockid_t clock = {};
  return clock_getcpuclockid(pid, &clock) == 0 ? SecondsOn(clock) : 0;
}

struct Cost {
  double wall, cpu, busiest;
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Table {
 public:
  void Add(const std::string& who, const Cost& cost) { costs_[who].push_back(cost); }
  // Of one column: how many times `who` is of `base`, round by round.
  double Ratio(const std::string& who, const std::string& base, double Cost::*column) const {
    std::vector<double> ratios;
    for (size_t round = 0; round < costs_.at(who).size(); ++round) {
      ratios.push_back(costs_.at(who)[round].*column / costs_.at(base)[round].*column);
    }
    return Median(ratios);
  }
  double Of(const std::string& who, double Cost::*column) const {
    std::vector<double> values;
    for (const Cost& cost : costs_.at(who)) values.push_back(cost.*column);
    return Median(values);
  }

 private:
  std::map<std::string, std::vector<Cost>> costs_;
};

absl::StatusOr<std::unique_ptr<LargeJobScene>> MakeScene(const Arguments& arguments,
                                                         int documents) {
  lda::bench::TrainedLikeCorpus made(arguments.topics, arguments.terms);
  TW_ASSIGN_OR_RETURN(const lda::LogTopics topics, made.Topics());
  return LargeJobScene::Make({.folder = arguments.folder,
                              .topics = arguments.topics,
                              .terms = arguments.terms,
                              .log_topics = {topics.values().begin(), topics.values().end()}},
                             [&](corpus::CorpusWriter& writer) -> absl::Status {
                               const lda::DocumentList list =
                                   made.Documents(documents, arguments.words);
                               for (size_t i = 0; i < list.size(); ++i) {
                                 TW_RETURN_IF_ERROR(writer.Add(absl::StrCat(i), "", list[i]));
                               }
                               return absl::OkStatus();
                             });
}

// `workers`: processes beside this one.
absl::StatusOr<Cost> Measure(const std::function<absl::StatusOr<TimedSum>()>& sum,
                             const std::vector<pid_t>& workers, int threads, std::string* entries) {
  std::vector<double> before = {SecondsOn(CLOCK_PROCESS_CPUTIME_ID)};
  for (const pid_t pid : workers) before.push_back(SecondsOf(pid));
  TW_ASSIGN_OR_RETURN(TimedSum timed, sum());
  const double own = SecondsOn(CLOCK_PROCESS_CPUTIME_ID) - before[0];
  Cost cost = {.wall = timed.prepare_seconds + timed.sum_seconds, .cpu = own, .busiest = 0};
  for (size_t i = 0; i < workers.size(); ++i) {
    const double seconds = SecondsOf(workers[i]) - before[i + 1];
    cost.cpu += seconds;
    cost.busiest = std::max(cost.busiest, seconds);
  }
  // The vault works before and after its ranks, not beside them.
  cost.busiest += own / (workers.empty() ? threads : 1);
  if (entries->empty()) *entries = timed.entries;
  if (*entries != timed.entries) return absl::InternalError("the sums are not of the same bits");
  return cost;
}

struct Scene {
  std::unique_ptr<LargeJobScene> corpus;
  std::unique_ptr<LaunchedRanks> one, many;
};

absl::StatusOr<Scene> Start(const Arguments& arguments, int documents) {
  Scene scene;
  TW_ASSIGN_OR_RETURN(scene.corpus, MakeScene(arguments, documents));
  const std::vector<std::string> options = absl::StrSplit(arguments.mpirun, ' ', absl::SkipEmpty());
  for (auto* job : {&scene.one, &scene.many}) {
    TW_ASSIGN_OR_RETURN(*job,
                        scene.corpus->Start({.num_ranks = job == &scene.one ? 1 : arguments.ranks,
                                             .config = "",
                                             .mpirun = options}));
  }
  return scene;
}

absl::StatusOr<Table> MeasureAll(const Arguments& arguments, const Scene& scene) {
  Table table;
  std::string entries;
  for (int round = 0; round < arguments.rounds; ++round) {
    for (const int threads : {1, arguments.ranks}) {
      TW_ASSIGN_OR_RETURN(
          const Cost cost,
          Measure([&] { return scene.corpus->SumByThreads(threads); }, {}, threads, &entries));
      table.Add(threads == 1 ? "1 thread" : "threads", cost);
    }
    for (LaunchedRanks* ranks : {scene.one.get(), scene.many.get()}) {
      TW_ASSIGN_OR_RETURN(const Cost cost, Measure([&] { return scene.corpus->SumBy(*ranks); },
                                                   cluster::RanksOf(*ranks->mpirun), 1, &entries));
      table.Add(ranks == scene.one.get() ? "1 rank" : "ranks", cost);
    }
  }
  return table;
}

void Print(const Arguments& arguments, const Table& table, const Table& exchange) {
  const auto line = [&](const std::string& who, const std::string& name, double documents) {
    const double wall = table.Of(who, &Cost::wall);
    std::cout << std::setw(12) << name << std::fixed << std::setprecision(3) << std::setw(10)
              << wall << std::setw(10) << table.Of(who, &Cost::cpu) << std::setw(10)
              << table.Of(who, &Cost::busiest) << std::setw(14) << std::setprecision(0)
              << documents / wall << "\n";
  };
  std::cout << "seconds           wall       cpu   busiest   documents/s\n";
  const double documents = arguments.documents;
  line("1 thread", "1 thread", documents);
  line("1 rank", "1 rank", documents);
  line("threads", absl::StrCat(arguments.ranks, " threads"), documents);
  line("ranks", absl::StrCat(arguments.ranks, " ranks"), documents);
  const auto ratio = [&](const std::string& what, const std::string& who, const std::string& base) {
    std::cout << what << std::setprecision(3) << table.Ratio(who, base, &Cost::wall) << " wall, "
              << table.Ratio(who, base, &Cost::busiest) << " busiest\n";
  };
  ratio("one rank beside one thread: ", "1 rank", "1 thread");
  ratio("threads beside one: ", "1 thread", "threads");
  ratio("ranks beside one: ", "1 rank", "ranks");
  const double entries = double{1} * arguments.topics * arguments.terms;
  std::cout << "a release of " << kFew
            << " documents, which is all exchange: " << std::setprecision(3)
            << exchange.Of("1 thread", &Cost::wall) << " s by a thread, "
            << exchange.Of("1 rank", &Cost::wall) << " s (" << exchange.Of("1 rank", &Cost::cpu)
            << " of processors) by one rank, " << exchange.Of("ranks", &Cost::wall) << " s ("
            << exchange.Of("ranks", &Cost::cpu) << ") by all; " << std::setprecision(1)
            << 12 * entries / 1e6 << " MB to and from each rank\n";
}

absl::Status Run(const Arguments& arguments) {
  TW_ASSIGN_OR_RETURN(const Scene few, Start(arguments, kFew));
  TW_ASSIGN_OR_RETURN(const Scene scene, Start(arguments, arguments.documents));
  std::cout << arguments.documents << " documents, K = " << arguments.topics
            << ", V = " << arguments.terms << ", kernel " << model::ChosenKernelName()
            << ", mpirun " << arguments.mpirun << "\n";
  TW_ASSIGN_OR_RETURN(const Table exchange, MeasureAll(arguments, few));
  TW_ASSIGN_OR_RETURN(const Table table, MeasureAll(arguments, scene));
  Print(arguments, table, exchange);
  std::cout << "memory: " << cluster::PeakMiBOfARank(*scene.one->mpirun) << " MiB of one rank, "
            << cluster::PeakMiBOfARank(*scene.many->mpirun) << " MiB of each of all\n";
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures what it costs to sum by processes.", "cluster_bench"};
  Arguments arguments;
  app.add_option("--documents", arguments.documents)->check(CLI::PositiveNumber);
  app.add_option("--words", arguments.words, "Of a document, on average");
  app.add_option("--topics", arguments.topics)->check(CLI::PositiveNumber);
  app.add_option("--terms", arguments.terms)->check(CLI::PositiveNumber);
  app.add_option("--ranks", arguments.ranks, "And threads")->check(CLI::Range(2, 64));
  app.add_option("--rounds", arguments.rounds)->check(CLI::PositiveNumber);
  app.add_option("--mpirun", arguments.mpirun, "Options of mpirun's");
  app.add_option("--folder", arguments.folder, "Where there is room for the corpus");
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = Run(arguments); !status.ok()) {
    std::cerr << "cluster_bench: " << status << "\n";
    return 1;
  }
  return 0;
}
