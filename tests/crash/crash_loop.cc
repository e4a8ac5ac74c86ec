#include "tests/crash/crash_loop.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "proto/budget_refusal.h"
#include "proto/grpc_status.h"
#include "proto/ledger.pb.h"
#include "tests/crash/supervisor.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr int kReserved = 3;
constexpr int kRun = 2;
constexpr std::chrono::seconds kPatience{60};
constexpr std::array<const char*, 3> kSpenders = {"alice", "carol", "dave"};

using Call = std::function<absl::Status(v1::PrivacyWall::Stub&)>;

// Repeats what is unanswered, until the supervisor has brought the server up again.
absl::Status Until(Supervisor& supervisor, const std::string& name, const Call& call) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const auto stub = supervisor.StubOf(name);
    const absl::Status status = call(*stub);
    const bool paused = absl::IsFailedPrecondition(status) &&
                        status.message().find("paused: too many") != absl::string_view::npos;
    if (paused) supervisor.AcknowledgeOverruns();
    if (!paused && !absl::IsUnavailable(status)) return status;
    if (std::chrono::steady_clock::now() > deadline) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

absl::Status Cancel(v1::PrivacyWall::Stub& stub, const std::string& plan_id) {
  grpc::ClientContext context;
  v1::CancelPlanRequest request;
  request.set_plan_id(plan_id);
  v1::PlanState state;
  return proto::FromGrpcStatus(stub.CancelPlan(&context, request, &state));
}

std::string RequestId(int day, char mark) {
  std::string id = absl::StrCat(day, "-");
  id.resize(16, mark);
  return id;
}

// What one analyst was given: plan, and bytes by iteration.
struct Given {
  std::string plan_id;
  std::map<int, std::string> releases;
};

// A piece of `whole`, or all of it.
void ExpectBeginningOf(const std::string& whole, const std::string& part) {
  EXPECT_EQ(whole.compare(0, part.size(), part), 0) << "other bytes than those that left before";
}

std::string RunIteration(Supervisor& supervisor, const std::string& name,
                         const std::string& plan_id, int iteration) {
  const std::vector<float> topics = WallWorld::LogTopics();
  const v1::RunReleaseHeader header = WallWorld::Header(plan_id, iteration, topics);
  std::vector<Received> parts;
  std::string whole;
  EXPECT_OK(Until(supervisor, name,
                  [&](auto& stub) {
                    Received& part = parts.emplace_back();
                    const auto answer = WallWorld::RunRelease(stub, header, topics, &part);
                    if (answer.ok()) whole = answer->statistics;
                    return answer.status();
                  }))
      << name << " " << iteration;
  for (const Received& part : parts) ExpectBeginningOf(whole, part.statistics);
  return whole;
}

Given LiveAsAnalyst(Supervisor& supervisor, const std::string& name, const v1::ReleaseSpec& plan,
                    int day) {
  Given given;
  EXPECT_OK(Until(supervisor, name, [&](auto& stub) {
    const auto state = WallWorld::Reserve(stub, plan, RequestId(day, 's'));
    if (state.ok()) given.plan_id = state->plan_id();
    return state.status();
  }));
  for (int iteration = 1; iteration <= kRun; ++iteration) {
    given.releases[iteration] = RunIteration(supervisor, name, given.plan_id, iteration);
  }
  EXPECT_OK(Until(supervisor, name, [&](auto& stub) { return Cancel(stub, given.plan_id); }));
  // Asked for again, after the plan has ended: the same bytes, free.
  EXPECT_EQ(RunIteration(supervisor, name, given.plan_id, 1), given.releases[1]);
  for (const auto& [iteration, bytes] : given.releases) {
    std::string again;
    EXPECT_OK(Until(supervisor, name, [&, number = iteration](auto& stub) {
      const auto answer = WallWorld::GetRelease(stub, given.plan_id, number);
      if (answer.ok()) again = answer->statistics;
      return answer.status();
    }));
    EXPECT_EQ(again, bytes) << name << " " << iteration;
  }
  return given;
}

