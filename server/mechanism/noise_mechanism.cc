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

int64_t TermsPerBlock(int num_topics) {
  return std::max<int64_t>(1, kEntriesPerNoiseBlock / num_topics);
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
  const int64_t terms_per_block = TermsPerBlock(sum->memory_.num_topics());
  const int64_t num_blocks =
      (sum->memory_.vocabulary_size() + terms_per_block - 1) / terms_per_block;
  std::mutex mutex;
  absl::Status result;
  lda::ForEachBlock(static_cast<std::size_t>(num_blocks), num_threads,
                    [&](std::size_t block, std::size_t /*thread*/) {
                      absl::Status status =
                          NoiseTerms(*noise_key, static_cast<int64_t>(block), sum);
                      if (status.ok()) return;
                      const std::lock_guard<std::mutex> lock(mutex);
                      result = std::move(status);
                    });
  return result;
}

absl::Status NoisyStatistics::NoiseTerms(const random::SecretKey& noise_key, int64_t block,
                                         LatticeSum* sum) {
  absl::StatusOr<random::Keystream> stream =
      random::Keystream::Create(noise_key, static_cast<uint64_t>(block));
  if (!stream.ok()) return stream.status();
  Noise noise;
  const auto num_topics = static_cast<std::size_t>(sum->memory_.num_topics());
  const auto num_terms = static_cast<std::size_t>(sum->memory_.vocabulary_size());
  const auto terms_per_block = static_cast<std::size_t>(TermsPerBlock(sum->memory_.num_topics()));
  const std::size_t first = static_cast<std::size_t>(block) * terms_per_block;
  const std::size_t end = std::min(first + terms_per_block, num_terms);
  const UnitClipper::Params& params = sum->clipper_.params();
  const double step = LatticeStep(params.clip_norm, params.noise_multiplier);
  for (std::size_t v = first; v < end; ++v) {
    const double words = step / sum->clipper_.weight(static_cast<uint32_t>(v));
    for (std::size_t k = 0; k < num_topics; ++k) {
      const uint64_t exact = sum->At(v * num_topics + k);
      sum->memory_.noisy_[k * num_terms + v] =
          static_cast<float>(Noised(exact, noise, *stream) * words);
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
      num_topics_(sum.memory_.num_topics()),
      vocabulary_size_(sum.memory_.vocabulary_size()),
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
