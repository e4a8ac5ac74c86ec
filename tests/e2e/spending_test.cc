// What a plan was said to take is what the budget goes down by, as the wall tells it.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/told_numbers.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace {

using ::testing::ContainsRegex;
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

// A quote holds nothing: what it said fits another analyst may take before the last stage of the
// fit is reserved, whose plan needs what the first stage releases.
TEST(OvertakenFitTest, AFitThatAnotherAnalystOvertakesSaysWhatItPaidAndGoesOnInItsFolder) {
  // So long that the other one comes between.
  WallWorld world({.epsilon = 2, .release_interval_ms = 2000, .bob_epsilon_cap = 2});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const std::vector<std::string> fit = {"fit",
                                        "notes",
                                        "--topics",
                                        "3",
                                        "--spend",
                                        "1.5",
                                        "--iterations",
                                        "8",
                                        "--yes",
                                        "--model",
                                        world.Path("a.model"),
                                        "--progress",
                                        "json"};
  ASSERT_EQ(world.Analyst("alice", {"describe", "notes"}).exit_code, 0);  // makes the profile
  std::vector<std::string> typed = {WallWorld::Program("topicwall")};
  typed.insert(typed.end(), fit.begin(), fit.end());
  Background first(typed, world.Path("first.out"),
                   {{"XDG_CONFIG_HOME", world.Path("config")}, {"TOPICWALL_PROFILE", "alice"}});
  while (first.IsRunning() && !absl::StrContains(world.ReadFile("first.out"), "\"done\":0")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const auto alice = world.StubOf("alice");
  const double before = WallWorld::Budget(*alice)->epsilon_spent();
  ASSERT_TRUE(
      WallWorld::Reserve(*world.StubOf("bob"), world.Plan(2.6, 1), "bob's plan 12345").ok());
  EXPECT_EQ(first.Wait(), 3);
  const std::string said = world.ReadFile("first.out");
  EXPECT_THAT(said, ContainsRegex("fits +yes"));
  EXPECT_THAT(said, HasSubstr(absl::StrFormat("releases so far, %s of the budget, are paid",
                                              proto::EpsilonText(before))));
  EXPECT_EQ(world.Analyst("alice", fit).exit_code, 3) << "there is no more room than there was";

  // As it says.
  const std::string flag = "--iterations ";
  ASSERT_THAT(said, HasSubstr(flag));
  const std::string fewer = said.substr(said.find(flag) + flag.size(), 1);
  std::vector<std::string> shorter = fit;
  std::replace(shorter.begin(), shorter.end(), std::string("8"), fewer);
  const Finished rest = world.Analyst("alice", shorter);
  EXPECT_EQ(rest.exit_code, 0) << rest.output;
  EXPECT_THAT(rest.output, HasSubstr(absl::StrCat("after ", fewer, " iterations")));
  EXPECT_LE(WallWorld::Budget(*alice)->epsilon_spent(), 2);
  const Finished verified =
      world.Analyst("alice", {"ledger", "notes", "--verify", world.Path("a.model")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

}  // namespace
}  // namespace topicwall::testing
