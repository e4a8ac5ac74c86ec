#include "server/admin/command_open_budget.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/admission_policy.h"
#include "accountant/status_macros.h"
#include "server/admin/budget_events.h"
#include "server/admin/custody.h"
#include "server/admin/opened_mark.h"
#include "server/admin/policy_summary.h"
#include "server/admin/shared_units.h"
#include "server/corpus/corpus_store.h"
#include "server/ledger/ledger_schema.h"
#include "server/ledger/sqlite_ledger.h"
#include "server/release/clock.h"
#include "server/wall_config.h"
#include "server/wall_queries.h"

namespace topicwall::admin {
namespace {

using LedgerPtr = std::unique_ptr<ledger::SqliteLedger>;

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
                                             ledger::DataDirectoryLock lock) {
  const absl::Status never_opened = RequireNeverOpened(lock.directory());
  if (absl::IsNotFound(ledger::CheckFilesPresent(lock.directory()))) {
    TW_RETURN_IF_ERROR(never_opened);
  } else if (!never_opened.ok() || ledger::HasIdentityFile(lock.directory())) {
    return OpenLedgerToWrite(custody, std::move(lock));
  }  // else what an interrupted creation left
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  return ledger::SqliteLedger::Create(std::move(lock), std::move(keys));
}

absl::Status RequireNoBudget(ledger::SqliteLedger& ledger, const Candidate& corpus) {
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding standing, ledger.Standing(corpus.version));
  if (standing.state == v1::CORPUS_STATE_NO_BUDGET) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      "corpus ", corpus.name, ", version ", Hex(corpus.version), ", has budget ",
      standing.budget_id, " already; a budget never changes. See topicwall-admin status."));
}

// Those whose people may be in the corpus, but for the budget `joined`.
std::vector<SharingWith> NeedDecision(std::vector<SharingWith> all, absl::string_view joined) {
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const SharingWith& other) {
                             return other.sharing == Sharing::kNone ||
                                    other.standing.budget_id == joined;
                           }),
            all.end());
  return all;
}

std::string List(const std::vector<SharingWith>& others) {
  std::string lines;
  for (const SharingWith& other : others) absl::StrAppend(&lines, "\n  ", Describe(other));
  return lines;
}

absl::Status Undecided(const Candidate& corpus, const std::vector<SharingWith>& others) {
  return absl::FailedPreconditionError(absl::StrCat(
      "corpus ", corpus.name,
      " may hold people that another budget protects already:", List(others),
      "\nWhoever is in both loses what both budgets allow, so decide:"
      "\n  --join CORPUS   ",
      corpus.name,
      " spends from the budget of that corpus as well; its "
      "guarantee stays what it is."
      "\n  --add-budgets   a budget of its own; for people in both, epsilons and deltas add up, "
      "which every analyst is told."));
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

Outcome Opened(const Candidate& corpus, const std::string& budget_id,
               const accountant::AdmissionPolicy& policy) {
  const accountant::PrivacyParams& budget = policy.budget();
  const std::string guarantee =
      server::GuaranteeSentence(corpus.unit, budget.epsilon, budget.delta);
  Outcome outcome;
  outcome.text = absl::StrCat("Corpus ", corpus.name, ", version ", Hex(corpus.version),
                              ", spends from budget ", budget_id, ".\n", guarantee, "\n");
  outcome.json.Text("corpus", corpus.name)
      .Text("version", Hex(corpus.version))
      .Text("budget_id", budget_id)
      .Number("epsilon", budget.epsilon)
      .Number("delta", budget.delta)
      .Text("guarantee", guarantee);
  AddPolicy(policy, policy.NothingSpent(), &outcome.text, &outcome.json);
  return outcome;
}

absl::StatusOr<Outcome> Join(const Custody& custody, ledger::SqliteLedger& ledger,
                             const Candidate& corpus, const std::string& other) {
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger.Corpora());
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding joined,
                      FindBudgeted(custody.config, standings, other));
  TW_ASSIGN_OR_RETURN(const ledger::BudgetPicture picture,
                      PictureOf(ledger, joined.corpus_version));
  if (picture.privacy_unit != corpus.unit) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the budget of ", other, " has the privacy unit ", NameOf(picture.privacy_unit),
        " and cannot be joined by corpus ", corpus.name, " with the unit ", NameOf(corpus.unit),
        ". Ingest that with --privacy-unit ", NameOf(picture.privacy_unit), " --replace."));
  }
  TW_ASSIGN_OR_RETURN(std::vector<SharingWith> sharing,
                      FindSharedUnits(custody, *corpus.store, standings));
  const std::vector<SharingWith> rest = NeedDecision(std::move(sharing), joined.budget_id);
  if (!rest.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "joining the budget of ", other, " is not enough, other budgets may protect people of ",
        corpus.name, " too:", List(rest), "\nA corpus joins one budget only: use --add-budgets."));
  }
  TW_RETURN_IF_ERROR(MarkOpened(server::LedgerDirectory(custody.config)));
  TW_RETURN_IF_ERROR(ledger.JoinBudget(joined.budget_id, corpus.name, corpus.version,
                                       release::SystemClock().NowMs()));
  return Opened(corpus, joined.budget_id, *joined.policy);
}

