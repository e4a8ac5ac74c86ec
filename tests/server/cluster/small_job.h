// A job of real processes under the real mpirun, on a corpus of its own, and the release it sums.
#ifndef TOPICWALL_TESTS_SERVER_CLUSTER_SMALL_JOB_H_
#define TOPICWALL_TESTS_SERVER_CLUSTER_SMALL_JOB_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/models.h"
#include "proto/matrix_codec.h"
#include "proto/models/lda_options.h"
#include "server/cluster/job_executor.h"
#include "server/executor/thread_executor.h"
#include "server/mechanism/noise_mechanism.h"
#include "tests/server/cluster/launched_job.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/server/mechanism/small_release.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::cluster {

using Grid = std::vector<uint64_t>;

inline constexpr int kTopics = 3;
inline constexpr int kTerms = 5;  // of the small corpus
inline constexpr double kClipNorm = 6;

// What a release may be.
struct How {
  double sampling_rate = 1;
  int64_t max_words = 1000;
  double held_out_share = 0;
  double direction_noise = 0;
};

class SmallJobWorld {
 public:
  explicit SmallJobWorld(v1::PrivacyUnit privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                         int num_documents = 3000) {  // twelve blocks
    std::filesystem::create_directories(folder_.Path("data"));
    std::filesystem::permissions(folder_.Path("data"), std::filesystem::perms::owner_all);
    EXPECT_OK(key_.WriteNew(folder_.Path("key")));
    EXPECT_OK(corpus::WriteCorpus(corpus_path(), corpus::ParamsOf(privacy_unit),
                                  corpus::PlainDocuments(num_documents), key_));
    folder_.Write(
        "wall.textproto",
        JobConfig("max_tokens: 1000 max_documents_per_unit: 4 max_parameters_per_term: 20 "
                  "max_iterations: 60 max_model_iterations: 60",
                  1'000'000));
    OpenStore();
    door_.emplace(config_path());
  }

  std::string corpus_path() const { return folder_.Path("data/notes.corpus"); }
  std::string config_path() const { return folder_.Path("wall.textproto"); }
  SumJob& job() { return job_; }
  const corpus::CorpusStore& store() const { return *store_; }

  // Opened anew, so that nothing is answered from a cache.
  void OpenStore() {
    ASSERT_OK_AND_ASSIGN(auto store, corpus::CorpusStore::Open(corpus_path(), key_));
    store_ = std::move(store);
  }

  // Replaces the job that runs, if one does.
  void Start(int num_ranks, const std::vector<std::string>& options = {}) {
    Run(RanksCommand({.num_ranks = num_ranks, .config = config_path(), .options = options}));
  }
  void Run(const std::vector<std::string>& command, testing::Environment environment = {}) {
    mpirun_.reset();
    environment.merge(RanksEnvironment(folder_.Path("")));
    mpirun_ = std::make_unique<testing::Background>(command, folder_.Path("output"), environment);
  }
  // Blocks until rank 0 has connected. False if the job ends before.
  bool TryToAccept() {
    base::FileDescriptor socket = door_->Accept(*mpirun_);
    if (!socket.valid()) return false;
    job_.Connect(std::move(socket));
    return true;
  }
  // False if the job ends before all its ranks are ready.
  bool Begins() {
    if (!TryToAccept()) return false;
    while (mpirun_->IsRunning()) {
      if (job_.Await(absl::Milliseconds(100)).ok()) return true;
    }
    return false;
  }
  void Accept() { ASSERT_TRUE(TryToAccept()) << output(); }
  void StartAndAccept(int num_ranks, const std::vector<std::string>& options = {}) {
    Start(num_ranks, options);
    Accept();
  }
  testing::Background& mpirun() { return *mpirun_; }
  std::vector<pid_t> Ranks() const { return RanksOf(*mpirun_); }
  std::string output() const { return folder_.Content("output"); }

