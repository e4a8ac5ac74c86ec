#include "accountant/accountants.h"

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

TEST(AccountantsTest, EveryNameMakesTheAccountantOfThatName) {
  EXPECT_THAT(AccountantNames(), ElementsAre("moments", "renyi", "pld", "strong", "basic"));
  for (const std::string& name : AccountantNames()) {
    ASSERT_OK_AND_ASSIGN(const auto accountant, MakeAccountant(name));
    EXPECT_EQ(accountant->name(), name);
  }
}

TEST(AccountantsTest, TheNameDecidesTheRuleOfComposition) {
  AccountantOptions options;
  options.strong.rule = StrongComposition::Rule::kBasic;
  EXPECT_EQ((*MakeAccountant("strong", options))->name(), "strong");
}

TEST(AccountantsTest, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THAT(
      MakeAccountant("gdp"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("\"gdp\""), HasSubstr("moments, renyi, pld, strong, basic"))));
}

TEST(AccountantsTest, BadOptionsAreRefused) {
  for (const int max_order : {0, -1, 4097}) {
    EXPECT_THAT(
        MakeAccountant("moments", {.moments = {.max_order = max_order}, .strong = {}}),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("max_order must be in [1, 4096]")));
  }
}

}  // namespace
}  // namespace topicwall::accountant
