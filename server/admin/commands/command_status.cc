// Takes no lock and needs no key: for beside a running server, and whoever may read the data
// directory. What it shows of a budget is a fold of its chain; of a file its head's version.
#include "server/admin/commands/command_status.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "accountant/ledger/price_record.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "proto/told_numbers.h"
#include "server/admin/custody.h"
#include "server/admin/policy_summary.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

std::string StateName(v1::CorpusState state) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::CorpusState_Name(state), "CORPUS_STATE_"));
}

// What a state asks of the custodian stands beside it: paused and frozen do not pass by themselves.
std::string NextStep(const ledger::CorpusStatus& corpus_status) {
  switch (corpus_status.state) {
    case v1::CORPUS_STATE_PAUSED:
      if (corpus_status.unacknowledged_overruns < accountant::ledger::kOverrunsThatPause) {
        return "Units could not be read: see to the corpus file (check-config), then "
               "topicwall-admin thaw --acknowledge-overruns --corpus NAME.";
      }
      return "Too many releases missed their instant: lengthen release_interval_ms, then "
             "topicwall-admin thaw --acknowledge-overruns --corpus NAME.";
    case v1::CORPUS_STATE_FROZEN:
      return "Restored from a backup: topicwall-admin thaw --head HEX or --events FILE, with "
             "--receipts FILE..., or --forfeit --corpus NAME.";
    default:
      return "";
  }
}

// But for the state, numbers of the chain alone, so that `status` and `verify-ledger` say the same
// of the same head.
base::JsonObject JsonOf(const ledger::CorpusStatus& corpus_status, const std::string& state) {
  base::JsonObject json;
  json.SetString("corpus", corpus_status.corpus)
      .SetString("version", base::Hex(corpus_status.corpus_version))
      .SetString("budget_id", corpus_status.budget_id)
      .SetString("state", state)
      .SetNumber("epsilon_spent", corpus_status.EpsilonSpent())
      .SetNumber("epsilon_total", corpus_status.policy->budget().epsilon)
      .SetNumber("delta", corpus_status.policy->budget().delta)
      .SetInteger("releases", corpus_status.releases_reserved)
      .SetInteger("overruns", corpus_status.overruns)
      .SetInteger("restarts", corpus_status.restarts)
      .SetInteger("voided", corpus_status.voided)
      .SetInteger("events", corpus_status.events)
      .SetString("head", base::Hex(corpus_status.head));
  return json;
}

// What all budgets that may concern the same people promise together.
void AddSum(const v1::BudgetSum& sum, std::string* text, base::JsonObject* json) {
  if (sum.budgets().empty()) return;
  absl::StrAppend(
      text, "  with ", sum.budgets_size(), " other budgets that may concern the same people: ",
      accountant::ledger::PromiseText({.epsilon = sum.epsilon(), .delta = sum.delta()}), "\n");
  json->SetNumber("sum_epsilon", sum.epsilon()).SetNumber("sum_delta", sum.delta());
}

// Every analyst who has access or ever had a plan of the budget: what they may spend of it and what
// they did.
void AddAnalysts(const v1::WallConfig& config, const ledger::CorpusStatus& corpus_status,
                 const accountant::ledger::BudgetState& budget, std::string* text,
                 base::JsonObject* json) {
  std::map<std::string, v1::CorpusAccess> analysts;
  for (const v1::Principal& principal : config.principals()) {
    for (const v1::CorpusAccess& access : principal.access()) {
      if (principal.role() == v1::Principal::ANALYST && access.corpus() == corpus_status.corpus) {
        analysts[principal.name()] = access;
      }
    }
  }
  // Whoever has lost access has not lost what was spent: it stays in the sum, and so in this list.
  for (const auto& [plan_id, plan] : budget.plans()) analysts.try_emplace(plan.principal);
  const absl::StatusOr<v1::CorpusConfig> configured =
      server::FindCorpusConfig(config, corpus_status.corpus);
  const int64_t most = configured.ok() ? configured->limits().max_releases() : 0;
  std::vector<base::JsonObject> shown;
  for (const auto& [name, access] : analysts) {
    const auto spent = budget.analysts().find(name);
    const double used = spent == budget.analysts().end()
                            ? 0
                            : corpus_status.policy->EpsilonUpperBound(spent->second);
    // No cap means the whole budget. A cap bounds what one analyst takes; the promise to people is
    // the budget's, whoever spends it.
    const double cap =
        access.has_epsilon_cap() ? access.epsilon_cap() : corpus_status.policy->budget().epsilon;
    const int64_t share = server::ShareOfReleases(config, corpus_status.corpus, name, most);
    const auto own = corpus_status.releases_by_analyst.find(name);
    const int64_t reserved = own == corpus_status.releases_by_analyst.end() ? 0 : own->second;
    absl::StrAppendFormat(text, "  analyst %s: epsilon %s alone, of %s, %d of %d releases%s\n",
                          name, proto::EpsilonText(used), proto::EpsilonText(cap), reserved, share,
                          access.corpus().empty() ? ", no access to this corpus" : "");
    shown.push_back(base::JsonObject()
                        .SetString("principal", name)
                        .SetNumber("epsilon_spent", used)
                        .SetNumber("epsilon_cap", cap)
                        .SetInteger("releases", reserved)
                        .SetInteger("max_releases", share)
                        .SetBool("access", !access.corpus().empty()));
  }
  json->SetObjects("analysts", shown);
}

