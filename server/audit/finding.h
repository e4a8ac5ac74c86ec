// What one check of the audit found: one row of its table.
//
// A finding says what is claimed of the wall, what was tried against it, what came out, the bound
// that must hold, and the smallest violation that this run would have seen: an audit that finds
// nothing is worth as much as that last number.
//
// Verdicts. VIOLATED: the wall does not keep its promise. UTILITY LOST: it keeps it, and gives
// analysts less than they paid for. NOT FINISHED: the wall or the machine failed on the way, so
// nothing is known. Only HOLDS is good.
//
// PUBLIC: an audit sees its own made-up corpora alone.
#ifndef TOPICWALL_SERVER_AUDIT_FINDING_H_
#define TOPICWALL_SERVER_AUDIT_FINDING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::audit {

// In the order in which they run.
enum class Part {
  kMemory,    // releases with little memory: first, while this process has taken none
  kReplay,    // integer sums of neighbouring corpora, over the real code
  kInputs,    // of neighbouring inputs, through the ingestion
  kNoise,     // noise and canaries in releases over gRPC
  kSampling,  // who takes part
  kLedger,    // what was paid
  kSchedule,  // when a release is readable, and what it is called
  kTiming,    // what a clock outside sees; in the long form only
};

absl::Span<const Part> AllParts();
// "memory", "replay", "inputs", "noise", "sampling", "ledger",
// "schedule", "timing".
absl::string_view NameOf(Part part);

enum class Verdict { kHolds, kUtilityLost, kViolated, kNotFinished };

// "holds", "UTILITY LOST", "VIOLATED", "NOT FINISHED".
absl::string_view NameOf(Verdict verdict);
// Of a promise that is kept or not.
inline Verdict HoldsIf(bool holds) { return holds ? Verdict::kHolds : Verdict::kViolated; }

struct Finding {
  Part part;
  std::string claim;               // "adding a unit moves the integer sum by at most M"
  std::string tried;               // "171 neighbouring pairs, 21 of them by name"
  std::string measured;            // "at most 1.000000 M (a million words)"
  std::string bound;               // "M"
  std::string smallest_violation;  // that would have been seen: "1 lattice step"
  Verdict verdict = Verdict::kNotFinished;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_FINDING_H_
