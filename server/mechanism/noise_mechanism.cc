// In order, and each step can be taken once:
//   1. SplitReceipt parts the one receipt: coins for whoever sums, the rest kept for the noise.
//   2. RequireWhole looks at the tag and the shards of a sum before a bit of noise is drawn, so
//      that a refusal leaves sum and key as they were, to be used rightly.
//   3. NoiseStatistics adds noise to the integers, then makes floats of them (Noised).
//      NoiseHistogram does so with the bins, under a key of its own.
//   4. The receipt turns into a NoisedReceipt, and the release key is gone.
// A failure after 2 uses up sum and key. That is safe: nothing has left, and the iteration stays
// charged.
#include "server/mechanism/noise_mechanism.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "server/mechanism/grid_scale.h"
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
// A conversion to double may round, and so do the product with the step and the float32: all of
// them after the addition. Rounded before it, the sum would no longer be an integer of which s +
// round(N) = round(s + N) holds, and the release not a function of the Gaussian mechanism.
int64_t Noised(uint64_t exact, Noise& noise, random::Keystream& stream) {
  return static_cast<int64_t>(exact + static_cast<uint64_t>(noise.Draw(stream)));
}

// What is drawn for `purpose` beside the statistics, under a key of its own: under theirs, stream 0
// would give the noise of their first block again, and in a difference it would cancel.
absl::StatusOr<random::Keystream> StreamOf(const ledger::ChargeReceipt& receipt,
                                           absl::string_view purpose) {
  TW_ASSIGN_OR_RETURN(const random::SecretKey noise_key, DeriveReleaseKey(receipt, purpose));
  return random::Keystream::Create(noise_key, 0);
}

// round(N') of row_directions.h, one for each row.
absl::Status DrawNoiseAlong(const ledger::ChargeReceipt& receipt, absl::Span<int64_t> along) {
  TW_ASSIGN_OR_RETURN(random::Keystream stream, StreamOf(receipt, "release direction noise"));
  Noise noise;
  for (int64_t& of_row : along) of_row = noise.Draw(stream);
  return stream.status();
}

}  // namespace

absl::StatusOr<ReleaseKeys> SplitReceipt(ledger::ChargeReceipt&& receipt, int num_shards,
                                         const random::SecretKey* held_out_key) {
  return NoiseKey::Split(std::move(receipt), num_shards, held_out_key);
}

// Coins are made while the receipt is still whole; then it moves into the key, where nothing but
// the noise reaches its release key.
absl::StatusOr<ReleaseKeys> NoiseKey::Split(ledger::ChargeReceipt receipt, int num_shards,
                                            const random::SecretKey* held_out_key) {
  absl::StatusOr<ReleaseCoins> coins = ReleaseCoins::Of(receipt, num_shards, held_out_key);
  // Whatever is wrong with a receipt, it is not the request.
  if (!coins.ok()) return absl::InternalError(coins.status().message());
  NoiseKey noise(coins->tag(), std::make_unique<ledger::ChargeReceipt>(std::move(receipt)));
  return ReleaseKeys{.coins = *std::move(coins), .noise = std::move(noise)};
}

absl::StatusOr<NoisyStatistics> AddNoise(PartialSum&& sum, NoiseKey&& key, int num_threads) {
  TW_RETURN_IF_ERROR(NoisyStatistics::RequireWhole(sum, key));
  return NoisyStatistics::Make(std::move(sum), std::move(key), num_threads);
}

