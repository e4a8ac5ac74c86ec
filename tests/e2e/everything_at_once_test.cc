// One analyst does all at once that each part of the wall bounds for itself: uploads that stall,
// prices that nobody waits for, reservations without end, and loops of honest releases. Another one
// asks for one release and one price.
//
// What is asserted are orders, counts and memory. The times are printed; the deadlines are those
// of a machine that does ten other things.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "tests/e2e/flood.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace everything_at_once_test {

constexpr int kHonestLoops = 6;
constexpr int kStalledStreams = 4;
constexpr int kAbandonedPrices = 2000;
constexpr int kReservations = 1200;
constexpr int64_t kMostKibibytes = 300 * 1024;
constexpr std::chrono::seconds kPatience{60};

// By the wall for want of a place, or by gRPC for want of a thread: a client asks again
// (client/wall/retry.h).
bool WasTurnedAway(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
}

class EverythingAtOnceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.WriteFile("wall.textproto",
                     absl::StrReplaceAll(world_.ReadFile("wall.textproto"),
                                         {{"max_open_plans: 1000", "max_open_plans: 16"}}));
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    greedy_ = world_.StubOnItsOwn("alice");
    carol_ = world_.StubOnItsOwn("carol");
    auditor_ = world_.StubOnItsOwn("ann");
    plan_ = world_.Plan(12, 50);
    ASSERT_OK_AND_ASSIGN(const auto greedys,
                         WallWorld::Reserve(*greedy_, plan_, std::string(16, 'g')));
    greedys_plan_ = greedys.plan_id();
    ASSERT_OK_AND_ASSIGN(const auto carols,
                         WallWorld::Reserve(*carol_, plan_, std::string(16, 'c')));
    carols_plan_ = carols.plan_id();
  }
  void TearDown() override {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  // Until the test is over: one release after the other, each asked for until it is there.
  void LoopHonestly(int first_iteration) {
    threads_.emplace_back([this, first_iteration] {
      const auto stub = world_.StubOnItsOwn("alice");
      for (int iteration = first_iteration; iteration <= 50 && !done_; iteration += kHonestLoops) {
        while (!done_) {
          const auto answer = WallWorld::RunRelease(
              *stub, WallWorld::Header(greedys_plan_, iteration, topics_), topics_);
          if (answer.ok()) {
            ++honest_releases_;
            break;
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      }
    });
  }
  // Until the test is over: a request that begins and does not go on.
  void StallUploads() {
    threads_.emplace_back([this] {
      const auto stub = world_.StubOnItsOwn("alice");
      while (!done_) {
        grpc::ClientContext context;
        context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
        const auto stream =
            WallWorld::Begin(*stub, WallWorld::Header(greedys_plan_, 50, topics_), &context);
        WallWorld::Receive(*stream).IgnoreError();
      }
    });
  }
  int64_t Events() const {
    const auto budget = WallWorld::Budget(*auditor_);
    EXPECT_OK(budget);
    return budget.ok() ? budget->events() : 0;
  }
  // As carol, who asks again as her program would, until there is a place for her.
  template <typename Ask>
  static auto AskedAgain(Ask ask) -> decltype(ask()) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      auto answer = ask();
      if (!WasTurnedAway(StatusOf(answer)) || std::chrono::steady_clock::now() > deadline) {
        return answer;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  absl::StatusOr<Received> RunAsCarol(int iteration) const {
    return AskedAgain([&] {
      return WallWorld::RunRelease(*carol_, WallWorld::Header(carols_plan_, iteration, topics_),
                                   topics_);
    });
  }
  absl::Status PriceAsCarol(int iterations) const {
    v1::PricePlanRequest request;
    *request.mutable_plan() = plan_;
    request.mutable_plan()->set_iterations(iterations);
    return AskedAgain([&] {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + kPatience);
      v1::PlanPrice price;
      return proto::FromGrpcStatus(carol_->PricePlan(&context, request, &price));
    });
  }
  static double Seconds(const std::function<void()>& act) {
    const auto begin = std::chrono::steady_clock::now();
    act();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  WallWorld world_{{.epsilon = 60, .more_analysts = {"carol"}}};
  std::unique_ptr<v1::PrivacyWall::Stub> greedy_, carol_, auditor_;
  v1::ReleaseSpec plan_;
  std::string greedys_plan_, carols_plan_;
  const std::vector<float> topics_ = WallWorld::LogTopics();
  std::atomic<bool> done_ = false;
  std::atomic<int> honest_releases_ = 0;
  std::vector<std::thread> threads_;
};

TEST_F(EverythingAtOnceTest, AnotherAnalystIsServedAndTheServerEndsWhenItIsTold) {
  for (int loop = 1; loop <= kHonestLoops; ++loop) LoopHonestly(loop);
  for (int stream = 0; stream < kStalledStreams; ++stream) StallUploads();
  while (honest_releases_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));

  std::vector<std::unique_ptr<v1::PrivacyWall::Stub>> stubs;
  for (int i = 0; i < 20; ++i) stubs.push_back(world_.StubOnItsOwn("alice"));
  Flood<v1::PlanState> reservations;
  v1::ReservePlanRequest reservation;
  *reservation.mutable_plan() = plan_;
  reservation.mutable_plan()->set_iterations(1);
  for (int i = 0; i < kReservations; ++i) {
    reservation.set_request_id(absl::StrFormat("%016d", i));
    reservations.Send([&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
      return stubs[static_cast<size_t>(i) % stubs.size()]->AsyncReservePlan(context, reservation,
                                                                            queue);
    });
  }
  Flood<v1::PlanPrice> prices;
  v1::PricePlanRequest price;
  *price.mutable_plan() = plan_;
  price.mutable_plan()->set_sampling_rate(0.05);
  for (int i = 0; i < kAbandonedPrices; ++i) {
    price.mutable_plan()->mutable_gaussian()->set_noise_multiplier(
        8 + 0.001 * i);  // each another price
    prices.Send([&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
      return stubs[static_cast<size_t>(i) % stubs.size()]->AsyncPricePlan(context, price, queue);
    });
  }

  const double priced = Seconds([this] { EXPECT_OK(PriceAsCarol(11)); });
  const int honest_before = honest_releases_;
  const double released = Seconds([this] { EXPECT_OK(RunAsCarol(1)); });
  // The one that runs when she asks and, if its turn had been given before, one more.
  EXPECT_LE(honest_releases_ - honest_before, 2) << "carol waits for no line of alice's";
  prices.CancelAll();
  const double priced_again = Seconds([this] { EXPECT_OK(PriceAsCarol(12)); });
  prices.Collect();
  auto reserved = reservations.Collect();
  EXPECT_LE(reserved[grpc::StatusCode::OK], 15) << "alice has one open plan, and may have 16";
  EXPECT_GT(reserved[grpc::StatusCode::OK], 0);
  EXPECT_LT(Events(), 200) << "a flood writes nothing into the chain";
  const int64_t peak = world_.server().StatusField("VmHWM:");
  EXPECT_LT(peak, kMostKibibytes);

  world_.server().Signal(SIGTERM);  // the loops and the stalled uploads go on
  int end = -1;
  const double ended = Seconds([&] { end = world_.server().Wait(); });
  EXPECT_EQ(end, 0);
  std::printf(
      "[ measured ] interval 1 s: price %.2f s and %.2f s, release %.2f s, SIGTERM %.2f s, "
      "peak %d MiB, %d releases of the loops\n",
      priced, priced_again, released, ended, static_cast<int>(peak >> 10), honest_releases_.load());
}

}  // namespace everything_at_once_test
}  // namespace topicwall::testing
