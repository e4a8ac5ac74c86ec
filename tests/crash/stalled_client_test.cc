// Clients that stop sending, stop reading, ask for too much or go away in the middle: they hold up
// nobody, and nothing is charged or lost.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/synchronization/notification.h"
#include "proto/grpc_status.h"
#include "proto/matrix_codec.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::testing {
namespace {

using ::testing::HasSubstr;
using Stream = grpc::ClientReaderWriter<v1::RunReleaseRequest, v1::ReleaseChunk>;

constexpr int kManyTopics = 4000;  // × 30 terms × 4 bytes: more than a connection takes unread
constexpr std::chrono::seconds kPatience{60};

class StalledClientTest : public ::testing::Test {
 protected:
  explicit StalledClientTest(int64_t interval_ms = 1000)
      : world_({.release_interval_ms = interval_ms,
                .documents = 60,
                .server_program = "killable/topicwall-server",
                .more_analysts = {"carol"},
                .queue_length = 2}) {}
  void SetUp() override {
    world_.WriteFile(
        "wall.textproto",
        absl::StrReplaceAll(world_.ReadFile("wall.textproto"),
                            {{"max_parameters_per_term: 20", "max_parameters_per_term: 5000"}}));
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    alice_ = world_.StubOf("alice");
    carol_ = world_.StubOf("carol");
    plan_ = world_.Plan(4, 4);
    plan_id_ = Reserve(*alice_, plan_);
    carols_id_ = Reserve(*carol_, plan_);
    events_ = Events();
  }

  static std::string Reserve(v1::PrivacyWall::Stub& stub, const v1::ReleaseSpec& plan) {
    static char mark = 'a';
    const auto state = WallWorld::Reserve(stub, plan, std::string(16, mark++));
    EXPECT_OK(state);
    return state.ok() ? state->plan_id() : "";
  }
  int64_t Events() {
    const auto budget = WallWorld::Budget(*alice_);
    EXPECT_OK(budget);
    return budget->events();
  }
  absl::StatusOr<Received> RunAsCarol(int iteration) {
    return WallWorld::RunRelease(*carol_, WallWorld::Header(carols_id_, iteration, topics_),
                                 topics_);
  }
  // The header and the first `entries` of the topics, sent.
  std::unique_ptr<Stream> BeginUpload(grpc::ClientContext* context, int iteration, size_t entries) {
    auto stream =
        WallWorld::Begin(*alice_, WallWorld::Header(plan_id_, iteration, topics_), context);
    if (entries == 0) return stream;
    v1::RunReleaseRequest part;
    part.mutable_parameters()->set_offset(0);
    part.mutable_parameters()->set_values(proto::FloatsToLittleEndian(
        std::vector<float>(topics_.begin(), topics_.begin() + static_cast<int64_t>(entries))));
    stream->Write(part);
    return stream;
  }
  static absl::Status End(Stream& stream) { return WallWorld::Receive(stream).status(); }
  // Carol's request once there is a place for it.
  absl::StatusOr<Received> RunAsCarolWhenThereIsAPlace(int iteration) {
    return WhenThereIsRoom([&] { return RunAsCarol(iteration); });
  }
  static absl::StatusOr<Received> WhenThereIsRoom(
      const std::function<absl::StatusOr<Received>()>& run) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      auto answer = run();
      if (!absl::IsUnavailable(answer.status()) || std::chrono::steady_clock::now() > deadline) {
        return answer;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  // Of a plan whose releases no connection takes unread.
  std::string ReserveManyTopics() {
    testing::AskTopics(&plan_, "lda", kManyTopics, {0.3});
    return Reserve(*alice_, plan_);
  }
  static std::vector<float> ManyTopics() {
    return std::vector<float>(static_cast<size_t>(kManyTopics) * WallWorld::kVocabulary, -3.0f);
  }
  // Its first request, whole; the answer is not read.
  std::unique_ptr<Stream> BeginManyTopics(const std::string& plan_id,
                                          grpc::ClientContext* context) {
    const std::vector<float> topics = ManyTopics();
    auto stream = WallWorld::Begin(*alice_, WallWorld::Header(plan_id, 1, topics, plan_), context);
    EXPECT_OK(proto::ForEachChunk(topics, [&](const v1::FloatChunk& chunk) {
      v1::RunReleaseRequest part;
      *part.mutable_parameters() = chunk;
      return stream->Write(part) ? absl::OkStatus() : absl::CancelledError("");
    }));
    stream->WritesDone();
    return stream;
  }

  WallWorld world_;
  std::unique_ptr<v1::PrivacyWall::Stub> alice_, carol_;
  v1::ReleaseSpec plan_;
  std::string plan_id_, carols_id_;
  int64_t events_ = 0;
  const std::vector<float> topics_ = WallWorld::LogTopics();
};

// The server receives two of them; the others are turned away at once.
TEST_F(StalledClientTest, FourUploadsThatStallKeepNobodyWaitingAndAreNotCharged) {
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (const size_t entries : {size_t{0}, topics_.size() / 2, size_t{0}, topics_.size() / 2}) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(
        BeginUpload(contexts.back().get(), 1 + static_cast<int>(streams.size()), entries));
  }
  EXPECT_OK(RunAsCarol(1)) << "the stalled ones kept her out";
  int turned_away = 0, cut_off = 0;
  for (const auto& stream : streams) {
    const absl::Status status = End(*stream);
    turned_away += absl::IsUnavailable(status) ? 1 : 0;
    cut_off += absl::IsCancelled(status) ? 1 : 0;
  }
  EXPECT_EQ(turned_away, 2);
  EXPECT_EQ(cut_off, 2);
  EXPECT_EQ(Events(), events_ + 2) << "a charge and a release, both carol's";
}

TEST_F(StalledClientTest, UploadsThatAreCutMakeRoomAtOnce) {
  for (int round = 0; round < 20; ++round) {
    grpc::ClientContext first_context, second_context;
    const auto first = BeginUpload(&first_context, 1, 0);
    const auto second = BeginUpload(&second_context, 2, topics_.size() / 2);
    first_context.TryCancel();
    second_context.TryCancel();
    End(*first).IgnoreError();
    End(*second).IgnoreError();
  }
  EXPECT_OK(WhenThereIsRoom([this] {
    return WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, 1, topics_), topics_);
  }));
  EXPECT_EQ(Events(), events_ + 2);
}

