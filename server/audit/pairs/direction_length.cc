#include "server/audit/pairs/direction_length.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/audit/pairs/grid_reading.h"

namespace topicwall::audit {
namespace {

constexpr int64_t kMostMoved = int64_t{1} << 48;

// As int128 all the way: q < 2^49, A < 2^15, and m is such that m·A is no longer than q.
struct Row {
  absl::int128 along = 0;    // q·A
  absl::int128 squares = 0;  // |A|² + τ²
  absl::int128 below = 0;    // ⌊along/squares⌋: the best m is that or the next
  absl::int128 left_below = 0, left_above = 0;
};

absl::int128 FloorOfQuotient(absl::int128 dividend, absl::int128 divisor) {
  const absl::int128 quotient = dividend / divisor;  // toward zero
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

// Modulo 2^64, the shorter way round.
absl::int128 Moved(uint64_t with, uint64_t without) {
  return std::clamp(static_cast<int64_t>(with - without), -kMostMoved, kMostMoved);
}

absl::int128 Square(absl::int128 number) { return number * number; }

}  // namespace

absl::StatusOr<mechanism::RowDirections> DirectionsOf(const NeighbouringPair& asked,
                                                      const model::Inference& inference) {
  if (asked.direction_noise == 0) return mechanism::RowDirections();
  std::vector<float> directions(static_cast<std::size_t>(inference.shape().dimension));
  if (!inference.Directions(absl::MakeSpan(directions))) {
    return absl::InvalidArgumentError("the pair's model has no directions");
  }
  return mechanism::RowDirections::Create({.shape = inference.shape(),
                                           .weights = asked.mechanism.weights,
                                           .noise_multiplier = asked.mechanism.noise_multiplier,
                                           .direction_noise = asked.direction_noise},
                                          directions);
}

absl::uint128 SquaredLengthAlong(const mechanism::RowDirections& directions, int rows,
                                 const std::vector<uint64_t>& with,
                                 const std::vector<uint64_t>& without) {
  if (directions.empty()) return SquaredLength(with, without);
  std::vector<Row> of_row(static_cast<std::size_t>(rows));
  const auto for_each_entry = [&](auto take) {
    for (std::size_t i = 0; i < with.size(); ++i) {
      const std::size_t row = i % of_row.size();
      take(&of_row[row], Moved(with[i], without[i]),
           absl::int128(directions.column(i / of_row.size())[row]));
    }
  };
  for_each_entry([](Row* row, absl::int128 q, absl::int128 a) {
    row->along += q * a;
    row->squares += Square(a);
  });
  const absl::int128 scale = directions.scale();
  for (Row& row : of_row) {
    row.squares += Square(scale);
    row.below = FloorOfQuotient(row.along, row.squares);
    row.left_below = Square(scale * row.below);
    row.left_above = Square(scale * (row.below + 1));
  }
  for_each_entry([](Row* row, absl::int128 q, absl::int128 a) {
    row->left_below += Square(q - row->below * a);
    row->left_above += Square(q - (row->below + 1) * a);
  });
  absl::int128 sum = 0;
  for (const Row& row : of_row) sum += std::min(row.left_below, row.left_above);
  return absl::uint128(sum);
}

double LostToRounding(double direction_noise, int rows) {
  if (direction_noise == 0) return 0;
  // R = M/256 at most and τ = R/r, of which integers may be larger by a half.
  const double square = (1 + 1 / (direction_noise * direction_noise)) / (256.0 * 256.0);
  return 2 * rows * square / 8;
}

}  // namespace topicwall::audit
