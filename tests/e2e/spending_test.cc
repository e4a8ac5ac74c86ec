// What a plan was said to take is what the budget goes down by, as the wall tells it.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace {

using ::testing::HasSubstr;

class SpendingTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  double Spent() { return WallWorld::Budget(*world_.StubOf("alice"))->epsilon_spent(); }

  Finished Fit(const std::string& analyst, const std::string& spend) {
    return world_.Analyst(
        analyst, {"fit", "notes", "--topics", "3", "--spend", spend, "--algorithm", "paper",
                  "--sampling-rate", "1", "--iterations", "3", "--yes", "--model",
                  world_.Path(analyst + spend + ".model")});
  }

  // Every number in it is a number: strings of digits would be of another kind.
  google::protobuf::Struct Json(const std::string& analyst, std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Finished step = world_.Analyst(analyst, arguments);
    google::protobuf::Struct object;
    const auto parsed = google::protobuf::util::JsonStringToMessage(step.output, &object);
    EXPECT_TRUE(parsed.ok()) << step.output;
    return object;
  }

  // As `budget` lists it for one of its readers.
  void ExpectSumIsSpent(const std::string& reader, int plans) {
    const google::protobuf::Struct budget = Json(reader, {"budget", "notes"});
    const auto& fields = budget.fields();
    const auto& listed = fields.at("plans").list_value().values();
    EXPECT_EQ(listed.size(), plans) << reader;
    double sum = fields.at("taken_by_others").number_value();
    for (const auto& plan : listed) sum += plan.struct_value().fields().at("taken").number_value();
    EXPECT_NEAR(sum, fields.at("epsilon_spent").number_value(), 1e-12) << reader;
    EXPECT_EQ(fields.at("epsilon_spent").number_value(), Spent());
  }

  WallWorld world_{{.timing_protection = false}};
};

TEST_F(SpendingTest, TheBudgetGoesDownByWhatWasToBeSpentAndEveryReaderListsIt) {
  for (const std::string spend : {"0.5", "0.2", "10%"}) {
    const double before = Spent();
    const double most = spend == "10%" ? (10 - before) / 10 : std::stod(spend);
    const Finished step = Fit("alice", spend);
    ASSERT_EQ(step.exit_code, 0) << step.output;
    const double taken = Spent() - before;
    EXPECT_LE(taken, most) << spend;
    EXPECT_GE(taken, 0.99 * most) << spend;
    EXPECT_THAT(step.output, HasSubstr(absl::StrFormat("It took %.4f of the budget", taken)));
  }
  // Somebody else, between: an analyst with a cap of 1.
  ASSERT_EQ(Fit("bob", "90%").exit_code, 0);
  ASSERT_EQ(Fit("alice", "0.3").exit_code, 0);
  ExpectSumIsSpent("alice", 4);
  ExpectSumIsSpent("bob", 1);
  ExpectSumIsSpent("ann", 5);
}

TEST_F(SpendingTest, AllIsAdmittedAndThenNothingMoreIs) {
  ASSERT_EQ(Fit("alice", "0.4").exit_code, 0);
  const Finished step = Fit("alice", "all");
  ASSERT_EQ(step.exit_code, 0) << step.output;
  EXPECT_NEAR(Spent(), 10, 1e-3);
  const Finished more = Fit("alice", "0.1");
  EXPECT_EQ(more.exit_code, 3) << more.output;
  EXPECT_THAT(more.output, HasSubstr("takes  0.1000 of the 0.000"));
  // The same command again is the fit that was paid, whatever "all" would be now; another is not.
  EXPECT_EQ(Fit("alice", "all").exit_code, 0);
  const Finished other =
      world_.Analyst("alice", {"fit", "notes", "--topics", "3", "--spend", "0.7", "--algorithm",
                               "paper", "--sampling-rate", "1", "--iterations", "3", "--yes",
                               "--model", world_.Path("aliceall.model")});
  EXPECT_EQ(other.exit_code, 1) << other.output;
  EXPECT_THAT(other.output, HasSubstr("a fit with spend all"));
}

TEST_F(SpendingTest, UnderACapAllIsWhatTheCapAdmits) {
  const std::vector<std::string> price = {"price",   "notes", "--topics",     "3",
                                          "--spend", "all",   "--iterations", "3"};
  const google::protobuf::Struct quote = Json("bob", price);
  const auto& takes = quote.fields().at("takes").struct_value().fields();
  EXPECT_EQ(takes.at("own_left").number_value(), 1);
  EXPECT_EQ(takes.at("left").number_value(), 10);
  EXPECT_THAT(world_.Analyst("bob", price).output,
              HasSubstr("of it yours: 1.0000 (your cap is 1.0000)"));
  EXPECT_THAT(world_.Analyst("bob", {"budget", "notes"}).output,
              HasSubstr("of it yours: 1.0000 (your cap is 1.0000)"));
  EXPECT_EQ(Json("alice", price).fields().at("takes").struct_value().fields().count("own_left"), 0);
  const Finished step = Fit("bob", "all");
  ASSERT_EQ(step.exit_code, 0) << step.output;
  const auto own = WallWorld::Budget(*world_.StubOf("bob"))->own();
  EXPECT_LE(own.epsilon_spent(), 1);
  EXPECT_GT(own.epsilon_spent(), 0.999);
}

TEST_F(SpendingTest, APlanThatIsDoneCannotBeCancelledAndOneThatIsNotGivesBack) {
  ASSERT_EQ(Fit("alice", "0.5").exit_code, 0);
  const google::protobuf::Struct plans = Json("alice", {"plans", "notes"});
  const auto& done = plans.fields().at("plans").list_value().values(0).struct_value().fields();
  EXPECT_EQ(done.at("state").string_value(), "done");
  EXPECT_NEAR(done.at("taken").number_value(), Spent(), 1e-12);
  EXPECT_EQ(done.at("charged").number_value(), 3);
  const Finished step = world_.Analyst("alice", {"cancel", done.at("plan_id").string_value()});
  EXPECT_EQ(step.exit_code, 1);
  EXPECT_THAT(step.output, HasSubstr("is done"));
  auto alice = world_.StubOf("alice");
  const double before = Spent();
  const auto plan = world_.Reserve(*alice, world_.Plan(8, 4), std::string(16, 'v'));
  ASSERT_TRUE(plan.ok());
  EXPECT_GT(Spent(), before);
  EXPECT_EQ(world_.Analyst("alice", {"cancel", plan->plan_id()}).exit_code, 0);
  EXPECT_EQ(Spent(), before);
  ExpectSumIsSpent("alice", 2);
}

}  // namespace
}  // namespace topicwall::testing
