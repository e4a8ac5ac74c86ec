#include "client/commands/audit/known_corpora.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/client/chain_wall.h"
#include "tests/support/json_page.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace known_corpora_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

// Has plans in "notes", and refuses whatever is in `refused`.
class ManyWalls : public ChainWall {
 public:
  ManyWalls() {
    description.set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
    description.set_nominal_size(58087);
  }
  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override {
    const auto status = refused.find(std::string(corpus));
    if (status != refused.end()) return status->second;
    v1::CorpusDescription told = description;
    if (corpus == "new") {
      told.set_state(v1::CORPUS_STATE_NO_BUDGET);
      told.clear_nominal_size();
    }
    return told;
  }
  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override {
    if (corpus == "new") return absl::FailedPreconditionError("no budget is open");
    v1::BudgetStatus status = chain.Budget();
    status.set_epsilon_left(1.25);
    return status;
  }

  std::map<std::string, absl::Status> refused;
};

v1::HeadBook Noted(const std::vector<std::string>& corpora) {
  v1::HeadBook notes;
  for (const std::string& corpus : corpora) notes.add_heads()->set_corpus(corpus);
  return notes;
}

std::vector<std::string> NamesOf(const absl::StatusOr<std::vector<KnownCorpus>>& corpora) {
  if (!corpora.ok()) return {corpora.status().ToString()};
  std::vector<std::string> names;
  for (const KnownCorpus& corpus : *corpora) names.push_back(corpus.description.corpus());
  return names;
}

// Would catch a source of names that is forgotten, and a corpus that is told twice.
TEST(KnownCorporaTest, KnownAreThoseOfPlansOfNotesAndThoseNamedEachOnce) {
  ManyWalls wall;
  EXPECT_THAT(NamesOf(KnownCorpora(wall, {}, {})), ElementsAre("notes"));
  wall.plans.clear();
  EXPECT_THAT(NamesOf(KnownCorpora(wall, {}, {})), ElementsAre());
  wall.plans = {"one", "two"};
  EXPECT_THAT(NamesOf(KnownCorpora(wall, Noted({"titles", "abstracts", "notes"}),
                                   {"wards", "titles", "mail", "wards"})),
              ElementsAre("abstracts", "notes", "titles", "wards", "mail"));
}

// Would catch a list that one corpus of last year keeps from being told, and a name that was typed
// and vanishes without a word.
TEST(KnownCorporaTest, OneThatIsNotServedIsLeftOutUnlessItIsNamed) {
  ManyWalls wall;
  wall.refused["gone"] = absl::PermissionDeniedError("not yours");
  EXPECT_THAT(NamesOf(KnownCorpora(wall, Noted({"gone"}), {})), ElementsAre("notes"));
  EXPECT_THAT(KnownCorpora(wall, Noted({"gone"}), {"gone"}),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("corpus gone: not yours")));
  wall.refused["gone"] = absl::DataLossError("was put back");
  EXPECT_THAT(KnownCorpora(wall, Noted({"gone"}), {}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("was put back")));
}

// Would catch ε of one budget told for the sum, or of a corpus that has none yet.
TEST(KnownCorporaTest, EpsilonIsOfTheSumLeftIsOfTheBudgetAndWithoutABudgetNeitherIsTold) {
  ManyWalls wall;
  const auto alone = KnownCorpora(wall, {}, {"new"});
  ASSERT_OK(alone);
  EXPECT_EQ(CorporaJson(*alone),
            R"({"corpora":[{"corpus":"notes","unit":"owner","nominal_size":58087,"epsilon":2.44,)"
            R"("left":1.25,"state":"open"},{"corpus":"new","unit":"owner","epsilon":null,)"
            R"("left":null,"state":"no_budget"}]})");
  EXPECT_EQ(testing::JsonPage("client/JSON.md").Mismatch("corpora", CorporaJson(*alone)), "");
  EXPECT_EQ(CorporaText(*alone),
            "corpus  unit   nominal size  epsilon  left    state\n"
            "notes   owner  58087         2.4400   1.2500  open\n"
            "new     owner  ?                              no_budget");
  wall.chain.TellSum(wall.chain.SumWith(5.12, 1e-6));
  const auto shared = KnownCorpora(wall, {}, {});
  ASSERT_OK(shared);
  EXPECT_THAT(CorporaJson(*shared), HasSubstr(R"("epsilon":7.56)"));
  EXPECT_THAT(CorporaJson(*shared), HasSubstr(R"("left":1.25)"));
  EXPECT_THAT(CorporaText(*shared), HasSubstr("together with others the budget of notes: epsilon"));
  EXPECT_THAT(CorporaText(*shared), HasSubstr("7.5600   1.2500"));
  wall.chain.TellSum(wall.chain.SumWith(5.12, 1));
  const auto nothing = KnownCorpora(wall, {}, {});
  ASSERT_OK(nothing);
  EXPECT_THAT(CorporaText(*nothing),
              AllOf(HasSubstr("58087         none     1.2500"),
                    HasSubstr("of notes: no promise (delta would be 1)"), Not(HasSubstr("7.56"))));
}

TEST(KnownCorporaTest, AProfileThatKnowsNoneIsToldWhatToDo) {
  EXPECT_THAT(CorporaText({}), HasSubstr("name one"));
  EXPECT_THAT(CorporaText({}), Not(HasSubstr("nominal size")));
}

}  // namespace known_corpora_test
}  // namespace topicwall::client
