// `topicwall plans`, `cancel` and `budget` of a ledger that was restored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/ed25519.h"
#include "tests/client/program.h"
#include "tests/client/seen_wall.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace plans_command_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Tells its plans as they stand.
class StatedPlans : public SeenWall {
 public:
  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view) override {
    std::vector<v1::PlanState> stated;
    for (const auto& plan : states) stated.push_back(*GetPlan(plan.first));
    return stated;
  }
};

// Of alice's two plans one is charged to its end. A restore paused both.
class PlansCommandTest : public ProgramFrame {
 protected:
  void SetUp() override {
    ASSERT_TRUE(service_.is_up());
    testing::WriteWholeFile(Path("alice.textproto"), service_.profile());
    for (const char* id : {"finished", "half"}) {
      wall_.Reserve("alice", id, 40, 2);
      v1::PlanState& plan = wall_.states[id];
      plan.set_state(v1::PlanState::PAUSED);
      plan.mutable_plan()->set_iterations(2);
      plan.add_iterations()->set_iteration(1);
      plan.mutable_reservation_receipt()->set_public_key(std::string(base::kSigningKeySize, 'k'));
    }
    wall_.states["finished"].add_iterations()->set_iteration(2);
    wall_.states["finished"].mutable_iterations(1)->set_voided(true);
  }
  Finished Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--profile", Path("alice.textproto")});
    return ProgramFrame::Run(arguments);
  }

  StatedPlans wall_;
  WallServiceDouble service_{wall_, folder_.path()};
};

TEST_F(PlansCommandTest, AFinishedPlanOfARestoredLedgerIsDoneAndNotPaused) {
  const Finished plans = Run({"plans", "notes"});
  EXPECT_EQ(plans.exit_code, 0) << plans.errors;
  EXPECT_THAT(plans.output,
              AllOf(HasSubstr("done"), HasSubstr("paused"), HasSubstr("2/2, 1 without a release")));
  const std::string last = plans.output.substr(plans.output.find("\nhalf"));
  EXPECT_THAT(last, AllOf(HasSubstr("paused"), HasSubstr("1/2"), Not(HasSubstr("done"))));
}

TEST_F(PlansCommandTest, AFinishedPlanOfARestoredLedgerIsNotCancelled) {
  const Finished cancelled = Run({"cancel", "finished"});
  EXPECT_EQ(cancelled.exit_code, 1);
  EXPECT_THAT(cancelled.errors, HasSubstr("nothing can be given back"));
}

// Nobody else has asked for anything.
TEST_F(PlansCommandTest, WhatTheCustodianDeclaredSpentIsNotSaidToBeOthersAlone) {
  wall_.reader = "alice";
  EXPECT_THAT(Run({"budget", "notes"}).output, Not(HasSubstr("declaration")));
  wall_.chain.Forfeit();
  const Finished budget = Run({"budget", "notes"});
  EXPECT_EQ(budget.exit_code, 0) << budget.errors;
  EXPECT_THAT(budget.output, HasSubstr("by others or the custodian's declaration"));
}

}  // namespace plans_command_test
}  // namespace topicwall::client
