// The one place that reads an integer sum before its noise: to audit it.
//
//   const LatticeReading reading(units.sum);   // of a corpus that the audit made up
//
// Friend of LatticeSum, which has no accessor. Linked into topicwall-admin and tests, and not
// into topicwall-server (tests/layering).
//
// Privacy: PRIVATE if the corpus were anybody's; an audit sums made-up documents only.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_LATTICE_READING_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_LATTICE_READING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "server/mechanism/lattice_sum.h"

namespace topicwall::audit {

class LatticeReading {
 public:
  explicit LatticeReading(const mechanism::LatticeSum& sum);

  // D, column by column; modulo 2^64.
  const std::vector<uint64_t>& statistics() const { return statistics_; }
  // A bin of norms each; all 0 if the plan has no histogram.
  const std::vector<uint64_t>& histogram() const { return histogram_; }

  friend bool operator==(const LatticeReading&, const LatticeReading&) = default;

 private:
  std::vector<uint64_t> statistics_;
  std::vector<uint64_t> histogram_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_LATTICE_READING_H_
