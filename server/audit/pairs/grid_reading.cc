#include "server/audit/pairs/grid_reading.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "base/little_endian.h"

namespace topicwall::audit {
namespace {

constexpr std::size_t kBins = 48;
// Magic, the release's tag, number of shards, clip norm, direction noise, D, P, digest of the
// directions: of these only two are needed.
constexpr std::size_t kHeader = 8 + 40 + 5 * 8 + 32;
constexpr std::size_t kNumShards = 48;
constexpr std::size_t kDimension = 72;

std::vector<uint64_t> NumbersAt(absl::string_view bytes, std::size_t at, std::size_t count) {
  std::vector<uint64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = base::FromLittleEndian<uint64_t>(bytes.substr(at + 8 * i));
  return numbers;
}

}  // namespace

absl::StatusOr<GridReading> GridReading::Parse(absl::string_view serialised) {
  const absl::Status no_sum =
      absl::InvalidArgumentError("these are not the bytes of a partial sum with all its shards");
  const std::size_t size = serialised.size();
  if (size < kHeader || !absl::StartsWith(serialised, "TWPSUM02")) return no_sum;
  const uint64_t shards = base::FromLittleEndian<uint64_t>(serialised.substr(kNumShards));
  const uint64_t dimension = base::FromLittleEndian<uint64_t>(serialised.substr(kDimension));
  // Each is compared alone first, so that their sum cannot wrap.
  if (shards > size || dimension > size || size != kHeader + shards + 8 * (dimension + kBins)) {
    return no_sum;
  }
  const absl::string_view counts = serialised.substr(kHeader, shards);
  // A shard that is in twice, or not at all, is another corpus.
  if (counts.find_first_not_of('\1') != absl::string_view::npos) return no_sum;
  const std::size_t statistics = kHeader + shards;
  return GridReading{.statistics = NumbersAt(serialised, statistics, dimension),
                     .histogram = NumbersAt(serialised, statistics + 8 * dimension, kBins)};
}

uint64_t ExactIntegerSensitivity(double noise_multiplier) {
  int exponent = 0;
  const double fraction = std::frexp(noise_multiplier, &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));  // σ = mantissa·2^shift
  const int shift = exponent - 53;
  const absl::uint128 most = absl::uint128(1) << (30 - shift);  // M·mantissa <= 2^(30 - shift)
  // Bit by bit from above: M is at most 2^36, and no product beyond 2^94.
  uint64_t fits = 0;
  for (int bit = 40; bit >= 0; --bit) {
    const uint64_t tried = fits | (uint64_t{1} << bit);
    if (absl::uint128(tried) * mantissa <= most) fits = tried;
  }
  return fits;
}

absl::uint128 SquaredLength(const std::vector<uint64_t>& with,
                            const std::vector<uint64_t>& without) {
  absl::uint128 sum = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    // Modulo 2^64, the shorter way round.
    const uint64_t change =
        std::min({with[i] - without[i], without[i] - with[i], uint64_t{1} << 48});
    sum += absl::uint128(change) * change;
  }
  return sum;
}

}  // namespace topicwall::audit
