#include "server/cluster/job_executor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "server/cluster/job_messages.h"
#include "server/executor/build.h"
#include "tests/server/cluster/small_job.h"

namespace topicwall::cluster {
namespace job_executor_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
using Peer = mechanism::PartialSumTestPeer;

// topicwall-worker but for its Build() (worker/other_build.cc).
constexpr char kOtherBuild[] = "topicwall-worker-of-another-build";

v1::JobHello HelloOf(int num_ranks, absl::string_view build = executor::Build()) {
  v1::JobHello hello;
  hello.set_num_ranks(num_ranks);
  hello.set_kernel_name(model::ChosenKernelName());
  hello.set_build(std::string(build));
  return hello;
}

TEST(JobExecutorTest, AnyNumberOfRanksGivesTheBitsOfTheThreads) {
  for (const auto unit : {v1::PRIVACY_UNIT_DOCUMENT, v1::PRIVACY_UNIT_OWNER}) {
    SmallJobWorld world(unit);
    for (const int num_ranks : {1, 2, 4, 7}) {
      world.StartAndAccept(num_ranks, {"--threads", num_ranks == 2 ? "3" : "1"});
      for (const How& how :
           {How{}, How{.sampling_rate = 0.3, .max_words = 5}, How{.held_out_share = 0.2},
            How{.sampling_rate = 0.7, .direction_noise = 5}}) {
        ASSERT_OK_AND_ASSIGN(const auto sum, world.SumByJob(how));
        EXPECT_FALSE(sum.unreadable);
        EXPECT_EQ(Peer::Grid(sum.sum), world.SumByThreads(how)) << num_ranks << " ranks";
      }
    }
  }
}

TEST(JobExecutorTest, AReleaseOfAJobHasTheBitsOfThatOfTheThreads) {
  SmallJobWorld world;
  world.StartAndAccept(2);
  for (const How& how : {How{}, How{.direction_noise = 5}}) {
    ASSERT_OK_AND_ASSIGN(auto executor, world.Reserve(how));
    mechanism::ReleaseKeys keys = world.KeysFor(how, executor.num_shards());
    ASSERT_OK_AND_ASSIGN(auto sum, executor.Sum(SmallJobWorld::OrderTo(keys.coins, how)));
    ASSERT_OK_AND_ASSIGN(const auto of_job,
                         mechanism::AddNoise(std::move(sum.sum), std::move(keys.noise), 1));
    mechanism::ReleaseKeys same = world.KeysFor(how, 1);
    ASSERT_OK_AND_ASSIGN(
        const auto of_threads,
        mechanism::AddNoise(world.SumByThreads(how, same.coins), std::move(same.noise), 1));
    EXPECT_EQ(of_job.statistics(), of_threads.statistics());
    EXPECT_EQ(of_job.direction_noise(), how.direction_noise);
  }
}

TEST(JobExecutorTest, WithoutAJobNothingIsChargedAndItIsSaidWhereToLook) {
  SmallJobWorld world;
  EXPECT_THAT(world.Reserve({}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("executor.mpi.launch")));
}

TEST(JobExecutorTest, WhoSaysNoHelloIsWaitedForByNobodyAndTakesNoJobsPlace) {
  SmallJobWorld world;
  world.StartAndAccept(2);
  ASSERT_OK(world.SumByJob({}));
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const base::FileDescriptor silent(ends[1]);
  world.job().Connect(base::FileDescriptor(ends[0]));
  EXPECT_OK(world.SumByJob({}));
}

TEST(JobExecutorTest, AJobWithAnotherVersionOfTheCorpusIsRefusedBeforeTheCharge) {
  SmallJobWorld world;
  world.StartAndAccept(2);
  v1::PrepareSum order = world.Order({});
  order.mutable_plan()->mutable_corpus_version()->front() ^= 1;
  const auto inference = world.NewInference();
  EXPECT_THAT(
      JobExecutor::Reserve(world.job(), *inference, order),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("version of corpus notes")));
  EXPECT_OK(world.SumByJob({})) << "the job goes on";
}

