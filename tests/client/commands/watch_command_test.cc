// What `topicwall watch` says of a corpus that the wall does not show any more: it is no ledger
// that is broken, and nothing that may be passed over while it is noted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/client/chain_wall.h"
#include "tests/client/program.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/json_page.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace watch_command_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class WatchCommandTest : public ProgramFrame {
 protected:
  void SetUp() override {
    ASSERT_TRUE(service_.is_up());
    testing::WriteWholeFile(Path("ann.textproto"), service_.profile());
    ASSERT_EQ(Watch({"notes"}).exit_code, 0);
  }
  Finished Watch(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"watch", "--profile", Path("ann.textproto")});
    return Run(arguments);
  }
  void Retire() {
    wall_.refusal = absl::PermissionDeniedError("no such corpus or plan, or it is not yours");
  }
  void Replace() {
    wall_.description.set_corpus_version("version 2");
    wall_.description.set_state(v1::CORPUS_STATE_NO_BUDGET);
  }

  ChainWall wall_;
  WallServiceDouble service_{wall_, folder_.path()};
  const testing::JsonPage page_{"client/JSON.md"};
};

const auto kNotShown =
    AllOf(HasSubstr("notes: NOT SHOWN to you any more; noted: entry 2, head "),
          HasSubstr("budget budget"), HasSubstr("watch notes --accept"), Not(HasSubstr("BROKEN")));

TEST_F(WatchCommandTest, ARetiredCorpusIsNotShownAndNeverBrokenNorPassedOver) {
  Retire();
  for (const std::vector<std::string>& named : {std::vector<std::string>{}, {"notes"}}) {
    const Finished watched = Watch(named);
    EXPECT_EQ(watched.exit_code, 4) << watched.errors;
    EXPECT_THAT(watched.output, kNotShown);
  }
  const Finished json = Watch({"--json"});
  EXPECT_EQ(json.exit_code, 4);
  EXPECT_THAT(json.output,
              AllOf(HasSubstr(R"("continues":false)"), HasSubstr(R"("not_shown":true)"),
                    HasSubstr(R"("noted":"entry 2, head )")));
  EXPECT_EQ(page_.Mismatch("watch", json.output), "") << json.output;
}

TEST_F(WatchCommandTest, AcceptingARetiredCorpusEndsTheNotingOfItAndSaysWhatWasForgotten) {
  Retire();
  const Finished accepted = Watch({"notes", "--accept"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.errors;
  EXPECT_THAT(accepted.output, HasSubstr("no longer noted; forgotten: entry 2, head "));
  const Finished watched = Watch({});
  EXPECT_EQ(watched.exit_code, 2);
  EXPECT_THAT(watched.errors, HasSubstr("nothing was noted yet"));
  const Finished named = Watch({"notes"});
  EXPECT_EQ(named.exit_code, 4) << "nothing is missed, and nothing was read";
  EXPECT_THAT(named.output, HasSubstr("notes: NOT SHOWN to you: "));
}

TEST_F(WatchCommandTest, WhatWasForgottenIsToldToAScriptToo) {
  Retire();
  const Finished json = Watch({"notes", "--accept", "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_THAT(json.output, AllOf(HasSubstr(R"("continues":false)"),
                                 HasSubstr(R"("forgotten":"entry 2, head )")));
  EXPECT_EQ(page_.Mismatch("watch", json.output), "") << json.output;
}

TEST_F(WatchCommandTest, ANewVersionWithoutABudgetHidesTheNotedChainAndIsNotPassedOver) {
  Replace();
  const Finished watched = Watch({});
  EXPECT_EQ(watched.exit_code, 4) << watched.output;
  EXPECT_THAT(watched.output, AllOf(kNotShown, HasSubstr("no budget is open for it yet")));
  const Finished accepted = Watch({"notes", "--accept"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.errors;
  EXPECT_THAT(accepted.output, HasSubstr("forgotten: entry 2, head "));
  const Finished named = Watch({"notes"});
  EXPECT_EQ(named.exit_code, 0);
  EXPECT_THAT(named.output, HasSubstr("no budget is open yet"));
}

}  // namespace watch_command_test
}  // namespace topicwall::client
