// What programs of one measurement share: time on a clock, and files of little-endian float32.
#ifndef TOPICWALL_TESTS_BENCH_MEASURING_H_
#define TOPICWALL_TESTS_BENCH_MEASURING_H_

#include <cstddef>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::bench {

// CLOCK_PROCESS_CPUTIME_ID: processor time of all threads.
inline double SecondsOn(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline absl::StatusOr<std::vector<float>> ReadFloats(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return absl::NotFoundError("cannot read " + path);
  std::vector<float> values(static_cast<size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

inline absl::Status WriteFloats(const std::string& path, absl::Span<const float> values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError("cannot write " + path);
}

}  // namespace topicwall::bench

#endif  // TOPICWALL_TESTS_BENCH_MEASURING_H_