// Budgets that are added up with a new one of privacy unit `unit`, each once, and what is
// left to say about the others.
struct Sum {
  std::vector<std::string> budget_ids;
  accountant::PrivacyParams total;
  std::vector<std::string> without_sum;
};

absl::StatusOr<Sum> AddUp(ledger::SqliteLedger& ledger, const Candidate& corpus,
                          const accountant::PrivacyParams& own,
                          const std::vector<SharingWith>& others) {
  Sum sum{.budget_ids = {}, .total = own, .without_sum = {}};
  for (const SharingWith& other : others) {
    const ledger::CorpusStanding& standing = other.standing;
    TW_ASSIGN_OR_RETURN(const ledger::BudgetPicture picture,
                        PictureOf(ledger, standing.corpus_version));
    if (picture.privacy_unit != corpus.unit) {
      sum.without_sum.push_back(absl::StrCat(
          "the budget of ", standing.corpus, " protects each ", NameOf(picture.privacy_unit),
          ", that of ", corpus.name, " each ", NameOf(corpus.unit),
          ": for people in both each "
          "guarantee holds for its own unit, and they have no sum."));
      continue;
    }
    const auto& ids = sum.budget_ids;
    if (std::find(ids.begin(), ids.end(), standing.budget_id) != ids.end()) continue;
    sum.budget_ids.push_back(standing.budget_id);
    sum.total.epsilon += standing.policy->budget().epsilon;
    sum.total.delta += standing.policy->budget().delta;
  }
  return sum;
}

absl::StatusOr<Outcome> OpenOwn(const Custody& custody, ledger::SqliteLedger& ledger,
                                const Candidate& corpus, const accountant::AdmissionPolicy& policy,
                                bool add_budgets) {
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger.Corpora());
  TW_ASSIGN_OR_RETURN(std::vector<SharingWith> sharing,
                      FindSharedUnits(custody, *corpus.store, standings));
  const std::vector<SharingWith> others = NeedDecision(std::move(sharing), "");
  if (!others.empty() && !add_budgets) return Undecided(corpus, others);
  TW_ASSIGN_OR_RETURN(const Sum sum, AddUp(ledger, corpus, policy.budget(), others));
  TW_RETURN_IF_ERROR(MarkOpened(server::LedgerDirectory(custody.config)));
  TW_ASSIGN_OR_RETURN(const std::string budget_id,
                      ledger.OpenBudget({.custodian_id = custody.config.custodian_id(),
                                         .policy = policy.spec(),
                                         .privacy_unit = corpus.unit,
                                         .corpus = corpus.name,
                                         .corpus_version = corpus.version,
                                         .added_budget_ids = sum.budget_ids,
                                         .now_ms = release::SystemClock().NowMs()}));
  Outcome outcome = Opened(corpus, budget_id, policy);
  outcome.warnings = sum.without_sum;
  if (!sum.budget_ids.empty()) {
    absl::StrAppend(&outcome.text, "For people who are also in a corpus of ",
                    sum.budget_ids.size() == 1 ? "the budget" : "the budgets",
                    " it is added to, "
                    "the guarantee is the sum: (",
                    sum.total.epsilon, ", ", sum.total.delta, "). Added:\n");
    for (const std::string& id : sum.budget_ids) absl::StrAppend(&outcome.text, "  ", id, "\n");
    outcome.json.Texts("added_budget_ids", sum.budget_ids)
        .Number("added_epsilon", sum.total.epsilon)
        .Number("added_delta", sum.total.delta);
  }
  return outcome;
}

}  // namespace

absl::StatusOr<Outcome> OpenBudget(const OpenBudgetFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(ledger::DataDirectoryLock lock, Lock(custody.config));
  TW_ASSIGN_OR_RETURN(const Candidate corpus, OpenCandidate(custody, flags.corpus));
  if (!flags.budget.has_value()) {
    TW_ASSIGN_OR_RETURN(const LedgerPtr ledger, OpenLedgerToWrite(custody, std::move(lock)));
    TW_RETURN_IF_ERROR(RequireNoBudget(*ledger, corpus));
    return Join(custody, *ledger, corpus, flags.join);
  }
  // A budget that cannot be enforced must not leave an empty ledger behind.
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, PolicyOf(flags));
  TW_ASSIGN_OR_RETURN(const LedgerPtr ledger, OpenOrCreateLedger(custody, std::move(lock)));
  TW_RETURN_IF_ERROR(RequireNoBudget(*ledger, corpus));
  return OpenOwn(custody, *ledger, corpus, policy, flags.add_budgets);
}

}  // namespace topicwall::admin
