#include "server/private_e_step.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/status_macros.h"
#include "lda/e_step.h"
#include "proto/plan_model.h"
#include "server/ledger/kill_point.h"
#include "server/mechanism/noise_mechanism.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/release_memory.h"
#include "server/unit_sum.h"

namespace topicwall::server {
namespace {

// One charged iteration, as the schedule and the ledger name it. PUBLIC.
struct ChargedRelease {
  std::string plan_id;
  int iteration;
  int64_t charge_id;
  int64_t charged_at_ms;
};

absl::StatusOr<lda::EStep> MakeEStep(const EStepRequest& request, int num_threads) {
  return lda::EStep::Create(request.log_topics(),
                            {.document_topic_prior = lda::DocumentTopicPrior(
                                 proto::ModelOf(request.plan()).document_topic_prior),
                             .max_iterations = request.header().max_e_step_iterations(),
                             .mean_change_threshold = request.header().mean_change_threshold()},
                            lda::ChosenKernel(), num_threads);
}

v1::StoredRelease Describe(const mechanism::NoisyStatistics& noisy, absl::string_view kernel_name) {
  v1::StoredRelease header;
  header.set_clip_norm(noisy.clip_norm());
  header.set_kernel_name(std::string(kernel_name));
  header.set_noise_standard_deviation(noisy.noise_standard_deviation());
  header.set_histogram_noise_standard_deviation(noisy.histogram_noise_standard_deviation());
  for (const float bin : noisy.norm_histogram()) header.add_norm_histogram(bin);
  return header;
}

// Everything whose duration or failure depends on the documents.
absl::Status ComputeAndStore(Wall& wall, const EStepRequest& request, const lda::EStep& e_step,
                             mechanism::ReleaseMemory memory, ledger::ChargeReceipt receipt) {
  ServedCorpus& corpus = request.corpus();
  const int num_threads = wall.config().e_step_threads();
  TW_ASSIGN_OR_RETURN(
      mechanism::ReleaseCoins coins,
      mechanism::ReleaseCoins::Create(std::move(receipt), &corpus.store->held_out_key()));
  TOPICWALL_KILL_POINT("after-coins");
  TW_ASSIGN_OR_RETURN(UnitSum units, SumUnits(std::move(coins), std::move(memory),
                                              {.corpus = *corpus.store,
                                               .decoded = corpus.decoded,
                                               .e_step = e_step,
                                               .clip_norm = request.header().clip_norm(),
                                               .max_documents_per_unit =
                                                   corpus.config.limits().max_documents_per_unit(),
                                               .num_threads = num_threads}));
  if (units.unreadable) wall.log().Alarm(kAlarmUnreadableUnits, corpus.config.name());
  TOPICWALL_KILL_POINT("after-sum");
  TW_ASSIGN_OR_RETURN(mechanism::NoisyStatistics noisy,
                      mechanism::AddNoise(std::move(units.sum), num_threads));
  TOPICWALL_KILL_POINT("after-noise");
  const v1::StoredRelease header = Describe(noisy, e_step.kernel_name());
  const absl::Span<const float> statistics = noisy.statistics();
  return wall.ledger().Store(std::move(noisy).TakeReceipt(), header, statistics);
}

// Waits for the instant of a release that is stored by now. False if the server goes
// down first.
bool WaitForInstant(Wall& wall, const ServedCorpus& corpus, int64_t charged_at_ms,
                    release::ReleaseSchedule::Instant* instant) {
  *instant = corpus.schedule.ReadableAt(charged_at_ms, wall.clock().NowMs());
  return wall.clock().SleepUntilMs(instant->readable_at_ms);
}

absl::Status PublishAtInstant(Wall& wall, const ServedCorpus& corpus, const ChargedRelease& charged,
                              const absl::Status& stored) {
  release::ReleaseSchedule::Instant instant;
  if (!WaitForInstant(wall, corpus, charged.charged_at_ms, &instant)) {
    return absl::UnavailableError(
        "the server is going down; the release is paid and will be readable when it is up again");
  }
  if (!stored.ok()) {
    wall.log().Alarm(kAlarmReleaseFailed, corpus.config.name());
    return absl::InternalError(absl::StrCat(
        "charge ", charged.charge_id,
        " could not be completed; it is paid for: send the same request again, or ask the "
        "custodian"));
  }
  TOPICWALL_KILL_POINT("before-publish");
  TW_RETURN_IF_ERROR(wall.ledger().Publish({.plan_id = charged.plan_id,
                                            .iteration = charged.iteration,
                                            .readable_at_ms = instant.readable_at_ms,
                                            .intervals_waited = instant.intervals}));
  wall.log().Write(LogEvent::kReleasePublished,
                   {{LogField::kCorpus, corpus.config.name()},
                    {LogField::kPlan, charged.plan_id},
                    {LogField::kIteration, int64_t{charged.iteration}},
                    {LogField::kIntervals, int64_t{instant.intervals}}});
  if (instant.intervals > 1) wall.log().Alarm(kAlarmOverrun, corpus.config.name());
  return absl::OkStatus();
}

}  // namespace

absl::Status RunPrivateEStep(Wall& wall, const EStepRequest& request,
                             release::ReleaseQueue::Place place, ledger::ReleaseSink& sink) {
  const std::string& principal = request.caller().principal;
  ChargedRelease charged{.plan_id = request.header().plan_id(),
                         .iteration = request.header().iteration(),
                         .charge_id = 0,
                         .charged_at_ms = 0};
  {
    release::ReleaseQueue::Place turn = std::move(place);  // left when this scope ends
    turn.WaitForTurn();
    TW_ASSIGN_OR_RETURN(lda::EStep e_step, MakeEStep(request, wall.config().e_step_threads()));
    const proto::StatisticShape shape =
        proto::ReleaseShapeOf(request.plan(), request.log_topics().vocabulary_size());
    TW_ASSIGN_OR_RETURN(
        mechanism::ReleaseMemory memory,
        mechanism::ReleaseMemory::Reserve({.num_topics = shape.rows,
                                           .vocabulary_size = shape.columns,
                                           .num_threads = wall.config().e_step_threads()}));
    TW_ASSIGN_OR_RETURN(ledger::ChargeOutcome outcome,
                        wall.ledger().Charge({.principal = principal,
                                              .plan_id = charged.plan_id,
                                              .iteration = charged.iteration,
                                              .request_digest = request.digest(),
                                              .now_ms = wall.clock().NowMs()}));
    TOPICWALL_KILL_POINT("after-charge");
    if (auto* receipt = std::get_if<ledger::ChargeReceipt>(&outcome)) {
      charged.charge_id = receipt->charge_id();
      charged.charged_at_ms = receipt->charged_at_ms();
      const absl::Status stored =
          ComputeAndStore(wall, request, e_step, std::move(memory), std::move(*receipt));
      TW_RETURN_IF_ERROR(PublishAtInstant(wall, request.corpus(), charged, stored));
    } else if (auto* awaiting = std::get_if<ledger::AwaitingPublication>(&outcome)) {
      charged.charge_id = awaiting->charge_id;
      charged.charged_at_ms = awaiting->charged_at_ms;
      TW_RETURN_IF_ERROR(PublishAtInstant(wall, request.corpus(), charged, absl::OkStatus()));
    }
  }
  TOPICWALL_KILL_POINT("before-reply");
  return wall.ledger().ReadRelease(principal, charged.plan_id, charged.iteration, sink);
}

void PublishUnfinished(Wall& wall) {
  absl::StatusOr<std::vector<ledger::UnpublishedRelease>> unfinished = wall.ledger().Unfinished();
  if (!unfinished.ok()) return;
  for (const ledger::UnpublishedRelease& release : *unfinished) {
    ServedCorpus* corpus = wall.FindVersion(release.corpus_version);
    if (corpus == nullptr) continue;
    std::optional<release::ReleaseQueue::Place> place = corpus->queue->Enter();
    if (!place.has_value()) continue;  // the analyst's own request publishes it
    place->WaitForTurn();
    const absl::Status published = PublishAtInstant(wall, *corpus,
                                                    {.plan_id = release.plan_id,
                                                     .iteration = release.iteration,
                                                     .charge_id = release.charge_id,
                                                     .charged_at_ms = release.charged_at_ms},
                                                    absl::OkStatus());
    if (absl::IsUnavailable(published)) return;
  }
}

}  // namespace topicwall::server
