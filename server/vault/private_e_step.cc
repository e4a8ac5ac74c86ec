// From a request that has its place in the queue, in this order:
//   1. Its turn comes. A turn lasts until a public instant, and so the wait for the next does.
//   2. StoreWhatWaits: a release that is paid and could not be stored goes first.
//   3. Charge: whatever may be refused for want of data or memory is asked before, and costs
//      nothing. From the ledger's answer on the release is paid, durably.
//   4. Compute: on a thread of its own; this one looks at store moments alone whether it is done.
//   5. StoreAndPublish at the first level for which it is, or VoidAtLast at the last instant.
//   6. The turn ends, and the release is read back from the ledger for the reply.
// What a kill leaves after each of them stands in server/ledger/folded/folded_ledger_charges.cc.
#include "server/vault/private_e_step.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "proto/strict_parse.h"
#include "server/release/store_moment.h"
#include "server/vault/computing_thread.h"
#include "server/vault/lines/charged_release.h"
#include "server/vault/release_computation.h"

namespace topicwall::server {
namespace {

using release::StoreMoment;

constexpr int64_t kAskedAgainAfterMs = 1000;

// The disk's fault: nothing is voided, and the same request gives the same release.
absl::Status CouldNotBeStored(int64_t charge_id) {
  return absl::InternalError(absl::StrCat(
      "charge ", charge_id,
      " could not be stored; it is paid for: send the same request again, or ask the custodian"));
}

// At the store moment of `level`. What the storage does not take is tried again until the last
// instant: what it answers and when it is asked are public. A release of the first level begins
// anew then, as after a restart; one of a later level is an overrun and stays one.
absl::Status StoreAndPublish(Wall& wall, const ServedCorpus& corpus, ChargedRelease charged,
                             ReleaseComputation& computation,
                             const release::ReleaseSchedule::Instant& level) {
  release::Clock& clock = wall.clock();
  UnstoredRelease release{
      .corpus = &corpus, .noisy = *std::move(computation.release()), .header = {}};
  release.header = HeaderOf(release.noisy, computation.computed_with().kernel_name());
  const int64_t last_ms =
      corpus.schedule.Last(charged.begun_at_ms, clock.NowMs(), 0).readable_at_ms;
  absl::Status stored = release.StoreIn(wall.ledger());
  // Less than an interval late is in time; what comes later is the level that it comes to.
  const int64_t too_late_ms = level.readable_at_ms + corpus.schedule.interval_ms();
  if (stored.ok() && clock.NowMs() < too_late_ms) return Publish(wall, charged, level);
  while (absl::IsUnavailable(stored) && clock.NowMs() < last_ms) {
    wall.storage().Saw(stored);
    if (!clock.SleepUntilMs(std::min(last_ms, clock.NowMs() + kAskedAgainAfterMs))) {
      return GoingDown();
    }
    const int64_t now_ms = clock.NowMs();
    const bool begins_anew = level.intervals == 1;
    stored = release.StoreIn(wall.ledger(), begins_anew ? std::optional(now_ms) : std::nullopt);
    if (stored.ok() && begins_anew) charged.begun_at_ms = now_ms;
  }
  // By somebody else: the same bits, since they are a function of the charge. Of a ledger that is
  // beyond this program nothing is known of it.
  const bool by_another = absl::IsFailedPrecondition(stored) && !proto::IsWrittenByNewer(stored);
  if (stored.ok() || by_another) return PublishStored(wall, charged);
  // What is refused for good, and not for want of room, would only hold up everybody.
  if (absl::IsUnavailable(stored)) wall.unstored() = std::move(release);
  // Told at the last instant, too.
  if (!clock.SleepUntilMs(last_ms)) return GoingDown();
  wall.storage().Saw(stored);
  return CouldNotBeStored(charged.charge_id);
}

// Whoever asks: at the beginning of a turn, which is public. Its instants are counted from there,
// so that it is no overrun.
absl::Status StoreWhatWaits(Wall& wall, const ReleaseRequest& request) {
  std::optional<UnstoredRelease>& waiting = wall.unstored();
  if (!waiting.has_value()) return absl::OkStatus();
  const ledger::NoisedReceipt& receipt = waiting->noisy.receipt();
  const ServedCorpus& corpus = *waiting->corpus;
  const int64_t now_ms = wall.clock().NowMs();
  const ChargedRelease charged{.corpus = corpus.config.name(),
                               .plan_id = receipt.plan_id(),
                               .iteration = receipt.iteration(),
                               .charge_id = receipt.charge_id(),
                               .begun_at_ms = now_ms,
                               .interval_ms = corpus.schedule.interval_ms()};
  const absl::Status stored = waiting->StoreIn(wall.ledger(), now_ms);
  if (absl::IsUnavailable(stored)) {
    wall.storage().Saw(stored);
    if (receipt.request_digest() == request.digest()) return CouldNotBeStored(charged.charge_id);
    return absl::UnavailableError(
        "the ledger has no room for a release that is paid for, which goes before this one; "
        "nothing was charged: try again later, or ask the custodian");
  }
  waiting.reset();
  // Stored or voided meanwhile, or refused for good: the ledger tells whoever asks for it.
  if (!stored.ok()) return absl::OkStatus();
  // Should this fail, whoever asks for it publishes it.
  Publish(wall, charged, *corpus.schedule.InTime(now_ms, now_ms, 0)).IgnoreError();
  return absl::OkStatus();
}

// What the ledger says of an iteration: that it is paid now, or what became of it.
absl::StatusOr<ledger::ChargeOutcome> AskLedger(Wall& wall, const ReleaseRequest& request,
                                                const v1::ComputedWith& computed_with) {
  return wall.ledger().Charge({.principal = request.caller().principal,
                               .plan_id = request.header().plan_id(),
                               .iteration = request.header().iteration(),
                               .request_digest = request.digest(),
                               .now_ms = wall.clock().NowMs(),
                               .protection = wall.ProtectionOf(request.corpus()),
                               .computed_with = computed_with});
}

// After a standstill. A database that was out of reach, too, is asked again; what stays an error is
// told at the last instant of a release that would begin now. Standstill, answers and instants are
// public: how far the computation is nobody looks at.
absl::StatusOr<ledger::ChargeOutcome> AskLedgerAgain(Wall& wall, const ReleaseRequest& request,
                                                     const v1::ComputedWith& computed_with) {
  release::Clock& clock = wall.clock();
  const int64_t last_ms = request.corpus().schedule.Last(clock.NowMs(), 0, 0).readable_at_ms;
  for (;;) {
    auto outcome = AskLedger(wall, request, computed_with);
    if (outcome.ok()) return outcome;
    const int64_t now_ms = clock.NowMs();
    const bool may_pass = absl::IsUnavailable(outcome.status()) && now_ms < last_ms;
    const int64_t until_ms = may_pass ? std::min(last_ms, now_ms + kAskedAgainAfterMs) : last_ms;
    if (!clock.SleepUntilMs(until_ms)) return GoingDown();
    if (!may_pass) return outcome;
  }
}

struct Begun {
  ledger::ChargeOutcome outcome;
  std::shared_ptr<ReleaseComputation> computation;
};

// Until a store moment at which it is ready, or whatever else ends the wait. The receipt goes to
// the task, and with it all that the noise derives from.
// After a standstill the ledger counts the instants anew, as after a restart and as often, or has
// another outcome. The task goes on, since the key is the same: so nobody sees whether it was done
// by then, neither by the time of an answer nor by the memory that is left for the next release.
absl::StatusOr<StoreMoment> Compute(Wall& wall, const ReleaseRequest& request, Begun& begun,
                                    ChargedRelease& charged) {
  const ServedCorpus& corpus = request.corpus();
  const int64_t store_ms = corpus.schedule.StoreMs(begun.computation->bytes());
  // Shared: who ends first, this or the computation, leaves it to the other.
  auto receipt = std::make_shared<ledger::ChargeReceipt>(
      std::get<ledger::ChargeReceipt>(std::move(begun.outcome)));
  const auto task =
      wall.computing().Begin(corpus.schedule.is_protected(),
                             [computation = begun.computation, receipt](const auto& abandoned) {
                               computation->Run(std::move(*receipt), abandoned);
                             });
  receipt.reset();
  const absl::Cleanup abandon = [&] { wall.computing().Abandon(*task); };  // if it is not done
  for (;;) {
    const StoreMoment moment =
        release::AwaitStoreMoment(wall.clock(), corpus.schedule, charged.begun_at_ms, store_ms,
                                  {.ask = [&] { return wall.computing().IsIdle(); },
                                   .await = [&] { return wall.computing().Await(*task); }});
    if (moment.outcome != StoreMoment::kStoodStill) return moment;
    TW_ASSIGN_OR_RETURN(begun.outcome,
                        AskLedgerAgain(wall, request, begun.computation->computed_with()));
    const auto* again = std::get_if<ledger::ChargeReceipt>(&begun.outcome);
    if (again == nullptr) return moment;
    charged.begun_at_ms = again->begun_at_ms();
  }
}

// Data that could not be read are asked for before all else: they pause the corpus, too.
absl::Status EndComputed(Wall& wall, const ServedCorpus& corpus, const ChargedRelease& charged,
                         ReleaseComputation& computation, const StoreMoment& moment) {
  if (moment.outcome == StoreMoment::kInterrupted) return GoingDown();
  const bool is_done = moment.outcome == StoreMoment::kReady;
  if (is_done && computation.unreadable()) {
    return VoidAtLast(wall, charged, v1::ReleaseVoided::UNREADABLE_DATA);
  }
  if (!is_done || !computation.release().ok()) {
    return VoidAtLast(wall, charged, v1::ReleaseVoided::FAILED);
  }
  return StoreAndPublish(wall, corpus, charged, computation, moment.level);
}

// What is charged, or was, to its end. An exception is a failure like others: it waits for the last
// instant, or it would tell when it was thrown.
absl::Status Finish(Wall& wall, const ReleaseRequest& request, Begun begun) {
  const ServedCorpus& corpus = request.corpus();
  const auto charged_as = [&](int64_t charge_id, int64_t begun_at_ms) {
    return ChargedRelease{.corpus = corpus.config.name(),
                          .plan_id = request.header().plan_id(),
                          .iteration = request.header().iteration(),
                          .charge_id = charge_id,
                          .begun_at_ms = begun_at_ms,
                          .interval_ms = corpus.schedule.interval_ms()};
  };
  if (const auto* receipt = std::get_if<ledger::ChargeReceipt>(&begun.outcome)) {
    ChargedRelease charged = charged_as(receipt->charge_id(), receipt->begun_at_ms());
    try {
      TW_ASSIGN_OR_RETURN(const StoreMoment moment, Compute(wall, request, begun, charged));
      if (moment.outcome != StoreMoment::kStoodStill) {
        return EndComputed(wall, corpus, charged, *begun.computation, moment);
      }
    } catch (...) {
      return VoidAtLast(wall, charged, v1::ReleaseVoided::FAILED);
    }
  }
  if (const auto* awaiting = std::get_if<ledger::AwaitingPublication>(&begun.outcome)) {
    ChargedRelease charged = charged_as(awaiting->charge_id, awaiting->begun_at_ms);
    charged.interval_ms = awaiting->interval_ms;
    return PublishStored(wall, charged);
  }
  if (const auto* given_up = std::get_if<ledger::GivenUp>(&begun.outcome)) {
    return VoidAtLast(wall, charged_as(given_up->charge_id, given_up->begun_at_ms),
                      v1::ReleaseVoided::FAILED);
  }
  return absl::OkStatus();
}

// Undamaged data, then memory, then the charge. The other way round a corpus that changed on disk,
// or a machine without memory, would cost the analyst a release; and how much memory one takes must
// follow from public numbers, so it is taken before a document is looked at.
absl::StatusOr<Begun> Charge(Wall& wall, const ReleaseRequest& request) {
  TW_RETURN_IF_ERROR(request.corpus().store->RequireUndamaged());
  TW_ASSIGN_OR_RETURN(std::shared_ptr<ReleaseComputation> computation,
                      ReleaseComputation::Prepare(wall, request));
  TW_ASSIGN_OR_RETURN(ledger::ChargeOutcome outcome,
                      AskLedger(wall, request, computation->computed_with()));
  TOPICWALL_KILL_POINT("after-charge");
  return Begun{.outcome = std::move(outcome), .computation = std::move(computation)};
}

}  // namespace

// The turn ends before the reply, and the request with it: a slow reader keeps nobody from
// computing, and no parameters. What is refused before the charge is answered at a multiple of
// 10 ms, since the ledger may have been waited for.
absl::Status RunPrivateEStep(Wall& wall, ReleaseRequest given, release::ReleaseQueue::Place place,
                             ledger::ReleaseSink& sink) {
  const std::string principal = given.caller().principal;
  const std::string plan_id = given.header().plan_id();
  const int iteration = given.header().iteration();
  {
    const ReleaseRequest request = std::move(given);
    release::ReleaseQueue::Place turn = std::move(place);  // left when this scope ends
    if (!turn.WaitForTurn()) {
      return absl::UnavailableError("the server is going down; nothing was charged");
    }
    const absl::Status stored = StoreWhatWaits(wall, request);
    if (!stored.ok()) return wall.AnswerAct(request.corpus(), stored);
    absl::StatusOr<Begun> begun = Charge(wall, request);
    if (!begun.ok()) return wall.AnswerAct(request.corpus(), begun.status());
    TW_RETURN_IF_ERROR(Finish(wall, request, *std::move(begun)));
  }
  TOPICWALL_KILL_POINT("before-reply");
  return wall.ledger().ReadRelease(principal, plan_id, iteration, sink);
}

// What cannot be begun anew now stays stored, and is published when it is asked for.
std::vector<ledger::UnpublishedRelease> RestartUnfinished(Wall& wall) {
  auto unfinished = wall.ledger().RestartUnfinished(wall.clock().NowMs());
  wall.storage().Saw(unfinished.status());
  return std::move(unfinished).value_or(std::vector<ledger::UnpublishedRelease>());
}

void PublishUnfinished(Wall& wall, const std::vector<ledger::UnpublishedRelease>& unfinished) {
  // All have begun at once: the shortest interval comes first.
  std::multimap<int64_t, const ledger::UnpublishedRelease*> in_order;
  for (const ledger::UnpublishedRelease& release : unfinished) {
    in_order.emplace(release.interval_ms, &release);
  }
  for (const auto& [interval_ms, release] : in_order) {
    const absl::Status published = PublishStored(wall, *release);
    wall.storage().Saw(published);
    if (absl::IsUnavailable(published)) return;
  }
}

}  // namespace topicwall::server
