// Bad requests over the real wire: a clear error, nothing charged, nothing lost.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "proto/budget_refusal.h"
#include "proto/grpc_status.h"
#include "proto/matrix_codec.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::HasSubstr;

class RequestTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    alice_ = world_.StubOf("alice");
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         world_.Reserve(*alice_, world_.Plan(4, 3), std::string(16, 'r')));
    plan_id_ = plan.plan_id();
    events_ = EventCount();
  }

  int64_t EventCount() {
    const auto budget = WallWorld::Budget(*alice_);
    EXPECT_OK(budget);
    return budget->events();
  }

  // What was tried must have left no trace in the ledger.
  void TearDown() override { EXPECT_EQ(EventCount(), events_); }

  absl::Status Send(const std::vector<v1::RunReleaseRequest>& parts) {
    grpc::ClientContext context;
    auto stream = alice_->RunRelease(&context);
    for (const v1::RunReleaseRequest& part : parts) {
      if (!stream->Write(part)) break;
    }
    stream->WritesDone();
    v1::ReleaseChunk chunk;
    while (stream->Read(&chunk)) {
    }
    return proto::FromGrpcStatus(stream->Finish());
  }

  static v1::RunReleaseRequest HeaderPart(const v1::RunReleaseHeader& header) {
    v1::RunReleaseRequest part;
    *part.mutable_header() = header;
    return part;
  }

  static v1::RunReleaseRequest TopicsPart(int64_t offset, const std::vector<float>& values) {
    v1::RunReleaseRequest part;
    part.mutable_parameters()->set_offset(offset);
    part.mutable_parameters()->set_values(proto::FloatsToLittleEndian(values));
    return part;
  }

  WallWorld world_;
  std::unique_ptr<v1::PrivacyWall::Stub> alice_;
  std::string plan_id_;
  int64_t events_ = 0;
  const std::vector<float> topics_ = WallWorld::LogTopics();
};

TEST_F(RequestTest, TopicsThatAreNotFiniteOrPositiveAreRefused) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(), 0.5f}) {
    std::vector<float> topics = topics_;
    topics[17] = bad;
    EXPECT_THAT(WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, 1, topics), topics),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << bad;
  }
}

TEST_F(RequestTest, TopicsOfTheWrongShapeAreRefused) {
  const v1::RunReleaseHeader header = WallWorld::Header(plan_id_, 1, topics_);
  std::vector<float> longer = topics_;
  longer.push_back(-1);
  EXPECT_THAT(Send({HeaderPart(header), TopicsPart(0, {-1, -2})}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("only 2")));
  EXPECT_THAT(Send({HeaderPart(header), TopicsPart(0, longer)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("past its end")));
  EXPECT_THAT(Send({HeaderPart(header), TopicsPart(5, topics_)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("in order")));
}

TEST_F(RequestTest, PartsOutOfOrderAreRefused) {
  const v1::RunReleaseHeader header = WallWorld::Header(plan_id_, 1, topics_);
  EXPECT_THAT(Send({}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("header")));
  EXPECT_THAT(Send({TopicsPart(0, topics_)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("header")));
  EXPECT_THAT(Send({HeaderPart(header), HeaderPart(header)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("parameters only")));
  EXPECT_THAT(Send({v1::RunReleaseRequest()}), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(RequestTest, ADigestOfSomethingElseIsRefused) {
  v1::RunReleaseHeader header = WallWorld::Header(plan_id_, 1, topics_);
  std::vector<float> other = topics_;
  other[3] = -4;
  EXPECT_THAT(WallWorld::RunRelease(*alice_, header, other),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("request_digest")));
}

TEST_F(RequestTest, NumbersOutOfTheirDomainAreNamed) {
  for (const double clip_norm : {0.0, -1.0, 1e-300, 1e308, std::nan(""), 5e-324}) {
    v1::RunReleaseHeader header = WallWorld::Header(plan_id_, 1, topics_);
    header.set_clip_norm(clip_norm);
    EXPECT_THAT(WallWorld::RunRelease(*alice_, header, topics_),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("clip_norm")))
        << clip_norm;
  }
  for (const int iteration : {0, -1, 4}) {
    EXPECT_THAT(
        WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, iteration, topics_), topics_),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("iteration")));
  }
  v1::ReleaseSpec plan = world_.Plan(4, 1);
  plan.mutable_gaussian()->set_noise_multiplier(1e-300);
  EXPECT_THAT(world_.Reserve(*alice_, plan, std::string(16, 'n')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("noise_multiplier")));
  plan.mutable_gaussian()->set_noise_multiplier(4);
  EXPECT_THAT(world_.Reserve(*alice_, plan, "short"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("request_id")));
}

TEST_F(RequestTest, AnUnknownPlanAndSomebodyElsesCannotBeToldApart) {
  auto bob = world_.StubOf("bob");
  const absl::Status foreign =
      WallWorld::RunRelease(*bob, WallWorld::Header(plan_id_, 1, topics_), topics_).status();
  const absl::Status unknown =
      WallWorld::RunRelease(*bob, WallWorld::Header(std::string(32, '0'), 1, topics_), topics_)
          .status();
  EXPECT_THAT(foreign, StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_EQ(foreign.message(), unknown.message());
  EXPECT_EQ(WallWorld::GetRelease(*bob, plan_id_, 1).status().message(), unknown.message());
}

TEST_F(RequestTest, ARefusalSaysWhatWasAskedWhatIsLeftAndWhatStillFits) {
  const absl::Status refused =
      world_.Reserve(*alice_, world_.Plan(0.5, 50), std::string(16, 'x')).status();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto detail = proto::BudgetExhaustedOf(refused);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->limit(), "corpus");
  EXPECT_GT(detail->epsilon_asked(), detail->epsilon_left());
  EXPECT_NEAR(detail->epsilon_left(), detail->epsilon_total() - detail->epsilon_spent(), 1e-9);
  EXPECT_LT(detail->most_iterations(), 50);
}

TEST_F(RequestTest, AnAnalystsCapRefusesBeforeTheCorpusTotalDoes) {
  auto bob = world_.StubOf("bob");
  const absl::Status refused =
      world_.Reserve(*bob, world_.Plan(2, 3), std::string(16, 'b')).status();
  const auto detail = proto::BudgetExhaustedOf(refused);
  ASSERT_TRUE(detail.has_value()) << refused;
  EXPECT_EQ(detail->limit(), "analyst");
  EXPECT_EQ(detail->epsilon_total(), 1);
}

}  // namespace
}  // namespace topicwall::testing
