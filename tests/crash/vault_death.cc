#include "tests/crash/vault_death.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proto/grpc_status.h"
#include "proto/ledger.pb.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr int64_t kIntervalMs = 1000;  // that a busy machine keeps
constexpr std::chrono::milliseconds kGateHasSentIt{100};

WorldOptions World() {
  return {.epsilon = 500,
          .release_interval_ms = kIntervalMs,
          .documents = 60,
          .server_program = "killable/topicwall-server"};
}

template <typename Reply, typename Request, typename Method>
absl::StatusOr<Reply> Call(v1::PrivacyWall::Stub& stub, Method method, const Request& request) {
  grpc::ClientContext context;
  Reply reply;
  const absl::Status status = proto::FromGrpcStatus((stub.*method)(&context, request, &reply));
  if (!status.ok()) return status;
  return reply;
}

v1::CorpusDescription Describe(v1::PrivacyWall::Stub& stub) {
  v1::DescribeCorpusRequest request;
  request.set_corpus("notes");
  const auto described =
      Call<v1::CorpusDescription>(stub, &v1::PrivacyWall::Stub::DescribeCorpus, request);
  EXPECT_OK(described);
  return described.value_or(v1::CorpusDescription());
}

std::vector<v1::LedgerEvent> Ledger(v1::PrivacyWall::Stub& auditor) {
  std::vector<v1::LedgerEvent> events;
  grpc::ClientContext context;
  v1::ReadLedgerRequest request;
  request.set_corpus("notes");
  const auto reader = auditor.ReadLedger(&context, request);
  v1::LedgerEntry entry;
  while (reader->Read(&entry)) {
    EXPECT_TRUE(events.emplace_back().ParseFromString(entry.event()));
  }
  EXPECT_TRUE(reader->Finish().ok());
  return events;
}

// By the events of one iteration: charged and published once, at a level of where it last began.
void ExpectChargedOnceAndPublishedAtALevel(const std::vector<v1::LedgerEvent>& events,
                                           int iteration, int64_t readable_at_ms) {
  int charges = 0, published = 0;
  int64_t begun_at_ms = 0;
  for (const v1::LedgerEvent& event : events) {
    if (event.iteration_charged().iteration() == iteration) {
      ++charges;
      begun_at_ms = event.time_ms();
    }
    if (event.release_restarted().iteration() == iteration) begun_at_ms = event.time_ms();
    if (event.release_published().iteration() != iteration) continue;
    ++published;
    const int64_t waited = event.release_published().intervals_waited();
    EXPECT_TRUE(waited == 1 || waited == 2 || waited == 4 || waited == 8 || waited == 16) << waited;
    EXPECT_EQ(event.time_ms(), begun_at_ms + waited * kIntervalMs);
    EXPECT_EQ(event.time_ms(), readable_at_ms);
  }
  EXPECT_EQ(charges, 1);
  EXPECT_EQ(published, 1);
}

void ExpectCounted(const std::vector<v1::LedgerEvent>& events,
                   const v1::CorpusDescription& description, int voided) {
  int restarts = 0, overruns = 0;
  for (const v1::LedgerEvent& event : events) {
    restarts += event.has_release_restarted();
    overruns += event.release_published().intervals_waited() > 1;
  }
  EXPECT_EQ(description.restarts(), restarts);
  EXPECT_EQ(description.overruns(), overruns) << "a death is no overrun";
  EXPECT_EQ(description.voided(), voided);
}

// As an analyst does whose answer was cut off: they ask again.
absl::StatusOr<Received> Run(v1::PrivacyWall::Stub& stub, const std::string& plan_id, int iteration,
                             bool may_be_cut_off) {
  const std::vector<float> topics = WallWorld::LogTopics();
  const auto header = WallWorld::Header(plan_id, iteration, topics);
  auto answer = WallWorld::RunRelease(stub, header, topics);
  if (may_be_cut_off && absl::IsUnavailable(answer.status()) &&
      absl::StrContains(answer.status().message(), "cut off")) {
    answer = WallWorld::RunRelease(stub, header, topics);
  }
  return answer;
}

double MsSince(int64_t instant_ms) {
  return absl::ToDoubleMilliseconds(absl::Now() - absl::FromUnixMillis(instant_ms));
}

