// A corpus as large as one likes, and releases of it summed by jobs of real processes or by threads
// of this one, each timed.
//
//   TW_ASSIGN_OR_RETURN(auto scene, LargeJobScene::Make({.folder = "/tmp", .topics = …}, write));
//   TW_ASSIGN_OR_RETURN(auto ranks, scene->Start({.num_ranks = 2}));
//   TW_ASSIGN_OR_RETURN(TimedSum sum, scene->SumBy(*ranks));
#ifndef TOPICWALL_TESTS_SERVER_CLUSTER_LARGE_JOB_H_
#define TOPICWALL_TESTS_SERVER_CLUSTER_LARGE_JOB_H_

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"
#include "model/models.h"
#include "proto/matrix_codec.h"
#include "proto/models/lda_options.h"
#include "server/cluster/job_executor.h"
#include "server/corpus/corpus_manifest.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/ingest/corpus_writer.h"
#include "server/executor/thread_executor.h"
#include "server/mechanism/noise_mechanism.h"
#include "tests/server/cluster/launched_job.h"
#include "tests/support/receipt_for_tests.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::cluster {

inline constexpr int64_t kMostWords = 500;  // of a document

// One document to a unit, terms named by their numbers.
inline corpus::CorpusParams CountedDocuments(int vocabulary_size) {
  std::vector<std::string> terms;
  for (int i = 0; i < vocabulary_size; ++i) terms.push_back(absl::StrCat("t", i));
  return {{.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
           .tokenizer = lda::kCountsTokenizerName,
           .vocabulary = std::make_shared<const lda::Vocabulary>(
               *lda::Vocabulary::CreateOpaque(std::move(terms))),
           .duplicates = v1::DUPLICATE_RULE_REFUSE},
          /*max_units=*/int64_t{1} << 27};
}

// Of a full batch; always the same coins.
inline absl::StatusOr<mechanism::ReleaseKeys> PaidKeys(int num_shards) {
  ledger::ChargeTerms terms = {.charge_id = 1,
                               .plan_id = "plan",
                               .iteration = 1,
                               .request_digest = {1},
                               .corpus_version = {1},
                               .mechanism = {.sampling_rate = 1,
                                             .noise_multiplier = 5,
                                             .histogram_noise_multiplier = std::nullopt,
                                             .max_words = kMostWords,
                                             .weights = {}}};
  return mechanism::SplitReceipt(
      ledger::ChargeReceiptTestPeer::Make(std::move(terms),
                                          random::SecretKey(std::array<uint8_t, 32>{1})),
      num_shards, nullptr);
}

struct LargeJobParams {
  std::string folder;  // where there is room
  int topics;
  int terms;
  std::vector<float> log_topics;  // K×V
};

// A release from its preparation on, which is paid for with nothing, to the sum in this process.
struct TimedSum {
  double prepare_seconds;
  double sum_seconds;
  std::string entries;  // of the grid and the histogram, to compare
};

struct LaunchedRanks {
  SumJob job;
  int num_ranks = 0;
  std::unique_ptr<testing::Background> mpirun;
};

class LargeJobScene {
 public:
  using Write = std::function<absl::Status(corpus::CorpusWriter& writer)>;

  static absl::StatusOr<std::unique_ptr<LargeJobScene>> Make(LargeJobParams params,
                                                             const Write& write) {
    std::unique_ptr<LargeJobScene> scene(new LargeJobScene(std::move(params)));
    TW_RETURN_IF_ERROR(scene->WriteAll(write));
    return scene;
  }

  std::string corpus_path() const { return folder_.Path("data/notes.corpus"); }
  std::string config_path() const { return folder_.Path("wall.textproto"); }

  absl::StatusOr<std::unique_ptr<LaunchedRanks>> Start(RanksToStart how) const {
    how.config = config_path();
    auto ranks = std::make_unique<LaunchedRanks>();
    ranks->num_ranks = how.num_ranks;
    ranks->mpirun = std::make_unique<testing::Background>(RanksCommand(how), folder_.Path("output"),
                                                          RanksEnvironment(folder_.Path("")));
    base::FileDescriptor socket = door_->Accept(*ranks->mpirun);
    if (!socket.valid()) {
      return absl::UnavailableError(folder_.Content("output"));
    }
    ranks->job.Connect(std::move(socket));
    return ranks;
  }

