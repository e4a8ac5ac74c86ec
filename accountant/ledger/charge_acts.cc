// An iteration is charged, then stored (a private row, no event), then published; or it is voided.
// A ChargeAct begins it or, sent again, goes on with it; PublishAct and VoidAct end it, once; a
// RestartAct counts the instants of what was stored anew. Every event is public, so that each
// carries a time that depends on no document: that of a call, of a start, or an instant scheduled
// from these.
#include "accountant/ledger/charge_acts.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "accountant/ledger/plan_acts.h"
#include "base/status_macros.h"

namespace topicwall::accountant::ledger {
namespace {

using Kept = OpenCharge::Kept;
using Outcome = ChargeDecision::Outcome;

// A plan with its budget, and one of its charges if there is one; null where there is none.
struct Place {
  const BudgetState* budget = nullptr;
  const Plan* plan = nullptr;
  const Charge* charge = nullptr;
};

Place Seek(const LedgerState& ledger, const std::string& plan_id, int iteration) {
  Place place{.budget = ledger.WithPlan(plan_id)};
  if (place.budget == nullptr) return place;
  place.plan = place.budget->FindPlan(plan_id);
  const auto charge = place.plan->charges.find(iteration);
  if (charge != place.plan->charges.end()) place.charge = &charge->second;
  return place;
}

absl::StatusOr<Place> FindCharge(const LedgerState& ledger, const std::string& plan_id,
                                 int iteration) {
  Place place = Seek(ledger, plan_id, iteration);
  if (place.charge != nullptr) return place;
  return absl::FailedPreconditionError("the iteration must be charged.");
}

const Corpus& CorpusOf(const Place& place) {
  return *place.budget->FindCorpus(place.plan->terms.spec().corpus_version());
}

// On behalf of the plan's principal, without its act.
v1::LedgerEvent EventOn(const Place& place, int64_t time_ms) {
  v1::LedgerEvent event;
  event.set_time_ms(time_ms);
  event.set_principal(place.plan->principal);
  return event;
}

// Begins the instants of a pending release again: a public act, and told as one.
void AddRestart(const LedgerState& ledger, const Place& place,
                const std::optional<v1::Protection>& protection, int64_t now_ms, Events* events) {
  v1::LedgerEvent event = EventOn(place, now_ms);
  v1::ReleaseRestarted& restarted = *event.mutable_release_restarted();
  restarted.set_plan_id(place.plan->terms.plan_id());
  restarted.set_iteration(place.charge->terms.iteration());
  if (protection.has_value()) *restarted.mutable_protection() = *protection;
  Add(ledger, place.budget->budget_id(), std::move(event), events);
}

// Nothing is priced here: the plan's reservation has paid for all its iterations, and a charge only
// says that one of them can no longer be given back.
absl::StatusOr<ChargeDecision> ChargeFirst(const LedgerState& ledger, const Place& place,
                                           const ChargeAct& act) {
  TW_RETURN_IF_ERROR(RequireOpen(*place.budget, CorpusOf(place)));
  if (place.plan->state != v1::PlanState::ACTIVE) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plan must be active; it is ",
                     place.plan->state == v1::PlanState::CANCELLED
                         ? "cancelled."
                         : "paused: ask the custodian, or cancel it and reserve another."));
  }
  v1::LedgerEvent event = EventOn(place, act.now_ms);
  v1::IterationCharged& terms = *event.mutable_iteration_charged();
  terms.set_plan_id(act.plan_id);
  terms.set_iteration(act.iteration);
  terms.set_request_digest(act.request_digest);
  *terms.mutable_protection() = act.protection;
  *terms.mutable_computed_with() = act.computed_with;
  terms.set_release_key_sha256(act.release_key_sha256);
  ChargeDecision decision{
      .outcome = Outcome::kCharged, .begun_at_ms = act.now_ms, .events = Events()};
  Add(ledger, place.budget->budget_id(), std::move(event), &decision.events);
  return decision;
}

// The order of the questions is that of what they need. Another request is refused whatever became
// of the first; what is published can be read also from a frozen ledger; what is stored needs
// nothing more. Only computing again asks for an open corpus, and to be what was charged.
absl::StatusOr<ChargeDecision> ChargeAgain(const LedgerState& ledger, const Place& place,
                                           const ChargeAct& act) {
  const Charge& charge = *place.charge;
  if (charge.terms.request_digest() != act.request_digest) {
    return absl::AlreadyExistsError(
        "this iteration was charged for another request: repeat that one, or use another "
        "iteration.");
  }
  if (charge.taken_over && act.open.kept != Kept::kRelease) return ReleaseLost();
  if (charge.published.has_value()) {
    return ChargeDecision{.outcome = Outcome::kPublished, .begun_at_ms = 0, .events = Events()};
  }
  if (charge.voided() || act.open.kept == Kept::kNothing) return ReleaseLost();
  TW_RETURN_IF_ERROR(RequireThawed(*place.budget));
  if (act.open.kept == Kept::kRelease) {
    return ChargeDecision{
        .outcome = Outcome::kAwaiting, .begun_at_ms = charge.begun_at_ms(), .events = Events()};
  }
  TW_RETURN_IF_ERROR(RequireOpen(*place.budget, CorpusOf(place)));
  ChargeDecision decision{
      .outcome = Outcome::kGivenUp, .begun_at_ms = act.now_ms, .events = Events()};
  // Told no sooner than any other end: the caller voids it at the last instant.
  if (act.open.kept == Kept::kDamagedKey || charge.restarts >= kMaxRecomputations) return decision;
  const std::string otherwise = ComputedOtherwise(charge.terms.computed_with(), act.computed_with);
  if (!otherwise.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the release is paid, and was charged for ", otherwise,
        ": nothing else computes it. Ask the custodian to put that back, and then for the same "
        "release again; `topicwall cancel` gives back what was not charged."));
  }
  decision.outcome = Outcome::kComputedAgain;
  AddRestart(ledger, place, act.protection, act.now_ms, &decision.events);
  return decision;
}

}  // namespace

