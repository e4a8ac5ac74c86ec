#include "server/audit/pairs/lattice_reading.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace topicwall::audit {
namespace {

constexpr std::size_t kBins = 48;
constexpr std::size_t kTag = 32 + 8;  // the release, and when its computation began

absl::Status NoSum() {
  return absl::InvalidArgumentError("these are not the bytes of a partial sum with all its shards");
}

// Takes `size` bytes from the front.
absl::StatusOr<absl::string_view> Take(uint64_t size, absl::string_view* bytes) {
  if (size > bytes->size()) return NoSum();
  const absl::string_view taken = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return taken;
}

// Takes a number, its lowest byte first.
absl::StatusOr<uint64_t> TakeNumber(absl::string_view* bytes) {
  TW_ASSIGN_OR_RETURN(const absl::string_view taken, Take(8, bytes));
  uint64_t number = 0;
  for (std::size_t i = taken.size(); i-- > 0;) {
    number = number << 8 | static_cast<uint8_t>(taken[i]);
  }
  return number;
}

absl::StatusOr<std::vector<uint64_t>> TakeNumbers(uint64_t count, absl::string_view* bytes) {
  if (count > bytes->size() / 8) return NoSum();
  std::vector<uint64_t> numbers;
  numbers.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    TW_ASSIGN_OR_RETURN(const uint64_t number, TakeNumber(bytes));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

absl::StatusOr<LatticeReading> LatticeReading::Parse(absl::string_view serialised) {
  absl::string_view bytes = serialised;
  if (!absl::ConsumePrefix(&bytes, "TWPSUM01")) return NoSum();
  TW_RETURN_IF_ERROR(Take(kTag, &bytes).status());
  TW_ASSIGN_OR_RETURN(const uint64_t num_shards, TakeNumber(&bytes));
  TW_RETURN_IF_ERROR(Take(8, &bytes).status());  // the clip norm
  TW_ASSIGN_OR_RETURN(const uint64_t dimension, TakeNumber(&bytes));
  TW_RETURN_IF_ERROR(Take(8, &bytes).status());  // the period
  TW_ASSIGN_OR_RETURN(const absl::string_view shards, Take(num_shards, &bytes));
  if (shards.find_first_not_of('\1') != absl::string_view::npos) return NoSum();
  TW_ASSIGN_OR_RETURN(std::vector<uint64_t> statistics, TakeNumbers(dimension, &bytes));
  TW_ASSIGN_OR_RETURN(std::vector<uint64_t> histogram, TakeNumbers(kBins, &bytes));
  if (!bytes.empty()) return NoSum();
  return LatticeReading(std::move(statistics), std::move(histogram));
}

}  // namespace topicwall::audit
