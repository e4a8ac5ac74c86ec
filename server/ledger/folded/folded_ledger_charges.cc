// Iterations, from their charge to their end. Nothing is handed out before it is durable.
//
// What a kill leaves behind, by the last Append before it:
//   - none: no charge, and no key. The request can be made anew.
//   - Charge: a charge with its sealed key. The same request gets a receipt with the same key, and
//     from it the same bits, kMaxRecomputations times; its instants are counted from that act.
//   - Store: the release, and its key is gone. RestartUnfinished finds it at the next start; a
//     request for it is told to wait (kAwaiting), or takes over what another server left.
//   - Publish or Void: the end of it, as an event; the row beside the chain goes in the same
//     Append.
// Nothing that was charged is ever given back.
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/ledger/folded/charge_owner.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/folded/kept_rows.h"
#include "server/ledger/folded/release_blobs.h"
#include "server/ledger/plan_spec.h"

namespace topicwall::ledger {
namespace {

namespace fold = accountant::ledger;
using Kept = fold::OpenCharge::Kept;
using Outcome = fold::ChargeDecision::Outcome;

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// As the act is decided on it. A key that does not open is damage, on which the act is decided: the
// release is given up at its last instant. One that is not the charge's, or an error that says
// nothing about it, ends the act, and nobody gives up what is paid.
absl::StatusOr<fold::OpenCharge> OpenOf(store::EventStore& store, const ReleaseKeys& keys,
                                        const LedgerSeals& seals, const KeptState::Place& place) {
  if (place.charge != nullptr && place.charge->published.has_value()) {
    TW_ASSIGN_OR_RETURN(const bool here, IsHere(store, *place.charge));
    return fold::OpenCharge{.kept = here ? Kept::kRelease : Kept::kNothing};
  }
  if (place.open == nullptr) {
    const bool dropped = place.charge != nullptr && place.charge->pending() &&
                         !MayLackRow(*place.budget, *place.charge);
    if (dropped) return NotTheCustodians(RowsDiffer().message());
    return fold::OpenCharge{};
  }
  fold::OpenCharge open{.kept = Kept::kRelease};
  if (!place.open->release_sha256.empty()) {
    TW_RETURN_IF_ERROR(seals.CheckSeal(place.charge->terms, *place.open));
    return open;
  }
  TW_ASSIGN_OR_RETURN(const std::optional<random::SecretKey> key,
                      keys.Unseal(place.open->sealed_key, place.charge->terms));
  open.kept = key.has_value() ? Kept::kKey : Kept::kDamagedKey;
  return open;
}

fold::ChargeAct ActOf(const ChargeRequest& request, const fold::OpenCharge& open,
                      const std::string& release_key_sha256) {
  return {.principal = request.principal,
          .plan_id = request.plan_id,
          .iteration = request.iteration,
          .request_digest = std::string(AsText(request.request_digest)),
          .now_ms = request.now_ms,
          .protection = request.protection,
          .computed_with = request.computed_with,
          .release_key_sha256 = release_key_sha256,
          .open = open};
}

store::Change::Row TakenBy(const std::string& owner, const store::OpenCharge& open) {
  store::OpenCharge row = open;
  row.owner = owner;
  return {.before = open, .after = std::move(row)};
}

// What another server stored and has not published: its instants are over.
fold::RestartAct RestartOf(const ChargeRequest& request) {
  return {.stored = {{request.plan_id, request.iteration}}, .now_ms = request.now_ms};
}

}  // namespace

// From the chain and the row as they are after the act and not from the request, so that the
// mechanism runs with what is priced, and with the key that the charge names: the first time as
// when it is computed again. Should it fail (weights that cannot be read just now), the charge
// stands with its key, and asking again is a recomputation.
absl::StatusOr<ChargeReceipt> FoldedLedger::ReceiptOf(const ChargeRequest& request) {
  fold::Plan plan;
  fold::Charge charge;
  std::optional<random::SecretKey> key;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    const Place place = state_.Seek(request.plan_id, request.iteration);
    plan = *place.plan;
    charge = *place.charge;
    TW_ASSIGN_OR_RETURN(key, keys_->Unseal(place.open->sealed_key, charge.terms));
  }
  if (!key.has_value()) return fold::ReleaseLost();  // it was opened when the act was decided
  TW_ASSIGN_OR_RETURN(const v1::ReleaseSpec spec, SpecOf(*store_, plan));
  ChargeTerms terms{.charge_id = charge.sequence,
                    .plan_id = request.plan_id,
                    .iteration = request.iteration,
                    .request_digest = request.request_digest,
                    .corpus_version = {},
                    .mechanism = MechanismOf(spec),
                    .begun_at_ms = charge.begun_at_ms()};
  // It was this long when the budget was opened for it.
  spec.corpus_version().copy(reinterpret_cast<char*>(terms.corpus_version.data()),
                             terms.corpus_version.size());
  return MakeReceipt(std::move(terms), *std::move(key));
}

