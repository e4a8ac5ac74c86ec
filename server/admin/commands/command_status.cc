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
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/admin/custody.h"
#include "server/admin/policy_summary.h"
#include "server/log/storage_watch.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

std::string StateName(v1::CorpusState state) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::CorpusState_Name(state), "CORPUS_STATE_"));
}

std::string NextStep(v1::CorpusState state) {
  switch (state) {
    case v1::CORPUS_STATE_PAUSED:
      return "Too many releases missed their instant: lengthen release_interval_ms, then "
             "topicwall-admin thaw --acknowledge-overruns --corpus NAME.";
    case v1::CORPUS_STATE_FROZEN:
      return "Restored from a backup: topicwall-admin thaw --head HEX, --events FILE or --forfeit.";
    default:
      return "";
  }
}

base::JsonObject JsonOf(const ledger::CorpusStanding& standing, const std::string& state) {
  base::JsonObject json;
  json.SetString("corpus", standing.corpus)
      .SetString("version", base::Hex(standing.corpus_version))
      .SetString("budget_id", standing.budget_id)
      .SetString("state", state)
      .SetNumber("epsilon_spent", standing.EpsilonSpent())
      .SetNumber("epsilon_total", standing.policy->budget().epsilon)
      .SetNumber("delta", standing.policy->budget().delta)
      .SetInteger("releases", standing.releases_reserved)
      .SetInteger("overruns", standing.overruns)
      .SetInteger("restarts", standing.restarts)
      .SetInteger("voided", standing.voided)
      .SetInteger("events", standing.events)
      .SetString("head", base::Hex(standing.head));
  return json;
}

// What all budgets that may concern the same people promise together.
void AddSum(const v1::BudgetSum& sum, std::string* text, base::JsonObject* json) {
  if (sum.budgets().empty()) return;
  absl::StrAppendFormat(text,
                        "  with %d other budgets that may concern the same people: epsilon %.6g at "
                        "delta %.6g\n",
                        sum.budgets_size(), sum.epsilon(), sum.delta());
  json->SetNumber("sum_epsilon", sum.epsilon()).SetNumber("sum_delta", sum.delta());
}

// Every analyst who has access or ever had a plan of the budget: what they may spend of it and what
// they did.
void AddAnalysts(const v1::WallConfig& config, const ledger::CorpusStanding& standing,
                 const accountant::ledger::BudgetState& budget, std::string* text,
                 base::JsonObject* json) {
  std::map<std::string, v1::CorpusAccess> analysts;
  for (const v1::Principal& principal : config.principals()) {
    for (const v1::CorpusAccess& access : principal.access()) {
      if (principal.role() == v1::Principal::ANALYST && access.corpus() == standing.corpus) {
        analysts[principal.name()] = access;
      }
    }
  }
  for (const auto& [plan_id, plan] : budget.plans()) analysts.try_emplace(plan.principal);
  const absl::StatusOr<v1::CorpusConfig> configured =
      server::FindCorpusConfig(config, standing.corpus);
  const int64_t most = configured.ok() ? configured->limits().max_releases() : 0;
  std::vector<base::JsonObject> shown;
  for (const auto& [name, access] : analysts) {
    const auto spent = budget.analysts().find(name);
    const double used =
        spent == budget.analysts().end() ? 0 : standing.policy->EpsilonUpperBound(spent->second);
    const double cap =
        access.has_epsilon_cap() ? access.epsilon_cap() : standing.policy->budget().epsilon;
    const int64_t share = server::ShareOfReleases(config, standing.corpus, name, most);
    const auto own = standing.releases_by_analyst.find(name);
    const int64_t reserved = own == standing.releases_by_analyst.end() ? 0 : own->second;
    absl::StrAppendFormat(text, "  analyst %s: epsilon %.6g of %.6g, %d of %d releases%s\n", name,
                          used, cap, reserved, share,
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
                         const ledger::CorpusStanding& standing, std::string* text,
                         std::vector<base::JsonObject>* corpora) {
  const absl::StatusOr<v1::CorpusConfig> configured =
      server::FindCorpusConfig(config, standing.corpus);
  const std::string most =
      configured.ok() ? absl::StrCat(" of ", configured->limits().max_releases()) : "";
  const absl::StatusOr<std::optional<std::string>> there =
      VersionOfFile(server::CorpusFile(config, standing.corpus));
  const bool served = there.ok() && *there == standing.corpus_version;
  const std::string state = served ? StateName(standing.state) : "gone";
  TW_ASSIGN_OR_RETURN(const accountant::ledger::BudgetState state_of_budget,
                      ledger.StateOf(standing.corpus_version));
  const accountant::PrivacyParams& promise = standing.policy->budget();
  absl::StrAppendFormat(
      text,
      "%s: %s, epsilon %.6g of %.6g at delta %.6g, %d%s releases, %d overruns, %d restarts, %d "
      "voided\n",
      standing.corpus, state, standing.EpsilonSpent(), promise.epsilon, promise.delta,
      standing.releases_reserved, most, standing.overruns, standing.restarts, standing.voided);
  absl::StrAppend(text, "  version ", base::Hex(standing.corpus_version), ", budget ",
                  standing.budget_id, "\n  ", standing.events, " events, head ",
                  base::Hex(standing.head), "\n");
  const std::string next = NextStep(standing.state);
  if (!next.empty()) absl::StrAppend(text, "  ", next, "\n");
  base::JsonObject json = JsonOf(standing, state);
  AddSum(standing.sum, text, &json);
  AddPolicy(*standing.policy, standing.spent, text, &json);
  if (!served) absl::StrAppend(text, "  Its corpus file is gone or was replaced.\n");
  json.SetBool("present", served);
  AddAnalysts(config, standing, state_of_budget, text, &json);
  AddPlans(state_of_budget, standing.corpus_version, text, &json);
  corpora->push_back(std::move(json));
  return absl::OkStatus();
}

// A configured corpus whose present version has no budget.
void AddUnbudgeted(const v1::WallConfig& config, const std::string& corpus,
                   const std::set<std::string>& budgeted, std::string* text,
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
    absl::StrAppend(text, corpus, ": no budget yet (topicwall-admin open-budget)\n  version ", hex,
                    "\n");
    json.SetString("state", "no_budget").SetString("version", hex);
  }
  corpora->push_back(std::move(json));
}

void AddDisk(const v1::WallConfig& config, Outcome* outcome) {
  const std::optional<int64_t> free = server::FreeBytes(config.data_directory());
  if (!free.has_value()) return;
  absl::StrAppendFormat(&outcome->text, "Disk: %d MiB free\n", *free >> 20);
  outcome->json.SetInteger("free_bytes", *free);
  if (*free >= server::StorageWatch::kFewestBytes) return;
  outcome->warnings.push_back("the disk of data_directory is nearly full; free space on it");
}

}  // namespace

