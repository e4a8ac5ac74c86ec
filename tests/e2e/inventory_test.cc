// A budget of vouchers through the deployed programs: opened, drawn from, drawn out, given back,
// audited, restarted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InventoryTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  Finished Alice(std::vector<std::string> arguments) {
    return world_.Analyst("alice", std::move(arguments));
  }
  // Per kind, in the order in which they are drawn: (8, 1), then (4, 1).
  std::vector<uint64_t> Drawn() {
    const auto budget = WallWorld::Budget(*world_.StubOf("ann"));
    EXPECT_OK(budget);
    return {budget->spent().begin(), budget->spent().end()};
  }
  void ExpectSoundLedger() {
    for (const char* reader : {"alice", "ann"}) {
      const Finished audit = world_.Analyst(reader, {"ledger", "notes", "--verify"});
      EXPECT_EQ(audit.exit_code, 0) << reader << ": " << audit.output;
    }
  }

  WallWorld world_{{.vouchers = {"4,1,3", "8,1,2"}}};
};

TEST_F(InventoryTest, AFitDrawsTheVouchersOfItsKindUntilThereAreNoMore) {
  const std::vector<std::string> fit = {
      "fit",         "notes",  "--topics",        "3", "--epsilon-alone", "5",
      "--algorithm", "paper",  "--sampling-rate", "1", "--iterations",    "3",
      "--yes",       "--model"};
  const auto fit_to = [&](const std::string& model) {
    std::vector<std::string> arguments = fit;
    arguments.push_back(world_.Path(model));
    return Alice(arguments);
  };
  Finished step =
      Alice({"price", "notes", "--topics", "3", "--algorithm", "paper", "--sampling-rate", "1",
             "--noise-multiplier", "4", "--iterations", "3", "--explain"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("yes; 3 releases"), HasSubstr("by pld"),
                                 HasSubstr("one unit by another")));
  step = fit_to("first.model");
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(Drawn(), ElementsAre(0, 3)) << "the smallest multiplier that 5 pays for is 4";
  step = fit_to("second.model");
  EXPECT_EQ(step.exit_code, 3) << step.output;
  EXPECT_THAT(step.output, HasSubstr("vouchers do not hold this plan"));
  EXPECT_THAT(Drawn(), ElementsAre(0, 3));
  // The same command, and the first fit is found finished: nothing is paid twice.
  EXPECT_EQ(fit_to("first.model").exit_code, 0);
  EXPECT_THAT(Drawn(), ElementsAre(0, 3));
  step = Alice({"budget", "notes"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("2 of 2 left"), HasSubstr("0 of 3 left")));
  ExpectSoundLedger();
}

TEST_F(InventoryTest, ACancelGivesBackWhatNoChargeUsedAndARestartRemembers) {
  auto alice = world_.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world_.Reserve(*alice, world_.Plan(8, 4), std::string(16, 'v')));
  EXPECT_THAT(Drawn(), ElementsAre(2, 2)) << "the least valuable first";
  const std::vector<float> topics = WallWorld::LogTopics();
  ASSERT_OK(WallWorld::RunRelease(*alice, WallWorld::Header(plan.plan_id(), 2, topics), topics));
  EXPECT_EQ(Alice({"cancel", plan.plan_id()}).exit_code, 0);
  EXPECT_THAT(Drawn(), ElementsAre(1, 0));
  const auto another = world_.Reserve(*alice, world_.Plan(4, 3), std::string(16, 'w'));
  ASSERT_OK(another);
  EXPECT_THAT(Drawn(), ElementsAre(1, 3));
  ExpectSoundLedger();

  world_.StopServer();
  const Finished status = world_.Admin({"status", "--config", world_.Path("wall.textproto")});
  EXPECT_EQ(status.exit_code, 0) << status.output;
  EXPECT_THAT(status.output, AllOf(HasSubstr("1 of 2 left"), HasSubstr("0 of 3 left")));
  EXPECT_EQ(world_.Admin({"verify-ledger", "--config", world_.Path("wall.textproto")}).exit_code,
            0);
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  EXPECT_THAT(Drawn(), ElementsAre(1, 3));
  ExpectSoundLedger();
}

}  // namespace
}  // namespace topicwall::testing
