// Releases over the real wire: idempotent, on schedule, kept through lost connections.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "proto/grpc_status.h"
#include "proto/matrix_codec.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

class ReleaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    alice_ = world_.StubOf("alice");
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         world_.Reserve(*alice_, world_.Plan(4, 3), std::string(16, 'r')));
    plan_id_ = plan.plan_id();
  }

  static constexpr int64_t kInterval = 1000;
  WallWorld world_{{.release_interval_ms = kInterval}};
  std::unique_ptr<v1::PrivacyWall::Stub> alice_;
  std::string plan_id_;
  const std::vector<float> topics_ = WallWorld::LogTopics();
};

TEST_F(ReleaseTest, AReleaseIsTheNoisySumOnItsScheduledInstant) {
  ASSERT_OK_AND_ASSIGN(
      const auto received,
      WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, 1, topics_), topics_));
  const v1::ReleaseHeader& header = received.header;
  EXPECT_GT(header.readable_at_ms(), header.charged_at_ms());
  EXPECT_EQ((header.readable_at_ms() - header.charged_at_ms()) % kInterval, 0);
  EXPECT_EQ(header.rows(), WallWorld::kTopics);
  EXPECT_EQ(header.columns(), WallWorld::kVocabulary);
  EXPECT_NEAR(header.noise_standard_deviation(), 4 * 4, 1e-6);
  ASSERT_OK_AND_ASSIGN(const auto values, proto::FloatsFromLittleEndian(received.statistics));
  ASSERT_EQ(values.size(), static_cast<size_t>(WallWorld::kTopics * WallWorld::kVocabulary));
  EXPECT_EQ(header.statistics_sha256(), base::DigestBytes(proto::DigestOfFloats(values)));
  // 300 documents of norm at least 8/sqrt(8·3), clipped at 4, give at least 300·8·(4/8) = 1200
  // words in total, under noise of 16·sqrt(90) = 152: below 300 is a 6-sigma event (1e-9).
  double total = 0;
  for (const float value : values) total += value;
  EXPECT_GT(total, 300);
}

TEST_F(ReleaseTest, TheSameRequestIsTheSameBytesAndPaidOnce) {
  const v1::RunReleaseHeader header = WallWorld::Header(plan_id_, 1, topics_);
  const auto first = WallWorld::RunRelease(*alice_, header, topics_);
  const auto again = WallWorld::RunRelease(*alice_, header, topics_);
  const auto reread = WallWorld::GetRelease(*alice_, plan_id_, 1);
  ASSERT_OK(first);
  ASSERT_OK(again);
  ASSERT_OK(reread);
  EXPECT_EQ(again->statistics, first->statistics);
  EXPECT_EQ(reread->statistics, first->statistics);
  EXPECT_EQ(reread->header.SerializeAsString(), first->header.SerializeAsString());
  grpc::ClientContext context;
  v1::GetPlanRequest request;
  request.set_plan_id(plan_id_);
  v1::PlanState state;
  ASSERT_TRUE(alice_->GetPlan(&context, request, &state).ok());
  EXPECT_EQ(state.iterations_size(), 1);
}

TEST_F(ReleaseTest, OtherContentUnderAChargedIterationIsRefused) {
  ASSERT_OK(WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, 1, topics_), topics_));
  std::vector<float> other = topics_;
  other[0] = -9;
  EXPECT_THAT(WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, 1, other), other),
              StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(ReleaseTest, DifferentIterationsHaveDifferentNoise) {
  ASSERT_OK_AND_ASSIGN(
      const auto first,
      WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, 1, topics_), topics_));
  ASSERT_OK_AND_ASSIGN(
      const auto second,
      WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, 2, topics_), topics_));
  EXPECT_NE(first.statistics, second.statistics);
}

TEST_F(ReleaseTest, AReleaseWhoseClientWentAwayIsReadLater) {
  {
    grpc::ClientContext context;
    auto stream = alice_->RunRelease(&context);
    v1::RunReleaseRequest part;
    *part.mutable_header() = WallWorld::Header(plan_id_, 2, topics_);
    stream->Write(part);
    part.mutable_parameters()->set_offset(0);
    part.mutable_parameters()->set_values(proto::FloatsToLittleEndian(topics_));
    stream->Write(part);
    stream->WritesDone();
    // Until the charge is visible; then the line is cut.
    for (bool charged = false; !charged;) {
      grpc::ClientContext look;
      v1::GetPlanRequest request;
      request.set_plan_id(plan_id_);
      v1::PlanState state;
      ASSERT_TRUE(alice_->GetPlan(&look, request, &state).ok());
      charged = state.iterations_size() == 1;
    }
    context.TryCancel();
    v1::ReleaseChunk chunk;
    while (stream->Read(&chunk)) {
    }
    stream->Finish();
  }
  absl::StatusOr<Received> received = absl::NotFoundError("not read yet");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (absl::IsNotFound(received.status()) && std::chrono::steady_clock::now() < deadline) {
    received = WallWorld::GetRelease(*alice_, plan_id_, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_OK(received);
}

// A busy machine may look at one no more than before and after.
TEST_F(ReleaseTest, NothingTellsOfAReleaseBeforeItsInstant) {
  int64_t looks = 0;
  for (int iteration = 1; iteration <= 3 && looks == 0; ++iteration) {
    std::thread running([&] {
      EXPECT_OK(
          WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, iteration, topics_), topics_));
    });
    while (true) {
      const auto release = WallWorld::GetRelease(*alice_, plan_id_, iteration);
      grpc::ClientContext context;
      v1::GetPlanRequest request;
      request.set_plan_id(plan_id_);
      v1::PlanState state;
      const bool asked = alice_->GetPlan(&context, request, &state).ok();
      if (release.ok() || !asked) break;
      EXPECT_THAT(release, StatusIs(absl::StatusCode::kNotFound));
      if (state.iterations_size() < iteration) continue;
      const v1::IterationState& shown = state.iterations(iteration - 1);
      if (shown.readable()) continue;
      EXPECT_EQ(shown.readable_at_ms(), 0);
      EXPECT_EQ(shown.release_sha256(), "");
      ++looks;
    }
    running.join();
  }
  EXPECT_GT(looks, 0);
}

}  // namespace
}  // namespace topicwall::testing