  v1::PrepareSum Order(const How& how) const {
    v1::PrepareSum order;
    v1::ReleaseSpec& plan = *order.mutable_plan();
    const corpus::CorpusVersion& version = store_->description().version;
    plan.set_corpus("notes");
    plan.set_corpus_version(std::string(version.begin(), version.end()));
    plan.set_model("lda");
    plan.set_options(proto::LdaOptionBytes(kTopics, {0.3}, 50, 1e-3));
    plan.set_max_tokens(how.max_words);
    order.set_parameters(proto::FloatsToLittleEndian(LogTopics()));
    order.set_max_documents_per_unit(4);
    order.set_direction_noise(how.direction_noise);
    return order;
  }
  std::unique_ptr<model::Inference> NewInference() const {
    auto model = model::MakeModel("lda", proto::LdaOptionBytes(kTopics, {0.3}, 50, 1e-3),
                                  {.vocabulary_size = kTerms});
    EXPECT_OK(model);
    auto inference = (*model)->Bind(LogTopics(), 1);
    EXPECT_OK(inference);
    return *std::move(inference);
  }
  mechanism::ReleaseKeys KeysFor(const How& how, int num_shards, int64_t begun_at_ms = 0) const {
    auto keys = mechanism::SplitReceipt(mechanism::SmallReceipt([&](ledger::ChargeTerms& terms) {
                                          terms.mechanism.sampling_rate = how.sampling_rate;
                                          terms.mechanism.max_words = how.max_words;
                                          terms.mechanism.held_out_share = how.held_out_share;
                                          terms.begun_at_ms = begun_at_ms;
                                        }),
                                        num_shards, &store_->held_out_key());
    EXPECT_OK(keys);
    return *std::move(keys);
  }
  static executor::WorkOrder OrderTo(const mechanism::ReleaseCoins& coins, const How& how = {},
                                     const std::atomic<bool>* abandoned = nullptr) {
    return {.coins = coins,
            .clip_norm = kClipNorm,
            .max_documents_per_unit = 4,
            .shards = executor::AllShards(coins),
            .direction_noise = how.direction_noise,
            .abandoned = abandoned};
  }

  // Of a job that was started its hello is awaited longer than an analyst would.
  absl::StatusOr<JobExecutor> Reserve(const How& how,
                                      absl::Duration preparation = JobExecutor::kPreparation) {
    if (mpirun_ != nullptr) job_.Await(absl::Minutes(2)).status().IgnoreError();
    inference_ = NewInference();
    return JobExecutor::Reserve(job_, *inference_, Order(how), preparation);
  }
  absl::StatusOr<executor::UnitSum> SumByJob(const How& how) {
    auto executor = Reserve(how);
    if (!executor.ok()) return executor.status();
    const mechanism::ReleaseKeys keys = KeysFor(how, executor->num_shards());
    return executor->Sum(OrderTo(keys.coins, how));
  }
  Grid SumByThreads(const How& how) {
    const mechanism::ReleaseKeys keys = KeysFor(how, 1);
    return mechanism::PartialSumTestPeer::Grid(SumByThreads(how, keys.coins));
  }
  // Of one shard.
  mechanism::PartialSum SumByThreads(const How& how, const mechanism::ReleaseCoins& coins) {
    inference_ = NewInference();
    const corpus::DecodedBlocks none;
    auto executor = executor::ThreadExecutor::Reserve(
        *inference_,
        {.corpus = *store_,
         .decoded = none,
         .bounds = executor::BoundsOf(
             store_->description(),
             {.max_words = how.max_words, .max_documents_per_owner = 4, .has_weights = false}, 1),
         .has_directions = how.direction_noise != 0});
    EXPECT_OK(executor);
    auto sum = executor->Sum(OrderTo(coins, how));
    EXPECT_OK(sum);
    return std::move(sum->sum);
  }

 private:
  static std::vector<float> LogTopics() {
    std::vector<float> values;
    for (int i = 0; i < kTopics * kTerms; ++i) values.push_back(-1.0f - static_cast<float>(i % 4));
    return values;
  }

  testing::TemporaryDirectory folder_;
  sealing::CustodianKey key_ = corpus::NewKey();
  std::unique_ptr<corpus::CorpusStore> store_;
  std::optional<JobDoor> door_;
  SumJob job_;
  std::unique_ptr<model::Inference> inference_;
  std::unique_ptr<testing::Background> mpirun_;
};

}  // namespace topicwall::cluster

#endif  // TOPICWALL_TESTS_SERVER_CLUSTER_SMALL_JOB_H_
