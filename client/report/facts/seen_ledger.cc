#include "client/report/facts/seen_ledger.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/ledger_replay.h"
#include "client/audit/takings.h"
#include "client/report/facts/ledger_facts.h"
#include "client/report/facts/rounded_numbers.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {
namespace {

bool IsSealed(const v1::LedgerEntry& entry) { return entry.event().empty(); }

std::set<std::string> PrincipalsOf(const v1::ReportedLedger& ledger) {
  std::set<std::string> principals;
  for (const v1::ReportedPlan& plan : ledger.plans()) principals.insert(plan.principal());
  return principals;
}

// As a wall shows it to that analyst.
std::vector<v1::LedgerEntry> SeenBy(const std::string& analyst,
                                    absl::Span<const v1::LedgerEntry> chain) {
  std::vector<v1::LedgerEntry> seen(chain.begin(), chain.end());
  for (v1::LedgerEntry& entry : seen) {
    v1::LedgerEvent event;
    if (event.ParseFromString(entry.event()) &&
        (event.principal().empty() || event.principal() == analyst)) {
      continue;
    }
    entry.clear_event();
    entry.clear_salt();
  }
  return seen;
}

// What the wall told the writer of everybody, from all entries.
Takings ToldOfAll(const v1::ReportedLedger& whole) {
  Takings takings;
  for (const v1::ReportedPlan& plan : whole.plans()) {
    PlanTaking& taking = takings.plans.emplace_back();
    taking.plan_id = plan.plan_id();
    taking.spent_before = plan.spent_before();
    taking.spent_after = plan.spent_after();
  }
  takings.spent = whole.spent();
  return takings;
}

// Of a report of a part, `found` of that part, if the verifier sees more. No reader sees the
// entries of two analysts and not of a third, and nobody reports what others paid for and cannot
// see it: what tells of such a part is held against all that is seen.
absl::Status SeeThePart(const v1::ReportedLedger& told, absl::Span<const v1::LedgerEntry> chain,
                        v1::ReportedLedger& found) {
  const std::set<std::string> writers = PrincipalsOf(told);
  if (writers.size() != 1) return absl::OkStatus();
  std::vector<std::string> of_report;
  for (const v1::ReportedPlan& plan : found.plans()) {
    if (!plan.is_of_report()) continue;
    if (writers.count(plan.principal()) == 0) return absl::OkStatus();
    of_report.push_back(plan.plan_id());
  }
  const std::vector<v1::LedgerEntry> seen = SeenBy(*writers.begin(), chain);
  const auto sealed = std::count_if(seen.begin(), seen.end(), IsSealed);
  if (sealed == found.unseen_entries()) return absl::OkStatus();

  const Takings takings = ToldOfAll(found);
  const bool is_told_of_all = told.has_spent_by_all() && found.unseen_entries() == 0;
  const LedgerToReport part = {.entries = seen,
                               .plans = of_report,
                               .price = {},  // was held against more than this already
                               .takings = is_told_of_all ? &takings : nullptr};
  v1::Report report;
  TW_RETURN_IF_ERROR(AddLedgerFacts(part, report));
  // All of them finite: `found` has the same promises, and no less is spent in it.
  RoundNumbers(report);
  found = std::move(*report.mutable_ledger());
  return absl::OkStatus();
}

// What more was spent at least. Vouchers that are composed have an ε from a bracket, of which that
// of more vouchers may be the lower.
double LeastOf(double seen, const v1::ReportedLedger& ledger) {
  return ledger.is_inventory() ? seen * (1 - kComposedTolerance) : seen;
}

// The plans of others that `told` has at places that are sealed, with all that is told of them.
// Whoever sees a part sees all of its own, and no number of the report is from what it cannot see.
std::map<int64_t, v1::ReportedPlan> SealedPlans(const v1::ReportedLedger& told,
                                                absl::Span<const v1::LedgerEntry> chain,
                                                const v1::ReportedLedger& found) {
  std::set<std::string> seen = PrincipalsOf(found);
  seen.insert("");  // the custodian
  std::set<std::string> ids;
  for (const v1::ReportedPlan& plan : found.plans()) ids.insert(plan.plan_id());
  std::map<int64_t, v1::ReportedPlan> sealed;
  for (const v1::ReportedPlan& plan : told.plans()) {
    const int64_t place = plan.sequence();
    const bool is_sealed = place >= 1 && place <= static_cast<int64_t>(chain.size()) &&
                           IsSealed(chain[static_cast<size_t>(place - 1)]);
    if (!is_sealed || plan.is_of_report() || seen.count(plan.principal()) > 0) continue;
    if (ids.insert(plan.plan_id()).second) sealed.emplace(place, plan);
  }
  return sealed;
}

// Those that are seen among them, in the order of the chain.
void MergePlans(std::map<int64_t, v1::ReportedPlan> sealed, v1::ReportedLedger& found) {
  for (v1::ReportedPlan& plan : *found.mutable_plans()) {
    const int64_t place = plan.sequence();
    sealed.emplace(place, std::move(plan));
  }
  found.clear_plans();
  for (auto& [place, plan] : sealed) *found.add_plans() = std::move(plan);
}

// What was spent around each plan that is seen, if it is no less than by what is seen.
void TakeOverAround(const v1::ReportedLedger& told, v1::ReportedLedger& found) {
  std::map<std::string, const v1::ReportedPlan*> plans;
  for (const v1::ReportedPlan& plan : told.plans()) plans[plan.plan_id()] = &plan;
  for (v1::ReportedPlan& plan : *found.mutable_plans()) {
    const auto place = plans.find(plan.plan_id());
    if (place == plans.end()) continue;
    const v1::ReportedPlan& other = *place->second;
    if (other.spent_before() >= LeastOf(plan.spent_before(), found)) {
      plan.set_spent_before(other.spent_before());
    }
    if (other.spent_after() >= LeastOf(plan.spent_after(), found)) {
      plan.set_spent_after(other.spent_after());
    }
  }
}

// What everybody had taken: by the wall's word, if it was asked, and no less than is seen.
void TakeOverSpent(const v1::ReportedLedger& told, v1::ReportedLedger& found) {
  const bool is_told = found.has_spent_by_all();
  if (!is_told) TakeOverAround(told, found);
  if (told.spent() >= LeastOf(found.spent(), found)) {
    found.set_spent(is_told ? found.spent_by_all() : told.spent());
  }
  found.clear_spent_by_all();
}

// Of more releases than are seen: none of these numbers gets better by them.
void TakeOverTiming(const v1::ReportedLedger& told, v1::ReportedLedger& found) {
  found.set_time_ms(std::max(told.time_ms(), found.time_ms()));
  found.set_overruns(std::max(told.overruns(), found.overruns()));
  found.set_restarts(std::max(told.restarts(), found.restarts()));
  found.set_voided(std::max(told.voided(), found.voided()));
  const bool is_charge_seen =
      std::any_of(found.plans().begin(), found.plans().end(),
                  [](const v1::ReportedPlan& plan) { return plan.charged() > 0; });
  // One that does not say its interval is enough; then 0 is none, too.
  const bool is_known = found.knows_timing();
  if (is_known || !is_charge_seen) found.set_knows_timing(told.knows_timing());
  const int64_t told_ms = std::max<int64_t>(told.shortest_interval_ms(), 0);
  const bool is_seen = is_known || found.shortest_interval_ms() > 0;
  found.set_shortest_interval_ms(is_seen ? std::min(told_ms, found.shortest_interval_ms())
                                         : told_ms);
}

std::vector<std::string> TakeOverSealed(const v1::ReportedLedger& told,
                                        absl::Span<const v1::LedgerEntry> chain,
                                        v1::ReportedLedger& found) {
  std::vector<std::string> left_out;
  const int64_t unseen = found.unseen_entries();
  std::map<int64_t, v1::ReportedPlan> sealed = SealedPlans(told, chain, found);
  left_out.push_back(absl::StrCat(
      "sealed to you: what ", unseen, unseen == 1 ? " entry says" : " entries say",
      ", by which the report tells ", sealed.size(), sealed.size() == 1 ? " plan" : " plans",
      " of others, the last moment and the timing: an auditor can compare it"));
  if (!found.has_spent_by_all()) {
    left_out.emplace_back(
        "sealed to you: what was taken by everybody and before each plan: give --corpus NAME");
  }
  // The first act of others that there is reserves a plan. If the report has none there, it has not
  // seen what it says.
  const auto first = std::find_if(chain.begin(), chain.end(), IsSealed);
  if (first != chain.end() && sealed.count(first->sequence()) > 0) found.set_unseen_entries(0);
  // Before the plans of others are among them.
  TakeOverSpent(told, found);
  TakeOverTiming(told, found);
  MergePlans(std::move(sealed), found);
  return left_out;
}

// Of an export of a part the report holds more than the export does.
std::vector<std::string> TakeOverWallsWord(const v1::ReportedLedger& told,
                                           v1::ReportedLedger& found) {
  if (!told.has_spent_by_all() || found.has_spent_by_all()) return {};
  // Where all is seen it is a number that somebody has added.
  if (found.unseen_entries() == 0) return {};
  TakeOverAround(told, found);
  if (told.spent_by_all() >= LeastOf(found.spent(), found)) {
    found.set_spent_by_all(told.spent_by_all());
  }
  return {"what was taken by everybody and by each plan: give --corpus NAME, as whoever wrote it"};
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SeeAsWriter(const v1::ReportedLedger& told,
                                                     absl::Span<const v1::LedgerEntry> chain,
                                                     v1::ReportedLedger& found) {
  if (told.unseen_entries() == 0) {
    if (found.unseen_entries() == 0) return std::vector<std::string>();
    return TakeOverSealed(told, chain, found);
  }
  TW_RETURN_IF_ERROR(SeeThePart(told, chain, found));
  return TakeOverWallsWord(told, found);
}

}  // namespace topicwall::client
