#include "server/admin/command_status.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "accountant/status_macros.h"
#include "server/admin/budget_events.h"
#include "server/admin/custody.h"
#include "server/admin/policy_summary.h"
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

JsonObject JsonOf(const ledger::CorpusStanding& standing) {
  JsonObject json;
  json.Text("corpus", standing.corpus)
      .Text("version", Hex(standing.corpus_version))
      .Text("budget_id", standing.budget_id)
      .Text("state", StateName(standing.state))
      .Number("epsilon_spent", standing.EpsilonSpent())
      .Number("epsilon_total", standing.policy->budget().epsilon)
      .Number("delta", standing.policy->budget().delta)
      .Count("releases", standing.releases_reserved)
      .Count("overruns", standing.overruns)
      .Count("events", standing.events)
      .Text("head", Hex(standing.head));
  return json;
}

// Plans that still set budget aside, or that the custodian must look at.
void AddPlans(const ledger::BudgetPicture& picture, const std::string& corpus_version,
              std::string* text, JsonObject* json) {
  std::vector<JsonObject> plans;
  for (const auto& [plan_id, plan] : picture.plans) {
    const auto charged = static_cast<int64_t>(plan.charges.size());
    const bool over = plan.state == v1::PlanState::CANCELLED ||
                      (plan.state == v1::PlanState::ACTIVE && charged == plan.iterations);
    if (over || plan.corpus_version != corpus_version) continue;
    const std::string state = plan.state == v1::PlanState::PAUSED ? "paused" : "active";
    absl::StrAppend(text, "  plan ", plan_id, " of ", plan.principal, ": ", state, ", ", charged,
                    " of ", plan.iterations, " iterations charged\n");
    plans.push_back(JsonObject()
                        .Text("plan_id", plan_id)
                        .Text("principal", plan.principal)
                        .Text("state", state)
                        .Count("charged", charged)
                        .Count("iterations", plan.iterations));
  }
  json->Objects("plans", plans);
}

absl::Status AddBudgeted(const v1::WallConfig& config, ledger::SqliteLedger& ledger,
                         const ledger::CorpusStanding& standing, std::string* text,
                         std::vector<JsonObject>* corpora) {
  const absl::StatusOr<v1::CorpusConfig> configured =
      server::FindCorpusConfig(config, standing.corpus);
  const std::string most =
      configured.ok() ? absl::StrCat(" of ", configured->limits().max_releases()) : "";
  const accountant::PrivacyParams& budget = standing.policy->budget();
  absl::StrAppendFormat(
      text, "%s: %s, epsilon %.6g of %.6g at delta %.6g, %d%s releases, %d overruns\n",
      standing.corpus, StateName(standing.state), standing.EpsilonSpent(), budget.epsilon,
      budget.delta, standing.releases_reserved, most, standing.overruns);
  absl::StrAppend(text, "  version ", Hex(standing.corpus_version), ", budget ", standing.budget_id,
                  "\n  ", standing.events, " events, head ", Hex(standing.head), "\n");
  const std::string next = NextStep(standing.state);
  if (!next.empty()) absl::StrAppend(text, "  ", next, "\n");
  const absl::StatusOr<std::optional<std::string>> there =
      VersionOfFile(server::CorpusFile(config, standing.corpus));
  JsonObject json = JsonOf(standing);
  AddPolicy(*standing.policy, standing.spent, text, &json);
  const bool served = there.ok() && *there == standing.corpus_version;
  if (!served) absl::StrAppend(text, "  Its corpus file is gone or was replaced.\n");
  json.Flag("present", served);
  TW_ASSIGN_OR_RETURN(const ledger::BudgetPicture picture,
                      PictureOf(ledger, standing.corpus_version));
  AddPlans(picture, standing.corpus_version, text, &json);
  corpora->push_back(std::move(json));
  return absl::OkStatus();
}

// A configured corpus whose present version has no budget.
void AddUnbudgeted(const v1::WallConfig& config, const std::string& corpus,
                   const std::set<std::string>& budgeted, std::string* text,
                   std::vector<JsonObject>* corpora) {
  const absl::StatusOr<std::optional<std::string>> version =
      VersionOfFile(server::CorpusFile(config, corpus));
  JsonObject json;
  json.Text("corpus", corpus);
  if (!version.ok()) {
    absl::StrAppend(text, corpus, ": ", version.status().message(), "\n");
    json.Text("state", "unreadable");
  } else if (!version->has_value()) {
    absl::StrAppend(text, corpus, ": not ingested yet (topicwall-admin ingest)\n");
    json.Text("state", "not_ingested");
  } else if (budgeted.count(**version) > 0) {
    return;
  } else {
    const std::string hex = Hex(**version);
    absl::StrAppend(text, corpus, ": no budget yet (topicwall-admin open-budget)\n  version ", hex,
                    "\n");
    json.Text("state", "no_budget").Text("version", hex);
  }
  corpora->push_back(std::move(json));
}

}  // namespace

absl::StatusOr<Outcome> ShowStatus(const StatusFlags& flags) {
  TW_ASSIGN_OR_RETURN(const v1::WallConfig config, server::ReadWallConfig(flags.config));
  auto ledger = OpenLedgerToRead(config);
  if (!ledger.ok() && !absl::IsNotFound(ledger.status())) return ledger.status();
  Outcome outcome;
  std::vector<JsonObject> corpora;
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
  outcome.json.Objects("corpora", corpora);
  return outcome;
}

absl::StatusOr<Outcome> VerifyLedger(const StatusFlags& flags) {
  TW_ASSIGN_OR_RETURN(const v1::WallConfig config, server::ReadWallConfig(flags.config));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::SqliteLedger> ledger, OpenLedgerToRead(config));
  TW_RETURN_IF_ERROR(ledger->VerifyWholeLedger());
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger->Corpora());
  Outcome outcome;
  outcome.text = "The ledger verifies: chains, budgets and stored releases.\n";
  std::vector<JsonObject> corpora;
  for (const ledger::CorpusStanding& standing : standings) {
    absl::StrAppend(&outcome.text, standing.corpus, ": budget ", standing.budget_id, ", ",
                    standing.events, " events, head ", Hex(standing.head), "\n");
    corpora.push_back(JsonOf(standing));
  }
  absl::StrAppend(
      &outcome.text,
      "Compare the heads with those that analysts and auditors noted: an older copy of\n"
      "the whole ledger verifies as well.\n");
  outcome.json.Flag("verified", true).Objects("corpora", corpora);
  return outcome;
}

}  // namespace topicwall::admin
