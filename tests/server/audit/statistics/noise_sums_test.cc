#include "server/audit/statistics/noise_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "server/mechanism/noise/rounded_gaussian.h"
#include "server/mechanism/noise_mechanism.h"
#include "server/random/keystream.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace noise_sums_test {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;

const double kX = std::log(64e8);
constexpr int kReleases = 20;
constexpr double kSigma = 1;
constexpr double kSigmaOfHistogram = 1.0 / 8;
constexpr std::size_t kBlock = mechanism::kEntriesPerNoiseBlock / 4 * 4;

// What a wall might do wrong.
struct Wall {
  double noise = 1;                        // times what it should be
  double shift = 1;                        // of a canary, ÷ C
  bool clamps = false;                     // negative entries become 0
  bool uniform = false;                    // noise of the right variance and another law
  bool repeats = false;                    // every release has the noise of the one before
  bool sparse = false;                     // entries without data have none
  bool one_stream = false;                 // the histogram's noise is the statistics'
  double in_one_block = 1;                 // times what it should be, in one of them
  std::size_t again_at = 0;                // a block of noise comes again here
  std::array<int, 3> streams = {0, 1, 2};  // of the first three blocks
};

// Releases of such a wall, with noise from the sampler that the real one uses.
class Fake {
 public:
  explicit Fake(const Wall& wall) : wall_(wall) {}

  std::vector<Finding> Findings() {
    NoiseSums sums(kSmallShape, kSigma, kSigmaOfHistogram);
    for (int i = 0; i < kReleases; ++i) {
      if (i == 0 || !wall_.repeats) Draw();
      sums.Add(Release(i));
    }
    return sums.Report(kX);
  }

 private:
  static constexpr std::size_t kEntries = kSmallShape.topics * kSmallShape.terms;

  double Normal() {
    if (wall_.uniform) {
      return (static_cast<double>(stream_->NextBits(53)) * 0x1p-52 - 1) * std::sqrt(3.0);
    }
    return static_cast<double>(gaussian_.Draw(*stream_)) * 0x1p-30;
  }

  void Draw() {
    noise_.resize(kEntries);
    for (double& value : noise_) value = Normal();
    const std::vector<double> drawn = noise_;
    for (std::size_t i = 0; i < 3 * kBlock; ++i) {
      noise_[i] = drawn[static_cast<std::size_t>(wall_.streams[i / kBlock]) * kBlock + i % kBlock];
    }
    for (std::size_t i = 0; i < kBlock && wall_.again_at > 0; ++i) {
      noise_[wall_.again_at + i] = noise_[i];
    }
  }

  CanaryWall::Seen Release(int number) {
    CanaryWall::Seen seen;
    for (std::size_t i = 0; i < kEntries; ++i) {
      const bool of_unit = kSmallShape.IsOfUnit(i);
      double noise = noise_[i] * wall_.noise;
      if (number == 7 && i / kBlock == 1) noise *= wall_.in_one_block;
      if (wall_.sparse && !of_unit) noise = 0;
      double value = (of_unit ? wall_.shift : 0) + kSigma * noise;
      if (wall_.clamps) value = std::max(value, 0.0);
      seen.by_term.push_back(static_cast<float>(value));
    }
    for (std::size_t bin = 0; bin < 48; ++bin) {
      const double normal = wall_.one_stream ? noise_[bin] : Normal();
      const double units = bin == 47 ? static_cast<double>(kSmallShape.units) : 0;
      seen.histogram.push_back(
          static_cast<float>(units * wall_.shift + wall_.noise * kSigmaOfHistogram * normal));
    }
    return seen;
  }

  const Wall wall_;
  absl::StatusOr<random::Keystream> stream_ =
      random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{11}), 0);
  mechanism::RoundedGaussian<30> gaussian_;
  std::vector<double> noise_;
};

std::vector<Finding> FindingsOf(const Wall& wall) { return Fake(wall).Findings(); }

const auto kIsViolated = Contains(Field(&Finding::verdict, Verdict::kViolated));
const auto kLosesUtility = Contains(Field(&Finding::verdict, Verdict::kUtilityLost));

TEST(NoiseSumsTest, HoldForAWallThatDoesWhatItSays) {
  EXPECT_THAT(FindingsOf({}), Each(Field(&Finding::verdict, Verdict::kHolds)));
}

TEST(NoiseSumsTest, TooLittleNoiseIsAViolation) {
  EXPECT_THAT(FindingsOf({.noise = 1 / std::sqrt(2.0)}), kIsViolated);
  EXPECT_THAT(FindingsOf({.noise = 1 / CanaryWall::kClipNorm}), kIsViolated);  // σ for σC
  EXPECT_THAT(FindingsOf({.noise = 0.98}), kIsViolated);
  EXPECT_THAT(FindingsOf({.sparse = true}), kIsViolated);
  EXPECT_THAT(FindingsOf({.in_one_block = 0.8}), kIsViolated) << "in one block of one release";
}

TEST(NoiseSumsTest, TooMuchNoiseIsLostUtility) {
  const std::vector<Finding> findings = FindingsOf({.noise = 1.05});
  EXPECT_THAT(findings, kLosesUtility);
  EXPECT_THAT(findings, ::testing::Not(kIsViolated));
}

// The variance is right: only the tails are not there.
TEST(NoiseSumsTest, AnotherLawIsAViolation) {
  EXPECT_THAT(FindingsOf({.uniform = true}), kIsViolated);
}

TEST(NoiseSumsTest, TooLargeAShiftIsAViolationAndTooSmallAOneLostUtility) {
  EXPECT_THAT(FindingsOf({.shift = 1.342}), kIsViolated);
  EXPECT_THAT(FindingsOf({.shift = 1.1}), kIsViolated);
  EXPECT_THAT(FindingsOf({.shift = 0.5}), kLosesUtility);
}

TEST(NoiseSumsTest, ThresholdTestsAloneSeeHalfTheNoise) {
  EXPECT_EQ(FindingsOf({.noise = 0.5})[0].verdict, Verdict::kViolated);
}

TEST(NoiseSumsTest, ClampedNegativesAreSeen) {
  EXPECT_THAT(FindingsOf({.clamps = true}), kIsViolated);  // half of the noise is gone
}

TEST(NoiseSumsTest, NoiseThatRepeatsIsAViolation) {
  EXPECT_THAT(FindingsOf({.repeats = true}), kIsViolated);
  EXPECT_THAT(FindingsOf({.one_stream = true}), kIsViolated);
  EXPECT_THAT(FindingsOf({.again_at = kBlock + 7}), kIsViolated) << "anywhere";
}

// A stream for each of two threads gives one of these, as chance has it.
TEST(NoiseSumsTest, TwoBlocksOfOneStreamAreAViolationWhicheverTwo) {
  EXPECT_THAT(FindingsOf({.streams = {0, 0, 1}}), kIsViolated);
  EXPECT_THAT(FindingsOf({.streams = {0, 1, 0}}), kIsViolated);
  EXPECT_THAT(FindingsOf({.streams = {0, 1, 1}}), kIsViolated);
}

}  // namespace noise_sums_test
}  // namespace topicwall::audit
