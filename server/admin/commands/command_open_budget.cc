// In this order, so that a no or an error leaves nothing behind that looks like a budget:
//   1. whatever can be refused without a ledger: the corpus opens, the policy can be enforced, a
//      pair out of all proportion is meant;
//   2. the ledger is opened, or made where there never was one;
//   3. the version has no budget yet, and if the ledger was restored, had none that it lost;
//   4. what the key sees of units in other corpora is held against what was declared, and what is
//      left is asked about;
//   5. the mark, durably: from here on a missing ledger is a lost one;
//   6. the budget.
// Step 4 compares but does not decide: the event that analysts see says what the custodian
// declared, and would be the same if nobody had a unit in common. An event that came only when
// units are shared would tell, of one person who is in both, that they are.
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

absl::StatusOr<Candidate> OpenCandidate(const Custody& custody, const std::string& name) {
  TW_RETURN_IF_ERROR(server::FindCorpusConfig(custody.config, name).status());
  auto store = corpus::CorpusStore::Open(server::CorpusFile(custody.config, name), custody.key);
  if (absl::IsNotFound(store.status())) {
    return absl::NotFoundError(
        absl::StrCat("corpus ", name, " is not ingested yet: topicwall-admin ingest comes first."));
  }
  if (!store.ok()) return store.status();
  const corpus::CorpusDescription& description = (*store)->description();
  return Candidate{.name = name,
                   .version = std::string(description.version.begin(), description.version.end()),
                   .unit = description.privacy_unit,
                   .store = *std::move(store)};
}

// The one place that creates a ledger: for a first budget, where none ever was. One in a database
// comes there by migrate-ledger. By what is there:
//   no file, no mark            create;
//   no file, a mark             lost: an error that names restore;
//   some file, and mark or id   open, which says what is wrong if something is;
//   a database, nothing else    interrupted before anything was promised: create.
absl::StatusOr<LedgerPtr> OpenOrCreateLedger(const Custody& custody,
                                             store::DataDirectoryLock lock) {
  if (custody.config.has_ledger()) return OpenLedgerToWrite(custody, std::move(lock));
  const absl::Status never_opened = RequireNeverOpened(lock.directory());
  if (absl::IsNotFound(store::CheckFilesPresent(lock.directory()))) {
    TW_RETURN_IF_ERROR(never_opened);
  } else if (!never_opened.ok() || store::HasIdentityFile(lock.directory())) {
    return OpenLedgerToWrite(custody, std::move(lock));
  }  // else what an interrupted creation left
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  return ledger::FoldedLedger::Create(std::move(lock), std::move(keys));
}

// A restored ledger cannot tell: what was opened after the backup is not in it. Nor does the
// version tell, since the same documents may have been ingested again.
absl::Status RequireNoBudget(ledger::FoldedLedger& ledger, const Candidate& corpus,
                             bool not_opened_before) {
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus_status,
                      ledger.StatusOfCorpus(corpus.version));
  if (corpus_status.state == v1::CORPUS_STATE_NO_BUDGET) {
    if (!corpus_status.after_restore || not_opened_before) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(
        "the ledger was restored from a backup, and knows no budget that was opened after it: "
        "should the documents of ",
        corpus.name,
        " have had one, another would let them be spent twice. Look at what analysts and auditors "
        "keep (topicwall watch, receipts, exports) and at statements. If there was one, open none; "
        "if there was none, give --not-opened-before, which the new budget's chain, descriptions "
        "and statements tell for ever."));
  }
  return absl::AlreadyExistsError(absl::StrCat(
      "corpus ", corpus.name, ", version ", base::Hex(corpus.version), ", has budget ",
      corpus_status.budget_id, " already; a budget never changes. See topicwall-admin status."));
}

// What the vouchers come to all together, and what would do if that is too much.
absl::Status RequireWithinBudget(const accountant::VoucherInventory& inventory,
                                 const accountant::VoucherKind& first) {
  const absl::Status within = inventory.RequireWithinBudget();
  if (within.ok()) return within;
  const std::vector<accountant::VoucherKind>& kinds = inventory.spec().kinds;
  // The inventory has merged and sorted what was typed; the first one typed is the one to give way.
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
  // Options have seen to it that an inventory has some.
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
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus_status,
                      ledger.StatusOfCorpus(corpus.version));
  const accountant::PrivacyParams& budget = corpus_status.policy->budget();
  // The sentence that analysts read in every description, so that the custodian has read it as
  // well.
  const std::string guarantee = server::GuaranteeOf(corpus.unit, corpus_status);
  Outcome outcome;
  outcome.text =
      absl::StrCat("Corpus ", corpus.name, ", version ", base::Hex(corpus.version),
                   ", spends from budget ", corpus_status.budget_id, ".\n", guarantee, "\n");
  std::vector<std::string> others;
  for (const v1::SharedBudget& other : corpus_status.sum.budgets())
    others.push_back(other.budget_id());
  outcome.json.SetString("corpus", corpus.name)
      .SetString("version", base::Hex(corpus.version))
      .SetString("budget_id", corpus_status.budget_id)
      .SetNumber("epsilon", budget.epsilon)
      .SetNumber("delta", budget.delta)
      .SetString("guarantee", guarantee)
      .SetStrings("may_share_with", others)
      .SetNumber("sum_epsilon", corpus_status.sum.epsilon())
      .SetNumber("sum_delta", corpus_status.sum.delta());
  AddPolicy(*corpus_status.policy, corpus_status.spent, &outcome.text, &outcome.json);
  return outcome;
}

