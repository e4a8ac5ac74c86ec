// A disk that is full and a process that has no file descriptors left, for real: what is refused
// is not charged or durably charged, what was answered is kept, and once there is room again
// the same server goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "proto/grpc_status.h"
#include "tests/e2e/small_disk.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/connect_to.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::seconds kPatience{60};

class ExhaustionTest : public ::testing::Test {
 protected:
  static WorldOptions Options() {
    return {.epsilon = 5000, .documents = 60, .timing_protection = false};
  }

  void Start(const ProcessLimits& limits = {}) {
    ASSERT_TRUE(world_->StartServer({}, limits)) << world_->ServerOutput();
    alice_ = world_->StubOf("alice");
  }
  void Reserve() {
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         WallWorld::Reserve(*alice_, world_->Plan(8, 50), std::string(16, 'r')));
    plan_id_ = plan.plan_id();
  }
  absl::StatusOr<Received> Run(int iteration) {
    return WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, iteration, topics_), topics_);
  }
  v1::PlanState Plan() {
    grpc::ClientContext context;
    v1::GetPlanRequest request;
    request.set_plan_id(plan_id_);
    v1::PlanState state;
    EXPECT_TRUE(alice_->GetPlan(&context, request, &state).ok());
    return state;
  }
  // The next iterations until one is not answered, which is what this returns. Its number is then
  // given_.size() + 1.
  absl::Status RunUntilRefused() {
    while (given_.size() < 45) {
      const auto answer = Run(static_cast<int>(given_.size()) + 1);
      if (!answer.ok()) return answer.status();
      given_.push_back(answer->statistics);
    }
    return absl::OkStatus();
  }
  void ExpectWhatWasGivenIsKept() {
    for (size_t i = 0; i < given_.size(); ++i) {
      ASSERT_OK_AND_ASSIGN(const auto again,
                           WallWorld::GetRelease(*alice_, plan_id_, static_cast<int>(i) + 1));
      EXPECT_EQ(again.statistics, given_[i]) << i;
    }
  }
  void ExpectSound() {
    const Finished verified =
        world_->Admin({"verify-ledger", "--config", world_->Path("wall.textproto")});
    EXPECT_EQ(verified.exit_code, 0) << verified.output;
  }

  std::unique_ptr<WallWorld> world_ = std::make_unique<WallWorld>(Options());
  std::unique_ptr<v1::PrivacyWall::Stub> alice_;
  std::string plan_id_;
  std::vector<std::string> given_;
  const std::vector<float> topics_ = WallWorld::LogTopics();
};

// Two ways to have a full disk without filling the machine's.
struct FullDisk {
  std::string name;
  std::function<void(WallWorld&)> prepare;  // before the server starts
  std::function<void(WallWorld&)> fill;
  std::function<void(WallWorld&)> free;
};
void PrintTo(const FullDisk& disk, std::ostream* stream) { *stream << disk.name; }

void LimitFileSize(WallWorld& world, rlim_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  for (const pid_t process : world.server().Family()) {
    ASSERT_EQ(prlimit(process, RLIMIT_FSIZE, &limit, nullptr), 0);
  }
}

// The largest file that the server may have is a few pages more than its ledger.
FullDisk ByLimit() {
  return {"FileSizeLimit", [](WallWorld&) {},
          [](WallWorld& world) {
            LimitFileSize(world, fs::file_size(world.Path("data/ledger.db")) + 30000);
          },
          [](WallWorld& world) { LimitFileSize(world, RLIM_INFINITY); }};
}

FullDisk BySmallDisk() {
  return {"SmallDisk",
          [](WallWorld& world) {
            MountSmallDisk(world.Path("small"), 4 << 20, "0700");
            fs::copy(world.Path("data"), world.Path("small"), fs::copy_options::recursive);
            world.WriteFile("wall.textproto",
                            absl::StrReplaceAll(world.ReadFile("wall.textproto"),
                                                {{"directory: \"data\"", "directory: \"small\""}}));
          },
          [](WallWorld& world) { FillSmallDisk(world.Path("small")); },
          [](WallWorld& world) { FreeSmallDisk(world.Path("small")); }};
}

std::vector<FullDisk> FullDisks() {
  std::vector<FullDisk> disks = {ByLimit()};
  if (MayMount()) disks.push_back(BySmallDisk());  // not in every container
  return disks;
}

class FullDiskTest : public ExhaustionTest, public ::testing::WithParamInterface<FullDisk> {
 protected:
  void TearDown() override {
    world_->KillServer();
    UnmountSmallDisk(world_->Path("small"));
  }
};

TEST_P(FullDiskTest, RefusesWithoutLosingAnythingAndGoesOnWhenThereIsRoom) {
  GetParam().prepare(*world_);
  Start({.file_bytes = uint64_t{1} << 40});
  Reserve();
  ASSERT_OK(Run(1));
  GetParam().fill(*world_);
  const absl::Status refused = RunUntilRefused();
  EXPECT_THAT(refused, AnyOf(StatusIs(absl::StatusCode::kUnavailable),
                             StatusIs(absl::StatusCode::kInternal)));
  // One may be charged and not answered, no more.
  const int unanswered = Plan().iterations_size() - static_cast<int>(given_.size());
  EXPECT_GE(unanswered, 0);
  EXPECT_LE(unanswered, 1);
  ExpectWhatWasGivenIsKept();
  EXPECT_THAT(world_->ReadFile("events.jsonl"),
              AnyOf(HasSubstr("ledger_could_not_be_written"), HasSubstr("disk_nearly_full")))
      << "nobody told the custodian";

  GetParam().free(*world_);
  const auto answered = Run(static_cast<int>(given_.size()) + 1);
  ASSERT_OK(answered) << "the server did not recover";
  given_.push_back(answered->statistics);
  EXPECT_EQ(Plan().iterations_size(), static_cast<int>(given_.size()));
  world_->KillServer();
  Start();
  ExpectWhatWasGivenIsKept();
  ExpectSound();
}

