// PrivacyLedger: what the wall may still release, and the proof of what it has released.
// The only thing in the server that can let a release happen.
//
//   Reserve(request)                          sets aside
//   Charge(charge)                            pays: ChargeReceipt → coins, sum, noise
//   Store(NoisedReceipt, header, statistics)  keeps
//   Publish(publication)                      at the scheduled instant
//
// States of an iteration:
//
//   reserved ──Charge──> charged ──Store──> stored ──Publish──> published
//                          │  ↺ Charge, same digest: the same receipt, ≤ 3 times
//                          └──Void──> voided (DATA_LOSS for ever; plan or corpus is paused)
//
// A plan is ACTIVE until it is CANCELLED (what was never charged is given back, exactly)
// or PAUSED (a release was lost, or a backup was restored: nothing more is charged; what was
// never charged counts as charged after a restore).
//
// Promises of every implementation:
//  * An OK answer is durable. After an error nothing is changed, except where said.
//  * Everything decided is decided in one serialised transaction: however many threads or
//    servers reserve at once, the budget is never exceeded.
//  * Every act is an event in the budget's hash chain (proto/ledger_chain.h), in the same
//    transaction. Storing is none: how long a release took is PRIVATE.
//  * Plans (but for lists) and release headers carry the receipts of what has happened to them:
//    the same act, the same bytes, whenever it is asked for (receipt_signer.h).
//  * Unknown and foreign plans are one and the same PERMISSION_DENIED.
//  * Answers and errors depend on public parameters only.
// Errors beside those named: UNAVAILABLE if the storage cannot write (full, locked), DATA_LOSS if
// it is damaged. A frozen ledger (restored, not thawed) only reads: else FAILED_PRECONDITION.
// Threads: any method from any thread.
#ifndef TOPICWALL_SERVER_LEDGER_PRIVACY_LEDGER_H_
#define TOPICWALL_SERVER_LEDGER_PRIVACY_LEDGER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"
#include "server/ledger/charge_receipt.h"
#include "server/ledger/ledger_requests.h"
#include "server/ledger/release_sink.h"

namespace topicwall::ledger {

class PrivacyLedger {
 public:
  virtual ~PrivacyLedger() = default;

  // Sets J·c aside from budget and cap. The same principal, request id and plan: the same plan
  // again, free. ALREADY_EXISTS for another one under the id; then the request's own `validity`;
  // INVALID_ARGUMENT for a plan that cannot be priced; FAILED_PRECONDITION as a
  // proto::BudgetRefusal if it does not fit, without it if the corpus has no budget, is paused or
  // has too few releases left, or the principal too many plans (plan_admission.h).
  virtual absl::StatusOr<v1::PlanState> Reserve(const ReserveRequest& request) = 0;

  // What Reserve would decide of budget, cap and releases, by the same arithmetic; changes nothing.
  virtual absl::StatusOr<v1::PlanPrice> Price(const Purse& purse, const v1::ReleaseSpec& plan,
                                              const accountant::StillWanted& still_wanted = {}) = 0;

  // Gives back what was never charged, and ends the plan; again: no change.
  virtual absl::StatusOr<v1::PlanState> Cancel(absl::string_view principal,
                                               absl::string_view plan_id, int64_t now_ms) = 0;
  virtual absl::StatusOr<v1::PlanState> GetPlan(absl::string_view principal,
                                                absl::string_view plan_id) = 0;
  // Below 1 MiB, but for a single plan that is larger. INVALID_ARGUMENT.
  virtual absl::StatusOr<PlanPage> ListPlans(const PlanQuery& query) = 0;

  // Cancels the plans of which nothing was charged for so many days (plan_acts.h), by corpus, as of
  // `now_ms`. To be asked before whatever depends on what is left.
  virtual absl::Status CancelExpired(const std::map<std::string, int>& days, int64_t now_ms) = 0;

