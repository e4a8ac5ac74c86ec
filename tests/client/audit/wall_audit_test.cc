#include "client/audit/wall_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/chain_wall.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace wall_audit_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(AuditWallTest, AnHonestWallHasNoFindingAndAllOfItsEntriesAreReturned) {
  ChainWall wall;
  wall.chain.Reserve("alice", "plan", 40, 3);
  ASSERT_OK_AND_ASSIGN(const auto found, AuditWall(wall, "notes"));
  EXPECT_THAT(found.audit.findings, IsEmpty());
  EXPECT_THAT(found.entries, SizeIs(wall.chain.entries().size()));
  EXPECT_THAT(found.audit.plans, SizeIs(1));
}

TEST(AuditWallTest, ADescriptionThatKeepsQuietOfAnotherBudgetIsFound) {
  ChainWall wall;
  wall.chain.Reserve("alice", "plan", 40, 3);
  v1::BudgetSum& sum = *wall.description.mutable_sum();
  sum.set_epsilon(5);
  sum.add_budgets()->set_budget_id("other");
  ASSERT_OK_AND_ASSIGN(const auto found, AuditWall(wall, "notes"));
  EXPECT_THAT(found.audit.findings, ElementsAre(HasSubstr("DescribeCorpus tells another sum")));
}

}  // namespace wall_audit_test
}  // namespace topicwall::client
