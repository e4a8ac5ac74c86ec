// One release of the golden corpus, from receipt to noise: coins, sum and noise are the server's
// own (server/executor/thread_executor.h, server/mechanism/noise_mechanism.h), without a wall
// around them.
//
//   for (const ReleaseCase& asked : AllCases()) {
//     TW_ASSIGN_OR_RETURN(ReleaseNumbers numbers, Release(asked, corpus, {.num_threads = 3}));
//     const std::string row = RowOf(asked, numbers);   // of releases.csv
//   }
//
// A release is a function of case, corpus and release key; the number of threads changes no bit.
// Errors: INVALID_ARGUMENT for a kernel that this processor does not have.
#ifndef TOPICWALL_TESTS_GOLDEN_GOLDEN_RELEASE_H_
#define TOPICWALL_TESTS_GOLDEN_GOLDEN_RELEASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/corpus/corpus_description.h"
#include "tests/golden/golden_corpus.h"

namespace topicwall::golden {

// Every kernel there is a golden release of.
inline constexpr const char* kGoldenKernels[] = {"portable-f32-4", "avx2-f32-4", "avx512-f32-4"};

inline constexpr double kGoldenNoiseMultiplier = 1.24;
inline constexpr int64_t kWhole = 10'000;  // words: more than any document has
inline constexpr int64_t kTruncated = 12;

enum class Asked {
  kPlain,
  kTermWeights,
  kNormHistogram,
  kHeldOutShare,
  kDocumentCompletion,
  kDirectionNoise
};

struct ReleaseCase {
  std::string kernel_name;
  double sampling_rate;
  v1::PrivacyUnit privacy_unit;
  int64_t max_words;
  Asked asked;
};

// The product of all, kernel by kernel.
std::vector<ReleaseCase> AllCases();

// The first cells of its row.
std::string NameOf(const ReleaseCase& asked);

struct ReleaseHow {
  int num_threads = 1;
  uint8_t release_key = 1;  // its first byte
};

struct ReleaseNumbers {
  std::vector<uint64_t> sum;  // row = term; before the noise
  std::vector<float> noisy;   // row = topic
  // Empty unless the case asks for a histogram.
  std::vector<uint64_t> histogram_sum;
  std::vector<float> noisy_histogram;

  friend bool operator==(const ReleaseNumbers&, const ReleaseNumbers&) = default;
};

absl::StatusOr<ReleaseNumbers> Release(const ReleaseCase& asked, const GoldenCorpus& corpus,
                                       const ReleaseHow& how);

// The row: the name, and SHA-256 of each vector's little-endian bytes, "-" for an empty one.
std::string RowOf(const ReleaseCase& asked, const ReleaseNumbers& numbers);

// The first line of the table, which names the cells.
extern const char kRowHeader[];

}  // namespace topicwall::golden

#endif  // TOPICWALL_TESTS_GOLDEN_GOLDEN_RELEASE_H_
