// Hands the unit clipper what no document makes: entries that are not numbers, out of order or out
// of range, lengths whose squares do not fit 64 bits, and units for which rounding alone would be
// too long by one step.
//
//   TW_ASSIGN_OR_RETURN(const ClipProbe probe, ProbeClip(choices));
//
// In the wall only a defect elsewhere (the E-step, the reading of a corpus) could produce these;
// the clip must hold whatever comes. Every kernel that this processor can run is tried.
// Threads: any. Cost: some ms.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_CLIP_PROBE_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_CLIP_PROBE_H_

#include "absl/status/statusor.h"
#include "server/random/keystream.h"

namespace topicwall::audit {

struct ClipProbe {
  int units;             // handed to the clipper
  int bad_units_let_in;  // that should have been dropped
  int too_long;          // let in with Σ q² > M²
  int sums;              // of squares, compared with 128-bit arithmetic
  int wrong_sums;
};

// `choices`: of the lengths whose squares are summed.
absl::StatusOr<ClipProbe> ProbeClip(random::Keystream& choices);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_CLIP_PROBE_H_