// A unit of a shard that is in twice moves the sum by 2M. A shard that is left out costs nobody's
// privacy, but the analyst has paid for a sum over the whole corpus.
absl::Status NoisyStatistics::RequireWhole(const PartialSum& sum, const NoiseKey& key) {
  if (key.receipt_ == nullptr) return absl::InternalError("the noise key was used before");
  if (sum.tag_ != key.tag_) {
    return absl::InvalidArgumentError(
        "the sum must be of the release that is noised, in this attempt; it is of another one");
  }
  for (int shard = 0; shard < key.tag_.num_shards; ++shard) {
    const int times = static_cast<std::size_t>(shard) < sum.shards_.size()
                          ? sum.shards_[static_cast<std::size_t>(shard)]
                          : 0;  // of a sum that was moved away
    if (times == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("every shard of a release must be summed; shard ", shard, " of ",
                       key.tag_.num_shards, " is left out. Count its sum first."));
    }
    if (times > 1) {
      return absl::AlreadyExistsError(
          absl::StrCat("every shard of a release must be summed once; shard ", shard, " of ",
                       key.tag_.num_shards, " is in more than once. Sum the release again."));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<NoisyStatistics> NoisyStatistics::Make(PartialSum sum, NoiseKey key,
                                                      int num_threads) {
  ledger::ChargeReceipt& receipt = *key.receipt_;
  TW_RETURN_IF_ERROR(NoiseStatistics(receipt, num_threads, &sum));
  TW_ASSIGN_OR_RETURN(std::vector<float> norm_histogram, NoiseHistogram(receipt, sum));
  return NoisyStatistics(std::move(sum), std::move(receipt), std::move(norm_histogram));
}

absl::Status NoisyStatistics::NoiseStatistics(const ledger::ChargeReceipt& receipt, int num_threads,
                                              PartialSum* sum) {
  TW_ASSIGN_OR_RETURN(random::SecretKey noise_key, DeriveReleaseKey(receipt, "release noise"));
  if (!sum->clipper_.directions().empty()) {
    TW_RETURN_IF_ERROR(DrawNoiseAlong(receipt, absl::MakeSpan(sum->memory_.noise_along_)));
  }
  const model::StatisticShape& shape = sum->memory_.shape();
  const int64_t columns_per_block = ColumnsPerBlock(shape);
  const int64_t num_blocks = (shape.period + columns_per_block - 1) / columns_per_block;
  // Any one of several failures will do: the cipher does not run, and nothing leaves.
  std::mutex mutex;
  absl::Status result;
  lda::ForEachBlock(static_cast<std::size_t>(num_blocks), num_threads,
                    [&](std::size_t block, std::size_t /*thread*/) {
                      absl::Status status =
                          NoiseColumns(noise_key, static_cast<int64_t>(block), sum);
                      if (status.ok()) return;
                      const std::lock_guard<std::mutex> lock(mutex);
                      result = std::move(status);
                    });
  return result;
}

absl::Status NoisyStatistics::NoiseColumns(const random::SecretKey& noise_key, int64_t block,
                                           PartialSum* sum) {
  TW_ASSIGN_OR_RETURN(random::Keystream stream,
                      random::Keystream::Create(noise_key, static_cast<uint64_t>(block)));
  Noise noise;
  const model::StatisticShape& shape = sum->memory_.shape();
  const auto num_rows = static_cast<std::size_t>(shape.rows());
  const auto num_columns = static_cast<std::size_t>(shape.period);
  const auto columns_per_block = static_cast<std::size_t>(ColumnsPerBlock(shape));
  const std::size_t first = static_cast<std::size_t>(block) * columns_per_block;
  const std::size_t end = std::min(first + columns_per_block, num_columns);
  const UnitClipper::Params& params = sum->clipper_.params();
  const double step = GridStep(params.clip_norm, params.noise_multiplier);
  // The grid lies column by column, for those who add; a release lies row by row, for those who
  // read. Every entry gets noise, also one that no unit has touched: which those are is private.
  const RowDirections& directions = sum->clipper_.directions();
  const std::vector<int64_t>& along = sum->memory_.noise_along_;
  for (std::size_t column = first; column < end; ++column) {
    const double unit = step / sum->clipper_.weight(static_cast<uint32_t>(column));
    for (std::size_t row = 0; row < num_rows; ++row) {
      const int64_t noised = Noised(sum->At(column * num_rows + row), noise, stream);
      const double number = directions.empty()
                                ? static_cast<double>(noised)
                                : directions.WithNoise(noised, column, row, along[row]);
      sum->memory_.noisy_[row * num_columns + column] = static_cast<float>(number * unit);
    }
  }
  // Before anything drawn is used: after a failure of the cipher the stream has given filler.
  return stream.status();
}

absl::StatusOr<std::vector<float>> NoisyStatistics::NoiseHistogram(
    const ledger::ChargeReceipt& receipt, const PartialSum& sum) {
  std::vector<float> noisy;
  if (sum.histogram_bound_ == 0) return noisy;
  TW_ASSIGN_OR_RETURN(random::Keystream stream, StreamOf(receipt, "release histogram noise"));
  Noise noise;
  for (uint64_t exact : sum.histogram_) {
    noisy.push_back(static_cast<float>(static_cast<double>(Noised(exact, noise, stream)) /
                                       static_cast<double>(sum.histogram_bound_)));
  }
  if (!stream.status().ok()) return stream.status();
  return noisy;
}

NoisyStatistics::NoisyStatistics(PartialSum sum, ledger::ChargeReceipt receipt,
                                 std::vector<float> norm_histogram)
    : receipt_(std::move(receipt)),
      shape_(sum.memory_.shape()),
      clip_norm_(sum.clipper_.params().clip_norm),
      statistics_(std::move(sum.memory_.noisy_)),
      norm_histogram_(std::move(norm_histogram)),
      noise_standard_deviation_(
          NoiseStandardDeviation(clip_norm_, receipt_.mechanism().noise_multiplier)),
      direction_noise_(sum.clipper_.params().direction_noise),
      histogram_noise_(0) {
  const std::optional<double>& histogram = receipt_.mechanism().histogram_noise_multiplier;
  if (histogram.has_value()) histogram_noise_ = NoiseStandardDeviation(1, *histogram);
}

}  // namespace topicwall::mechanism
