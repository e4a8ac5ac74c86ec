#include "server/admin/commands/command_open_budget.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/filters/admission_policy.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/admin/budget_proportion.h"
#include "server/admin/custody.h"
#include "server/admin/opened_mark.h"
#include "server/admin/policy_summary.h"
#include "server/admin/shared_units.h"
#include "server/corpus/corpus_store.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/release/clock.h"
#include "server/store/ledger_files.h"
#include "server/vault/guarantee.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

using LedgerPtr = std::unique_ptr<ledger::FoldedLedger>;

// The corpus that is to get a budget.
struct Candidate {
  std::string name;
  std::string version;
  v1::PrivacyUnit unit;
  std::unique_ptr<corpus::CorpusStore> store;
};

std::string NameOf(v1::PrivacyUnit unit) {
  return unit == v1::PRIVACY_UNIT_OWNER ? "owner" : "document";
}

absl::StatusOr<Candidate> OpenCandidate(const Custody& custody, const std::string& name) {
  TW_RETURN_IF_ERROR(server::FindCorpusConfig(custody.config, name).status());
  auto store = corpus::CorpusStore::Open(server::CorpusFile(custody.config, name), custody.key);
  if (absl::IsNotFound(store.status())) {
    return absl::NotFoundError(
        absl::StrCat("corpus ", name, " is not ingested yet: topicwall-admin ingest comes first."));
  }
  if (!store.ok()) return store.status();
  const corpus::CorpusDescription& description = (*store)->description();
  const bool owner = description.privacy_unit == corpus::PrivacyUnit::kOwner;
  return Candidate{.name = name,
                   .version = std::string(description.version.begin(), description.version.end()),
                   .unit = owner ? v1::PRIVACY_UNIT_OWNER : v1::PRIVACY_UNIT_DOCUMENT,
                   .store = *std::move(store)};
}

// The one place that creates a ledger: for a first budget, where none ever was.
absl::StatusOr<LedgerPtr> OpenOrCreateLedger(const Custody& custody,
                                             store::DataDirectoryLock lock) {
  const absl::Status never_opened = RequireNeverOpened(lock.directory());
  if (absl::IsNotFound(store::CheckFilesPresent(lock.directory()))) {
    TW_RETURN_IF_ERROR(never_opened);
  } else if (!never_opened.ok() || store::HasIdentityFile(lock.directory())) {
    return OpenLedgerToWrite(custody, std::move(lock));
  }  // else what an interrupted creation left
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  return ledger::FoldedLedger::Create(std::move(lock), std::move(keys));
}

absl::Status RequireNoBudget(ledger::FoldedLedger& ledger, const Candidate& corpus) {
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding standing, ledger.Standing(corpus.version));
  if (standing.state == v1::CORPUS_STATE_NO_BUDGET) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      "corpus ", corpus.name, ", version ", base::Hex(corpus.version), ", has budget ",
      standing.budget_id, " already; a budget never changes. See topicwall-admin status."));
}

// What the vouchers come to all together, and what would do if that is too much.
absl::Status RequireWithinBudget(const accountant::VoucherInventory& inventory,
                                 const accountant::VoucherKind& first) {
  const absl::Status within = inventory.RequireWithinBudget();
  if (within.ok()) return within;
  const std::vector<accountant::VoucherKind>& kinds = inventory.spec().kinds;
  const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
    return kind.noise_multiplier == first.noise_multiplier &&
           kind.sampling_rate == first.sampling_rate;
  });
  TW_ASSIGN_OR_RETURN(const int64_t most,
                      inventory.MostOfKind(static_cast<size_t>(same - kinds.begin())));
  const std::string fits =
      most == 0 ? " Even without the first kind the others are too much."
                : absl::StrCat(" With ", most, " of the first kind (", first.noise_multiplier, ",",
                               first.sampling_rate, ") they would keep it.");
  return absl::InvalidArgumentError(absl::StrCat(within.message(), fits));
}