TEST(JobExecutorTest, ADocumentThatCannotBeReadOnOneRankIsTold) {
  // More than a rank keeps of a file that it has read.
  SmallJobWorld world(v1::PRIVACY_UNIT_DOCUMENT, 200'000);
  world.StartAndAccept(3);
  auto executor = world.Reserve({});  // looks whether the file was written to
  ASSERT_OK(executor);
  corpus::DamageBlock(world.corpus_path(), 0);
  const mechanism::ReleaseKeys keys = world.KeysFor({}, 3);
  ASSERT_OK_AND_ASSIGN(const auto sum, executor->Sum(SmallJobWorld::OrderTo(keys.coins)));
  EXPECT_TRUE(sum.unreadable);
  EXPECT_THAT(world.SumByJob({}), StatusIs(absl::StatusCode::kFailedPrecondition));
}

// Of a job of which a rank stands still.
void ExpectHungUpOnOnceAbandoned(SmallJobWorld& world, JobExecutor& executor, int ranks) {
  const mechanism::ReleaseKeys keys = world.KeysFor({}, ranks);
  std::atomic<bool> abandoned = false;
  auto summing = std::async(std::launch::async, [&] {
    return executor.Sum(SmallJobWorld::OrderTo(keys.coins, {}, &abandoned));
  });
  EXPECT_EQ(summing.wait_for(std::chrono::seconds(1)), std::future_status::timeout);
  abandoned = true;
  EXPECT_THAT(summing.get(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_NE(world.mpirun().Wait(), 0);
}

// A rank that stands still, for whatever reason, holds up its release until the schedule gives that
// up, and none after it.
TEST(JobExecutorTest, WhoIsAbandonedHangsUpOnTheJobWhichEndsAlsoWithARankThatStandsStill) {
  SmallJobWorld world;
  world.StartAndAccept(3);
  ASSERT_OK_AND_ASSIGN(auto executor, world.Reserve({}));
  const std::vector<pid_t> ranks = world.Ranks();
  ASSERT_EQ(ranks.size(), 3U);
  kill(ranks.back(), SIGSTOP);
  ExpectHungUpOnOnceAbandoned(world, executor, 3);
}

TEST(JobExecutorTest, ARankThatStandsStillBeforeTheChargeRefusesItAndEndsTheJob) {
  SmallJobWorld world;
  world.StartAndAccept(3);
  ASSERT_OK(world.SumByJob({}));
  kill(world.Ranks().back(), SIGSTOP);
  EXPECT_THAT(world.Reserve({}, absl::Milliseconds(300)).status(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stands still")));
  EXPECT_NE(world.mpirun().Wait(), 0);
  world.StartAndAccept(2);
  EXPECT_OK(world.SumByJob({}));
}

// Rank 0 reads the order, which is longer than what a socket takes.
TEST(JobExecutorTest, WhoTakesNoOrderIsNotWaitedForLonger) {
  SmallJobWorld world;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const base::FileDescriptor silent(ends[1]);
  ASSERT_OK(SendMessage(silent.get(), HelloOf(2).SerializeAsString()));
  world.job().Connect(base::FileDescriptor(ends[0]));
  v1::PrepareSum order = world.Order({});
  order.mutable_parameters()->resize(10'000'000);
  const auto inference = world.NewInference();
  EXPECT_THAT(
      JobExecutor::Reserve(world.job(), *inference, order, absl::Milliseconds(300)).status(),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stands still")));
}

// Of a release that is charged, whose job has died since.
TEST(JobExecutorTest, ANextJobThatStandsStillWhilePreparingIsAbandonedToo) {
  SmallJobWorld world;
  world.StartAndAccept(2);
  ASSERT_OK_AND_ASSIGN(auto executor, world.Reserve({}));
  kill(world.Ranks().front(), SIGKILL);
  EXPECT_NE(world.mpirun().Wait(), 0);
  world.StartAndAccept(2);
  ASSERT_OK(world.job().Await(absl::Minutes(1)));
  kill(world.Ranks().back(), SIGSTOP);
  ExpectHungUpOnOnceAbandoned(world, executor, 2);
}

// Each rank unseals its part before it sums, and whichever it is in, the block is found.
TEST(JobExecutorTest, AJobDoesNotBeginWithABlockThatCannotBeRead) {
  for (const int block : {0, 6, 11}) {
    SmallJobWorld world;
    corpus::DamageBlock(world.corpus_path(), block);
    world.Start(3);
    EXPECT_NE(world.mpirun().Wait(), 0) << block;
    EXPECT_THAT(world.output(), HasSubstr("notes.corpus")) << block;
  }
}

// A rank for each: its program and its options.
std::vector<std::string> CommandOf(const SmallJobWorld& world,
                                   const std::vector<std::vector<std::string>>& ranks) {
  std::vector<std::string> command = {"/usr/bin/mpirun", "--oversubscribe"};
  for (const std::vector<std::string>& rank : ranks) {
    command.insert(command.end(), {"-n", "1", testing::WallWorld::Program(rank[0]), "--config",
                                   world.config_path()});
    command.insert(command.end(), rank.begin() + 1, rank.end());
    command.emplace_back(":");
  }
  command.pop_back();
  return command;
}

// What a unit counts would depend on the rank that it falls to, and so on the other units.
TEST(JobExecutorTest, RanksThatComputeDifferentlyDoNotBegin) {
  std::vector<std::vector<std::string>> others = {{kOtherBuild}};
  constexpr char kPortable[] = "portable-f32-4";
  if (model::ChosenKernelName() != kPortable) {
    others.push_back({"topicwall-worker", "--kernel", kPortable});
  }
  for (const std::vector<std::string>& other : others) {
    SmallJobWorld world;
    world.Run(CommandOf(world, {{"topicwall-worker"}, {"topicwall-worker"}, other}));
    EXPECT_FALSE(world.Begins());
    EXPECT_THAT(world.output(), HasSubstr("rank 2 on host "));
  }
}

// A job that says what a test wants it to say.
class LyingJob {
 public:
  using Lie = std::function<std::string(const mechanism::ReleaseCoins& coins)>;

  // Answers one release.
  LyingJob(SmallJobWorld& world, int num_ranks, Lie lie,
           absl::string_view build = executor::Build())
      : world_(world), lie_(std::move(lie)) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    own_ = base::FileDescriptor(ends[1]);
    EXPECT_OK(SendMessage(own_.get(), HelloOf(num_ranks, build).SerializeAsString()));
    world.job().Connect(base::FileDescriptor(ends[0]));
    thread_ = std::thread([this] { Serve(); });
  }
  ~LyingJob() {
    shutdown(own_.get(), SHUT_RDWR);
    thread_.join();
  }

 private:
  void Serve() {
    for (;;) {
      const auto bytes = ReceiveMessage(own_.get(), 1 << 20);
      v1::JobOrder order;
      if (!bytes.ok() || !order.ParseFromString(*bytes)) return;
      if (!SendMessage(own_.get(), v1::JobAnswer().SerializeAsString()).ok()) return;
      if (!order.has_begin()) continue;
      ASSERT_OK_AND_ASSIGN(
          const auto coins,
          mechanism::ReleaseCoins::Parse(order.begin().coins(), &world_.store().held_out_key()));
      if (!SendMessage(own_.get(), lie_(coins)).ok()) return;
    }
  }

  SmallJobWorld& world_;
  const Lie lie_;
  base::FileDescriptor own_{-1};
  std::thread thread_;
};

// Of shards, as many times as they are named.
std::string Bytes(const mechanism::ReleaseCoins& coins, const std::vector<int>& shards) {
  mechanism::PartialSum sum = mechanism::EmptySum(coins, model::GridOf(kTopics, kTerms), kClipNorm);
  for (const int shard : shards) EXPECT_OK(sum.CountShard(shard));
  return sum.Serialise();
}

TEST(JobExecutorTest, ASumThatIsNotTheOrderedOneIsRefusedAndNothingIsNoised) {
  SmallJobWorld world;
  const std::vector<std::pair<std::string, LyingJob::Lie>> lies = {
      {"of an earlier attempt",
       [&](const auto&) {
         return Bytes(world.KeysFor({}, 2, /*begun_at_ms=*/1).coins, {0, 1});
       }},
      {"of fewer shards", [&](const auto&) { return Bytes(world.KeysFor({}, 1).coins, {0}); }},
      {"cut short",
       [](const auto& coins) {
         const std::string whole = Bytes(coins, {0, 1});
         return whole.substr(0, whole.size() - 8);
       }},
      {"no sum", [](const auto&) { return std::string("?"); }},
  };
  for (const auto& [name, lie] : lies) {
    const LyingJob job(world, 2, lie);
    EXPECT_THAT(world.SumByJob({}), StatusIs(absl::StatusCode::kInvalidArgument)) << name;
  }
  const LyingJob longer(world, 2, [](const auto& coins) { return Bytes(coins, {0, 1}) + "more"; });
  ASSERT_OK_AND_ASSIGN(auto executor, world.Reserve({}));
  const mechanism::ReleaseKeys keys = world.KeysFor({}, 2);
  auto sum = std::async(std::launch::async,  // what is lost is asked of the next job
                        [&] { return executor.Sum(SmallJobWorld::OrderTo(keys.coins)); });
  world.StartAndAccept(2);  // by this thread, with whose end it would end
  EXPECT_OK(sum.get());
}

// Before the charge.
TEST(JobExecutorTest, AJobOfAnotherBuildIsAskedForNothing) {
  for (const char* build : {"", "another"}) {
    SmallJobWorld world;
    const LyingJob job(
        world, 2, [](const auto& /*coins*/) { return std::string(); }, build);
    EXPECT_THAT(world.Reserve({}).status(),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another build")));
  }
  SmallJobWorld world;
  world.Run(CommandOf(world, {{kOtherBuild}, {kOtherBuild}}));
  world.Accept();
  EXPECT_THAT(world.Reserve({}).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another build")));
}

// The receipt would be split for them: a release that is paid, and void.
TEST(JobExecutorTest, AJobOfNoRanksOrTooManyIsRefusedBeforeTheCharge) {
  for (const int num_ranks : {-1, 0, 65'537}) {
    SmallJobWorld world;
    const LyingJob job(world, num_ranks, [](const auto& /*coins*/) { return std::string(); });
    EXPECT_THAT(world.Reserve({}).status(),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("1 to 65536 shards")))
        << num_ranks;
  }
}

TEST(JobExecutorTest, AShardThatIsLeftOutOrInTwiceIsRefusedBeforeTheNoise) {
  SmallJobWorld world;
  for (const auto& [shards, code] : std::vector<std::pair<std::vector<int>, absl::StatusCode>>{
           {{0}, absl::StatusCode::kFailedPrecondition},
           {{0, 1, 1}, absl::StatusCode::kAlreadyExists}}) {
    const LyingJob job(world, 2, [&](const auto& coins) { return Bytes(coins, shards); });
    ASSERT_OK_AND_ASSIGN(auto executor, world.Reserve({}));
    mechanism::ReleaseKeys keys = world.KeysFor({}, 2);
    ASSERT_OK_AND_ASSIGN(auto sum, executor.Sum(SmallJobWorld::OrderTo(keys.coins)));
    EXPECT_THAT(mechanism::AddNoise(std::move(sum.sum), std::move(keys.noise), 1), StatusIs(code));
  }
}

}  // namespace job_executor_test
}  // namespace topicwall::cluster
