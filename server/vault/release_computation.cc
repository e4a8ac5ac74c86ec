#include "server/vault/release_computation.h"

#include <new>
#include <string>
#include <utility>

#include "base/kill_point.h"
#include "base/status_macros.h"
#include "proto/matrix_codec.h"
#include "server/cluster/job_executor.h"
#include "server/executor/build.h"
#include "server/executor/thread_executor.h"

namespace topicwall::server {
executor::UnitBounds BoundsOf(const ServedCorpus& corpus, const v1::ReleaseSpec& plan,
                              int num_threads) {
  return executor::BoundsOf(
      corpus.store->description(),
      {.max_words = plan.max_tokens(),
       .max_documents_per_owner = corpus.config.limits().max_documents_per_unit(),
       .has_weights = !plan.weights().empty()},
      num_threads);
}

// Every field of the configuration that a sum depends on is here: the sum takes it from here.
v1::ComputedWith ComputedWithOf(const v1::Limits& limits, absl::string_view kernel_name) {
  v1::ComputedWith with;
  with.set_kernel_name(std::string(kernel_name));
  with.set_build(std::string(executor::Build()));
  with.set_max_documents_per_unit(limits.max_documents_per_unit());
  return with;
}

// All of it follows from plan, request and kernel, but for the histogram, which is noised: nothing
// here was counted.
v1::StoredRelease HeaderOf(const mechanism::NoisyStatistics& noisy, absl::string_view kernel_name) {
  v1::StoredRelease header;
  header.set_rows(noisy.shape().rows());
  header.set_columns(noisy.shape().period);
  header.set_clip_norm(noisy.clip_norm());
  header.set_kernel_name(std::string(kernel_name));
  header.set_noise_standard_deviation(noisy.noise_standard_deviation());
  header.set_direction_noise(noisy.direction_noise());
  header.set_histogram_noise_standard_deviation(noisy.histogram_noise_standard_deviation());
  for (const float bin : noisy.norm_histogram()) header.add_norm_histogram(bin);
  return header;
}

ReleaseComputation::ReleaseComputation(Wall& wall, const ReleaseRequest& request,
                                       std::unique_ptr<model::Inference> inference)
    : corpus_(request.corpus()),
      job_(wall.job()),
      num_threads_(wall.config().e_step_threads()),
      clip_norm_(request.header().clip_norm()),
      direction_noise_(request.header().direction_noise()),
      inference_(std::move(inference)),
      computed_with_(ComputedWithOf(corpus_.config.limits(), inference_->kernel_name())) {}

// The one place where a release may fail for want of memory, and nothing is charged yet.
absl::StatusOr<std::shared_ptr<ReleaseComputation>> ReleaseComputation::Prepare(
    Wall& wall, const ReleaseRequest& request) {
  try {
    TW_ASSIGN_OR_RETURN(std::unique_ptr<model::Inference> inference,
                        request.model().Bind(request.parameters(), wall.config().e_step_threads()));
    std::shared_ptr<ReleaseComputation> computation(
        new ReleaseComputation(wall, request, std::move(inference)));
    TW_RETURN_IF_ERROR(computation->Reserve(request));
    return computation;
  } catch (const std::bad_alloc&) {
    return absl::UnavailableError(
        "not enough memory for a release of this size now; nothing was charged; try again later");
  }
}

absl::Status ReleaseComputation::Reserve(const ReleaseRequest& request) {
  bytes_ = int64_t{sizeof(float)} * inference_->shape().dimension;
  if (job_ != nullptr) {
    v1::PrepareSum order;
    *order.mutable_plan() = request.plan();
    order.set_parameters(proto::FloatsToLittleEndian(request.parameters()));
    order.set_max_documents_per_unit(computed_with_.max_documents_per_unit());
    order.set_direction_noise(direction_noise_);
    TW_ASSIGN_OR_RETURN(cluster::JobExecutor executor,
                        cluster::JobExecutor::Reserve(*job_, *inference_, std::move(order)));
    executor_ = std::make_unique<cluster::JobExecutor>(std::move(executor));
    return absl::OkStatus();
  }
  TW_ASSIGN_OR_RETURN(executor::ThreadExecutor executor,
                      executor::ThreadExecutor::Reserve(
                          *inference_, {.corpus = *corpus_.store,
                                        .decoded = corpus_.decoded,
                                        .bounds = BoundsOf(corpus_, request.plan(), num_threads_),
                                        .has_directions = direction_noise_ != 0}));
  executor_ = std::make_unique<executor::ThreadExecutor>(std::move(executor));
  return absl::OkStatus();
}

// An exception that left the computing thread would end the process, at a time that depends on
// documents; and its text might tell of them. So it becomes a status without either.
void ReleaseComputation::Run(ledger::ChargeReceipt receipt, const std::atomic<bool>& abandoned) {
  try {
    release_.emplace(Compute(std::move(receipt), abandoned));
  } catch (...) {
    release_.emplace(absl::InternalError("the release cannot be computed"));
  }
}

// Each line takes what only the one before it can make: receipt, keys, sum, noise. The exact sum
// moves into the noise and is gone when this returns, however it returns.
absl::StatusOr<mechanism::NoisyStatistics> ReleaseComputation::Compute(
    ledger::ChargeReceipt receipt, const std::atomic<bool>& abandoned) {
  TW_ASSIGN_OR_RETURN(mechanism::ReleaseKeys keys,
                      mechanism::SplitReceipt(std::move(receipt), executor_->num_shards(),
                                              &corpus_.store->held_out_key()));
  TOPICWALL_KILL_POINT("after-coins");
  TW_ASSIGN_OR_RETURN(
      executor::UnitSum units,
      executor_->Sum({.coins = keys.coins,
                      .clip_norm = clip_norm_,
                      .max_documents_per_unit = computed_with_.max_documents_per_unit(),
                      .shards = executor::AllShards(keys.coins),
                      .direction_noise = direction_noise_,
                      .abandoned = &abandoned}));
  unreadable_ = units.unreadable;
  TOPICWALL_KILL_POINT("after-sum");
  TW_ASSIGN_OR_RETURN(
      mechanism::NoisyStatistics noisy,
      mechanism::AddNoise(std::move(units.sum), std::move(keys.noise), num_threads_));
  TOPICWALL_KILL_POINT("after-noise");
  return noisy;
}

}  // namespace topicwall::server
