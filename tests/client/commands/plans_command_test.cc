// `topicwall plans`, `cancel` and `budget`: of a ledger that was restored, of corpora that are not
// served any more, and what a cancellation says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/ed25519.h"
#include "proto/ledger.pb.h"
#include "tests/client/chain_wall.h"
#include "tests/client/program.h"
#include "tests/client/receipt_press.h"
#include "tests/client/seen_wall.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/json_page.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace plans_command_test {

using ::testing::AllOf;
using ::testing::ContainsRegex;
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

// Beside notes, which is served: gone was taken out of the configuration, and replaced has no
// budget of its new version yet.
class RetiredCorpora : public StatedPlans {
 public:
  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override {
    if (corpus == "gone") return Denied();
    v1::CorpusDescription told = description;
    told.set_corpus(std::string(corpus));
    if (corpus == "replaced") told.set_state(v1::CORPUS_STATE_NO_BUDGET);
    return told;
  }
  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override {
    if (corpus == "gone") return Denied();
    if (corpus == "replaced") return absl::NotFoundError("no budget is open for this version.");
    return StatedPlans::GetBudget(corpus);
  }
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view id) override {
    absl::StatusOr<v1::PlanState> plan = StatedPlans::GetPlan(id);
    if (id == "gone" || id == "replaced") plan->mutable_plan()->set_corpus(std::string(id));
    return plan;
  }

 private:
  static absl::Status Denied() {
    return absl::PermissionDeniedError("no such corpus or plan, or it is not yours");
  }
};

class RetiredCorporaTest : public ProgramFrame {
 protected:
  RetiredCorpora wall_;
  WallServiceDouble service_{wall_, folder_.path()};
};

TEST_F(RetiredCorporaTest,
       PlansOfCorporaThatAreServedAreListedWithWhatTheyTookBesideThoseOfOthers) {
  ASSERT_TRUE(service_.is_up());
  testing::WriteWholeFile(Path("alice.textproto"), service_.profile());
  wall_.Reserve("alice", "kept", 40, 2);
  wall_.states["gone"].set_state(v1::PlanState::ACTIVE);
  wall_.states["replaced"].set_state(v1::PlanState::ACTIVE);
  const Finished plans = Run({"plans", "--profile", Path("alice.textproto")});
  EXPECT_EQ(plans.exit_code, 0) << plans.errors;
  EXPECT_THAT(plans.output, AllOf(ContainsRegex("\ngone +gone +active +\\?"),
                                  ContainsRegex("\nreplaced +replaced +active +\\?"),
                                  ContainsRegex("\nkept +notes +[a-z]+ +0\\.[0-9]+")));
}

// Signs its acts, as alice sees them. A plan gives back so many iterations.
class SigningPlans : public ChainWall {
 public:
  explicit SigningPlans(int returned) : returned_(returned) {
    chain = ChainBuilder(chain.policy(), "budget", signer_.key());
    v1::LedgerEvent event = ChainBuilder::Reserved("alice", "plan", 40, 3);
    event.mutable_plan_reserved()->mutable_spec()->set_corpus("notes");
    spec_ = event.plan_reserved().spec();
    chain.Admit(event, chain.SetAside(40, 3));
    reserved_ = signer_.Of(chain.entries(), 3);
    chain.Charge("alice", "plan", 1);
    description.set_signing_key(signer_.key());
  }
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view id) override {
    v1::PlanState plan;
    plan.set_plan_id(std::string(id));
    plan.set_state(cancelled_.receipt().empty() ? v1::PlanState::PAUSED : v1::PlanState::CANCELLED);
    *plan.mutable_plan() = spec_;
    plan.add_iterations()->set_iteration(1);
    *plan.mutable_reservation_receipt() = reserved_;
    *plan.mutable_cancellation_receipt() = cancelled_;
    return plan;
  }
  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view id) override {
    chain.Cancel("alice", "plan", returned_);
    cancelled_ = signer_.Of(chain.entries(), static_cast<int64_t>(chain.entries().size()));
    return GetPlan(id);
  }

 private:
  const int returned_;
  const ReceiptPress signer_;
  v1::SignedReceipt reserved_, cancelled_;
  v1::ReleaseSpec spec_;
};

class CancelCommandTest : public ProgramFrame {
 protected:
  Finished Cancel(int returned, std::vector<std::string> more) {
    SigningPlans wall(returned);
    const std::string folder = Path("of" + std::to_string(returned));
    std::filesystem::create_directory(folder);
    const WallServiceDouble service(wall, folder);
    EXPECT_TRUE(service.is_up());
    testing::WriteWholeFile(folder + "/alice.textproto", service.profile());
    more.insert(more.begin(), {"cancel", "plan", "--profile", folder + "/alice.textproto"});
    return Run(more);
  }
};

TEST_F(CancelCommandTest, SaysHowManyIterationsAreGivenBack) {
  const Finished text = Cancel(2, {});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output,
              AllOf(HasSubstr("given back: 2 of the 2 iterations"), Not(HasSubstr("restore"))));
}

TEST_F(CancelCommandTest, SaysThatARestoreLeavesNothingToGiveBack) {
  const Finished text = Cancel(0, {});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, AllOf(HasSubstr("given back: 0 of the 2 iterations"),
                                 HasSubstr("stay spent"), HasSubstr("restore")));
}

TEST_F(CancelCommandTest, SaysSoToAScriptToo) {
  const Finished json = Cancel(2, {"--json"});
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_THAT(json.output, HasSubstr(R"("returned":2)"));
  EXPECT_EQ(testing::JsonPage("client/JSON.md").Mismatch("plans", json.output), "") << json.output;
}

}  // namespace plans_command_test
}  // namespace topicwall::client