// Whatever says the same each time: of a budget not when its head was signed.
struct Question {
  std::string name;
  std::function<absl::StatusOr<std::string>()> ask;
};

template <typename Reply>
absl::StatusOr<std::string> Text(absl::StatusOr<Reply> reply) {
  if (!reply.ok()) return reply.status();
  return reply->SerializeAsString();
}

std::vector<Question> Questions(v1::PrivacyWall::Stub& stub, v1::PrivacyWall::Stub& auditor,
                                const v1::PlanState& plan) {
  using Stub = v1::PrivacyWall::Stub;
  v1::PricePlanRequest price;
  *price.mutable_plan() = plan.plan();
  v1::GetPlanRequest get;
  get.set_plan_id(plan.plan_id());
  v1::ListPlansRequest list;
  v1::GetVocabularyRequest terms;
  terms.set_corpus("notes");
  return {
      {"describe", [&stub] { return Describe(stub).SerializeAsString(); }},
      {"vocabulary",
       [&stub, terms]() -> absl::StatusOr<std::string> {
         grpc::ClientContext context;
         const auto reader = stub.GetVocabulary(&context, terms);
         std::string all;
         for (v1::VocabularyChunk chunk; reader->Read(&chunk);) all += chunk.SerializeAsString();
         const absl::Status status = proto::FromGrpcStatus(reader->Finish());
         if (!status.ok()) return status;
         return all;
       }},
      {"price",
       [&stub, price] { return Text(Call<v1::PlanPrice>(stub, &Stub::PricePlan, price)); }},
      {"reserve",
       [&stub, spec = plan.plan()]() -> absl::StatusOr<std::string> {
         const auto state = WallWorld::Reserve(stub, spec, std::string(16, 'q'));
         if (!state.ok()) return state.status();
         return state->plan_id();
       }},
      {"get plan", [&stub, get] { return Text(Call<v1::PlanState>(stub, &Stub::GetPlan, get)); }},
      {"list plans",
       [&stub, list] { return Text(Call<v1::ListPlansResponse>(stub, &Stub::ListPlans, list)); }},
      {"get release",
       [&stub, id = plan.plan_id()]() -> absl::StatusOr<std::string> {
         const auto release = WallWorld::GetRelease(stub, id, 1);
         if (!release.ok()) return release.status();
         return release->header.SerializeAsString() + release->statistics;
       }},
      {"budget",
       [&stub]() -> absl::StatusOr<std::string> {
         const auto budget = WallWorld::Budget(stub);
         if (!budget.ok()) return budget.status();
         return absl::StrCat(budget->chain_head(), budget->epsilon_spent());
       }},
      {"ledger",
       [&auditor]() -> absl::StatusOr<std::string> {
         std::string all;
         for (const v1::LedgerEvent& event : Ledger(auditor)) all += event.SerializeAsString();
         return all;
       }},
  };
}