// Places point into the state and are good only under its lock; what is needed later is copied.
absl::StatusOr<ChargeOutcome> FoldedLedger::Charge(const ChargeRequest& request) {
  TW_RETURN_IF_ERROR(RequireWritable());
  // One for all tries: each is shown to the database, which may refuse it and keep it.
  TW_ASSIGN_OR_RETURN(const random::SecretKey key, random::SecretKey::Generate());
  TW_ASSIGN_OR_RETURN(const std::string key_sha256, DigestOf(key));
  return Act<absl::StatusOr<ChargeOutcome>>([&]() -> absl::StatusOr<ChargeOutcome> {
    absl::MutexLock act(&acts_mutex_);
    TW_RETURN_IF_ERROR(Follow());
    fold::ChargeDecision decision;
    store::Change change{.name = "charge"};
    int64_t charge_id = 0, interval_ms = 0;
    {
      absl::ReaderMutexLock lock(&state_mutex_);
      const Place place = state_.Seek(request.plan_id, request.iteration);
      TW_ASSIGN_OR_RETURN(const fold::OpenCharge open, OpenOf(*store_, *keys_, *seals_, place));
      fold::ChargeAct asked = ActOf(request, open, key_sha256);
      // Whose it is computes it with what it was charged for, whatever this server has.
      const bool anothers = IsAnothers(place, owner_, request.now_ms);
      if (anothers) asked.computed_with = place.charge->terms.computed_with();
      TW_ASSIGN_OR_RETURN(decision, fold::Decide(state_.ledger, asked));
      if (place.charge != nullptr) {
        charge_id = place.charge->sequence;
        interval_ms = place.charge->interval_ms();
      }
      // What is published any server may tell. The instants before are of a clock of its own.
      if (anothers && decision.outcome != Outcome::kPublished) return ComputedElsewhere();
      if (decision.outcome == Outcome::kCharged) {
        // In one Append with the event: a charge without its key could never be computed.
        const v1::LedgerEvent& event = decision.events.back();
        store::OpenCharge row{
            .budget_id = event.budget_id(), .sequence = event.sequence(), .owner = owner_};
        TW_ASSIGN_OR_RETURN(row.sealed_key, keys_->Seal(key, event.iteration_charged()));
        change.open_charges.push_back({.before = std::nullopt, .after = std::move(row)});
      } else if (decision.outcome == Outcome::kComputedAgain) {
        // Counted first, by its event: one that kills the server each time does so only so often.
        change.name = "recompute";
        change.open_charges.push_back(TakenBy(owner_, *place.open));
      } else if (decision.outcome == Outcome::kAwaiting && !IsOwn(*place.open, owner_)) {
        change.name = "take-over";
        change.open_charges.push_back(TakenBy(owner_, *place.open));
        TW_ASSIGN_OR_RETURN(decision.events, fold::Decide(state_.ledger, RestartOf(request)));
        decision.begun_at_ms = request.now_ms;
      }
    }
    if (!decision.events.empty()) TW_RETURN_IF_ERROR(Commit(decision.events, std::move(change)));
    switch (decision.outcome) {
      case Outcome::kPublished:
        return AlreadyPublished{};
      case Outcome::kAwaiting:
        return AwaitingPublication{.charge_id = charge_id,
                                   .begun_at_ms = decision.begun_at_ms,
                                   .interval_ms = interval_ms};
      case Outcome::kGivenUp:
        return GivenUp{.charge_id = charge_id, .begun_at_ms = decision.begun_at_ms};
      case Outcome::kCharged:
      case Outcome::kComputedAgain:
        break;
    }
    return ReceiptOf(request);
  });
}

absl::Status FoldedLedger::Store(const NoisedReceipt& receipt, const v1::StoredRelease& header,
                                 absl::Span<const float> statistics,
                                 std::optional<int64_t> late_at_ms) {
  TW_RETURN_IF_ERROR(RequireWritable());
  const int64_t entries = static_cast<int64_t>(statistics.size());
  if (header.rows() < 1 || entries == 0 || entries % header.rows() != 0 ||
      entries / header.rows() != header.columns()) {
    return absl::InvalidArgumentError(
        absl::StrCat("statistics must be rows x columns = ", header.rows(), " x ", header.columns(),
                     " entries; got ", entries, "."));
  }
  // Before the locks: a hundred megabytes take a tenth of a second, for which all acts would wait.
  const HashedRelease release = HashRelease(header, statistics);

  return Act<absl::Status>([&]() -> absl::Status {
    absl::MutexLock act(&acts_mutex_);
    TW_RETURN_IF_ERROR(Follow());
    fold::Events events;
    store::Change change{.name = "store"};
    {
      absl::ReaderMutexLock lock(&state_mutex_);
      const Place place = state_.Seek(receipt.plan_id(), receipt.iteration());
      if (place.charge == nullptr) {
        return absl::FailedPreconditionError("the iteration must be charged.");
      }
      TW_RETURN_IF_ERROR(fold::RequireThawed(*place.budget));
      // Of two computations of one charge the first to come here is kept; the other finds
      // release_sha256 set.
      if (place.charge->sequence != receipt.charge_id() || place.open == nullptr ||
          place.open->owner != owner_ || !place.open->release_sha256.empty() ||
          place.charge->terms.request_digest() != AsText(receipt.request_digest())) {
        return absl::FailedPreconditionError("the iteration must be charged under this receipt.");
      }
      store::OpenCharge row = *place.open;
      // The key goes as the release comes, in one Append: from here on nobody can compute it again,
      // nor take its noise off. No event, unless it is late: when it was stored is PRIVATE.
      row.header_sha256 = release.header_sha256;
      row.release_sha256 = release.release_sha256;
      TW_ASSIGN_OR_RETURN(row.sealed_key, seals_->SealOf(place.charge->terms, row));
      change.open_charges.push_back({.before = *place.open, .after = std::move(row)});
      if (late_at_ms.has_value()) {
        const fold::RestartAct restart{.stored = {{receipt.plan_id(), receipt.iteration()}},
                                       .now_ms = *late_at_ms};
        TW_ASSIGN_OR_RETURN(events, fold::Decide(state_.ledger, restart));
      }
    }
    AddBlobs(release, &change);
    return Commit(events, std::move(change));
  });
}

