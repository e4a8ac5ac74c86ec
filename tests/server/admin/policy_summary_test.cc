#include "server/admin/policy_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topicwall::admin {
namespace {

using base::JsonObject;
using ::testing::HasSubstr;

TEST(PolicySummaryTest, AnInventoryShowsWhatIsLeftOfEachKind) {
  const auto policy = *accountant::AdmissionPolicy::Create(
      *accountant::MakeInventorySpec({.epsilon = 2.44, .delta = 1e-6}, {{20, 1, 4}, {40, 1, 6}}));
  std::string text;
  base::JsonObject json;
  AddPolicy(policy, {2, accountant::kDeadOrder}, &text, &json);
  EXPECT_THAT(text, HasSubstr("noise multiplier 40, sampling rate 1: 4 of 6 left"));
  EXPECT_THAT(text, HasSubstr("noise multiplier 20, sampling rate 1: 0 of 4 left"));
  EXPECT_THAT(json.Text(), HasSubstr(R"("policy":"inventory","vouchers":[{)"));
  EXPECT_THAT(json.Text(), HasSubstr(R"("count":6,"drawn":2})"));
}

TEST(PolicySummaryTest, AFilterSaysWhatItIsPlannedFor) {
  for (const auto use : {accountant::PlannedUse::kFullBatch, accountant::PlannedUse::kSampled}) {
    const auto policy = *accountant::AdmissionPolicy::Create(
        *accountant::BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6}, use));
    std::string text;
    base::JsonObject json;
    AddPolicy(policy, policy.NothingSpent(), &text, &json);
    const std::string name(accountant::NameOf(use));
    EXPECT_EQ(text, "  planned for " + name + " releases\n");
    EXPECT_EQ(json.Text(), R"({"policy":"adaptive","planned":")" + name + R"("})");
  }
}

}  // namespace
}  // namespace topicwall::admin
