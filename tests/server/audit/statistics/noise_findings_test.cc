#include "server/audit/statistics/noise_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "server/mechanism/noise/rounded_gaussian.h"
#include "server/random/keystream.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;

const double kX = std::log(64e8);
constexpr int kReleases = 20;

// What a wall might do wrong.
struct Wall {
  double noise = 1;                        // times what it should be
  double shift = 1;                        // of a canary, ÷ C
  bool clamps = false;                     // negative entries become 0
  bool repeats = false;                    // every release has the noise of the one before
  bool shares = false;                     // both walls have the same noise
  bool sparse = false;                     // entries without data have none
  bool one_stream = false;                 // the histogram's noise is the statistics'
  bool half_block = false;                 // the second half of a release repeats the first
  std::array<int, 3> streams = {0, 1, 2};  // of the first three blocks
};

// Releases of such a wall, with noise from the sampler that the real one uses.
class Fake {
 public:
  explicit Fake(const Wall& wall) : wall_(wall) {}

  NoiseSums Sums(double sigma) {
    NoiseSums sums(sigma, kHistogramMultiplier);
    for (int i = 0; i < kReleases; ++i) {
      if (i == 0 || !wall_.repeats) {
        Draw(&noise_of_with_);
        Draw(&noise_of_without_);
      }
      if (wall_.shares) noise_of_without_ = noise_of_with_;
      const ReceivedRelease with = Release(sigma, true, noise_of_with_);
      const ReceivedRelease without = Release(sigma, false, noise_of_without_);
      sums.Add({.with = with, .without = without, .replays_are_equal = true});
    }
    return sums;
  }

 private:
  static constexpr std::size_t kEntries = std::size_t{NoiseWorld::kTopics} * NoiseWorld::kTerms;
  static constexpr std::size_t kTermsPerBlock = NoiseWorld::kTermsPerBlock;

  double Normal() { return static_cast<double>(gaussian_.Draw(*stream_)) * 0x1p-30; }

  void Draw(std::vector<double>* noise) {
    noise->clear();
    for (std::size_t i = 0; i < kEntries; ++i) {
      const bool again = wall_.half_block && i >= kEntries / 2;
      noise->push_back(again ? (*noise)[i - kEntries / 2] : Normal());
    }
    const std::vector<double> drawn = *noise;
    for (std::size_t i = 0; i < kEntries; ++i) {
      const std::size_t block = i % NoiseWorld::kTerms / kTermsPerBlock;
      if (block >= wall_.streams.size()) continue;
      const auto stream = static_cast<std::size_t>(wall_.streams[block]);
      (*noise)[i] = drawn[i + stream * kTermsPerBlock - block * kTermsPerBlock];
    }
  }

  ReceivedRelease Release(double sigma, bool canaries, const std::vector<double>& noise) {
    ReceivedRelease release;
    release.statistics.assign(kEntries, 0);
    const double scale = wall_.noise * sigma * NoiseWorld::kClipNorm;
    for (std::size_t i = 0; i < kEntries; ++i) {
      release.statistics[i] = static_cast<float>(scale * noise[i]);
    }
    if (wall_.sparse) {
      for (const int entry : NoiseWorld::EmptyEntries()) {
        release.statistics[static_cast<std::size_t>(entry)] = 0;
      }
    }
    for (int canary = 0; canary < NoiseWorld::kCanaries && canaries; ++canary) {
      const auto first = static_cast<std::size_t>(4 * canary);
      const int terms = canary % 2 == 0 ? 1 : 4;  // as noise_world.h says
      for (int i = 0; i < terms; ++i) {
        release.statistics[first + static_cast<std::size_t>(i)] += static_cast<float>(
            wall_.shift * NoiseWorld::kClipNorm / std::sqrt(static_cast<double>(terms)));
      }
    }
    if (wall_.clamps) {
      for (float& value : release.statistics) value = std::max(value, 0.0F);
    }
    for (int bin = 0; bin < 48; ++bin) {
      const double units = bin == NoiseWorld::CanaryBin() && canaries ? NoiseWorld::kCanaries : 0;
      const auto first = static_cast<std::size_t>(bin % 4 * NoiseWorld::kTerms + bin / 4);
      const double normal = wall_.one_stream ? noise[first] : Normal();
      release.header.add_norm_histogram(
          static_cast<float>(units * wall_.shift + wall_.noise * kHistogramMultiplier * normal));
    }
    return release;
  }