absl::Status FoldedLedger::Publish(const Publication& publication) {
  return DecideAndCommit(
      "publish",
      [&](const fold::LedgerState& ledger) ABSL_EXCLUSIVE_LOCKS_REQUIRED(
          acts_mutex_) ABSL_SHARED_LOCKS_REQUIRED(state_mutex_) -> absl::StatusOr<fold::Events> {
        const Place place = state_.Seek(publication.plan_id, publication.iteration);
        TW_ASSIGN_OR_RETURN(const fold::OpenCharge open, OpenOf(*store_, *keys_, *seals_, place));
        fold::PublishAct publish{publication, open, "", ""};
        if (place.open != nullptr) {
          publish.release_sha256 = place.open->release_sha256;
          publish.header_sha256 = place.open->header_sha256;
        }
        return fold::Decide(ledger, publish);
      });
}

absl::Status FoldedLedger::Void(const Voiding& voiding) {
  return DecideAndCommit(
      "void",
      [&](const fold::LedgerState& ledger) ABSL_EXCLUSIVE_LOCKS_REQUIRED(
          acts_mutex_) ABSL_SHARED_LOCKS_REQUIRED(state_mutex_) -> absl::StatusOr<fold::Events> {
        const Place place = state_.Seek(voiding.plan_id, voiding.iteration);
        TW_ASSIGN_OR_RETURN(const fold::OpenCharge open, OpenOf(*store_, *keys_, *seals_, place));
        if (IsAnothers(place, owner_, voiding.at_ms)) return ComputedElsewhere();
        return fold::Decide(ledger, fold::VoidAct{voiding, open});
      });
}

// Instants before the kill cannot be kept any more; that they are counted anew is public, so it is
// an event. Charges whose key is still kept are begun again by whoever asks for them (Charge).
absl::StatusOr<std::vector<UnpublishedRelease>> FoldedLedger::RestartUnfinished(int64_t now_ms) {
  TW_RETURN_IF_ERROR(RequireWritable());
  return Act<absl::StatusOr<std::vector<UnpublishedRelease>>>(
      [&]() -> absl::StatusOr<std::vector<UnpublishedRelease>> {
        absl::MutexLock act(&acts_mutex_);
        TW_RETURN_IF_ERROR(Follow());
        // Of the store, in the order of the charges; the state has them by budget.
        TW_ASSIGN_OR_RETURN(const std::vector<store::OpenCharge> rows, store_->OpenCharges());
        std::vector<UnpublishedRelease> unfinished;
        fold::Events events;
        {
          absl::ReaderMutexLock lock(&state_mutex_);
          fold::RestartAct restart{.stored = {}, .now_ms = now_ms};
          for (const store::OpenCharge& row : rows) {
            if (row.release_sha256.empty() || !IsOwn(row, owner_)) continue;
            TW_ASSIGN_OR_RETURN(const BudgetState* budget, state_.ledger.Find(row.budget_id));
            if (budget->frozen()) continue;
            const auto [plan, iteration] = ChargedBy(*budget, row.sequence);
            if (plan == nullptr) return absl::DataLossError("an open charge has lost its event.");
            const fold::Charge& charge = plan->charges.at(iteration);
            TW_RETURN_IF_ERROR(seals_->CheckSeal(charge.terms, row));
            restart.stored.push_back({.plan_id = plan->terms.plan_id(), .iteration = iteration});
            unfinished.push_back({{.corpus = plan->terms.spec().corpus(),
                                   .plan_id = plan->terms.plan_id(),
                                   .iteration = iteration,
                                   .charge_id = row.sequence,
                                   .begun_at_ms = now_ms,
                                   .interval_ms = charge.interval_ms()},
                                  plan->terms.spec().corpus_version(),
                                  plan->principal});
          }
          TW_ASSIGN_OR_RETURN(events, fold::Decide(state_.ledger, restart));
        }
        TW_RETURN_IF_ERROR(Commit(events, {.name = "restart"}));
        return unfinished;
      });
}

}  // namespace topicwall::ledger
