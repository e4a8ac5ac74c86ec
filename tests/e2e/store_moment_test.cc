// When the ledger's file is written, in a real server under a real clock. Whoever asks the server
// for anything while a release is written waits for the ledger: so the times of writing are public
// to all analysts, and may not depend on the documents.
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr int64_t kIntervalMs = 1500;
constexpr int64_t kStoreMs = 60;   // 30, and 30 for the only mebibyte
constexpr int64_t kSlackMs = 100;  // of two readings of the machine's clock

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Files of a folder that are written to.
class WriteWatch {
 public:
  explicit WriteWatch(const std::string& folder) : descriptor_(inotify_init1(IN_NONBLOCK)) {
    EXPECT_GE(inotify_add_watch(descriptor_, folder.c_str(), IN_MODIFY), 0);
  }
  ~WriteWatch() { close(descriptor_); }
  WriteWatch(const WriteWatch&) = delete;
  WriteWatch& operator=(const WriteWatch&) = delete;

  // Since the last call.
  int Writes() {
    int writes = 0;
    alignas(inotify_event) char buffer[4096];
    for (;;) {
      const ssize_t got = read(descriptor_, buffer, sizeof(buffer));
      if (got <= 0) return writes;
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
        ++writes;
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
  }

 private:
  const int descriptor_;
};

// 20,000 documents more, all of one owner: some hundred milliseconds of computing.
std::string DocumentsOf(bool with_the_owner) {
  std::string lines;
  for (int i = 0; i < (with_the_owner ? 20'300 : 300); ++i) {
    absl::StrAppend(&lines, R"({"id":"d)", i, R"(","owner":"o)", i < 300 ? i / 3 : 1'000'000,
                    R"(","text":")");
    for (int j = 0; j < 8; ++j) {
      absl::StrAppend(&lines, "worda", std::string(1, static_cast<char>('a' + (i + j) % 10)), " ");
    }
    absl::StrAppend(&lines, "\"}\n");
  }
  return lines;
}

class StoreMomentTest : public ::testing::TestWithParam<bool> {};

TEST_P(StoreMomentTest, TheLedgerIsNotWrittenBetweenAChargeAndItsPublicStoreMoment) {
  WallWorld world({.release_interval_ms = kIntervalMs, .documents_jsonl = DocumentsOf(GetParam())});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const auto alice = world.StubOf("alice");
  const auto bob = world.StubOnItsOwn("bob");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       WallWorld::Reserve(*alice, world.Plan(4, 2), std::string(16, 'r')));
  const std::vector<float> topics = WallWorld::LogTopics();
  absl::StatusOr<Received> answer;
  std::thread running([&] {
    answer = WallWorld::RunRelease(*alice, WallWorld::Header(plan.plan_id(), 1, topics), topics);
  });
  v1::PlanState state;
  while (state.iterations_size() == 0) {
    grpc::ClientContext context;
    v1::GetPlanRequest request;
    request.set_plan_id(plan.plan_id());
    EXPECT_TRUE(alice->GetPlan(&context, request, &state).ok());
  }
  WriteWatch watch(world.Path("data"));
  const int64_t begun = state.iterations(0).charged_at_ms();
  // What was written by the time of a look, which is told after it: a machine that is busy may look
  // next when the store moment is over.
  int early = 0, all = 0;
  for (;;) {
    EXPECT_OK(WallWorld::Budget(*bob));
    const int writes = watch.Writes();
    all += writes;
    if (NowMs() >= begun + kIntervalMs - kStoreMs - kSlackMs) break;
    early += writes;
  }
  running.join();
  EXPECT_EQ(early, 0);
  EXPECT_OK(answer);
  EXPECT_GT(all + watch.Writes(), 0) << "the watch sees nothing at all";
}

INSTANTIATE_TEST_SUITE_P(TwoCorpora, StoreMomentTest, ::testing::Bool(), [](const auto& tested) {
  return tested.param ? "WithTheOwner" : "Without";
});

}  // namespace
}  // namespace topicwall::testing
