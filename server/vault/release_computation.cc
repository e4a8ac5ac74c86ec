#include "server/vault/release_computation.h"

#include <new>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "proto/plan_model.h"
#include "server/ledger/kill_point.h"
#include "server/mechanism/release_coins.h"
#include "server/vault/unit_sum.h"

namespace topicwall::server {
namespace {

absl::StatusOr<lda::EStep> MakeEStep(const EStepRequest& request, int num_threads) {
  return lda::EStep::Create(request.log_topics(),
                            {.document_topic_prior = lda::DocumentTopicPrior(
                                 proto::ModelOf(request.plan()).document_topic_prior),
                             .max_iterations = request.header().max_e_step_iterations(),
                             .mean_change_threshold = request.header().mean_change_threshold()},
                            lda::ChosenKernel(), num_threads);
}

}  // namespace

UnitBounds BoundsOf(const ServedCorpus& corpus, const v1::PlanSpec& plan, int num_topics,
                    int num_threads) {
  const corpus::CorpusDescription& description = corpus.store->description();
  const bool by_owner = description.privacy_unit == corpus::PrivacyUnit::kOwner;
  return {.vocabulary_size = static_cast<int64_t>(description.vocabulary->size()),
          .num_topics = num_topics,
          .max_words = plan.max_words(),
          .max_documents_per_unit = by_owner ? corpus.config.limits().max_documents_per_unit() : 1,
          .has_weights = !plan.term_weights().empty(),
          .is_evaluation = plan.has_document_completion(),
          .num_threads = num_threads};
}

v1::StoredRelease HeaderOf(const mechanism::NoisyStatistics& noisy, absl::string_view kernel_name) {
  v1::StoredRelease header;
  header.set_clip_norm(noisy.clip_norm());
  header.set_kernel_name(std::string(kernel_name));
  header.set_noise_standard_deviation(noisy.noise_standard_deviation());
  header.set_histogram_noise_standard_deviation(noisy.histogram_noise_standard_deviation());
  for (const float bin : noisy.norm_histogram()) header.add_norm_histogram(bin);
  return header;
}

ReleaseComputation::ReleaseComputation(const Wall& wall, const EStepRequest& request,
                                       lda::EStep e_step)
    : corpus_(request.corpus()),
      num_threads_(wall.config().e_step_threads()),
      clip_norm_(request.header().clip_norm()),
      e_step_(std::move(e_step)) {}

absl::StatusOr<std::shared_ptr<ReleaseComputation>> ReleaseComputation::Prepare(
    const Wall& wall, const EStepRequest& request) {
  try {
    TW_ASSIGN_OR_RETURN(lda::EStep e_step, MakeEStep(request, wall.config().e_step_threads()));
    std::shared_ptr<ReleaseComputation> computation(
        new ReleaseComputation(wall, request, std::move(e_step)));
    TW_RETURN_IF_ERROR(computation->Reserve(request));
    return computation;
  } catch (const std::bad_alloc&) {
    return absl::UnavailableError(
        "not enough memory for a release of this size now; nothing was charged; try again later");
  }
}

absl::Status ReleaseComputation::Reserve(const EStepRequest& request) {
  const proto::StatisticShape shape =
      proto::ReleaseShapeOf(request.plan(), request.log_topics().vocabulary_size());
  bytes_ = int64_t{sizeof(float)} * shape.rows * shape.columns;
  TW_ASSIGN_OR_RETURN(sum_memory_, mechanism::ReleaseMemory::Reserve(
                                       {.shape = model::GridOf(shape.rows, shape.columns),
                                        .num_threads = num_threads_}));
  TW_ASSIGN_OR_RETURN(unit_memory_,
                      UnitMemory::Reserve(e_step_, BoundsOf(corpus_, request.plan(),
                                                            e_step_.num_topics(), num_threads_)));
  return absl::OkStatus();
}

void ReleaseComputation::Run(ledger::ChargeReceipt receipt, const std::atomic<bool>& abandoned) {
  try {
    release_.emplace(Compute(std::move(receipt), abandoned));
  } catch (...) {
    release_.emplace(absl::InternalError("the release cannot be computed"));
  }
}

absl::StatusOr<mechanism::NoisyStatistics> ReleaseComputation::Compute(
    ledger::ChargeReceipt receipt, const std::atomic<bool>& abandoned) {
  TW_ASSIGN_OR_RETURN(
      mechanism::ReleaseCoins coins,
      mechanism::ReleaseCoins::Create(std::move(receipt), &corpus_.store->held_out_key()));
  TOPICWALL_KILL_POINT("after-coins");
  const UnitWork work = {.corpus = *corpus_.store,
                         .decoded = corpus_.decoded,
                         .e_step = e_step_,
                         .clip_norm = clip_norm_,
                         .max_documents_per_unit = corpus_.config.limits().max_documents_per_unit(),
                         .num_threads = num_threads_,
                         .memory = *unit_memory_,
                         .abandoned = &abandoned};
  TW_ASSIGN_OR_RETURN(UnitSum units, SumUnits(std::move(coins), *std::move(sum_memory_), work));
  unreadable_ = units.unreadable;
  TOPICWALL_KILL_POINT("after-sum");
  TW_ASSIGN_OR_RETURN(mechanism::NoisyStatistics noisy,
                      mechanism::AddNoise(std::move(units.sum), num_threads_));
  TOPICWALL_KILL_POINT("after-noise");
  return noisy;
}

}  // namespace topicwall::server
