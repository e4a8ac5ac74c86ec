// The integers of a sum before its noise, read from its bytes: to audit it.
//
//   TW_ASSIGN_OR_RETURN(const GridReading reading, GridReading::Parse(sum.Serialise()));
//
// Of a corpus that the audit made up. What writes a sum down is not linked into the server's
// programs (tests/layering), and what it writes is read here by code of the audit's own: the layout
// is in server/mechanism/partial_sum.h. So is the arithmetic: nothing here asks the mechanism.
//
// Privacy: PRIVATE if the corpus were anybody's; an audit sums made-up documents only.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_GRID_READING_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_GRID_READING_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::audit {

struct GridReading {
  std::vector<uint64_t> statistics;  // D, column by column; modulo 2^64
  std::vector<uint64_t> histogram;   // a bin of norms each; all 0 if the plan has no histogram

  // INVALID_ARGUMENT unless `serialised` is a partial sum with all of its shards, each once.
  static absl::StatusOr<GridReading> Parse(absl::string_view serialised);

  friend bool operator==(const GridReading&, const GridReading&) = default;
};

// The largest integer M with M·σ <= 2^30, by exact trial. Precondition: σ in [2^-6, 2^20].
uint64_t ExactIntegerSensitivity(double noise_multiplier);

// Σ Δ² of `with` − `without`, entry by entry. Exact; entries beyond 2^48, where no M is, count as
// 2^48 each. At most 2^31 entries.
absl::uint128 SquaredLength(const std::vector<uint64_t>& with,
                            const std::vector<uint64_t>& without);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_GRID_READING_H_