// A plan beyond the cap, and an iteration of somebody else's plan.
void LiveAsRefused(Supervisor& supervisor, const v1::ReleaseSpec& too_much, int day) {
  const absl::Status refused = Until(supervisor, "bob", [&](auto& stub) {
    return WallWorld::Reserve(stub, too_much, RequestId(day, 'b')).status();
  });
  EXPECT_TRUE(proto::BudgetExhaustedOf(refused).has_value()) << refused;
  const std::vector<float> topics = WallWorld::LogTopics();
  EXPECT_THAT(Until(supervisor, "bob",
                    [&](auto& stub) {
                      return WallWorld::RunRelease(
                                 stub, WallWorld::Header(std::string(32, '0'), 1, topics), topics)
                          .status();
                    }),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

absl::Status ReadWholeLedger(v1::PrivacyWall::Stub& auditor, std::vector<v1::LedgerEvent>* events) {
  events->clear();
  grpc::ClientContext context;
  v1::ReadLedgerRequest request;
  request.set_corpus("notes");
  auto reader = auditor.ReadLedger(&context, request);
  v1::LedgerEntry entry;
  while (reader->Read(&entry)) {
    EXPECT_TRUE(events->emplace_back().ParseFromString(entry.event()));
  }
  return proto::FromGrpcStatus(reader->Finish());
}

// By the events alone: what each order must have spent when every plan has been cancelled.
std::vector<uint64_t> PriceOfCharges(const std::vector<v1::LedgerEvent>& events) {
  std::map<std::string, v1::PlanReserved> plans;
  std::vector<uint64_t> spent;
  for (const v1::LedgerEvent& event : events) {
    if (event.has_plan_reserved()) {
      plans[event.plan_reserved().plan_id()] = event.plan_reserved();
      spent.resize(static_cast<size_t>(event.plan_reserved().cost_size()));
    }
    if (!event.has_iteration_charged()) continue;
    const v1::PlanReserved& plan = plans[event.iteration_charged().plan_id()];
    for (size_t order = 0; order < spent.size(); ++order) {
      spent[order] += plan.cost(static_cast<int>(order));
    }
  }
  return spent;
}

void ExpectPaidOnceAndKept(const std::vector<v1::LedgerEvent>& events, const Given& given) {
  std::multiset<int> charged, published;
  int reserved = 0, cancelled = 0;
  for (const v1::LedgerEvent& event : events) {
    reserved += event.plan_reserved().plan_id() == given.plan_id;
    cancelled += event.plan_cancelled().plan_id() == given.plan_id;
    if (event.iteration_charged().plan_id() == given.plan_id) {
      charged.insert(event.iteration_charged().iteration());
    }
    if (event.release_published().plan_id() == given.plan_id) {
      const v1::ReleasePublished& act = event.release_published();
      published.insert(act.iteration());
      const auto release = given.releases.find(act.iteration());
      ASSERT_NE(release, given.releases.end()) << "nobody asked for this release";
      EXPECT_EQ(act.release_sha256(), base::DigestBytes(base::Sha256Of(release->second)));
    }
  }
  std::multiset<int> run;
  for (const auto& [iteration, bytes] : given.releases) run.insert(iteration);
  EXPECT_EQ(reserved, 1);
  EXPECT_EQ(charged, run);
  EXPECT_EQ(published, run);
  EXPECT_EQ(cancelled, 1);
}

void CheckLedger(WallWorld& world, Supervisor& supervisor, const std::vector<Given>& all) {
  std::vector<v1::LedgerEvent> events;
  ASSERT_OK(Until(supervisor, "ann", [&](auto& stub) { return ReadWholeLedger(stub, &events); }));
  for (const Given& given : all) ExpectPaidOnceAndKept(events, given);
  for (const v1::LedgerEvent& event : events) {
    EXPECT_EQ(event.principal().find("bob"), std::string::npos) << event.ShortDebugString();
  }
  absl::StatusOr<v1::BudgetStatus> budget;
  ASSERT_OK(Until(supervisor, "ann", [&](auto& stub) {
    budget = WallWorld::Budget(stub);
    return budget.status();
  }));
  EXPECT_EQ(std::vector<uint64_t>(budget->spent().begin(), budget->spent().end()),
            PriceOfCharges(events));
  const Finished verified =
      world.Admin({"verify-ledger", "--config", world.Path("wall.textproto")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

}  // namespace

WorldOptions CrashWorld() {
  return {.epsilon = 5000,
          .release_interval_ms = 200,
          .documents = 60,
          .server_program = "killable/topicwall-server",
          .more_analysts = {"carol", "dave"}};
}

int LiveOneDay(WallWorld& world, int day, const Kills& kills) {
  Supervisor supervisor(world, kills);
  v1::ReleaseSpec plan = supervisor.Plan(4, kReserved);
  v1::ReleaseSpec too_much = plan;
  too_much.mutable_gaussian()->set_noise_multiplier(1);
  std::vector<Given> all(kSpenders.size());
  std::vector<std::thread> analysts;
  for (size_t i = 0; i < kSpenders.size(); ++i) {
    analysts.emplace_back([&, i] { all[i] = LiveAsAnalyst(supervisor, kSpenders[i], plan, day); });
  }
  analysts.emplace_back([&] { LiveAsRefused(supervisor, too_much, day); });
  for (std::thread& analyst : analysts) analyst.join();
  CheckLedger(world, supervisor, all);
  return supervisor.Finish();
}

}  // namespace topicwall::testing
