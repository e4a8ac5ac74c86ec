// Two ways to the same frequencies. A law of some thousand points with a window of millions needs
// the lowest ones only, beyond which the product of all laws so far is nil; the chirp computes just
// these, by transforms as long as the law and the frequencies together, not as the window.
//
// Errors are those of the worst case in Higham's theorem, not estimates: 2-norms over a whole
// transform, which for one value is a bound as well.
#include "accountant/pld/low_spectrum.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unsupported/Eigen/FFT>

namespace topicwall::accountant {
namespace {

using Complex = std::complex<double>;

constexpr double kRoundingPerStage = 9e-16;
// A chirp takes three transforms of complex numbers where the whole takes one of real ones.
constexpr int64_t kChirpAdvantage = 8;

int64_t PowerOfTwoAtLeast(int64_t n) {
  int64_t power = 4;
  while (power < n) power *= 2;
  return power;
}

double Stages(int64_t length) { return std::log2(static_cast<double>(length)) + 2; }

// Products without the checks for NaN that the standard's operator* makes.
Complex Times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

struct LowSpectrum::ChirpTable {
  int64_t highest = -1;            // good for frequencies 0 … this
  std::vector<Complex> chirp;      // e^{−πi j²/N}, j = 0 … padded − 1
  std::vector<Complex> transform;  // of its conjugate, wrapped around
};

struct LowSpectrum::Tables {
  Eigen::FFT<double> fft;
  std::vector<double> padded_real;
  std::vector<Complex> values;
  std::map<int64_t, ChirpTable> chirps;  // by padded length
  std::vector<Complex> input;
  std::vector<Complex> output;
};

LowSpectrum::LowSpectrum(int64_t length) : length_(length), tables_(std::make_unique<Tables>()) {
  tables_->fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
}

LowSpectrum::LowSpectrum(LowSpectrum&&) noexcept = default;
LowSpectrum::~LowSpectrum() = default;

LowSpectrum::Result LowSpectrum::Transform(absl::Span<const double> sequence, int64_t highest) {
  const int64_t padded = PowerOfTwoAtLeast(static_cast<int64_t>(sequence.size()) + highest);
  if (padded <= length_ / kChirpAdvantage) return Chirped(sequence, highest, padded);
  return Whole(sequence, highest);
}

LowSpectrum::Result LowSpectrum::Whole(absl::Span<const double> sequence, int64_t highest) {
  Tables& t = *tables_;
  t.padded_real.assign(static_cast<size_t>(length_), 0.0);
  std::copy(sequence.begin(), sequence.end(), t.padded_real.begin());
  t.values.resize(static_cast<size_t>(length_ / 2 + 1));
  t.fft.fwd(t.values.data(), t.padded_real.data(), static_cast<int>(length_));
  double squares = 0;
  for (const double w : sequence) squares += w * w;
  const double norm =
      kRoundingPerStage * Stages(length_) * std::sqrt(squares * static_cast<double>(length_));
  return {.values = absl::MakeConstSpan(t.values).first(static_cast<size_t>(highest + 1)),
          .error = norm,
          .error_norm = norm};
}

// Two real values at a time as one complex, y_{2j} + i y_{2j+1}: the even and the odd part of the
// spectrum, the latter turned by e^{2πi k/N}.
LowSpectrum::Sequence LowSpectrum::Inverse(absl::Span<const Complex> spectrum) {
  Tables& t = *tables_;
  const size_t half = static_cast<size_t>(length_ / 2);
  // Of the way there; the largest lengths are tens of megabytes each.
  std::vector<double>().swap(t.padded_real);
  std::vector<Complex>().swap(t.values);
  double squares = 0;
  const auto at = [&spectrum](size_t k) { return k < spectrum.size() ? spectrum[k] : Complex(); };
  t.input.resize(half);
  for (size_t k = 0; k < half; ++k) {
    Complex value = at(k);
    Complex mirror = std::conj(at(half - k));
    if (k == 0) {
      value = value.real();
      mirror = mirror.real();
    }
    squares += 2 * std::norm(value);
    const Complex turned =
        std::polar(1.0, 2 * M_PI * static_cast<double>(k) / static_cast<double>(length_));
    t.input[k] = (value + mirror) + Times(Complex(0, 1), Times(turned, value - mirror));
  }
  // A transform of half the length, of values twice as large: halved below, in both parts.
  t.output.resize(half);
  t.fft.inv(t.output.data(), t.input.data(), static_cast<int>(half));
  Sequence result = {.values = std::vector<double>(2 * half),
                     .error = 2 * kRoundingPerStage * Stages(length_) *
                              std::sqrt(squares / static_cast<double>(length_))};
  for (size_t j = 0; j < half; ++j) {
    result.values[2 * j] = t.output[j].real() / 2;
    result.values[2 * j + 1] = t.output[j].imag() / 2;
  }
  return result;
}

// j² is reduced in integers, where nothing is lost.
const LowSpectrum::ChirpTable& LowSpectrum::Chirp(int64_t inputs, int64_t highest, int64_t padded) {
  Tables& t = *tables_;
  ChirpTable& table = t.chirps[padded];
  if (table.highest >= highest && inputs <= padded - table.highest) return table;
  table.highest = highest;
  table.chirp.resize(static_cast<size_t>(padded));
  for (int64_t j = 0; j < padded; ++j) {
    // e^{−πi j²/N} has period 2N in j²; j² itself, j < N/8, is far from the end of an int64_t.
    const int64_t turn = j * j % (2 * length_);
    table.chirp[static_cast<size_t>(j)] =
        std::polar(1.0, -M_PI * static_cast<double>(turn) / static_cast<double>(length_));
  }
  // The convolution is circular in `padded` points. Frequency k meets input j at index k − j, from
  // −(inputs − 1) to highest: negative ones stand wrapped around at the end. The two parts do not
  // overlap as padded ≥ inputs + highest.
  std::vector<Complex> kernel(static_cast<size_t>(padded));
  for (int64_t j = 0; j <= highest; ++j) {
    kernel[static_cast<size_t>(j)] = std::conj(table.chirp[static_cast<size_t>(j)]);
  }
  for (int64_t j = 1; j < padded - highest; ++j) {
    kernel[static_cast<size_t>(padded - j)] = std::conj(table.chirp[static_cast<size_t>(j)]);
  }
  table.transform.resize(kernel.size());
  t.fft.fwd(table.transform.data(), kernel.data(), static_cast<int>(padded));
  return table;
}

// jk = (j² + k² − (k−j)²)/2.
// So F_k = c_k Σ_j (w_j c_j) conj(c_{k−j}) with c_j = e^{−πi j²/N}: a convolution between two
// multiplications by numbers of modulus 1. Its error: Σ w = 1 bounds the input's transform by 1 in
// every frequency, and the kernel has the 2-norm √M. By Cauchy-Schwarz what either forward
// transform may have lost moves a value by at most η(p+2)√M, and so does the way back.
LowSpectrum::Result LowSpectrum::Chirped(absl::Span<const double> sequence, int64_t highest,
                                         int64_t padded) {
  const int64_t inputs = static_cast<int64_t>(sequence.size());
  const ChirpTable& table = Chirp(inputs, highest, padded);
  Tables& t = *tables_;
  t.input.assign(static_cast<size_t>(padded), Complex());
  for (size_t j = 0; j < sequence.size(); ++j) {
    t.input[j] = sequence[j] * table.chirp[j];
  }
  t.output.resize(t.input.size());
  t.fft.fwd(t.output.data(), t.input.data(), static_cast<int>(padded));
  for (size_t i = 0; i < t.output.size(); ++i) {
    t.output[i] = Times(t.output[i], table.transform[i]);
  }
  t.fft.inv(t.input.data(), t.output.data(), static_cast<int>(padded));
  t.values.resize(static_cast<size_t>(highest + 1));
  for (size_t k = 0; k < t.values.size(); ++k) t.values[k] = Times(t.input[k], table.chirp[k]);
  const double error =
      3 * kRoundingPerStage * Stages(padded) * std::sqrt(static_cast<double>(padded));
  return {.values = absl::MakeConstSpan(t.values),
          .error = error,
          .error_norm = error * std::sqrt(2 * static_cast<double>(highest) + 1)};
}

}  // namespace topicwall::accountant