// Rows of a few bytes still find room where a release of 120 kB does not.
class LargeReleaseTest : public ExhaustionTest {
 protected:
  static constexpr int kManyTopics = 1000;

  void SetUp() override {
    if (!MayMount()) GTEST_SKIP() << "needs to mount a small disk";
    world_->WriteFile(
        "wall.textproto",
        absl::StrReplaceAll(world_->ReadFile("wall.textproto"),
                            {{"max_parameters_per_term: 20", "max_parameters_per_term: 1000"}}));
    BySmallDisk().prepare(*world_);
    Start();
    plan_ = world_->Plan(8, 50);
    AskTopics(&plan_, "lda", kManyTopics, {0.01});
    ASSERT_OK_AND_ASSIGN(const auto plan, WallWorld::Reserve(*alice_, plan_, std::string(16, 'r')));
    plan_id_ = plan.plan_id();
  }
  void TearDown() override {
    if (IsSkipped()) return;
    world_->KillServer();
    UnmountSmallDisk(world_->Path("small"));
  }
  absl::StatusOr<Received> RunLarge(v1::PrivacyWall::Stub& stub, int iteration) {
    const std::vector<float> topics(kManyTopics * WallWorld::kVocabulary, -3);
    return WallWorld::RunRelease(stub, WallWorld::Header(plan_id_, iteration, topics, plan_),
                                 topics);
  }
  v1::CorpusDescription Described() {
    grpc::ClientContext context;
    v1::DescribeCorpusRequest request;
    request.set_corpus("notes");
    v1::CorpusDescription description;
    EXPECT_TRUE(alice_->DescribeCorpus(&context, request, &description).ok());
    return description;
  }
  void Fill() { FillSmallDisk(world_->Path("small")); }
  void Free() { FreeSmallDisk(world_->Path("small")); }

  v1::ReleaseSpec plan_;
};

TEST_F(LargeReleaseTest, IsPaidForOnceAndGivenHoweverOftenItWasAskedForOnAFullDisk) {
  ASSERT_OK(RunLarge(*alice_, 1));
  Fill();
  for (int sent = 0; sent < 6; ++sent) {
    EXPECT_THAT(RunLarge(*alice_, 2),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("send the same request again")));
  }
  absl::StatusOr<Received> both[2];
  std::vector<std::thread> twice;
  for (absl::StatusOr<Received>& one : both) {
    twice.emplace_back([&] { one = RunLarge(*world_->StubOnItsOwn("alice"), 2); });
  }
  for (std::thread& one : twice) one.join();
  for (const auto& one : both) EXPECT_THAT(one, StatusIs(absl::StatusCode::kInternal));
  Free();
  ASSERT_OK_AND_ASSIGN(const auto answered, RunLarge(*alice_, 2));
  EXPECT_EQ(RunLarge(*alice_, 2)->statistics, answered.statistics);
  EXPECT_EQ(Described().restarts(), 1) << "stored late";

  Fill();
  EXPECT_THAT(RunLarge(*alice_, 3), StatusIs(absl::StatusCode::kInternal));
  ASSERT_TRUE(world_->server().KillChild("topicwall-vault"));
  Free();
  EXPECT_OK(RunLarge(*alice_, 3)) << "computed again, as after any crash";
  EXPECT_EQ(Described().restarts(), 2);
  EXPECT_EQ(Described().overruns(), 0);
  EXPECT_EQ(Described().voided(), 0);
  const std::string log = world_->ReadFile("events.jsonl");
  EXPECT_THAT(log, HasSubstr("ledger_could_not_be_written"));
  EXPECT_THAT(log, Not(HasSubstr("release_failed_after_charge")));
  ExpectSound();
}

INSTANTIATE_TEST_SUITE_P(BothWays, FullDiskTest, ::testing::ValuesIn(FullDisks()),
                         [](const auto& tested) { return tested.param.name; });

int PortOf(const std::string& address) {
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port));
  return port;
}

absl::Status Ask(v1::PrivacyWall::Stub& stub) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
  v1::GetBudgetRequest request;
  request.set_corpus("notes");
  v1::BudgetStatus budget;
  return proto::FromGrpcStatus(stub.GetBudget(&context, request, &budget));
}

TEST_F(ExhaustionTest, StrangersWhoTakeEveryDescriptorKeepNobodyOutForLong) {
  Start({.open_files = 100});
  Reserve();
  ASSERT_OK(Run(1));
  std::vector<int> strangers;
  const int port = PortOf(world_->address());
  for (int i = 0; i < 200; ++i) strangers.push_back(ConnectTo(port));
  // Who is connected is served, or refused without a charge.
  const auto meanwhile = Run(2);
  if (!meanwhile.ok()) {
    EXPECT_THAT(meanwhile, StatusIs(absl::StatusCode::kUnavailable));
  }
  for (const int stranger : strangers) close(stranger);

  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  absl::Status newcomer = absl::UnavailableError("");
  while (!newcomer.ok() && std::chrono::steady_clock::now() < deadline) {
    newcomer = Ask(*world_->StubOnItsOwn("bob"));
  }
  EXPECT_OK(newcomer) << "nobody can connect any more";
  EXPECT_OK(Run(2));
  EXPECT_EQ(Plan().iterations_size(), 2);
  ExpectSound();
}

}  // namespace
}  // namespace topicwall::testing
