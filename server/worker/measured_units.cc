#include "server/worker/measured_units.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "server/timing/unit_timing.h"

namespace topicwall::worker {
namespace {

constexpr int64_t kNumbersAtOnce = int64_t{1} << 20;

// The largest part: blocks are dealt out evenly.
timing::ReleaseShape PartOf(const v1::MeasureUnits& order, int num_ranks, int num_threads) {
  return {.limits = {.vocabulary_size = order.vocabulary_size(),
                     .words = order.max_words(),
                     .parameters_per_term = order.parameters_per_term(),
                     .iterations = order.max_iterations(),
                     .vector_dimension = order.vector_dimension()},
          .units = order.units() / num_ranks + (order.units() % num_ranks > 0 ? 1 : 0),
          .documents_per_unit = order.documents_per_unit(),
          .threads = num_threads,
          .attribute_sizes = {order.attribute_sizes().begin(), order.attribute_sizes().end()}};
}

// Parameters down, sums up.
double TimeExchange(const Ranks& ranks, int64_t entries) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t first = 0; first < entries; first += kNumbersAtOnce) {
    const auto count = static_cast<size_t>(std::min(kNumbersAtOnce, entries - first));
    std::string parameters(sizeof(float) * count, '\0');
    ranks.Broadcast(&parameters);
    std::vector<uint64_t> sums(count);
    ranks.AddUp(absl::MakeSpan(sums));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

absl::StatusOr<v1::MeasuredUnits> MeasureOnAll(const Ranks& ranks, const v1::MeasureUnits& order,
                                               int num_threads) {
  const absl::StatusOr<timing::UnitTiming> part =
      timing::TimeWorstUnits(PartOf(order, ranks.size(), num_threads));
  TW_RETURN_IF_ERROR(ranks.Agree(part.status()));
  const double exchange =
      TimeExchange(ranks, order.vocabulary_size() * order.parameters_per_term());
  v1::MeasuredUnits measured;
  // The slowest rank's: in a release all others wait for it.
  measured.set_seconds(ranks.Largest(part->seconds) + ranks.Largest(exchange));
  measured.set_documents_timed(part->documents_timed);
  measured.mutable_cases()->Assign(part->cases.begin(), part->cases.end());
  return measured;
}

}  // namespace topicwall::worker
