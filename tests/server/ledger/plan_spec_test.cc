#include "server/ledger/plan_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::SmallEvaluation;
using testing::SmallPlan;

TEST(PlanSpec, TheMechanismOfAnEvaluationTakesTheHeldOutUnitsAlone) {
  const PaidMechanism paid = MechanismOf(SmallEvaluation(1));
  EXPECT_TRUE(paid.held_out_only);
  EXPECT_EQ(paid.held_out_share, 0.1);
  EXPECT_THAT(paid.weights, ::testing::ElementsAre(0.01F, 0.1F));
  v1::ReleaseSpec training = SmallPlan(1);
  training.set_held_out_share(0.2);
  EXPECT_FALSE(MechanismOf(training).held_out_only);
  EXPECT_EQ(MechanismOf(training).held_out_share, 0.2);
}

// What was priced is what runs: no edit of what stands beside the chain passes.
TEST(PlanSpec, WeightsAreHeldAgainstWhatWasPriced) {
  testing::LedgerForTests wall;
  v1::ReleaseSpec asked = SmallPlan(2);
  asked.set_weights(proto::FloatsToLittleEndian(std::vector<float>{1, 0.5F, 0.25F}));
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       wall->Reserve(testing::ReserveRequestFor("alice", 1, asked)));
  EXPECT_EQ(plan.plan().SerializeAsString(), asked.SerializeAsString());
  wall.Close();
  for (const char* edit : {"UPDATE blob SET bytes = zeroblob(length(bytes))", "DELETE FROM blob",
                           "UPDATE blob SET sha256 = zeroblob(32)"}) {
    SCOPED_TRACE(edit);
    const std::string path = store::DatabasePath(wall.directory());
    const std::string intact = testing::ReadWholeFile(path);
    ASSERT_OK(store::SqliteConnection::Open(path, store::SqliteConnection::Mode::kReadWrite)
                  ->RunScript(edit));
    EXPECT_THAT(wall.TryToOpen(), testing::StatusIs(absl::StatusCode::kDataLoss));
    testing::WriteWholeFile(path, intact);
  }
  EXPECT_OK(wall.TryToOpen());
}

}  // namespace
}  // namespace topicwall::ledger
