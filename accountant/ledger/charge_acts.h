// Decides what becomes of the iterations of a plan, from their charge to their end.
//
// Beside the chain stands one private row for each open charge: whether its release key is kept, or
// already the release that waits for its instant. No event tells it, since when something was
// computed is PRIVATE; whoever keeps that table says it with each act. A charge without a row can
// be had no more: its key was not in the backup that the ledger was restored from.
//
// Events are PUBLIC. Pure functions, any thread; Decide and Events as ledger_state.h says.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_CHARGE_ACTS_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_CHARGE_ACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/ledger/ledger_state.h"
#include "proto/ledger.pb.h"

namespace topicwall::accountant::ledger {

// A charged release whose computation was interrupted may be computed again this often.
inline constexpr int kMaxRecomputations = 3;

// The private row of a charge that has not ended; of one that ended in a lost ledger, whether its
// release is in this one. PRIVATE.
struct OpenCharge {
  enum class Kept { kNothing, kKey, kDamagedKey, kRelease };
  Kept kept = Kept::kNothing;  // kNothing: there is no row
};

// Pays for one iteration, or says what became of it. Asked again with the same digest while it is
// pending, begins its instants again, at most kMaxRecomputations times.
// INVALID_ARGUMENT outside 1…J; PERMISSION_DENIED for a plan that is not the principal's;
// ALREADY_EXISTS for another digest; DATA_LOSS if it is void, or can be had no more;
// FAILED_PRECONDITION if the plan is cancelled or paused, the corpus frozen or paused, or the
// charge was made to be computed with something else.
struct ChargeAct {
  std::string principal;
  std::string plan_id;
  int iteration;
  std::string request_digest;  // 32 bytes
  int64_t now_ms;
  v1::Protection protection;  // of this charge, or of this time that it is begun again
  v1::ComputedWith computed_with;
  std::string release_key_sha256;  // of the key that it is charged with, if it is: 32 bytes
  OpenCharge open;                 // of this iteration
};
struct ChargeDecision {
  enum class Outcome {
    kCharged,        // keep its release key with the events, compute
    kComputedAgain,  // keep the events, which count it; compute with the key that is kept
    kAwaiting,       // the release is there and waits for its instant; no events
    kGivenUp,        // to be voided at the last of its instants; no events
    kPublished       // readable; no events
  };
  Outcome outcome;
  int64_t begun_at_ms;  // what its instants are counted from; 0 if published
  Events events;
};
absl::StatusOr<ChargeDecision> Decide(const LedgerState& ledger, const ChargeAct& act);

// "" if a charge that was made for `charged` may be computed with `now`, the very same; else what
// is to be put back, in words.
std::string ComputedOtherwise(const v1::ComputedWith& charged, const v1::ComputedWith& now);

// DATA_LOSS, in the same words for every release that is paid and can be had no more, whatever the
// reason.
absl::Status ReleaseLost();

// Makes a stored release readable, at its scheduled instant; again: no event. FAILED_PRECONDITION
// unless charged and stored.
struct Publication {
  std::string plan_id;
  int iteration;
  int64_t readable_at_ms;  // the scheduled instant, never the time of computing
  int intervals_waited;    // m ≥ 1, more than 1 is an overrun; 0 without timing protection
};
struct PublishAct : Publication {
  OpenCharge open;
  std::string release_sha256;  // of the statistics, as they are stored
  std::string header_sha256;   // of the StoredRelease
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const PublishAct& act);

// Ends a charged iteration without a release: it stays paid. Not for unreadable data, which pause
// the corpus, its plan is paused. Again: no event. FAILED_PRECONDITION unless charged, by the event
// of this number, and neither stored nor ended.
struct Voiding {
  std::string plan_id;
  int iteration;
  int64_t charge_id;  // Charge.sequence
  v1::ReleaseVoided::Ground ground;
  int64_t at_ms;  // a scheduled instant, never the time at which it was found
};
struct VoidAct : Voiding {
  OpenCharge open;
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const VoidAct& act);

// At start: the instants of stored releases that nobody published are counted from now on, on the
// schedule that they had, but for those of frozen budgets. NOT_FOUND for one that is not pending.
struct RestartAct {
  struct Stored {
    std::string plan_id;
    int iteration;
  };
  std::vector<Stored> stored;  // oldest charge first
  int64_t now_ms;
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const RestartAct& act);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_CHARGE_ACTS_H_