  const Wall wall_;
  absl::StatusOr<random::Keystream> stream_ =
      random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{11}), 0);
  mechanism::RoundedGaussian<30> gaussian_;
  std::vector<double> noise_of_with_, noise_of_without_;
};

std::vector<Finding> FindingsOf(const Wall& wall) {
  Fake fake(wall);
  const NoiseSums plain = fake.Sums(kPlainMultiplier);
  return NoiseFindings(plain, fake.Sums(kSharpMultiplier), kX);
}

const auto kIsViolated = Contains(Field(&Finding::verdict, Verdict::kViolated));
const auto kLosesUtility = Contains(Field(&Finding::verdict, Verdict::kUtilityLost));

TEST(NoiseFindingsTest, HoldForAWallThatDoesWhatItSays) {
  EXPECT_THAT(FindingsOf({}), Each(Field(&Finding::verdict, Verdict::kHolds)));
}

TEST(NoiseFindingsTest, TooLittleNoiseIsAViolation) {
  EXPECT_THAT(FindingsOf({.noise = 1 / std::sqrt(2.0)}), kIsViolated);
  EXPECT_THAT(FindingsOf({.noise = 1 / NoiseWorld::kClipNorm}), kIsViolated);  // σ for σC
  EXPECT_THAT(FindingsOf({.noise = 0.98}), kIsViolated);
  EXPECT_THAT(FindingsOf({.sparse = true}), kIsViolated);
}

TEST(NoiseFindingsTest, TooMuchNoiseIsLostUtility) {
  const std::vector<Finding> findings = FindingsOf({.noise = 1.05});
  EXPECT_THAT(findings, kLosesUtility);
  EXPECT_THAT(findings, ::testing::Not(kIsViolated));
}

TEST(NoiseFindingsTest, TooLargeAShiftIsAViolationAndTooSmallAOneLostUtility) {
  EXPECT_THAT(FindingsOf({.shift = 1.342}), kIsViolated);
  EXPECT_THAT(FindingsOf({.shift = 1.04}), kIsViolated);
  EXPECT_THAT(FindingsOf({.shift = 0.5}), kLosesUtility);
}

TEST(NoiseFindingsTest, ThresholdTestsAloneSeeHalfTheNoise) {
  EXPECT_EQ(FindingsOf({.noise = 0.5})[0].verdict, Verdict::kViolated);
}

TEST(NoiseFindingsTest, ClampedNegativesAreSeen) {
  EXPECT_THAT(FindingsOf({.clamps = true}), kIsViolated);  // half of the noise is gone
}

TEST(NoiseFindingsTest, NoiseThatRepeatsIsAViolation) {
  EXPECT_THAT(FindingsOf({.repeats = true}), kIsViolated);
  EXPECT_THAT(FindingsOf({.shares = true}), kIsViolated);
  EXPECT_THAT(FindingsOf({.half_block = true}), kIsViolated);
  EXPECT_THAT(FindingsOf({.one_stream = true}), kIsViolated);
}

// A stream for each of two threads gives one of these, as chance has it.
TEST(NoiseFindingsTest, TwoBlocksOfOneStreamAreAViolationWhicheverTwo) {
  EXPECT_THAT(FindingsOf({.streams = {0, 0, 1}}), kIsViolated);
  EXPECT_THAT(FindingsOf({.streams = {0, 1, 0}}), kIsViolated);
  EXPECT_THAT(FindingsOf({.streams = {0, 1, 1}}), kIsViolated);
}

}  // namespace
}  // namespace topicwall::audit
