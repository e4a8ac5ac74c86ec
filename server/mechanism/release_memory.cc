#include "server/mechanism/release_memory.h"

#include <algorithm>
#include <cstddef>
#include <new>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/noise/strip_table.h"

namespace topicwall::mechanism {

namespace {

// Of the shape and the threads alone, so that the memory of a release can be told beforehand.
int64_t NumCopies(const ReleaseMemory::Params& params) {
  const int64_t fit = ReleaseMemory::kMaxCopiedEntries / params.shape.dimension;
  return std::max<int64_t>(1, std::min<int64_t>(params.num_threads, fit));
}

}  // namespace

// Vectors write their zeros, so that every page exists before the charge: memory that is only
// promised could be refused, or end the process, when a page is first touched.
ReleaseMemory::ReleaseMemory(const Params& params, std::size_t num_copies)
    : shape_(params.shape),
      high_(static_cast<std::size_t>(shape_.dimension)),
      noisy_(high_.size()),
      directions_(params.has_directions ? RowDirections::Room(shape_) : RowDirections()),
      noise_along_(directions_.num_rows()) {
  low_.resize(num_copies * high_.size());
}

absl::StatusOr<ReleaseMemory> ReleaseMemory::Reserve(const Params& params) {
  TW_RETURN_IF_ERROR(ValidateShape(params.shape));
  try {
    StripTable::Production();  // made at its first use, which is after the charge otherwise
    return ReleaseMemory(params, static_cast<std::size_t>(NumCopies(params)));
  } catch (const std::bad_alloc&) {
    return absl::UnavailableError(
        "not enough memory for a release of this size now; try again later or ask for a smaller "
        "one");
  }
}

int64_t ReleaseMemory::BytesReserved(const Params& params) {
  const int64_t directions = params.has_directions
                                 ? RowDirections::BytesOfRoom(params.shape) +
                                       params.shape.rows() * int64_t{sizeof(int64_t)}
                                 : 0;
  return params.shape.dimension *
             (int64_t{sizeof(uint32_t)} * (1 + NumCopies(params)) + int64_t{sizeof(float)}) +
         directions;
}

// Where the noisy numbers will stand: those come when the directions are integers.
absl::Status ReleaseMemory::TakeDirections(absl::FunctionRef<bool(absl::Span<float>)> fill) {
  took_directions_ = !directions_.empty() && fill(absl::MakeSpan(noisy_));
  if (took_directions_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "direction_noise must be 0: the plan's model has no directions. Ask without it.");
}

// Every copy has passed its carries on to the one upper half (grid_rows.cc), so what the copies
// still hold adds up without loss.
uint64_t ReleaseMemory::At(std::size_t entry) const {
  uint64_t sum = uint64_t{high_[entry]} << 32;
  for (std::size_t i = entry; i < low_.size(); i += high_.size()) sum += low_[i];
  return sum;
}

// One thread's: without the atomic addition that adders need.
void ReleaseMemory::Add(std::size_t entry, uint64_t value) {
  const uint64_t sum = low_[entry] + value;  // of the first copy
  low_[entry] = static_cast<uint32_t>(sum);
  high_[entry] += static_cast<uint32_t>(sum >> 32);
}

}  // namespace topicwall::mechanism
