// When a vault that starts begins to answer, and a job's ranks connect. They have read their ledger
// and every corpus by then, which takes as long as these are large: whoever asks meanwhile, or sees
// a connection come back, would read their sizes off a clock.
//
//   const absl::Duration moment = StartMoment(took);   // wait until it
//
// Moments are 2^(j/2) quarters of a second after the start, j >= 0, and say nothing finer: of a
// start at one of them its length within a factor of 1.42. PUBLIC, as is that much of the sizes.
// Pure.
#ifndef TOPICWALL_SERVER_RELEASE_START_MOMENT_H_
#define TOPICWALL_SERVER_RELEASE_START_MOMENT_H_

#include "absl/time/time.h"

namespace topicwall::release {

// The first moment that is not before `took`, both since the start.
absl::Duration StartMoment(absl::Duration took);

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_START_MOMENT_H_
