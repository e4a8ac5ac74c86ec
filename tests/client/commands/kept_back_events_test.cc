// What the program says of a wall that keeps an auditor's events back: a ledger that adds up to
// nothing is none that was verified.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/client/program.h"
#include "tests/client/seen_wall.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/json_page.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace kept_back_events_test {

using ::testing::HasSubstr;

constexpr char kKeptBack[] = "2 entries came as commitments only";

// Of two plans of alice's, to nobody's eyes.
class KeptBackEventsTest : public ProgramFrame {
 protected:
  void SetUp() override {
    ASSERT_TRUE(service_.is_up());
    testing::WriteWholeFile(Path("ann.textproto"), service_.profile());
    std::filesystem::create_directory(Path("exports"));
    wall_.chain = ChainBuilder(wall_.chain.policy(), "b0d9e7");
    wall_.chain.Reserve("alice", "a", 40, 3);
    wall_.chain.Reserve("alice", "b", 40, 3);
    wall_.reader = "nobody";
    wall_.budget = [this] {
      v1::BudgetStatus budget = wall_.chain.Budget();
      for (uint64_t& spent : *budget.mutable_spent()) spent = 0;
      budget.set_epsilon_spent(0);
      budget.clear_principals();
      if (is_analyst_) budget.mutable_own()->set_principal("nobody");
      return budget;
    };
  }
  Finished Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--profile", Path("ann.textproto")});
    return ProgramFrame::Run(arguments);
  }

  SeenWall wall_;
  WallServiceDouble service_{wall_, folder_.path()};
  bool is_analyst_ = false;
  const testing::JsonPage page_{"client/JSON.md"};
};

TEST_F(KeptBackEventsTest, AreAFindingOfAnAuditorsLedgerAndNoneOfAnAnalysts) {
  const Finished text = Run({"ledger", "notes", "--verify"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.output, HasSubstr(kKeptBack));
  const Finished json = Run({"ledger", "notes", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_THAT(json.output, HasSubstr(R"("verified":false)"));
  EXPECT_THAT(json.output, HasSubstr(kKeptBack));
  is_analyst_ = true;
  EXPECT_EQ(Run({"ledger", "notes", "--verify"}).exit_code, 0);
}

TEST_F(KeptBackEventsTest, AreAFindingOfAWatchThatExportsAndNothingIsExported) {
  const std::vector<std::string> watch = {"watch", "notes", "--events", Path("exports")};
  const Finished text = Run(watch);
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.output, HasSubstr(absl::StrCat("notes: BROKEN: ", kKeptBack)));
  EXPECT_TRUE(std::filesystem::is_empty(Path("exports")));
  const Finished json = Run({"watch", "notes", "--json", "--events", Path("exports")});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(page_.Mismatch("watch", json.output), "") << json.output;
  EXPECT_THAT(json.output, HasSubstr(kKeptBack));
  is_analyst_ = true;
  EXPECT_EQ(Run(watch).exit_code, 0);
  EXPECT_FALSE(std::filesystem::is_empty(Path("exports")));
}

// Of what befell the auditor's own disk no ledger is called broken.
TEST_F(KeptBackEventsTest, AnExportThatWasCutIsTheFilesFaultAndNoLedgersIsBroken) {
  wall_.reader = "";
  const std::vector<std::string> watch = {"watch", "notes", "--events", Path("exports")};
  is_analyst_ = true;
  ASSERT_EQ(Run(watch).exit_code, 0);
  testing::WriteWholeFile(
      Path("exports/notes-b0d9e7.events"),
      testing::ReadWholeFile(Path("exports/notes-b0d9e7.events")).substr(0, 99));
  const Finished cut = Run(watch);
  EXPECT_EQ(cut.exit_code, 4);
  EXPECT_THAT(cut.output, HasSubstr("The file is at fault, not the ledger"));
  EXPECT_THAT(cut.output, ::testing::Not(HasSubstr("BROKEN")));
}

// As it is typed again after an explanation, with nothing left to accept.
TEST_F(KeptBackEventsTest, WhatIsAcceptedOfASoundLedgerIsInPlaceOfNothing) {
  ASSERT_EQ(Run({"watch", "notes"}).exit_code, 0);
  const Finished accepted = Run({"watch", "notes", "--accept"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.errors;
  EXPECT_THAT(accepted.output, HasSubstr("; accepted"));
  EXPECT_THAT(accepted.output, ::testing::Not(HasSubstr("in place of")));
}

}  // namespace kept_back_events_test
}  // namespace topicwall::client