// Returns when none of its threads runs any more, which is later than the signal was sent.
void Stop(pid_t process) {
  kill(process, SIGSTOP);
  const std::string tasks = absl::StrCat("/proc/", process, "/task");
  const auto runs = [](const std::filesystem::directory_entry& task) {
    std::ifstream status(task.path() / "status");
    for (std::string word; status >> word;) {
      if (word == "State:") return status >> word && word != "T";
    }
    return false;  // it has ended
  };
  const std::filesystem::directory_iterator end;
  while (std::any_of(std::filesystem::directory_iterator(tasks), end, runs)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

double DieAt(const VaultDeath& death) {
  WallWorld world(World());
  EXPECT_TRUE(world.StartServer({{"TOPICWALL_KILL_AT", death.kill_at}})) << world.ServerOutput();
  const pid_t vault = world.server().Child("topicwall-vault");
  const auto alice = world.StubOf("alice");
  const auto plan = WallWorld::Reserve(*alice, world.Plan(4, 2), std::string(16, 'r'));
  EXPECT_OK(plan);
  if (!plan.ok()) return 0;
  const auto release = Run(*alice, plan->plan_id(), 1, death.within_answer);
  const double late_ms = release.ok() ? MsSince(release->header.readable_at_ms()) : 0;
  EXPECT_OK(release);
  EXPECT_GE(late_ms, 0) << "read before its instant";
  v1::CancelPlanRequest cancel;
  cancel.set_plan_id(plan->plan_id());
  EXPECT_OK(Call<v1::PlanState>(*alice, &v1::PrivacyWall::Stub::CancelPlan, cancel));
  EXPECT_NE(world.server().Child("topicwall-vault"), vault) << "the point was never passed";

  const auto again = WallWorld::GetRelease(*alice, plan->plan_id(), 1);
  EXPECT_OK(again);
  if (!release.ok() || !again.ok()) return 0;
  EXPECT_EQ(again->statistics, release->statistics);
  const auto events = Ledger(*world.StubOf("ann"));
  ExpectChargedOnceAndPublishedAtALevel(events, 1, release->header.readable_at_ms());
  const v1::CorpusDescription description = Describe(*alice);
  ExpectCounted(events, description, /*voided=*/0);
  EXPECT_EQ(description.restarts(), death.restarts);
  const Finished verified =
      world.Admin({"verify-ledger", "--config", world.Path("wall.textproto")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  return late_ms;
}

void DieInEveryQuestion() {
  constexpr int kDeathsOfAServer = 3;
  WallWorld world(World());
  int deaths = kDeathsOfAServer;
  std::string plan_id;
  for (size_t i = 0, questions = 1; i < questions; ++i) {
    if (std::exchange(deaths, deaths + 1) == kDeathsOfAServer) {
      if (i > 0) world.StopServer();
      ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
      deaths = 1;
    }
    const auto alice = world.StubOf("alice"), ann = world.StubOf("ann");
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         WallWorld::Reserve(*alice, world.Plan(4, 2), std::string(16, 'r')));
    if (i == 0) {
      ASSERT_OK(Run(*alice, plan.plan_id(), 1, false));
    }
    const std::vector<Question> all = Questions(*alice, *ann, plan);
    questions = all.size();
    SCOPED_TRACE(all[i].name);
    ASSERT_OK_AND_ASSIGN(const auto before, all[i].ask());
    // The same again, which changes nothing: after an act the gate answers nothing from memory.
    ASSERT_OK(WallWorld::Reserve(*alice, plan.plan(), std::string(16, 'r')));
    const pid_t vault = world.server().Child("topicwall-vault");
    Stop(vault);
    absl::StatusOr<std::string> answer;
    std::thread asking([&] { answer = all[i].ask(); });
    std::this_thread::sleep_for(kGateHasSentIt);
    kill(vault, SIGKILL);
    asking.join();
    ASSERT_OK(answer);
    EXPECT_EQ(*answer, before);
    EXPECT_NE(world.server().Child("topicwall-vault"), vault);
  }
}

void DieAtRandom(unsigned seed, int kills, int releases) {
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  WallWorld world(World());
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const auto alice = world.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       WallWorld::Reserve(*alice, world.Plan(4, releases), std::string(16, 'r')));
  std::vector<Received> received;
  std::thread running([&] {
    for (int iteration = 1; iteration <= releases; ++iteration) {
      const auto release = Run(*alice, plan.plan_id(), iteration, /*may_be_cut_off=*/true);
      EXPECT_OK(release);
      if (!release.ok()) return;
      EXPECT_GE(MsSince(release->header.readable_at_ms()), 0);
      received.push_back(*release);
    }
  });
  for (int killed = 0; killed < kills; ++killed) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % (3 * kIntervalMs / 2)));
    EXPECT_TRUE(world.server().KillChild("topicwall-vault")) << world.ServerOutput();
  }
  running.join();
  ASSERT_EQ(received.size(), static_cast<size_t>(releases));
  const auto events = Ledger(*world.StubOf("ann"));
  for (int i = 0; i < releases; ++i) {
    ExpectChargedOnceAndPublishedAtALevel(events, i + 1,
                                          received[static_cast<size_t>(i)].header.readable_at_ms());
    ASSERT_OK_AND_ASSIGN(const auto again, WallWorld::GetRelease(*alice, plan.plan_id(), i + 1));
    EXPECT_EQ(again.statistics, received[static_cast<size_t>(i)].statistics);
  }
  ExpectCounted(events, Describe(*alice), /*voided=*/0);
}

}  // namespace topicwall::testing
