#include "server/mechanism/noise_mechanism.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

#include "base/for_each_block.h"
#include "server/mechanism/lattice_scale.h"
#include "server/mechanism/noise/rounded_gaussian.h"
#include "server/random/keystream.h"

namespace topicwall::mechanism {
namespace {

// Which stream draws an entry depends on D and P alone.
int64_t ColumnsPerBlock(const model::StatisticShape& shape) {
  return std::max<int64_t>(1, kEntriesPerNoiseBlock / shape.rows());
}

using Noise = RoundedGaussian<kNoiseScaleBits>;

// Unsigned, because that is the arithmetic the sum is exact in; read as two's complement.
double Noised(uint64_t exact, Noise& noise, random::Keystream& stream) {
  return static_cast<double>(
      static_cast<int64_t>(exact + static_cast<uint64_t>(noise.Draw(stream))));
}

}  // namespace

absl::StatusOr<NoisyStatistics> AddNoise(LatticeSum&& sum, int num_threads) {
  return NoisyStatistics::Make(std::move(sum), num_threads);
}

absl::StatusOr<NoisyStatistics> NoisyStatistics::Make(LatticeSum sum, int num_threads) {
  absl::Status status = NoiseStatistics(num_threads, &sum);
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<float>> norm_histogram = NoiseHistogram(sum);
  if (!norm_histogram.ok()) return norm_histogram.status();
  return NoisyStatistics(std::move(sum), *std::move(norm_histogram));
}

absl::Status NoisyStatistics::NoiseStatistics(int num_threads, LatticeSum* sum) {
  absl::StatusOr<random::SecretKey> noise_key =
      DeriveReleaseKey(sum->coins_.receipt_, "release noise");
  if (!noise_key.ok()) return noise_key.status();
  const model::StatisticShape& shape = sum->memory_.shape();
  const int64_t columns_per_block = ColumnsPerBlock(shape);
  const int64_t num_blocks = (shape.period + columns_per_block - 1) / columns_per_block;
  std::mutex mutex;
  absl::Status result;
  lda::ForEachBlock(static_cast<std::size_t>(num_blocks), num_threads,
                    [&](std::size_t block, std::size_t /*thread*/) {
                      absl::Status status =
                          NoiseColumns(*noise_key, static_cast<int64_t>(block), sum);
                      if (status.ok()) return;
                      const std::lock_guard<std::mutex> lock(mutex);
                      result = std::move(status);
                    });
  return result;
}

absl::Status NoisyStatistics::NoiseColumns(const random::SecretKey& noise_key, int64_t block,
                                           LatticeSum* sum) {
  absl::StatusOr<random::Keystream> stream =
      random::Keystream::Create(noise_key, static_cast<uint64_t>(block));
  if (!stream.ok()) return stream.status();
  Noise noise;
  const model::StatisticShape& shape = sum->memory_.shape();
  const auto num_rows = static_cast<std::size_t>(shape.rows());
  const auto num_columns = static_cast<std::size_t>(shape.period);
  const auto columns_per_block = static_cast<std::size_t>(ColumnsPerBlock(shape));
  const std::size_t first = static_cast<std::size_t>(block) * columns_per_block;
  const std::size_t end = std::min(first + columns_per_block, num_columns);
  const UnitClipper::Params& params = sum->clipper_.params();
  const double step = LatticeStep(params.clip_norm, params.noise_multiplier);
  for (std::size_t column = first; column < end; ++column) {
    const double unit = step / sum->clipper_.weight(static_cast<uint32_t>(column));
    for (std::size_t row = 0; row < num_rows; ++row) {
      const uint64_t exact = sum->At(column * num_rows + row);
      sum->memory_.noisy_[row * num_columns + column] =
          static_cast<float>(Noised(exact, noise, *stream) * unit);
    }
  }
  return stream->status();
}

absl::StatusOr<std::vector<float>> NoisyStatistics::NoiseHistogram(const LatticeSum& sum) {
  std::vector<float> noisy;
  if (sum.histogram_bound_ == 0) return noisy;
  absl::StatusOr<random::SecretKey> noise_key =
      DeriveReleaseKey(sum.coins_.receipt_, "release histogram noise");
  if (!noise_key.ok()) return noise_key.status();
  absl::StatusOr<random::Keystream> stream = random::Keystream::Create(*noise_key, 0);
  if (!stream.ok()) return stream.status();
  Noise noise;
  for (uint64_t exact : sum.histogram_) {
    noisy.push_back(static_cast<float>(Noised(exact, noise, *stream) /
                                       static_cast<double>(sum.histogram_bound_)));
  }
  if (!stream->status().ok()) return stream->status();
  return noisy;
}

NoisyStatistics::NoisyStatistics(LatticeSum sum, std::vector<float> norm_histogram)
    : receipt_(std::move(sum.coins_.receipt_)),
      shape_(sum.memory_.shape()),
      clip_norm_(sum.clipper_.params().clip_norm),
      statistics_(std::move(sum.memory_.noisy_)),
      norm_histogram_(std::move(norm_histogram)),
      noise_standard_deviation_(
          NoiseStandardDeviation(clip_norm_, receipt_.mechanism().noise_multiplier)),
      histogram_noise_(0) {
  const std::optional<double>& histogram = receipt_.mechanism().histogram_noise_multiplier;
  if (histogram.has_value()) histogram_noise_ = NoiseStandardDeviation(1, *histogram);
}

}  // namespace topicwall::mechanism
