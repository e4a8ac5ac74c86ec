#include "client/audit/wall_audit.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/chain_replay.h"
#include "client/audit/enforced_price.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

// What a description says of the budget, against its opening, and of the sum, against that of
// GetBudget, which was held against the chain where that tells one.
std::vector<std::string> DifferencesOf(const v1::CorpusDescription& description,
                                       const v1::BudgetStatus& budget,
                                       const accountant::PrivacyParams& promise,
                                       v1::PrivacyUnit unit) {
  std::vector<std::string> differences;
  if (description.epsilon() != promise.epsilon || description.delta() != promise.delta) {
    differences.push_back(absl::StrCat(
        "DescribeCorpus states epsilon ", description.epsilon(), " at delta ", description.delta(),
        "; the budget was opened with ", promise.epsilon, " at ", promise.delta, "."));
  } else if (description.privacy_unit() != unit) {
    differences.push_back(absl::StrCat("DescribeCorpus says that the privacy unit is ",
                                       v1::PrivacyUnit_Name(description.privacy_unit()),
                                       "; the budget was opened with ", v1::PrivacyUnit_Name(unit),
                                       "."));
  }
  if (!IsSameSum(description.sum(), budget.sum())) {
    differences.emplace_back(
        "DescribeCorpus tells another sum over budgets that may concern the same people than "
        "GetBudget.");
  }
  return differences;
}

// A number without a name here: nobody can say what it promises.
absl::Status SaysMore(const v1::CorpusDescription& description, absl::string_view of_what) {
  return proto::WrittenByNewer(
      absl::StrCat("what the wall tells of ", of_what, " of ", description.corpus()));
}

absl::Status CheckUnit(const v1::CorpusDescription& description) {
  return v1::PrivacyUnit_IsValid(description.privacy_unit())
             ? absl::OkStatus()
             : SaysMore(description, "the privacy unit");
}

absl::Status NotTheChains(absl::string_view corpus, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(
      "the wall says something else of the budget of ", corpus, " than its ledger: ", what,
      " Nothing more was reserved. Try again; if it stays so, keep this output and ask the "
      "custodian, by another way than this wall."));
}

}  // namespace

absl::StatusOr<WallAudit> AuditWall(WallPort& wall, const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(corpus));
  TW_RETURN_IF_ERROR(CheckUnit(description));
  // In this order: the ledger that is read then has at least as many entries as the budget counts.
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, wall.GetBudget(corpus));
  TW_ASSIGN_OR_RETURN(std::vector<v1::LedgerEntry> entries, wall.ReadLedger(corpus, 1));
  TW_ASSIGN_OR_RETURN(LedgerAudit audit, AuditLedger(entries, budget));
  // The description is what most analysts ever read of a corpus. A wall that lies or keeps quiet
  // there shows its auditors something else than everybody.
  for (std::string& difference :
       DifferencesOf(description, budget, audit.budget, audit.privacy_unit)) {
    audit.findings.push_back(std::move(difference));
  }
  return WallAudit{.budget = budget, .entries = std::move(entries), .audit = std::move(audit)};
}

absl::Status CheckKnown(const v1::CorpusDescription& description) {
  TW_RETURN_IF_ERROR(CheckUnit(description));
  // What may be charged in it, and what its releases are worth, only a newer program can say.
  return v1::CorpusState_IsValid(description.state()) ? absl::OkStatus()
                                                      : SaysMore(description, "the state");
}

absl::StatusOr<v1::BudgetStatus> OpenBudget(WallPort& wall, const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(v1::BudgetStatus budget, wall.GetBudget(corpus));
  if (budget.policy_case() != v1::BudgetStatus::POLICY_NOT_SET) return budget;
  return absl::FailedPreconditionError(
      absl::StrCat("no budget is open for ", corpus, ". Ask the custodian."));
}

absl::StatusOr<Account> AccountOf(WallPort& wall, const v1::CorpusDescription& description,
                                  const v1::BudgetStatus& budget) {
  TW_RETURN_IF_ERROR(CheckKnown(description));
  const std::string& corpus = description.corpus();
  TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries, wall.ReadLedger(corpus, 1));
  ChainReplay chain;
  for (const v1::LedgerEntry& entry : entries) {
    if (entry.sequence() > budget.events()) break;
    TW_RETURN_IF_ERROR(chain.Take(entry));
  }
  if (chain.empty() || chain.chain().length() != budget.events()) {
    return NotTheChains(corpus,
                        absl::StrCat("GetBudget counts ", budget.events(), " entries; only ",
                                     chain.chain().length(), " were sent."));
  }
  const LedgerReplay& replay = chain.replay();
  std::vector<std::string> differences = DifferencesOf(budget, chain);
  if (differences.empty()) {
    differences =
        DifferencesOf(description, budget, replay.policy().budget(), replay.privacy_unit());
  }
  if (!differences.empty()) return NotTheChains(corpus, differences.front());
  Account account{.policy = replay.policy(),
                  .spent = {budget.spent().begin(), budget.spent().end()}};
  if (budget.has_own() && budget.own().epsilon_cap() < account.policy.budget().epsilon) {
    account.cap = budget.own().epsilon_cap();
    // Its own events are in clear.
    account.own_spent = replay.SpentBy(budget.own().principal());
  }
  return account;
}

absl::StatusOr<v1::BudgetStatus> HeldBudget(WallPort& wall, const std::string& corpus,
                                            const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(v1::BudgetStatus budget, OpenBudget(wall, corpus));
  TW_RETURN_IF_ERROR(AccountOf(wall, description, budget).status());
  return budget;
}

}  // namespace topicwall::client