// Plans that still set budget aside, or that the custodian must look at; the others are counted.
void AddPlans(const accountant::ledger::BudgetState& budget, const std::string& corpus_version,
              std::string* text, base::JsonObject* json) {
  std::vector<base::JsonObject> plans;
  int64_t done = 0, cancelled = 0, expired = 0;
  for (const auto& [plan_id, plan] : budget.plans()) {
    // Several corpora may spend from one budget, and each is shown with its own plans.
    if (plan.terms.spec().corpus_version() != corpus_version) continue;
    const auto charged = static_cast<int64_t>(plan.charges.size());
    const bool all_published =
        std::all_of(plan.charges.begin(), plan.charges.end(),
                    [](const auto& charge) { return charge.second.published.has_value(); });
    if (plan.state == v1::PlanState::CANCELLED) {
      ++(plan.expired ? expired : cancelled);
    } else if (charged == plan.terms.spec().iterations() &&
               (all_published || plan.state == v1::PlanState::ACTIVE)) {
      ++done;  // also if the budget was restored since, which paused all plans
    } else {
      const std::string state = plan.state == v1::PlanState::PAUSED ? "paused" : "active";
      absl::StrAppend(text, "  plan ", plan_id, " of ", plan.principal, ": ", state, ", ", charged,
                      " of ", plan.terms.spec().iterations(), " iterations charged\n");
      plans.push_back(base::JsonObject()
                          .SetString("plan_id", plan_id)
                          .SetString("principal", plan.principal)
                          .SetString("state", state)
                          .SetInteger("charged", charged)
                          .SetInteger("iterations", plan.terms.spec().iterations()));
    }
  }
  if (done + cancelled + expired > 0) {
    absl::StrAppend(text, "  plans that are over: ", done, " done, ", cancelled, " cancelled, ",
                    expired, " expired\n");
  }
  json->SetObjects("plans", plans)
      .SetInteger("plans_done", done)
      .SetInteger("plans_cancelled", cancelled)
      .SetInteger("plans_expired", expired);
}

absl::Status AddBudgeted(const v1::WallConfig& config, ledger::FoldedLedger& ledger,
                         const ledger::CorpusStatus& corpus_status, std::string* text,
                         std::vector<base::JsonObject>* corpora) {
  const absl::StatusOr<v1::CorpusConfig> configured =
      server::FindCorpusConfig(config, corpus_status.corpus);
  // One that the configuration has forgotten is shown without a limit: its budget lives on.
  const std::string most =
      configured.ok() ? absl::StrCat(" of ", configured->limits().max_releases()) : "";
  const absl::StatusOr<std::optional<std::string>> there =
      VersionOfFile(server::CorpusFile(config, corpus_status.corpus));
  // By the version: under the name there may be a newer corpus, with a budget of its own.
  const bool served = there.ok() && *there == corpus_status.corpus_version;
  const std::string state = served ? StateName(corpus_status.state) : "gone";
  TW_ASSIGN_OR_RETURN(const accountant::ledger::BudgetState state_of_budget,
                      ledger.StateOf(corpus_status.corpus_version));
  TW_ASSIGN_OR_RETURN(const auto under_way, ledger.UnderWay(corpus_status.corpus_version));
  const accountant::PrivacyParams& promise = corpus_status.policy->budget();
  absl::StrAppendFormat(
      text,
      "%s: %s, epsilon %s of %s at delta %s, %d%s releases, %d overruns, %d restarts, %d voided\n",
      corpus_status.corpus, state, proto::EpsilonText(corpus_status.EpsilonSpent()),
      proto::EpsilonText(promise.epsilon), proto::DeltaText(promise.delta),
      corpus_status.releases_reserved, most, corpus_status.overruns, corpus_status.restarts,
      corpus_status.voided);
  absl::StrAppend(text, "  version ", base::Hex(corpus_status.corpus_version), ", budget ",
                  corpus_status.budget_id, "\n  ", corpus_status.events, " events, head ",
                  base::Hex(corpus_status.head), "\n");
  if (!under_way.empty()) absl::StrAppend(text, "  releases under way: ", under_way.size(), "\n");
  const std::string next = NextStep(corpus_status);
  if (!next.empty()) absl::StrAppend(text, "  ", next, "\n");
  base::JsonObject json = JsonOf(corpus_status, state);
  AddSum(corpus_status.sum, text, &json);
  AddPolicy(*corpus_status.policy, corpus_status.spent, text, &json);
  if (!served) absl::StrAppend(text, "  Its corpus file is gone or was replaced.\n");
  json.SetBool("present", served).SetInteger("under_way", static_cast<int64_t>(under_way.size()));
  AddAnalysts(config, corpus_status, state_of_budget, text, &json);
  AddPlans(state_of_budget, corpus_status.corpus_version, text, &json);
  corpora->push_back(std::move(json));
  return absl::OkStatus();
}

