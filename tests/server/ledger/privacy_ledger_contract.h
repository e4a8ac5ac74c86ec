// What every PrivacyLedger must do, whatever it stores its rows in. Another implementation
// adds its factory to Implementations() in privacy_ledger_test.cc and passes all of it.
#ifndef TOPICWALL_TESTS_SERVER_LEDGER_PRIVACY_LEDGER_CONTRACT_H_
#define TOPICWALL_TESTS_SERVER_LEDGER_PRIVACY_LEDGER_CONTRACT_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "server/ledger/custodian_acts.h"
#include "server/ledger/privacy_ledger.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {

// A ledger with NotesBudget() open.
class LedgerUnderTest {
 public:
  virtual ~LedgerUnderTest() = default;
  virtual PrivacyLedger& ledger() = 0;
  virtual CustodianActs& custodian() = 0;
  virtual std::string budget_id() = 0;
  // As after the process ended and was started again.
  virtual void Reopen() = 0;
};

struct LedgerImplementation {
  std::string name;
  std::function<std::unique_ptr<LedgerUnderTest>()> make;
};

// Test names and messages show the name, not the bytes of the object.
inline void PrintTo(const LedgerImplementation& implementation, std::ostream* stream) {
  *stream << implementation.name;
}

// In privacy_ledger_test.cc.
std::vector<LedgerImplementation> Implementations();

class PrivacyLedgerContract : public ::testing::TestWithParam<LedgerImplementation> {
 protected:
  PrivacyLedgerContract() : under_test_(GetParam().make()) {}

  PrivacyLedger& ledger() { return under_test_->ledger(); }
  CustodianActs& custodian() { return under_test_->custodian(); }
  std::string budget_id() { return under_test_->budget_id(); }
  void Reopen() { under_test_->Reopen(); }

  // A reserved plan; the test has failed if it is empty.
  v1::PlanState Reserved(const std::string& principal, int number, const v1::ReleaseSpec& plan) {
    auto reserved = ledger().Reserve(testing::ReserveRequestFor(principal, number, plan));
    EXPECT_OK(reserved);
    return reserved.ok() ? *reserved : v1::PlanState();
  }

  // Everything an auditor sees: what a refused request must not change.
  std::string WholeState() {
    auto budget = ledger().Budget(
        {.corpus_version = testing::kNotesVersion, .reader = {"ann", true}, .purse = {}});
    EXPECT_OK(budget);
    std::string state = budget->SerializeAsString();
    for (const std::string principal : {"alice", "bob"}) {
      auto plans = ledger().ListPlans({.principal = principal});
      EXPECT_OK(plans);
      for (const v1::PlanState& plan : plans->plans) state += plan.SerializeAsString();
    }
    for (const auto& entry : testing::EntriesSeenBy(ledger(), {"ann", true})) {
      state += entry.SerializeAsString();
    }
    return state;
  }

  v1::BudgetStatus BudgetSeenBy(const Reader& reader) {
    auto budget = ledger().Budget({.corpus_version = testing::kNotesVersion,
                                   .reader = reader,
                                   .purse = testing::PurseOf(reader.principal)});
    EXPECT_OK(budget);
    return *budget;
  }

 private:
  std::unique_ptr<LedgerUnderTest> under_test_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_TESTS_SERVER_LEDGER_PRIVACY_LEDGER_CONTRACT_H_