// In which carol's request comes to the line, on a busy machine too.
class LongTurnsTest : public StalledClientTest {
 protected:
  LongTurnsTest() : StalledClientTest(2000) {}
};

// alice asks for as much as she may, all the time; carol asks once, and is next but one.
TEST_F(LongTurnsTest, WhoAsksOnceWaitsForOneReleaseOfWhoAsksAllTheTime) {
  std::vector<std::thread> loops;
  for (int iteration = 1; iteration <= 4; ++iteration) {
    loops.emplace_back([this, iteration] {
      EXPECT_OK(WhenThereIsRoom([&] {
        return WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, iteration, topics_),
                                     topics_);
      }));
    });
  }
  while (Events() == events_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const int64_t before = Events();
  const auto carols = RunAsCarolWhenThereIsAPlace(1);
  const int64_t after = Events();
  ASSERT_OK(carols);
  for (std::thread& loop : loops) loop.join();
  // At most: the release that ran, one more of alice's (charge and release), her next charge, and
  // carol's own two.
  EXPECT_LE(after - before, 6);
}

TEST_F(StalledClientTest, AReaderThatStallsHoldsUpNobodyAndLosesNothing) {
  const std::string plan_id = ReserveManyTopics();
  grpc::ClientContext context;
  const auto stream = BeginManyTopics(plan_id, &context);
  v1::ReleaseChunk header;
  ASSERT_TRUE(stream->Read(&header)) << "the answer has begun; the rest is not read";

  for (int iteration = 1; iteration <= 3; ++iteration) {
    EXPECT_OK(RunAsCarolWhenThereIsAPlace(iteration));
  }
  context.TryCancel();  // in the middle of the answer
  End(*stream).IgnoreError();
  ASSERT_OK_AND_ASSIGN(const auto again, WallWorld::GetRelease(*alice_, plan_id, 1));
  EXPECT_EQ(again.header.SerializeAsString(), header.header().SerializeAsString());
  EXPECT_EQ(again.statistics.size(), ManyTopics().size() * sizeof(float));
}

// Without an end to them, one analyst's unread answers would take all the server's threads.
TEST_F(StalledClientTest, AnAnalystHasNoMoreThan96CallsAtOnceAndOthersHaveTheirs) {
  const std::string plan_id = ReserveManyTopics();
  grpc::ClientContext context;
  ASSERT_OK(WallWorld::Receive(*BeginManyTopics(plan_id, &context)));

  grpc::ChannelArguments little;  // is taken unread
  little.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  const auto greedy = world_.StubOnItsOwn("alice", little);
  v1::GetReleaseRequest request;
  request.set_plan_id(plan_id);
  request.set_iteration(1);
  std::atomic<int> answered = 0;
  std::atomic<int> refused = 0;
  absl::Notification let_go;
  std::vector<std::thread> callers;
  for (int i = 0; i < 250; ++i) {
    callers.emplace_back([&] {
      grpc::ClientContext of_call;
      v1::ReleaseChunk chunk;
      const auto answer = greedy->GetRelease(&of_call, request);
      ++(answer->Read(&chunk) ? answered : refused);  // and no further
      let_go.WaitForNotification();
      of_call.TryCancel();
      WallWorld::Receive(*answer).status().IgnoreError();
    });
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (answered < 96 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_OK(RunAsCarolWhenThereIsAPlace(1));
  EXPECT_EQ(answered, 96);

  let_go.Notify();
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(answered + refused, 250) << "nobody is kept waiting for an answer";
}

}  // namespace
}  // namespace topicwall::testing
