#include "accountant/pld/low_spectrum.h"

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using Complex = std::complex<double>;

std::vector<double> SomeLaw(size_t size) {
  std::mt19937_64 random(size);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> law(size);
  double sum = 0;
  for (double& mass : law) sum += mass = uniform(random);
  for (double& mass : law) mass /= sum;
  return law;
}

// The definition, in long double.
Complex Frequency(const std::vector<double>& law, int64_t k, int64_t length) {
  std::complex<long double> sum = 0;
  for (size_t j = 0; j < law.size(); ++j) {
    const int64_t turn = static_cast<int64_t>(j) * k % length;
    const long double angle =
        -2 * acosl(-1.0L) * static_cast<long double>(turn) / static_cast<long double>(length);
    sum += static_cast<long double>(law[j]) * std::complex<long double>(cosl(angle), sinl(angle));
  }
  return Complex(sum);
}

TEST(LowSpectrumTest, BothWaysToTransformKeepTheirErrorBounds) {
  const int64_t length = 1 << 12;
  const std::vector<double> law = SomeLaw(100);
  LowSpectrum spectrum(length);
  // The whole, then the lowest 50 (by the chirp), then fewer on the same tables.
  for (const int64_t highest : {length / 2, int64_t{50}, int64_t{7}}) {
    const LowSpectrum::Result result = spectrum.Transform(law, highest);
    ASSERT_EQ(result.values.size(), static_cast<size_t>(highest + 1));
    double squares = 0;
    for (int64_t k = 0; k <= highest; ++k) {
      const double off =
          std::abs(result.values[static_cast<size_t>(k)] - Frequency(law, k, length));
      EXPECT_LE(off, result.error) << highest << " " << k;
      squares += 2 * off * off;
    }
    EXPECT_LE(std::sqrt(squares), result.error_norm);
    EXPECT_LE(result.error, 1e-10);
  }
}

TEST(LowSpectrumTest, LongAndShortSequencesTakeTurnsOnOneObject) {
  const int64_t length = 1 << 12;
  LowSpectrum spectrum(length);
  for (const size_t size : {300u, 20u, 300u, 4000u, 20u}) {
    const std::vector<double> law = SomeLaw(size);
    const LowSpectrum::Result result = spectrum.Transform(law, 9);
    for (int64_t k = 0; k <= 9; ++k) {
      EXPECT_LE(std::abs(result.values[static_cast<size_t>(k)] - Frequency(law, k, length)),
                result.error);
    }
  }
}

TEST(LowSpectrumTest, TheInverseGivesTheSequenceBack) {
  for (const int64_t length : {int64_t{4}, int64_t{64}, int64_t{1} << 12}) {
    const std::vector<double> law = SomeLaw(static_cast<size_t>(length) - 1);
    LowSpectrum spectrum(length);
    const LowSpectrum::Result there = spectrum.Transform(law, length / 2);
    const std::vector<Complex> values(there.values.begin(), there.values.end());
    const LowSpectrum::Sequence back = spectrum.Inverse(values);
    ASSERT_EQ(back.values.size(), static_cast<size_t>(length));
    for (size_t j = 0; j < law.size(); ++j) EXPECT_NEAR(back.values[j], law[j], 1e-14);
    EXPECT_NEAR(back.values.back(), 0, 1e-14);
    EXPECT_LE(back.error, 1e-12);
  }
}

TEST(LowSpectrumTest, FrequenciesThatAreNotGivenCountAsZero) {
  LowSpectrum spectrum(8);
  const std::vector<Complex> values = {1.0, Complex(0, 0.5)};
  const LowSpectrum::Sequence back = spectrum.Inverse(values);
  for (size_t j = 0; j < 8; ++j) {
    EXPECT_NEAR(back.values[j], (1 - std::sin(2 * M_PI * static_cast<double>(j) / 8)) / 8, 1e-15);
  }
}

}  // namespace
}  // namespace topicwall::accountant
