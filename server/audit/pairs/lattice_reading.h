// The integers of a sum before its noise, read from its bytes: to audit it.
//
//   TW_ASSIGN_OR_RETURN(const LatticeReading reading, LatticeReading::Parse(sum.Serialise()));
//
// Of a corpus that the audit made up. What writes a sum down is not linked into topicwall-server
// (tests/layering), and what it writes is read here by code of the audit's own: the layout is in
// server/mechanism/partial_sum.h.
//
// Privacy: PRIVATE if the corpus were anybody's; an audit sums made-up documents only.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_LATTICE_READING_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_LATTICE_READING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::audit {

class LatticeReading {
 public:
  // INVALID_ARGUMENT unless `serialised` is a partial sum with all of its shards, each once.
  static absl::StatusOr<LatticeReading> Parse(absl::string_view serialised);

  // D, column by column; modulo 2^64.
  const std::vector<uint64_t>& statistics() const { return statistics_; }
  // A bin of norms each; all 0 if the plan has no histogram.
  const std::vector<uint64_t>& histogram() const { return histogram_; }

  friend bool operator==(const LatticeReading&, const LatticeReading&) = default;

 private:
  LatticeReading(std::vector<uint64_t> statistics, std::vector<uint64_t> histogram)
      : statistics_(std::move(statistics)), histogram_(std::move(histogram)) {}

  std::vector<uint64_t> statistics_;
  std::vector<uint64_t> histogram_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_LATTICE_READING_H_