absl::StatusOr<Outcome> Join(const Custody& custody, ledger::FoldedLedger& ledger,
                             const Candidate& corpus, const OpenBudgetFlags& flags) {
  const std::string& other = flags.join;
  const int64_t now_ms = release::SystemClock().NowMs();  // as in OpenOwn
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> statuses, ledger.Corpora());
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus joined,
                      FindBudgeted(custody.config, statuses, other));
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
                      FindSharedUnits(custody, *corpus.store, statuses));
  // What was declared of the budget must hold of this corpus, too. A budget that the joined one's
  // sum does not name was declared disjoint from it, by either of the two, and all analysts were
  // told so.
  const auto declared = [&joined](const std::string& budget_id) {
    const auto& told = joined.sum.budgets();
    return budget_id != joined.budget_id &&
           std::none_of(told.begin(), told.end(),
                        [&](const auto& budget) { return budget.budget_id() == budget_id; });
  };
  // The sum may grow by an opening, but a join adds no promise: what it must not do is make an old
  // one false.
  TW_ASSIGN_OR_RETURN(std::vector<std::string> warnings,
                      RequireNotShared(corpus.name, sharing, declared));
  if (!warnings.empty()) {
    TW_RETURN_IF_ERROR(
        Confirm(absl::StrCat(OnYourWord(warnings), "Join it?"), flags.yes, flags.dialogue));
  }
  TW_RETURN_IF_ERROR(MarkOpened(custody.config.data_directory()));
  TW_RETURN_IF_ERROR(ledger.JoinBudget(joined.budget_id, corpus.name, corpus.version, now_ms));
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
    // RequireNotShared has seen to those.
    if (IsDeclared(disjoint, other.corpus_status.budget_id)) continue;
    const accountant::PrivacyParams& budget = other.corpus_status.policy->budget();
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
  // Before units are compared: how long that takes is in no event.
  const int64_t now_ms = release::SystemClock().NowMs();
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> statuses, ledger.Corpora());
  TW_ASSIGN_OR_RETURN(const std::vector<v1::DisjointBudget> disjoint,
                      DisjointBudgets(custody, statuses, flags.disjoint));
  TW_ASSIGN_OR_RETURN(const std::vector<SharingWith> sharing,
                      FindSharedUnits(custody, *corpus.store, statuses));
  TW_ASSIGN_OR_RETURN(std::vector<std::string> warnings,
                      RequireNotShared(corpus.name, sharing, [&](const std::string& budget_id) {
                        return IsDeclared(disjoint, budget_id);
                      }));
  const std::string to_know = BesideOthers(corpus, sharing, disjoint) + OnYourWord(warnings);
  if (!to_know.empty()) {
    TW_RETURN_IF_ERROR(Confirm(absl::StrCat(to_know, "Open it?"), flags.yes, flags.dialogue));
  }
  TW_RETURN_IF_ERROR(MarkOpened(custody.config.data_directory()));
  TW_RETURN_IF_ERROR(ledger
                         .OpenBudget({.custodian_id = custody.config.custodian_id(),
                                      .policy = policy.spec(),
                                      .privacy_unit = corpus.unit,
                                      .corpus = corpus.name,
                                      .corpus_version = corpus.version,
                                      .disjoint = disjoint,
                                      .now_ms = now_ms})
                         .status());
  TW_ASSIGN_OR_RETURN(Outcome outcome, Opened(ledger, corpus));
  outcome.json.SetBool("new_ledger", statuses.empty());
  if (statuses.empty()) {
    absl::StrAppend(&outcome.text, "Its ledger, in ", custody.config.data_directory(),
                    ", is a new one: none was there before.\n");
  }
  outcome.warnings = std::move(warnings);
  return outcome;
}

}  // namespace

absl::StatusOr<Outcome> OpenBudget(const OpenBudgetFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, Lock(custody.config));
  TW_ASSIGN_OR_RETURN(const Candidate corpus, OpenCandidate(custody, flags.corpus));
  // A join creates no ledger: where there is a budget to join there is one.
  if (!flags.budget.has_value()) {
    TW_ASSIGN_OR_RETURN(const LedgerPtr ledger, OpenLedgerToWrite(custody, std::move(lock)));
    TW_RETURN_IF_ERROR(RequireNoBudget(*ledger, corpus, flags.not_opened_before));
    return Join(custody, *ledger, corpus, flags);
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
  TW_RETURN_IF_ERROR(RequireNoBudget(*ledger, corpus, flags.not_opened_before));
  return OpenOwn(custody, *ledger, corpus, policy, flags);
}

}  // namespace topicwall::admin