// A configured corpus whose present version has no budget.
void AddUnbudgeted(const v1::WallConfig& config, const std::string& corpus,
                   const std::set<std::string>& budgeted, bool restored, std::string* text,
                   std::vector<base::JsonObject>* corpora) {
  const absl::StatusOr<std::optional<std::string>> version =
      VersionOfFile(server::CorpusFile(config, corpus));
  base::JsonObject json;
  json.SetString("corpus", corpus);
  if (!version.ok()) {
    absl::StrAppend(text, corpus, ": ", version.status().message(), "\n");
    json.SetString("state", "unreadable");
  } else if (!version->has_value()) {
    absl::StrAppend(text, corpus, ": not ingested yet (topicwall-admin ingest)\n");
    json.SetString("state", "not_ingested");
  } else if (budgeted.count(**version) > 0) {
    return;
  } else {
    const std::string hex = base::Hex(**version);
    absl::StrAppend(text, corpus,
                    restored ? ": no budget that the backup knew (topicwall-admin open-budget says "
                               "what to look at first)"
                             : ": no budget yet (topicwall-admin open-budget)",
                    "\n  version ", hex, "\n");
    json.SetString("state", "no_budget").SetString("version", hex);
  }
  corpora->push_back(std::move(json));
}

}  // namespace

absl::StatusOr<Outcome> ShowStatus(const StatusFlags& flags) {
  TW_ASSIGN_OR_RETURN(const v1::WallConfig config, server::ReadWallConfig(flags.config));
  auto ledger = OpenLedgerToRead(config);
  if (!ledger.ok() && !absl::IsNotFound(ledger.status())) return ledger.status();
  Outcome outcome;
  std::vector<base::JsonObject> corpora;
  std::set<std::string> budgeted;
  bool restored = false;
  if (ledger.ok()) {
    TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus unknown, (*ledger)->StatusOfCorpus(""));
    restored = unknown.after_restore;
    TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> statuses, (*ledger)->Corpora());
    for (const ledger::CorpusStatus& corpus_status : statuses) {
      budgeted.insert(corpus_status.corpus_version);
      TW_RETURN_IF_ERROR(AddBudgeted(config, **ledger, corpus_status, &outcome.text, &corpora));
    }
    WarnOfTheClock(**ledger, &outcome.warnings);
  } else {
    outcome.text = "No ledger yet, or its disk is not mounted.\n";
    outcome.warnings.emplace_back(ledger.status().message());
  }
  for (const v1::CorpusConfig& corpus : config.corpora()) {
    AddUnbudgeted(config, corpus.name(), budgeted, restored, &outcome.text, &corpora);
  }
  outcome.json.SetObjects("corpora", corpora);
  AddDisk(config, &outcome);
  return outcome;
}

absl::StatusOr<Outcome> VerifyLedger(const StatusFlags& flags) {
  TW_ASSIGN_OR_RETURN(const v1::WallConfig config, server::ReadWallConfig(flags.config));
  TW_ASSIGN_OR_RETURN(std::optional<ledger::LedgerKeys> keys, KeysIfHere(config));
  const bool has_key = keys.has_value();
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                      OpenLedgerToRead(config, std::move(keys)));
  // Also the bytes of every release, of which a reader would find out only then.
  TW_RETURN_IF_ERROR(ledger->VerifyWholeLedger());
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> statuses, ledger->Corpora());
  Outcome outcome{.text = "The ledger verifies: chains, budgets and stored releases.\n"};
  if (!has_key) {
    outcome.warnings.push_back(
        "key_file is not here: whether every event was written under it was not asked");
  }
  std::vector<base::JsonObject> corpora;
  for (const ledger::CorpusStatus& corpus_status : statuses) {
    absl::StrAppend(&outcome.text, corpus_status.corpus, ": budget ", corpus_status.budget_id, ", ",
                    corpus_status.events, " events, head ", base::Hex(corpus_status.head), "\n");
    corpora.push_back(JsonOf(corpus_status, StateName(corpus_status.state)));
  }
  absl::StrAppend(
      &outcome.text,
      "Compare the heads with those that analysts and auditors noted: an older copy of\n"
      "the whole ledger verifies as well.\n");
  outcome.json.SetBool("verified", true).SetObjects("corpora", corpora);
  return outcome;
}

}  // namespace topicwall::admin
