#include "client/wall/receipted_wall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/sha256.h"
#include "proto/release_spec.h"
#include "tests/client/chain_builder.h"
#include "tests/client/chain_wall.h"
#include "tests/client/receipt_press.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace receipted_wall_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::ReleaseSpec Plan() {
  v1::ReleaseSpec plan;
  plan.set_corpus("notes");
  plan.set_sampling_rate(1);
  plan.mutable_gaussian()->set_noise_multiplier(20);
  plan.set_iterations(3);
  plan.set_model("lda");
  return plan;
}

// Answers with honest receipts, unless a test spoils them.
class SigningWall : public ChainWall {
 public:
  SigningWall() {
    v1::LedgerEvent event = ChainBuilder::Reserved("alice", "plan", 20, 3);
    *event.mutable_plan_reserved()->mutable_spec() = proto::RecordOf(Plan());
    chain.Append(event);  // 3
    description.set_signing_key(press.key());
    plan.set_plan_id("plan");
    *plan.mutable_plan() = Plan();
    *plan.mutable_reservation_receipt() = press.Of(chain.entries(), 3);
    for (int iteration = 1; iteration <= 2; ++iteration) releases.push_back(Make(iteration));
  }

  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest&) override { return plan; }
  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view) override { return plan; }
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view) override { return plan; }
  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header, absl::Span<const float>,
                                     const ReleaseShape&) override {
    return releases.at(static_cast<size_t>(header.iteration() - 1));
  }
  absl::StatusOr<Release> GetRelease(absl::string_view, int32_t iteration,
                                     const ReleaseShape&) override {
    return releases.at(static_cast<size_t>(iteration - 1));
  }

  ReceiptPress press;
  v1::PlanState plan;
  std::vector<Release> releases;

 private:
  Release Make(int iteration) {
    Release release;
    v1::ReleaseHeader& header = release.header;
    header.set_plan_id("plan");
    header.set_iteration(iteration);
    header.set_request_digest("digest");
    header.set_rows(2);
    header.set_clip_norm(4);
    header.set_direction_noise(5);
    header.add_norm_histogram(1.5f);
    header.set_statistics_sha256("statistics " + std::to_string(iteration));
    header.set_charged_at_ms(100 * iteration);
    header.set_readable_at_ms(100 * iteration + 50);
    v1::StoredRelease stored;
    stored.set_rows(2);
    stored.set_clip_norm(4);
    stored.set_direction_noise(5);
    stored.add_norm_histogram(1.5f);
    stored.set_statistics_sha256(header.statistics_sha256());
    v1::LedgerEvent charged;
    charged.set_principal("alice");
    charged.set_time_ms(100 * iteration);
    charged.mutable_iteration_charged()->set_plan_id("plan");
    charged.mutable_iteration_charged()->set_iteration(iteration);
    charged.mutable_iteration_charged()->set_request_digest("digest");
    chain.Append(charged);
    const auto sequence = static_cast<int64_t>(chain.entries().size());
    v1::LedgerEvent published;
    published.set_principal("alice");
    published.set_time_ms(100 * iteration + 50);
    published.mutable_release_published()->set_plan_id("plan");
    published.mutable_release_published()->set_iteration(iteration);
    published.mutable_release_published()->set_release_sha256(header.statistics_sha256());
    published.mutable_release_published()->set_header_sha256(
        base::DigestBytes(base::Sha256Of(stored.SerializeAsString())));
    chain.Append(published);
    *header.mutable_charge_receipt() = press.Of(chain.entries(), sequence);
    *header.mutable_release_receipt() = press.Of(chain.entries(), sequence + 1);
    return release;
  }
};

class ReceiptedWallTest : public ::testing::Test {
 protected:
  ReceiptedWallTest()
      : book_(*ReceiptBook::Open(ReceiptsPath(folder_.path()), wall_.press.key())),
        receipted_(wall_, book_) {}

  absl::Status Reserve(const v1::ReleaseSpec& plan = Plan()) {
    v1::ReservePlanRequest request;
    *request.mutable_plan() = plan;
    return receipted_.ReservePlan(request).status();
  }
  absl::Status Run(int iteration) {
    v1::RunReleaseHeader header;
    header.set_plan_id("plan");
    header.set_iteration(iteration);
    header.set_request_digest("digest");
    return receipted_.RunRelease(header, {}, {}).status();
  }
  int Kept() const { return book_.file().receipts_size(); }

  testing::TemporaryDirectory folder_;
  SigningWall wall_;
  ReceiptBook book_;
  ReceiptedWall receipted_;
};

TEST_F(ReceiptedWallTest, EveryPaidAnswerLeavesItsReceiptsInTheBook) {
  EXPECT_OK(receipted_.DescribeCorpus("notes"));
  ASSERT_OK(Reserve());
  EXPECT_EQ(Kept(), 1);
  ASSERT_OK(Run(1));
  EXPECT_EQ(Kept(), 3);
  ASSERT_OK(Run(1));  // asked again: the same receipts
  EXPECT_EQ(Kept(), 3);
  ASSERT_OK(receipted_.GetRelease("plan", 2, {}));
  EXPECT_EQ(Kept(), 5);
}

TEST_F(ReceiptedWallTest, AFitBegunWithoutReceiptsFetchesThatOfItsPlan) {
  ASSERT_OK(Run(1));
  EXPECT_EQ(Kept(), 3);
}