  // Pays for one iteration, and draws its release key; or says what became of it. Asked again with
  // the same digest while charged, gives the same receipt, at most kMaxRecomputations times, each a
  // ReleaseRestarted event, durable first: call it only when nobody waits for an earlier instant of
  // this iteration any more. Its instants are then counted from that act.
  // ALREADY_EXISTS for another digest; DATA_LOSS once the release is void; FAILED_PRECONDITION if
  // the plan is cancelled or paused, the corpus is paused, or the charge was made to be computed
  // with something else (`computed_with`); INVALID_ARGUMENT outside 1…J.
  virtual absl::StatusOr<ChargeOutcome> Charge(const ChargeRequest& request) = 0;

  // Keeps a computed release and erases its release key, both or neither. `header` says what only
  // the mechanism knows. `statistics`: K×V, row = topic. PRIVATE until published: to be called at a
  // public time, not when it is ready, as everybody waits who wants the ledger. `late_at_ms`, of
  // one not stored in time: its instants are counted from then on, by a ReleaseRestarted event.
  // FAILED_PRECONDITION unless the iteration is charged under this very receipt: of two that store
  // the same, one does. INVALID_ARGUMENT for a wrong shape.
  virtual absl::Status Store(const NoisedReceipt& receipt, const v1::StoredRelease& header,
                             absl::Span<const float> statistics,
                             std::optional<int64_t> late_at_ms = std::nullopt) = 0;

  // Makes a stored release readable; to be called at its scheduled instant, not before.
  // Counts an overrun; again: no change. FAILED_PRECONDITION unless stored.
  virtual absl::Status Publish(const Publication& publication) = 0;

  // Ends a charged iteration without a release: it stays paid, and is never computed again. For
  // UNREADABLE_DATA the corpus pauses until it is acknowledged, for FAILED the plan; together with
  // the overruns kOverrunsThatPause of them pause the corpus. To be called at the last scheduled
  // instant. Again: no change. FAILED_PRECONDITION unless charged under this id and not stored.
  virtual absl::Status Void(const Voiding& voiding) = 0;

  // Streams a published release, checked against its digest before the first byte goes
  // out. NOT_FOUND if not readable yet; DATA_LOSS (and the plan is paused) if stored bytes
  // are missing or changed. Slow sinks hold up nobody else.
  virtual absl::Status ReadRelease(absl::string_view principal, absl::string_view plan_id,
                                   int iteration, ReleaseSink& sink) = 0;

  // The latest time of an event; 0 without budgets. Whoever dates the next acts begins no earlier.
  virtual absl::StatusOr<int64_t> LastTimeMs() = 0;

  // At start: stored releases that nobody published, of before a crash, oldest first. Their
  // instants are counted from now on, by a ReleaseRestarted event each.
  virtual absl::StatusOr<std::vector<UnpublishedRelease>> RestartUnfinished(int64_t now_ms) = 0;

  // NOT_FOUND for a version without a budget.
  virtual absl::StatusOr<v1::BudgetStatus> Budget(const BudgetQuery& query) = 0;
  // State CORPUS_STATE_NO_BUDGET for a version without a budget.
  virtual absl::StatusOr<CorpusStatus> StatusOfCorpus(absl::string_view corpus_version) = 0;

  // The heads of all chains, once they are not `known` any more, or after `at_most`. Plans,
  // statuses and budgets follow from the chains: they stay what they are as long as these do.
  virtual std::string AwaitMove(absl::string_view known, absl::Duration at_most) = 0;

  // The chain of the corpus's budget from `first_sequence` on (below 1: from the start), as
  // long as it was when called. Events of other analysts come as commitments. The last entry has
  // its head signed, unless the ledger is read-only. While `sink` waits 16 KiB are kept.
  virtual absl::Status ReadEvents(absl::string_view corpus_version, const Reader& reader,
                                  int64_t first_sequence,
                                  absl::FunctionRef<absl::Status(v1::LedgerEntry)> sink) = 0;

 protected:
  // For implementations alone: a receipt for a charge that is durable.
  static ChargeReceipt MakeReceipt(ChargeTerms terms, random::SecretKey release_key) {
    return ChargeReceipt(std::move(terms), std::move(release_key));
  }
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_PRIVACY_LEDGER_H_
