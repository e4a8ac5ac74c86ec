// Exact samples of round(N(0, 2^(2s))): a *continuous* normal of standard deviation 2^s,
// rounded to the nearest integer, with no floating-point number and no constant of
// limited precision anywhere.
//
//   RoundedGaussian<30> noise;
//   int64_t sample = noise.Draw(stream);   // stream: random::Keystream
//
// Why not a discrete Gaussian: s + round(N) = round(s + N) for integer s, so a release is
// post-processing of the continuous Gaussian mechanism and every bound proved for that one
// holds as it stands. A discrete Gaussian would need bounds of its own.
//
// Algorithm N of Karney, "Sampling exactly from the normal distribution", ACM TOMS 42
// (2016), for z = k + x with k = 0, 1, … and x in (0, 1):
//   1. k with probability ∝ e^(-k/2): count successes of H, a coin of probability e^(-1/2);
//   2. keep k with probability e^(-k(k-1)/2): k(k-1) times H; else start again;
//   3. x uniform, its digits lazy (lazy_uniform.h);
//   4. keep with probability e^(-x(2k+x)/2): k+1 times B; else start again;
//   5. a fair sign.
// What is kept has density ∝ e^(-k/2 - k(k-1)/2 - x(2k+x)/2) = e^(-(k+x)²/2). □
//
// H and B are von Neumann's trick: draw z1, z2, … while x > z1 > z2 > …, and in B while also
// a coin of probability p = (2k+x)/(2k+2) succeeds. The run has at least n steps with
// probability (xp)^n/n!, so its length is even with probability Σ (-xp)^n/n! = e^(-xp).
// In H, x = 1/2 and p = 1. The coin p is an integer c uniform below 2k+2: yes if c < 2k, no
// if c > 2k, and if c = 2k yes with probability x.
//
// Rounding: 2^s z = 2^s k + 2^s x, and floor(2^s x + 1/2) = floor((d + 1)/2) where d are the
// first s+1 binary digits of x: every rounding is decided by digits, none is approximate.
//
// Privacy: samples are PRIVATE until added. The time of a draw depends on the sample, not
// on the corpus. Threads: one object per thread, with its own stream.
// Cost: about 100 ns. |sample| >= 2^(s+33) has probability below e^(-2^65): no overflow.
#ifndef TOPICWALL_SERVER_MECHANISM_ROUNDED_GAUSSIAN_H_
#define TOPICWALL_SERVER_MECHANISM_ROUNDED_GAUSSIAN_H_

#include <cstdint>
#include <utility>

#include "server/mechanism/lazy_uniform.h"

namespace topicwall::mechanism {

// kScaleBits is s. Tests use small scales, where every cell can be counted, and small
// groups of digits, where every tie happens: the code is the same.
template <int kScaleBits, int kDigitBits = 64>
class RoundedGaussian {
  static_assert(kScaleBits >= 0 && kScaleBits <= 30);

 public:
  // `Bits` offers NextBits(count) and NextBelow(bound) like random::Keystream.
  template <typename Bits>
  int64_t Draw(Bits& bits) {
    for (;;) {
      uint64_t k = 0;
      while (HalfExponentialCoin(bits)) ++k;
      if (!KeepsInteger(k, bits)) continue;
      x_.Restart(bits);
      if (!KeepsFraction(k, bits)) continue;
      const uint64_t digits = x_.LeadingBits(kScaleBits + 1, bits);
      const auto magnitude = static_cast<int64_t>((k << kScaleBits) + (digits + 1) / 2);
      return bits.NextBits(1) == 0 ? magnitude : -magnitude;
    }
  }

 private:
  // H: probability e^(-1/2).
  template <typename Bits>
  bool HalfExponentialCoin(Bits& bits) {
    previous_.Restart(bits);
    if (!previous_.IsBelowHalf()) return true;
    for (bool even = false;; even = !even) {
      next_.Restart(bits);
      if (!next_.IsBelow(previous_, bits)) return even;
      std::swap(previous_, next_);
    }
  }

  // Step 2: probability e^(-k(k-1)/2).
  template <typename Bits>
  bool KeepsInteger(uint64_t k, Bits& bits) {
    for (uint64_t toss = k * (k - 1); toss > 0; --toss) {
      if (!HalfExponentialCoin(bits)) return false;
    }
    return true;
  }

  // Step 4: probability e^(-x(2k+x)/2).
  template <typename Bits>
  bool KeepsFraction(uint64_t k, Bits& bits) {
    for (uint64_t toss = 0; toss <= k; ++toss) {
      if (!FractionCoin(k, bits)) return false;
    }
    return true;
  }

  // B: probability e^(-x(2k+x)/(2k+2)).
  template <typename Bits>
  bool FractionCoin(uint64_t k, Bits& bits) {
    LazyUniform<kDigitBits>* previous = &x_;
    for (bool even = true;; even = !even) {
      next_.Restart(bits);
      if (!next_.IsBelow(*previous, bits) || !RatioCoin(k, bits)) return even;
      std::swap(previous_, next_);
      previous = &previous_;
    }
  }

  // Probability (2k+x)/(2k+2).
  template <typename Bits>
  bool RatioCoin(uint64_t k, Bits& bits) {
    const uint64_t choice = bits.NextBelow(2 * k + 2);
    if (choice != 2 * k) return choice < 2 * k;
    other_.Restart(bits);
    return other_.IsBelow(x_, bits);
  }

  // Scratch, so that no draw allocates. x_ is the fraction; the others live inside a coin.
  LazyUniform<kDigitBits> x_, previous_, next_, other_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_ROUNDED_GAUSSIAN_H_