TEST_F(ReceiptedWallTest, AReservationOfAnotherPlanThanAskedIsRefused) {
  const std::vector<std::pair<std::string, std::function<void(v1::ReleaseSpec&)>>> others = {
      {"noise", [](v1::ReleaseSpec& plan) { plan.mutable_gaussian()->set_noise_multiplier(21); }},
      {"noise",
       [](v1::ReleaseSpec& plan) { plan.mutable_gaussian()->set_histogram_noise_multiplier(9); }},
      {"sampling", [](v1::ReleaseSpec& plan) { plan.set_sampling_rate(0.5); }},
      {"iterations", [](v1::ReleaseSpec& plan) { plan.set_iterations(4); }},
      {"corpus", [](v1::ReleaseSpec& plan) { plan.set_corpus("letters"); }},
      {"plan", [](v1::ReleaseSpec& plan) { plan.set_options("other options"); }}};
  for (const auto& [what, change] : others) {
    v1::ReleaseSpec plan = Plan();
    change(plan);
    EXPECT_THAT(Reserve(plan), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(what)));
  }
  wall_.plan.set_plan_id("another");
  EXPECT_FALSE(Reserve().ok());
  EXPECT_EQ(Kept(), 0);
}

// Its receipts hold: it is a plan of the same analyst's.
TEST_F(ReceiptedWallTest, AnotherPlanThanWasAskedForIsRefused) {
  ASSERT_OK(Reserve());
  EXPECT_OK(receipted_.GetPlan("plan"));
  EXPECT_THAT(receipted_.GetPlan("another"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("answered with another")));
  EXPECT_THAT(receipted_.CancelPlan("another"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("answered with another")));
}

TEST_F(ReceiptedWallTest, ReceiptsOfAnotherIterationAreRefused) {
  ASSERT_OK(Reserve());
  wall_.releases[0].header.mutable_charge_receipt()->CopyFrom(
      wall_.releases[1].header.charge_receipt());
  EXPECT_THAT(Run(1), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("this iteration")));
  wall_.releases[1].header.mutable_release_receipt()->CopyFrom(
      wall_.releases[0].header.release_receipt());
  EXPECT_THAT(Run(2), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("this iteration")));
  EXPECT_EQ(Kept(), 1);
}

// Its receipts hold: it is one of the same plan's, or of another plan's.
TEST_F(ReceiptedWallTest, AnotherReleaseThanWasAskedForIsRefused) {
  ASSERT_OK(Reserve());
  EXPECT_THAT(receipted_.GetRelease("another", 1, {}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not the one that was asked for")));
  wall_.releases[1] = wall_.releases[0];
  EXPECT_THAT(receipted_.GetRelease("plan", 2, {}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not the one that was asked for")));
  EXPECT_THAT(Run(2),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not the one that was asked for")));
  EXPECT_EQ(Kept(), 1);
}

TEST_F(ReceiptedWallTest, AReceiptOfAnotherBudgetIsRefused) {
  ASSERT_OK(Reserve());
  ChainBuilder other(wall_.chain.policy(), "another");
  for (size_t i = 2; i < wall_.chain.entries().size(); ++i) {
    v1::LedgerEvent event;
    ASSERT_TRUE(event.ParseFromString(wall_.chain.entries()[i].event()));
    other.Append(event);
  }
  *wall_.releases[0].header.mutable_release_receipt() = wall_.press.Of(other.entries(), 5);
  EXPECT_THAT(Run(1), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another budget")));
}

TEST_F(ReceiptedWallTest, AHeaderThatIsNotTheOneInTheChainIsRefused) {
  ASSERT_OK(Reserve());
  const std::vector<std::function<void(v1::ReleaseHeader&)>> changes = {
      [](v1::ReleaseHeader& header) { header.set_norm_histogram(0, 2.5f); },
      [](v1::ReleaseHeader& header) { header.set_kernel_name("other"); },
      [](v1::ReleaseHeader& header) { header.set_noise_standard_deviation(1); },
      [](v1::ReleaseHeader& header) { header.set_direction_noise(0); },
      [](v1::ReleaseHeader& header) { header.set_statistics_sha256("other"); },
      [](v1::ReleaseHeader& header) { header.set_charged_at_ms(1); },
      [](v1::ReleaseHeader& header) { header.set_readable_at_ms(1); },
      [](v1::ReleaseHeader& header) { header.set_request_digest("other"); },
      [](v1::ReleaseHeader& header) { header.clear_charge_receipt(); },
      [](v1::ReleaseHeader& header) { header.clear_release_receipt(); }};
  const Release honest = wall_.releases[0];
  for (size_t i = 0; i < changes.size(); ++i) {
    wall_.releases[0] = honest;
    changes[i](wall_.releases[0].header);
    EXPECT_THAT(Run(1), StatusIs(absl::StatusCode::kDataLoss)) << "change " << i;
  }
  EXPECT_EQ(Kept(), 1);
  wall_.releases[0] = honest;
  EXPECT_OK(Run(1));
}

TEST_F(ReceiptedWallTest, AWallThatChangedItsKeyIsRefusedAtOnce) {
  wall_.description.set_signing_key(ReceiptPress(2).key());
  EXPECT_THAT(receipted_.DescribeCorpus("notes"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("never changes")));
}

}  // namespace receipted_wall_test
}  // namespace topicwall::client