absl::StatusOr<Outcome> ShowStatus(const StatusFlags& flags) {
  TW_ASSIGN_OR_RETURN(const v1::WallConfig config, server::ReadWallConfig(flags.config));
  auto ledger = OpenLedgerToRead(config);
  if (!ledger.ok() && !absl::IsNotFound(ledger.status())) return ledger.status();
  Outcome outcome;
  std::vector<base::JsonObject> corpora;
  std::set<std::string> budgeted;
  if (ledger.ok()) {
    TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, (*ledger)->Corpora());
    for (const ledger::CorpusStanding& standing : standings) {
      budgeted.insert(standing.corpus_version);
      TW_RETURN_IF_ERROR(AddBudgeted(config, **ledger, standing, &outcome.text, &corpora));
    }
  } else {
    outcome.text = "No ledger yet: no budget was ever opened here.\n";
  }
  for (const v1::CorpusConfig& corpus : config.corpora()) {
    AddUnbudgeted(config, corpus.name(), budgeted, &outcome.text, &corpora);
  }
  outcome.json.SetObjects("corpora", corpora);
  AddDisk(config, &outcome);
  return outcome;
}

absl::StatusOr<Outcome> VerifyLedger(const StatusFlags& flags) {
  TW_ASSIGN_OR_RETURN(const v1::WallConfig config, server::ReadWallConfig(flags.config));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger, OpenLedgerToRead(config));
  TW_RETURN_IF_ERROR(ledger->VerifyWholeLedger());
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger->Corpora());
  Outcome outcome;
  outcome.text = "The ledger verifies: chains, budgets and stored releases.\n";
  std::vector<base::JsonObject> corpora;
  for (const ledger::CorpusStanding& standing : standings) {
    absl::StrAppend(&outcome.text, standing.corpus, ": budget ", standing.budget_id, ", ",
                    standing.events, " events, head ", base::Hex(standing.head), "\n");
    corpora.push_back(JsonOf(standing, StateName(standing.state)));
  }
  absl::StrAppend(
      &outcome.text,
      "Compare the heads with those that analysts and auditors noted: an older copy of\n"
      "the whole ledger verifies as well.\n");
  outcome.json.SetBool("verified", true).SetObjects("corpora", corpora);
  return outcome;
}

}  // namespace topicwall::admin
