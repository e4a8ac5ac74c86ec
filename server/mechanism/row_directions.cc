// Lengths are worked out in double and may be off in their last bits: what a direction is made of
// is of no matter to the proof. Its squares are then added up exactly, as integers.
#include "server/mechanism/row_directions.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/mechanism/grid_scale.h"
#include "server/mechanism/mechanism_limits.h"

#ifdef __FAST_MATH__
#error "NaN must fail comparisons here: build without -ffast-math"
#endif

namespace topicwall::mechanism {
namespace {

constexpr std::size_t kColumnsAhead = 16;
constexpr std::size_t kRowsOfALine = 64 / sizeof(int16_t);  // of a cache

// R. Longer, and rounding m_r would cost some of the clip's room; shorter, and a direction's small
// entries would be rounded away. 16 bits an entry, because a clip reads columns from all over.
int64_t LengthOf(double noise_multiplier) {
  return static_cast<int64_t>(
      std::min<uint64_t>(IntegerSensitivity(noise_multiplier) / 256, (1U << 15) - 1));
}

// τ, at most 2^19.
int64_t ScaleOf(double noise_multiplier, double direction_noise) {
  const auto length = static_cast<double>(LengthOf(noise_multiplier));
  return std::max<int64_t>(1, std::llround(length / direction_noise));
}

// Calls take(row, column, number) for all weighted numbers, as they lie. A subnormal number is 0
// where processors flush them, in one process of a release perhaps and not in another.
template <typename Take>
void ForEachWeighted(const RowDirections::Params& params, absl::Span<const float> directions,
                     Take take) {
  const auto num_rows = static_cast<std::size_t>(params.shape.rows());
  std::size_t entry = 0;
  for (std::size_t column = 0; entry < directions.size(); ++column) {
    const double weight = params.weights.empty() ? 1 : double{params.weights[column]};
    for (std::size_t row = 0; row < num_rows; ++row, ++entry) {
      const float number = directions[entry];
      take(row, column, std::abs(number) < FLT_MIN ? 0 : double{number} * weight);
    }
  }
}

// Toward zero, so that a row is no longer than R.
int16_t Rounded(double number, double length) {
  if (!std::isfinite(number)) return 0;
  return static_cast<int16_t>(std::clamp(number, -length, length));
}

}  // namespace

uint64_t LongestUnit(double noise_multiplier, double direction_noise) {
  const uint64_t bound = IntegerSensitivity(noise_multiplier);
  if (direction_noise == 0) return bound;
  const auto length = static_cast<uint64_t>(LengthOf(noise_multiplier));
  const auto scale = static_cast<uint64_t>(ScaleOf(noise_multiplier, direction_noise));
  // At most 2^36·2^15, so that the product holds; rounded up, since B is a bound.
  return bound + (bound * length + scale - 1) / scale;
}

RowDirections::RowDirections() = default;

RowDirections RowDirections::Room(const model::StatisticShape& shape) {
  RowDirections room;
  room.entries_.resize(static_cast<std::size_t>(shape.dimension + shape.period));
  room.squares_.resize(static_cast<std::size_t>(shape.rows()));
  room.scales_.resize(static_cast<std::size_t>(shape.rows()));
  return room;
}

int64_t RowDirections::BytesOfRoom(const model::StatisticShape& shape) {
  return (shape.dimension + shape.period) * int64_t{sizeof(int16_t)} +
         shape.rows() * int64_t{sizeof(int64_t) + sizeof(double)};
}

absl::StatusOr<RowDirections> RowDirections::Create(const Params& params,
                                                    absl::Span<const float> directions,
                                                    RowDirections room) {
  TW_RETURN_IF_ERROR(ValidateShape(params.shape));
  TW_RETURN_IF_ERROR(ValidateWeights(params.weights, params.shape.period));
  TW_RETURN_IF_ERROR(ValidateNoiseMultiplier(params.noise_multiplier));
  TW_RETURN_IF_ERROR(ValidateDirectionNoise(params.direction_noise, params.noise_multiplier));
  if (static_cast<int64_t>(directions.size()) != params.shape.dimension) {
    return absl::InvalidArgumentError(absl::StrCat("directions must be ", params.shape.dimension,
                                                   " numbers, one for each entry; got ",
                                                   directions.size(), ". Ask the model for them."));
  }
  RowDirections made = std::move(room);
  made.entries_.assign(static_cast<std::size_t>(params.shape.dimension + params.shape.period), 0);
  made.squares_.assign(static_cast<std::size_t>(params.shape.rows()), 0);
  made.longest_ = LengthOf(params.noise_multiplier);
  made.scale_ = ScaleOf(params.noise_multiplier, params.direction_noise);
  made.ScaleRows(params, directions);
  ForEachWeighted(params, directions, [&](std::size_t row, std::size_t column, double number) {
    const int16_t rounded = Rounded(number * made.scales_[row], static_cast<double>(made.longest_));
    made.entries_[column * (made.num_rows() + 1) + row] = rounded;
    made.squares_[row] += int64_t{rounded} * rounded;
  });
  made.DropTooLong();
  for (int64_t& squares : made.squares_) squares += made.scale_ * made.scale_;
  return made;
}

// R over the length of each row's direction; 0 for a row that has none.
void RowDirections::ScaleRows(const Params& params, absl::Span<const float> directions) {
  scales_.assign(num_rows(), 0);
  ForEachWeighted(params, directions, [&](std::size_t row, std::size_t /*column*/, double number) {
    scales_[row] += number * number;
  });
  for (double& scale : scales_) {
    // Infinite for a row of zeros, NaN for one with a NaN: neither has a direction.
    scale = static_cast<double>(longest_) / std::sqrt(scale);
    if (!std::isfinite(scale)) scale = 0;
  }
}

// A row that rounding has made longer, if there can be one, has no direction.
void RowDirections::DropTooLong() {
  for (std::size_t row = 0; row < squares_.size(); ++row) {
    if (squares_[row] <= longest_ * longest_) continue;
    for (std::size_t i = row; i < entries_.size(); i += num_rows() + 1) entries_[i] = 0;
    squares_[row] = 0;
  }
}

double RowDirections::WithNoise(int64_t noised, std::size_t column, std::size_t row,
                                int64_t along) const {
  const absl::int128 dividend =
      absl::int128(scale_) * noised + absl::int128(this->column(column)[row]) * along;
  return static_cast<double>(dividend) / static_cast<double>(scale_);
}

base::Digest RowDirections::Digest() const {
  if (empty()) return {};
  base::Sha256 hash;
  // The squares follow from these two.
  hash.UpdateInteger(static_cast<uint64_t>(scale_));
  hash.Update(absl::string_view(reinterpret_cast<const char*>(entries_.data()),
                                entries_.size() * sizeof(int16_t)));
  return std::move(hash).Finish();
}

void UnitDirections::Reserve(std::size_t columns, std::size_t rows) {
  rows_.resize(Padded(rows));
  entries_.resize(columns * Padded(rows));
  sums_.resize(rows);
  integer_sums_.resize(rows);
}

std::size_t UnitDirections::BytesReserved(std::size_t columns, std::size_t rows) {
  return (columns + 1) * Padded(rows) * sizeof(int32_t) + rows * (sizeof(double) + sizeof(int64_t));
}

void UnitDirections::Gather(const RowDirections& directions, const model::SparseStatistic& unit) {
  num_columns_ = unit.columns.size();
  num_rows_ = unit.rows.size();
  const std::size_t width = Padded(num_rows_);
  rows_.assign(width, static_cast<uint32_t>(directions.num_rows()));  // where there is a 0
  std::copy(unit.rows.begin(), unit.rows.end(), rows_.begin());
  entries_.resize(num_columns_ * width);
  if (num_rows_ == 0) return;
  int32_t* to = entries_.data();
  const uint32_t* const rows = rows_.data();
  for (std::size_t j = 0; j < num_columns_; ++j) {
    // Columns lie all over a table that fills the nearest caches.
    if (j + kColumnsAhead < num_columns_) {
      const int16_t* const ahead = directions.column(unit.columns[j + kColumnsAhead]);
      for (std::size_t row = rows[0]; row <= rows[num_rows_ - 1]; row += kRowsOfALine) {
        __builtin_prefetch(ahead + row);
      }
    }
    const int16_t* const from = directions.column(unit.columns[j]);
    for (std::size_t a = 0; a < width; a += 4, to += 4) {
      to[0] = from[rows[a]];
      to[1] = from[rows[a + 1]];
      to[2] = from[rows[a + 2]];
      to[3] = from[rows[a + 3]];
    }
  }
}

namespace {

// Where numbers and directions of a block of rows lie, in the first of some columns.
template <typename Number>
struct Block {
  const Number* x;
  std::size_t x_stride;
  const int32_t* directions;
  std::size_t stride;
  std::size_t columns;
};

// The sums of kWidth rows over all columns, in registers. Those beyond the unit's are other numbers
// times 0.
template <std::size_t kWidth, typename Product, typename Number>
void AddUpBlock(Block<Number> block, Product* sums) {
  Product in_registers[kWidth] = {};
  for (std::size_t j = 0; j < block.columns; ++j) {
    for (std::size_t a = 0; a < kWidth; ++a) {
      in_registers[a] +=
          static_cast<Product>(block.x[a]) * static_cast<Product>(block.directions[a]);
    }
    block.x += block.x_stride;
    block.directions += block.stride;
  }
  std::copy(in_registers, in_registers + kWidth, sums);
}

}  // namespace

// The last columns go row by row: in blocks, numbers from behind them would be multiplied by 0.
template <typename Product, typename Number>
void UnitDirections::AddUp(const Number* x, std::vector<Product>* sums) const {
  constexpr std::size_t kBlock = 16;
  const std::size_t width = Padded(num_rows_);
  sums->assign(num_rows_, 0);
  if (num_rows_ == 0 || num_columns_ == 0) return;
  const std::size_t padding = width - num_rows_;
  const std::size_t in_blocks =
      num_columns_ - std::min(num_columns_, (padding + num_rows_ - 1) / num_rows_);
  for (std::size_t first = 0; first < num_rows_; first += kBlock) {
    const Block<Number> block = {.x = x + first,
                                 .x_stride = num_rows_,
                                 .directions = entries_.data() + first,
                                 .stride = width,
                                 .columns = in_blocks};
    Product block_sums[kBlock];
    switch (std::min(width - first, kBlock)) {
      case 4:
        AddUpBlock<4>(block, block_sums);
        break;
      case 8:
        AddUpBlock<8>(block, block_sums);
        break;
      case 12:
        AddUpBlock<12>(block, block_sums);
        break;
      default:
        AddUpBlock<16>(block, block_sums);
    }
    const std::size_t end = std::min(first + kBlock, num_rows_);
    std::copy(block_sums, block_sums + (end - first), sums->begin() + first);
  }
  for (std::size_t j = in_blocks; j < num_columns_; ++j) {
    const Number* const column = x + j * num_rows_;
    const int32_t* const directions = entries_.data() + j * width;
    for (std::size_t a = 0; a < num_rows_; ++a) {
      (*sums)[a] += static_cast<Product>(column[a]) * static_cast<Product>(directions[a]);
    }
  }
}

absl::Span<const double> UnitDirections::Along(const float* x) {
  AddUp(x, &sums_);
  return sums_;
}

absl::Span<const double> UnitDirections::Along(const double* x) {
  AddUp(x, &sums_);
  return sums_;
}

absl::Span<const int64_t> UnitDirections::Along(const uint64_t* q) {
  AddUp(q, &integer_sums_);
  return integer_sums_;
}

}  // namespace topicwall::mechanism
