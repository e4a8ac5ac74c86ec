// Samples of noise a second, keystream included.
//
//   noise_bench [millions of samples]
//   {"samples":100000000,"samples_per_second":41000000,"mean":0.000050,"variance":1.000100}
//
// CPU time of one thread, the least of ten parts. Mean and variance are in units of the standard
// deviation, so that nobody measures the wrong thing: 0 and 1 within some 1e-4.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "server/mechanism/noise/rounded_gaussian.h"
#include "server/random/keystream.h"
#include "tests/bench/measuring.h"

int main(int argc, char** argv) {
  using topicwall::bench::SecondsOn;
  using topicwall::mechanism::RoundedGaussian;
  const int64_t part = std::max(1, argc > 1 ? std::atoi(argv[1]) : 100) * int64_t{100'000};
  const topicwall::random::SecretKey key(std::array<uint8_t, 32>{1});
  auto stream = topicwall::random::Keystream::Create(key, 0);
  if (!stream.ok()) return 1;
  RoundedGaussian<30> noise;
  double least = 1e300;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 10; ++i) {
    const double start = SecondsOn(CLOCK_THREAD_CPUTIME_ID);
    for (int64_t n = 0; n < part; ++n) {
      const double z = static_cast<double>(noise.Draw(*stream)) * 0x1p-30;
      sum += z;
      squares += z * z;
    }
    least = std::min(least, SecondsOn(CLOCK_THREAD_CPUTIME_ID) - start);
  }
  const double samples = 10 * static_cast<double>(part);
  std::printf("{\"samples\":%.0f,\"samples_per_second\":%.0f,\"mean\":%.6f,\"variance\":%.6f}\n",
              samples, static_cast<double>(part) / least, sum / samples, squares / samples);
  return stream->status().ok() ? 0 : 1;
}
