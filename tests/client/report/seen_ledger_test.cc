#include "client/report/facts/seen_ledger.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "client/report/facts/ledger_facts.h"
#include "client/report/facts/rounded_numbers.h"
#include "tests/client/chain_builder.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Of an auditor's report, and of alice, whose plan stands between two of bob's.
class SeenLedgerTest : public ::testing::TestWithParam<bool> {
 protected:
  explicit SeenLedgerTest()
      : chain_(GetParam() ? ChainBuilder::Vouchers() : ChainBuilder().policy()) {}

  void Release(const std::string& principal, const std::string& plan, int iteration, int64_t ms,
               int waited) {
    v1::LedgerEvent event;
    event.set_principal(principal);
    v1::IterationCharged& charged = *event.mutable_iteration_charged();
    charged.set_plan_id(plan);
    charged.set_iteration(iteration);
    charged.set_release_key_sha256(std::string(32, 'k'));
    if (ms >= 0) charged.mutable_protection()->set_release_interval_ms(ms);
    event.set_time_ms(++time_ms_);
    chain_.Append(event);
    event.mutable_release_published()->set_plan_id(plan);
    event.mutable_release_published()->set_iteration(iteration);
    event.mutable_release_published()->set_intervals_waited(waited);
    event.set_time_ms(++time_ms_);
    chain_.Append(event);
  }
  void Fill(int64_t alices_ms, int64_t bobs_ms) {
    chain_.Reserve("bob", "his", 40, 2);
    chain_.Reserve("alice", "hers", 40, 3);
    chain_.Reserve("bob", "his other", 40, 1);
    Release("alice", "hers", 1, alices_ms, 1);
    Release("alice", "hers", 2, alices_ms, 2);
    Release("bob", "his", 1, bobs_ms, 4);
    chain_.Cancel("bob", "his", 1);
  }

  static v1::ReportedLedger Of(const std::vector<v1::LedgerEntry>& entries) {
    v1::Report report;
    EXPECT_OK(AddLedgerFacts({.entries = entries, .plans = {"hers"}}, report));
    EXPECT_TRUE(RoundNumbers(report));
    return report.ledger();
  }
  // Whether alice, with her export, finds nothing in what the auditor's report tells.
  bool IsBorneOut(const std::function<void(v1::ReportedLedger&)>& forge) {
    v1::ReportedLedger told = Of(chain_.entries());
    forge(told);
    const std::vector<v1::LedgerEntry> seen = chain_.SeenBy("alice");
    v1::ReportedLedger found = Of(seen);
    const auto sealed = SeeAsWriter(told, seen, found);
    EXPECT_OK(sealed);
    EXPECT_THAT(*sealed,
                ElementsAre(HasSubstr("sealed to you: what 5 entries say"), HasSubstr("--corpus")));
    return google::protobuf::util::MessageDifferencer::Equals(told, found);
  }

  ChainBuilder chain_;
  int64_t time_ms_ = 1000;
};

TEST_P(SeenLedgerTest, WhatIsSealedIsTakenOverUnlessWhatIsSeenContradictsIt) {
  Fill(400, 200);
  EXPECT_TRUE(IsBorneOut([](v1::ReportedLedger&) {}));
  for (const std::function<void(v1::ReportedLedger&)>& forge :
       std::vector<std::function<void(v1::ReportedLedger&)>>{
           [](v1::ReportedLedger& told) { told.set_shortest_interval_ms(401); },
           [](v1::ReportedLedger& told) { told.set_shortest_interval_ms(-1); },
           [](v1::ReportedLedger& told) { told.set_overruns(0); },
           [](v1::ReportedLedger& told) { told.set_restarts(-1); },
           [](v1::ReportedLedger& told) { told.set_time_ms(1001); },
           [](v1::ReportedLedger& told) { told.set_spent(told.spent() / 100); },
           [](v1::ReportedLedger& told) { told.mutable_plans(1)->set_voided(1); },
           [](v1::ReportedLedger& told) { told.mutable_plans(1)->set_spent_after(0); },
           [](v1::ReportedLedger& told) { told.mutable_plans(0)->set_sequence(5); },
           [](v1::ReportedLedger& told) { told.mutable_plans(2)->set_plan_id("his"); },
           [](v1::ReportedLedger& told) { told.mutable_plans()->SwapElements(0, 2); }}) {
    EXPECT_FALSE(IsBorneOut(forge));
  }
}

// One release that does not say its interval is enough, whoever's it is.
TEST_P(SeenLedgerTest, AReleaseThatSaysNoIntervalIsNotToldAway) {
  Fill(-1, 200);
  EXPECT_TRUE(IsBorneOut([](v1::ReportedLedger&) {}));
  EXPECT_FALSE(IsBorneOut([](v1::ReportedLedger& told) { told.set_knows_timing(true); }));
}

TEST_P(SeenLedgerTest, AnotherAnalystsReleaseMayBeTheOneThatSaysNoInterval) {
  Fill(400, -1);
  EXPECT_FALSE(Of(chain_.entries()).knows_timing());
  EXPECT_TRUE(IsBorneOut([](v1::ReportedLedger&) {}));
}

// Of a part, whoever sees all of it: as its writer saw it, with what the wall told of everybody.
TEST_P(SeenLedgerTest, WhoeverSeesMoreSeesThePartAsItsWriter) {
  Fill(400, 200);
  const v1::ReportedLedger all = Of(chain_.entries());
  v1::ReportedLedger told = Of(chain_.SeenBy("alice"));
  const auto differs = [&] {
    v1::ReportedLedger found = all;
    const auto sealed = SeeAsWriter(told, chain_.entries(), found);
    EXPECT_OK(sealed);
    EXPECT_THAT(*sealed, IsEmpty());
    return !google::protobuf::util::MessageDifferencer::Equals(told, found);
  };
  EXPECT_FALSE(differs());
  told.set_spent_by_all(all.spent());
  EXPECT_TRUE(differs());  // what was spent around her plan is then everybody's, too
  told.mutable_plans(0)->set_spent_before(all.plans(1).spent_before());
  told.mutable_plans(0)->set_spent_after(all.plans(1).spent_after());
  EXPECT_FALSE(differs());
  told.set_spent_by_all(all.spent() / 2);
  EXPECT_TRUE(differs());
}

INSTANTIATE_TEST_SUITE_P(UnderFilterAndInventory, SeenLedgerTest, ::testing::Bool());

}  // namespace
}  // namespace topicwall::client