absl::StatusOr<accountant::AdmissionPolicy> PolicyOf(const OpenBudgetFlags& flags) {
  if (flags.vouchers.empty()) {
    TW_ASSIGN_OR_RETURN(const accountant::FilterSpec filter,
                        accountant::BudgetFilter::DefaultSpec(*flags.budget, flags.planned));
    return accountant::AdmissionPolicy::Create(filter);
  }
  TW_ASSIGN_OR_RETURN(const accountant::InventorySpec spec,
                      accountant::MakeInventorySpec(*flags.budget, flags.vouchers));
  TW_ASSIGN_OR_RETURN(accountant::AdmissionPolicy policy,
                      accountant::AdmissionPolicy::Create(spec));
  TW_RETURN_IF_ERROR(RequireWithinBudget(*policy.inventory(), flags.vouchers.front()));
  return policy;
}

bool IsDeclared(const std::vector<v1::DisjointBudget>& disjoint, const std::string& budget_id) {
  return std::any_of(disjoint.begin(), disjoint.end(), [&](const v1::DisjointBudget& budget) {
    return budget.budget_id() == budget_id;
  });
}

// What was opened, as the ledger now has it, with the sum over all budgets that may share people.
absl::StatusOr<Outcome> Opened(ledger::FoldedLedger& ledger, const Candidate& corpus) {
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding standing, ledger.Standing(corpus.version));
  const accountant::PrivacyParams& budget = standing.policy->budget();
  const std::string guarantee = server::GuaranteeOf(corpus.unit, standing);
  Outcome outcome;
  outcome.text = absl::StrCat("Corpus ", corpus.name, ", version ", base::Hex(corpus.version),
                              ", spends from budget ", standing.budget_id, ".\n", guarantee, "\n");
  std::vector<std::string> others;
  for (const v1::SharedBudget& other : standing.sum.budgets()) others.push_back(other.budget_id());
  outcome.json.SetString("corpus", corpus.name)
      .SetString("version", base::Hex(corpus.version))
      .SetString("budget_id", standing.budget_id)
      .SetNumber("epsilon", budget.epsilon)
      .SetNumber("delta", budget.delta)
      .SetString("guarantee", guarantee)
      .SetStrings("may_share_with", others)
      .SetNumber("sum_epsilon", standing.sum.epsilon())
      .SetNumber("sum_delta", standing.sum.delta());
  AddPolicy(*standing.policy, standing.spent, &outcome.text, &outcome.json);
  return outcome;
}

absl::StatusOr<Outcome> Join(const Custody& custody, ledger::FoldedLedger& ledger,
                             const Candidate& corpus, const std::string& other) {
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger.Corpora());
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding joined,
                      FindBudgeted(custody.config, standings, other));
  TW_ASSIGN_OR_RETURN(const accountant::ledger::BudgetState state,
                      ledger.StateOf(joined.corpus_version));
  const v1::PrivacyUnit unit = state.opening().privacy_unit();
  if (unit != corpus.unit) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the budget of ", other, " has the privacy unit ", NameOf(unit),
        " and cannot be joined by corpus ", corpus.name, " with the unit ", NameOf(corpus.unit),
        ". Ingest that with --privacy-unit ", NameOf(unit), " --replace."));
  }
  TW_ASSIGN_OR_RETURN(const std::vector<SharingWith> sharing,
                      FindSharedUnits(custody, *corpus.store, standings));
  // What was declared of the budget must hold of this corpus, too.
  const auto declared = [&joined](const std::string& budget_id) {
    const auto& told = joined.sum.budgets();
    return budget_id != joined.budget_id &&
           std::none_of(told.begin(), told.end(),
                        [&](const auto& budget) { return budget.budget_id() == budget_id; });
  };
  TW_ASSIGN_OR_RETURN(std::vector<std::string> warnings, RequireNotShared(sharing, declared));
  TW_RETURN_IF_ERROR(MarkOpened(server::LedgerDirectory(custody.config)));
  TW_RETURN_IF_ERROR(ledger.JoinBudget(joined.budget_id, corpus.name, corpus.version,
                                       release::SystemClock().NowMs()));
  TW_ASSIGN_OR_RETURN(Outcome outcome, Opened(ledger, corpus));
  outcome.warnings = std::move(warnings);
  return outcome;
}

