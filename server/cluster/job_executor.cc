#include "server/cluster/job_executor.h"

#include <openssl/crypto.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/norm_histogram.h"
#include "server/mechanism/partial_sum.h"

namespace topicwall::cluster {
namespace {

// For a job that is being started, before the charge.
constexpr absl::Duration kPatience = absl::Seconds(10);
// For the next one, after a death: how long it may take is the schedule's business, which abandons
// the release.
constexpr absl::Duration kPatienceAfterDeath = absl::Minutes(10);

// As mechanism::PartialSum writes it down; more than that is never taken from a job.
int64_t BytesOfSum(const model::StatisticShape& shape, int num_shards) {
  return static_cast<int64_t>(mechanism::PartialSum::kHeaderBytes) + num_shards +
         8 * (shape.dimension + int64_t{mechanism::kNormHistogramBins});
}

// Before the charge. The ranks are alike (server/worker/job.cc); after a death the next ones have
// to be like those before.
absl::Status RequireLike(const JobConnection& connection, absl::string_view kernel_name) {
  TW_RETURN_IF_ERROR(connection.RequireBuild());
  // The receipt is split for as many shards.
  const absl::Status shards = mechanism::ValidateNumShards(connection.num_ranks());
  if (!shards.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the job has a wrong number of ranks: ", shards.message()));
  }
  if (connection.kernel_name() == kernel_name) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the job's ranks compute with the kernel ", connection.kernel_name(),
                   " and the vault with ", kernel_name, "; start both with the same --kernel"));
}

}  // namespace

absl::StatusOr<JobExecutor> JobExecutor::Reserve(SumJob& job, const model::Inference& inference,
                                                 v1::PrepareSum order, absl::Duration preparation) {
  TW_ASSIGN_OR_RETURN(std::shared_ptr<JobConnection> connection, job.Await(kPatience));
  TW_RETURN_IF_ERROR(RequireLike(*connection, inference.kernel_name()));
  TW_RETURN_IF_ERROR(connection->Prepare(order, preparation));
  // The ranks have what summing takes; here is room for the sum that comes back.
  TW_ASSIGN_OR_RETURN(mechanism::ReleaseMemory memory,
                      executor::ReserveSum(inference, 1, order.direction_noise() != 0));
  return JobExecutor(job, std::move(connection), std::move(order), std::move(memory));
}

// A job that another took the place of since the charge has prepared nothing.
absl::StatusOr<JobConnection::Sum> JobExecutor::SumOnce(const executor::WorkOrder& order,
                                                        bool is_first) {
  if (!is_first || connection_->IsLost()) {
    const std::string kernel_name = connection_->kernel_name();
    TW_ASSIGN_OR_RETURN(connection_, job_->Await(kPatienceAfterDeath, order.abandoned));
    TW_RETURN_IF_ERROR(RequireLike(*connection_, kernel_name));
    // The receipt was split for so many shards, and each rank sums the one of its number.
    if (connection_->num_ranks() != num_shards_) {
      return absl::InternalError("the job has another number of ranks than the release has shards");
    }
    TW_RETURN_IF_ERROR(connection_->Prepare(order_, kPreparation, order.abandoned));
  }
  v1::BeginSum begin;
  begin.set_coins(order.coins.Serialise());
  begin.set_clip_norm(order.clip_norm);
  return connection_->Begin(std::move(begin), BytesOfSum(memory_->shape(), num_shards_),
                            order.abandoned);
}

absl::StatusOr<executor::UnitSum> JobExecutor::Sum(const executor::WorkOrder& order) {
  if (!memory_.has_value()) return absl::InternalError("an executor sums once");
  if (order.shards != executor::AllShards(order.coins)) {
    return absl::InvalidArgumentError("a job sums all shards of a release or none");
  }
  absl::StatusOr<JobConnection::Sum> sum = SumOnce(order, /*is_first=*/true);
  // Only after a loss: what a job refuses it would refuse again.
  for (int attempt = 2; attempt <= kAttempts && absl::IsUnavailable(sum.status()); ++attempt) {
    sum = SumOnce(order, /*is_first=*/false);
  }
  if (!sum.ok()) return sum.status();
  absl::StatusOr<mechanism::PartialSum> parsed = mechanism::PartialSum::Parse(
      order.coins, *std::move(memory_),
      {.clip_norm = order.clip_norm, .direction_noise = order.direction_noise}, sum->bytes);
  memory_.reset();
  // Still without noise: no copy of it may stay behind in memory that is given back.
  OPENSSL_cleanse(sum->bytes.data(), sum->bytes.size());
  if (!parsed.ok()) return parsed.status();
  return executor::UnitSum{.sum = *std::move(parsed), .unreadable = sum->unreadable};
}

}  // namespace topicwall::cluster
