// With real corpora: command_open_budget_test.cc.
#include "server/admin/disjoint_budgets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

SharingWith Other(const std::string& corpus, Sharing sharing) {
  SharingWith other{.corpus_status = {}, .sharing = sharing};
  other.corpus_status.corpus = corpus;
  other.corpus_status.budget_id = "budget of " + corpus;
  return other;
}

TEST(DisjointBudgetsTest, ADeclarationHasACorpusAndAReason) {
  ASSERT_OK_AND_ASSIGN(const auto flag, ParseDisjoint("notes=patients of 2019 = another clinic"));
  EXPECT_EQ(flag.corpus, "notes");
  EXPECT_EQ(flag.reason, "patients of 2019 = another clinic");
  for (const char* bad : {"notes", "notes=", "=because", ""}) {
    EXPECT_THAT(ParseDisjoint(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << bad;
  }
}

TEST(DisjointBudgetsTest, OnlyADeclarationIsContradicted) {
  const std::vector<SharingWith> sharing = {Other("notes", Sharing::kShared),
                                            Other("cards", Sharing::kUnreadable),
                                            Other("mail", Sharing::kNone)};
  const auto all = [](const std::string&) { return true; };
  const auto none = [](const std::string&) { return false; };
  EXPECT_THAT(RequireNotShared("letters", sharing, all),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("notes")));
  EXPECT_EQ(RequireNotShared("letters", sharing, none)->size(), 0);
  const auto warned = RequireNotShared("letters", sharing, [](const std::string& budget_id) {
    return budget_id != "budget of notes";
  });
  ASSERT_OK(warned);
  ASSERT_EQ(warned->size(), 1);
  EXPECT_THAT(warned->front(), HasSubstr("rests on your word"));
}

// Its file has gone with the ingestion, so that the key cannot contradict.
TEST(DisjointBudgetsTest, AnEarlierVersionOfTheSameCorpusIsNeverDisjoint) {
  const auto all = [](const std::string&) { return true; };
  for (const Sharing sharing : {Sharing::kUnreadable, Sharing::kNone}) {
    EXPECT_THAT(RequireNotShared("notes", {Other("notes", sharing)}, all),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("earlier version")));
  }
}

}  // namespace
}  // namespace topicwall::admin