// What the custodian must know before opening beside other budgets; empty if there is none. The
// findings of the key are for this terminal alone.
std::string BesideOthers(const Candidate& corpus, const std::vector<SharingWith>& sharing,
                         const std::vector<v1::DisjointBudget>& disjoint) {
  std::string lines;
  for (const SharingWith& other : sharing) {
    if (IsDeclared(disjoint, other.standing.budget_id)) continue;
    const accountant::PrivacyParams& budget = other.standing.policy->budget();
    absl::StrAppend(&lines, "  ", Describe(other), ", epsilon ", budget.epsilon, ", delta ",
                    budget.delta, "\n");
  }
  if (lines.empty()) return "";
  return absl::StrCat(
      "Other budgets may concern the people of ", corpus.name, ":\n", lines,
      "Whoever is in both loses what both allow: epsilons and deltas add up, and the analysts of "
      "each are told the sum. Otherwise --join CORPUS spends from the budget of that corpus, and "
      "--disjoint CORPUS=REASON declares that nobody can be in both.\n");
}

absl::StatusOr<Outcome> OpenOwn(const Custody& custody, ledger::FoldedLedger& ledger,
                                const Candidate& corpus, const accountant::AdmissionPolicy& policy,
                                const OpenBudgetFlags& flags) {
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger.Corpora());
  TW_ASSIGN_OR_RETURN(const std::vector<v1::DisjointBudget> disjoint,
                      DisjointBudgets(custody, standings, flags.disjoint));
  TW_ASSIGN_OR_RETURN(const std::vector<SharingWith> sharing,
                      FindSharedUnits(custody, *corpus.store, standings));
  TW_ASSIGN_OR_RETURN(std::vector<std::string> warnings,
                      RequireNotShared(sharing, [&](const std::string& budget_id) {
                        return IsDeclared(disjoint, budget_id);
                      }));
  const std::string beside = BesideOthers(corpus, sharing, disjoint);
  if (!beside.empty()) {
    TW_RETURN_IF_ERROR(Confirm(absl::StrCat(beside, "Open it?"), flags.yes, flags.dialogue));
  }
  TW_RETURN_IF_ERROR(MarkOpened(server::LedgerDirectory(custody.config)));
  TW_RETURN_IF_ERROR(ledger
                         .OpenBudget({.custodian_id = custody.config.custodian_id(),
                                      .policy = policy.spec(),
                                      .privacy_unit = corpus.unit,
                                      .corpus = corpus.name,
                                      .corpus_version = corpus.version,
                                      .disjoint = disjoint,
                                      .now_ms = release::SystemClock().NowMs()})
                         .status());
  TW_ASSIGN_OR_RETURN(Outcome outcome, Opened(ledger, corpus));
  outcome.warnings = std::move(warnings);
  return outcome;
}

}  // namespace

absl::StatusOr<Outcome> OpenBudget(const OpenBudgetFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, Lock(custody.config));
  TW_ASSIGN_OR_RETURN(const Candidate corpus, OpenCandidate(custody, flags.corpus));
  if (!flags.budget.has_value()) {
    TW_ASSIGN_OR_RETURN(const LedgerPtr ledger, OpenLedgerToWrite(custody, std::move(lock)));
    TW_RETURN_IF_ERROR(RequireNoBudget(*ledger, corpus));
    return Join(custody, *ledger, corpus, flags.join);
  }
  // A budget that cannot be enforced, or is not wanted, must not leave an empty ledger behind.
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, PolicyOf(flags));
  TW_ASSIGN_OR_RETURN(const v1::CorpusConfig configured,
                      server::FindCorpusConfig(custody.config, corpus.name));
  const std::string unusual = OutOfProportion(*flags.budget, configured);
  if (!unusual.empty()) {
    TW_RETURN_IF_ERROR(Confirm(absl::StrCat(unusual, "A budget never changes. Open it?"), flags.yes,
                               flags.dialogue));
  }
  TW_ASSIGN_OR_RETURN(const LedgerPtr ledger, OpenOrCreateLedger(custody, std::move(lock)));
  TW_RETURN_IF_ERROR(RequireNoBudget(*ledger, corpus));
  return OpenOwn(custody, *ledger, corpus, policy, flags);
}

}  // namespace topicwall::admin