  absl::StatusOr<TimedSum> SumBy(LaunchedRanks& ranks) const {
    v1::PrepareSum order;
    v1::ReleaseSpec& plan = *order.mutable_plan();
    const corpus::CorpusVersion& version = store_->description().version;
    plan.set_corpus("notes");
    plan.set_corpus_version(std::string(version.begin(), version.end()));
    plan.set_model("lda");
    plan.set_options(Options());
    plan.set_max_tokens(kMostWords);
    order.set_parameters(proto::FloatsToLittleEndian(params_.log_topics));
    order.set_max_documents_per_unit(1);
    return Time(ranks.num_ranks, 1, [&](const model::Inference& inference) {
      return JobExecutor::Reserve(ranks.job, inference, std::move(order));
    });
  }
  absl::StatusOr<TimedSum> SumByThreads(int num_threads) const {
    const corpus::DecodedBlocks none;
    return Time(1, num_threads, [&](const model::Inference& inference) {
      return executor::ThreadExecutor::Reserve(
          inference,
          {.corpus = *store_,
           .decoded = none,
           .bounds = executor::BoundsOf(
               store_->description(),
               {.max_words = kMostWords, .max_documents_per_owner = 1, .has_weights = false},
               num_threads)});
    });
  }

 private:
  explicit LargeJobScene(LargeJobParams params)
      : params_(std::move(params)), folder_(params_.folder) {}

  std::string Options() const {
    return proto::LdaOptionBytes(params_.topics, {1.0 / params_.topics}, 100, 1e-3);
  }

  absl::Status WriteAll(const Write& write) {
    std::filesystem::create_directories(folder_.Path("data"));
    std::filesystem::permissions(folder_.Path("data"), std::filesystem::perms::owner_all);
    folder_.Write(
        "wall.textproto",
        JobConfig("max_tokens: 500 max_documents_per_unit: 1 max_parameters_per_term: 1000 "
                  "max_iterations: 100 max_model_iterations: 100",
                  1'000'000'000));
    TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key, sealing::CustodianKey::Generate());
    TW_RETURN_IF_ERROR(key.WriteNew(folder_.Path("key")));
    TW_ASSIGN_OR_RETURN(
        const std::unique_ptr<corpus::CorpusWriter> writer,
        corpus::CorpusWriter::Create(corpus_path(), CountedDocuments(params_.terms), key));
    TW_RETURN_IF_ERROR(write(*writer));
    TW_RETURN_IF_ERROR(writer->Finish().status());
    TW_ASSIGN_OR_RETURN(store_, corpus::CorpusStore::Open(corpus_path(), key));
    TW_ASSIGN_OR_RETURN(model_,
                        model::MakeModel("lda", Options(), {.vocabulary_size = params_.terms}));
    door_ = std::make_unique<JobDoor>(config_path());
    return absl::OkStatus();
  }

  template <typename Reserve>
  absl::StatusOr<TimedSum> Time(int num_shards, int num_threads, const Reserve& reserve) const {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    TW_ASSIGN_OR_RETURN(const mechanism::ReleaseKeys keys, PaidKeys(num_shards));
    const Clock::time_point begun = Clock::now();
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference,
                        model_->Bind(params_.log_topics, num_threads));
    TW_ASSIGN_OR_RETURN(auto executor, reserve(*inference));
    TimedSum timed = {.prepare_seconds = since(begun), .sum_seconds = 0, .entries = ""};
    const Clock::time_point charged = Clock::now();
    TW_ASSIGN_OR_RETURN(const executor::UnitSum units,
                        executor.Sum({.coins = keys.coins,
                                      .clip_norm = 4,
                                      .max_documents_per_unit = 1,
                                      .shards = executor::AllShards(keys.coins)}));
    timed.sum_seconds = since(charged);
    if (units.unreadable) return absl::DataLossError("documents that cannot be read");
    timed.entries = units.sum.Serialise().substr(mechanism::PartialSum::kHeaderBytes +
                                                 static_cast<size_t>(num_shards));
    return timed;
  }

  const LargeJobParams params_;
  const testing::TemporaryDirectory folder_;
  std::unique_ptr<corpus::CorpusStore> store_;
  std::unique_ptr<model::StatisticModel> model_;
  std::unique_ptr<JobDoor> door_;
};

}  // namespace topicwall::cluster

#endif  // TOPICWALL_TESTS_SERVER_CLUSTER_LARGE_JOB_H_
