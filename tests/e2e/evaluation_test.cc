// An evaluation behind the wall, from the analyst's command to the ledger, with the programs as
// they are deployed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/matrix_codec.h"
#include "proto/request_digest.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class EvaluationTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  Finished Alice(std::vector<std::string> arguments) {
    return world_.Analyst("alice", std::move(arguments));
  }

  v1::ReleaseSpec Evaluation(double noise_multiplier, double held_out_share) {
    v1::ReleaseSpec plan = world_.Plan(noise_multiplier, /*iterations=*/1);
    plan.set_model("document_completion");
    plan.set_held_out_only(true);
    plan.set_held_out_share(held_out_share);
    plan.set_weights(proto::FloatsToLittleEndian(std::vector<float>{1.0F / 40, 1.0F / 20}));
    return plan;
  }

  struct Numbers {
    double nats;
    double words;
    std::string bytes;
  };
  Numbers Evaluate(v1::PrivacyWall::Stub& stub, const v1::ReleaseSpec& plan, char request_id,
                   const std::vector<float>& log_topics) {
    const auto state = WallWorld::Reserve(stub, plan, std::string(16, request_id));
    EXPECT_OK(state);
    v1::RunReleaseHeader header = WallWorld::Header(state->plan_id(), 1, log_topics);
    header.set_clip_norm(1);
    header.set_request_digest(base::DigestBytes(proto::RequestDigest(header, plan, log_topics)));
    const auto received = WallWorld::RunRelease(stub, header, log_topics);
    EXPECT_OK(received);
    EXPECT_EQ(received->header.rows(), 1);
    EXPECT_EQ(received->header.columns(), 2);
    const auto values = proto::FloatsFromLittleEndian(received->statistics);
    EXPECT_OK(values);
    EXPECT_EQ(values->size(), 2u);
    return {double{values->at(0)}, double{values->at(1)}, received->statistics};
  }

  WallWorld world_{{.epsilon = 1000}};
};

// 300 documents of 8 words, none of them clipped, and topics under which every word costs 2 nats:
// A = 2n but for noise of 0.1·40 and 0.1·20·2 nats, and n is 1200 but for 2400 fair coins and noise
// of 2. 6.2 standard deviations each: false alarm below 2e-9.
TEST_F(EvaluationTest, TwoNumbersSayWhatTheHeldOutUnitsCost) {
  const auto alice = world_.StubOf("alice");
  const std::vector<float> topics(WallWorld::kTopics * WallWorld::kVocabulary, -2);
  const Numbers all = Evaluate(*alice, Evaluation(0.1, 1), 'a', topics);
  EXPECT_NEAR(all.nats, 2 * all.words, 6.2 * std::hypot(4, 4));
  EXPECT_NEAR(all.words, 1200, 6.2 * std::hypot(std::sqrt(2400.0) / 2, 2));
  // A fifth of the units: 60 of 300 but for their coins, which are worth 4 words each.
  const Numbers fifth = Evaluate(*alice, Evaluation(0.1, 0.2), 'b', topics);
  EXPECT_NEAR(fifth.nats, 2 * fifth.words, 6.2 * std::hypot(4, 4));
  EXPECT_NEAR(fifth.words, 240,
              6.2 * std::hypot(4 * std::sqrt(300 * 0.2 * 0.8), std::sqrt(480.0), 2));
}

TEST_F(EvaluationTest, TheSameRequestIsTheSameBytesAndWhatIsWrongReservesNothing) {
  const auto alice = world_.StubOf("alice");
  const std::vector<float> topics = WallWorld::LogTopics();
  const Numbers first = Evaluate(*alice, Evaluation(2, 0.5), 'a', topics);
  const double spent = WallWorld::Budget(*alice)->epsilon_spent();
  EXPECT_EQ(Evaluate(*alice, Evaluation(2, 0.5), 'a', topics).bytes, first.bytes);
  EXPECT_THAT(WallWorld::Reserve(*alice, Evaluation(2, 0), std::string(16, 'n')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("held_out_share")));
  v1::ReleaseSpec weightless = Evaluation(2, 0.5);
  weightless.clear_weights();
  EXPECT_THAT(WallWorld::Reserve(*alice, weightless, std::string(16, 'w')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("weights must be 2")));
  EXPECT_EQ(WallWorld::Budget(*alice)->epsilon_spent(), spent);
}

TEST_F(EvaluationTest, AModelIsEvaluatedOnceAndThePriceIsInEverybodysLedger) {
  const std::string model = world_.Path("notes.model");
  Finished step = Alice({"fit", "notes", "--topics", "3", "--noise-multiplier", "2", "--algorithm",
                         "paper", "--sampling-rate", "1", "--iterations", "2", "--held-out-share",
                         "0.3", "--model", model, "--yes"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  const auto alice = world_.StubOf("alice");
  const double before = WallWorld::Budget(*alice)->epsilon_spent();
  const std::vector<std::string> evaluate = {
      "perplexity", model,   "--behind-the-wall", "notes", "--noise-multiplier",
      "0.5",        "--yes", "--words-per-unit",  "8",     "--json"};
  step = Alice(evaluate);
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output,
              AllOf(HasSubstr("\"held_out_share\":0.3"), HasSubstr("\"was_trained_on\":false"),
                    HasSubstr("\"was_finished\":false"), HasSubstr("epsilon_left"),
                    Not(HasSubstr("\"document_completion\":null"))));
  const double after = WallWorld::Budget(*alice)->epsilon_spent();
  EXPECT_GT(after, before);

  const Finished again = Alice(evaluate);
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("\"was_finished\":true"));
  EXPECT_EQ(WallWorld::Budget(*alice)->epsilon_spent(), after);

  step = Alice({"plans", "notes"});
  EXPECT_THAT(step.output, HasSubstr("3 evaluated"));
  step = Alice({"ledger", "notes", "--verify", model});  // receipts of fit and evaluation
  EXPECT_EQ(step.exit_code, 0) << step.output;
  step = world_.Analyst("ann", {"ledger", "notes", "--verify"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, HasSubstr("1 of 1 evaluations charged"));
}

TEST_F(EvaluationTest, AModelOfWhomNobodyWasHeldOutSaysSo) {
  const std::string model = world_.Path("notes.model");
  Finished step =
      Alice({"fit", "notes", "--topics", "3", "--noise-multiplier", "2", "--algorithm", "paper",
             "--sampling-rate", "1", "--iterations", "1", "--model", model, "--yes"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  std::vector<std::string> evaluate =
      Words(absl::StrCat("perplexity ", model,
                         " --behind-the-wall notes --epsilon-alone 10 --words-per-unit 8 --yes"));
  step = Alice(evaluate);
  EXPECT_EQ(step.exit_code, 2) << step.output;
  EXPECT_THAT(step.output, HasSubstr("--held-out-share"));
  evaluate.insert(evaluate.end(), {"--held-out-share", "0.5"});
  step = Alice(evaluate);
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("THE MODEL WAS FITTED"), HasSubstr("standard error"),
                                 HasSubstr("left")));
  EXPECT_THAT(step.output,
              AllOf(HasSubstr("by the noise alone"),
                    HasSubstr("another split of the words gives another number; --releases"),
                    HasSubstr("units of about 8 known words and more count for less")));
}

}  // namespace
}  // namespace topicwall::testing
