// The tables alone, without the ledger over them, and one budget in them that no event
// tells of: for tests of single tables.
#ifndef TOPICWALL_TESTS_SERVER_LEDGER_BARE_LEDGER_H_
#define TOPICWALL_TESTS_SERVER_LEDGER_BARE_LEDGER_H_

#include <optional>
#include <string>
#include <utility>

#include "proto/ledger_chain.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/ledger_schema.h"
#include "server/ledger/plan_table.h"
#include "server/ledger/policy_record.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {

class BareLedger {
 public:
  static constexpr char kBudgetId[] = "b";

  BareLedger() {
    auto made =
        SqliteConnection::Open(directory_.path() + "/bare.db", SqliteConnection::Mode::kCreate);
    EXPECT_OK(made);
    connection_.emplace(*std::move(made));
    EXPECT_OK(CreateTables(*connection_, "ledger", testing::SealingKeyForTests()));
    EXPECT_OK(InsertBudget(*connection_, Budget()));
    EXPECT_OK(InsertCorpus(*connection_, Corpus()));
  }

  SqliteConnection& connection() { return *connection_; }

  static BudgetRow Budget() {
    return {.budget_id = kBudgetId,
            .privacy_unit = v1::PRIVACY_UNIT_OWNER,
            .policy = RecordOf(testing::NotesBudget().policy).SerializeAsString(),
            .spent = accountant::CostVector(testing::NotesPolicy().NothingSpent().size(), 3),
            .events = 0,
            .head = proto::GenesisHead(),
            .restored_at = 0,
            .signing_key = ""};
  }

  static CorpusRow Corpus() {
    return {.corpus_version = testing::kNotesVersion,
            .corpus = "notes",
            .budget_id = kBudgetId,
            .overruns = 0,
            .acknowledged = 0};
  }

  static PlanRow Plan(const std::string& plan_id, const std::string& principal) {
    return {.plan_id = plan_id,
            .corpus_version = testing::kNotesVersion,
            .principal = principal,
            .request_id = "request of " + plan_id,
            .spec = BytesOfPlan(testing::SmallPlan(5)),
            .cost = {1, 2, accountant::kDeadOrder},
            .reserved_at_ms = 2000,
            .state = v1::PlanState::ACTIVE,
            .iterations = 5,
            .reserved_iterations = 5,
            .refundable = true};
  }

  static ChargeRow Charge(const std::string& plan_id, int iteration) {
    return {.charge_id = 0,
            .plan_id = plan_id,
            .iteration = iteration,
            .request_digest = std::string(32, 'd'),
            .charged_at_ms = 3000,
            .state = ChargeState::kCharged,
            .recomputations = 0,
            .sealed_release_key = "sealed",
            .header_sha256 = "",
            .release_sha256 = "",
            .readable_at_ms = 0,
            .intervals_waited = 0};
  }

 private:
  testing::TemporaryDirectory directory_;
  std::optional<SqliteConnection> connection_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_TESTS_SERVER_LEDGER_BARE_LEDGER_H_
