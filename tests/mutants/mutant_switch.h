// Which mutant is on: chosen for a whole process by its environment, and only in sources that
// mutate_source.cc made, which no production program is built of.
//
//   TOPICWALL_MUTANT=noise-over-sqrt2 bin/mutants/statistical_test
//
// Also what the probes count: releases, by everything that runs with the same
// TOPICWALL_MUTANT_RELEASES, a file that gets one byte longer with each.
#ifndef TOPICWALL_TESTS_MUTANTS_MUTANT_SWITCH_H_
#define TOPICWALL_TESTS_MUTANTS_MUTANT_SWITCH_H_

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace topicwall::mutants {

inline bool IsChosen(const char* name) {
  const char* chosen = std::getenv("TOPICWALL_MUTANT");
  return chosen != nullptr && std::strcmp(chosen, name) == 0;
}

inline void CountRelease() {
  const char* path = std::getenv("TOPICWALL_MUTANT_RELEASES");
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, "r", 1);
  close(file);
}

// For mutants that need to tell one source what another saw.
inline std::atomic<int64_t> units_added{0};

}  // namespace topicwall::mutants

// Asks once: some of these stand in loops over every entry of a release.
#define TOPICWALL_MUTANT_IS_ON(name)                                \
  ([] {                                                             \
    static const bool is_on = ::topicwall::mutants::IsChosen(name); \
    return is_on;                                                   \
  }())

#endif  // TOPICWALL_TESTS_MUTANTS_MUTANT_SWITCH_H_