// Another kernel or build computes other numbers of a unit, another cap counts other documents of
// it. Coins and noise are the same, so the difference of the two releases would have no noise at
// all: whoever saw both, be it in a database, would have the sums in clear.
std::string ComputedOtherwise(const v1::ComputedWith& charged, const v1::ComputedWith& now) {
  std::vector<std::string> differences;
  const auto compare = [&differences](absl::string_view what, auto before, auto after) {
    if (before != after) {
      differences.push_back(absl::StrCat(what, " ", before, " (now ", after, ")"));
    }
  };
  compare("limits.max_documents_per_unit", charged.max_documents_per_unit(),
          now.max_documents_per_unit());
  compare("--kernel", charged.kernel_name(), now.kernel_name());
  compare("build of the server", charged.build(), now.build());
  return absl::StrJoin(differences, ", ");
}

absl::Status ReleaseLost() {
  return absl::DataLossError(
      "the release is void: it could not be completed, and it will not be computed again. It stays "
      "paid; sending the request again would not help. Ask the custodian.");
}

absl::StatusOr<ChargeDecision> Decide(const LedgerState& ledger, const ChargeAct& act) {
  const Place place = Seek(ledger, act.plan_id, act.iteration);
  if (place.plan == nullptr || place.plan->principal != act.principal) return NoPlanOfYours();
  const int iterations = place.plan->terms.spec().iterations();
  if (act.iteration < 1 || act.iteration > iterations) {
    return absl::InvalidArgumentError(
        absl::StrCat("iteration must be in [1, ", iterations, "]; got ", act.iteration, "."));
  }
  return place.charge == nullptr ? ChargeFirst(ledger, place, act)
                                 : ChargeAgain(ledger, place, act);
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const PublishAct& act) {
  TW_ASSIGN_OR_RETURN(const Place place, FindCharge(ledger, act.plan_id, act.iteration));
  Events events;
  if (place.charge->published.has_value()) return events;
  if (!place.charge->pending() || act.open.kept != Kept::kRelease) {
    return absl::FailedPreconditionError("only a stored release can be published.");
  }
  TW_RETURN_IF_ERROR(RequireThawed(*place.budget));
  // The event's time is public: the instant that was scheduled, never the one of computing.
  v1::LedgerEvent event = EventOn(place, act.readable_at_ms);
  v1::ReleasePublished& published = *event.mutable_release_published();
  published.set_plan_id(act.plan_id);
  published.set_iteration(act.iteration);
  published.set_release_sha256(act.release_sha256);
  published.set_header_sha256(act.header_sha256);
  published.set_intervals_waited(act.intervals_waited);
  Add(ledger, place.budget->budget_id(), std::move(event), &events);
  return events;
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const VoidAct& act) {
  TW_ASSIGN_OR_RETURN(const Place place, FindCharge(ledger, act.plan_id, act.iteration));
  Events events;
  if (place.charge->voided()) return events;
  const bool key_kept = act.open.kept == Kept::kKey || act.open.kept == Kept::kDamagedKey;
  // `charge_id` tells this charge from one of the same iteration in a history that a restore has
  // undone.
  if (place.charge->sequence != act.charge_id || !place.charge->pending() || !key_kept) {
    return absl::FailedPreconditionError("only what is charged and not stored can be voided.");
  }
  TW_RETURN_IF_ERROR(RequireThawed(*place.budget));
  v1::LedgerEvent event = EventOn(place, act.at_ms);
  v1::ReleaseVoided& voided = *event.mutable_release_voided();
  voided.set_plan_id(act.plan_id);
  voided.set_iteration(act.iteration);
  voided.set_ground(act.ground);
  Add(ledger, place.budget->budget_id(), std::move(event), &events);
  // What failed may be the request's doing: its plan stops, so that it does not fail again and
  // again. Unreadable data are not, and pause the corpus.
  if (act.ground == v1::ReleaseVoided::UNREADABLE_DATA ||
      place.plan->state != v1::PlanState::ACTIVE) {
    return events;
  }
  v1::LedgerEvent pause = EventOn(place, act.at_ms);
  pause.mutable_plan_paused()->set_plan_id(act.plan_id);
  pause.mutable_plan_paused()->set_iteration(act.iteration);
  Add(ledger, place.budget->budget_id(), std::move(pause), &events);
  return events;
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const RestartAct& act) {
  Events events;
  for (const RestartAct::Stored& stored : act.stored) {
    const Place place = Seek(ledger, stored.plan_id, stored.iteration);
    if (place.charge == nullptr || !place.charge->pending()) {
      return absl::NotFoundError(
          absl::StrCat("iteration ", stored.iteration, " of plan ", stored.plan_id,
                       " is stored and not pending: the private table is not of this ledger."));
    }
    // What a frozen budget has stored waits for its thaw. Nothing of it is computed any more: what
    // it was computed under stays as it was.
    if (!place.budget->frozen()) {
      AddRestart(ledger, place, place.charge->protection, act.now_ms, &events);
    }
  }
  return events;
}

}  // namespace topicwall::accountant::ledger
