// How long a release of a corpus can take at most, measured on this machine without a look
// at the corpus: the schedule's interval has to be longer.
//
//   TW_ASSIGN_OR_RETURN(const ReleaseTiming timing, TimeWorstRelease(shape));
//   if (!(interval_ms >= 1000 * timing.seconds)) ...
//
// Synthetic documents of `words` different words, spread over the vocabulary, run through the
// server's own E-step with threshold 0, so that every document takes all its iterations, and
// through its clip, on as many threads as the server uses; and through the server's score, because
// an evaluation, which is less arithmetic, has randomness of its own to make for every document.
// The dearer of the two counts. What a short sample takes is extrapolated linearly to the *stated*
// number of units; the noise, timed the same way, and the table of topic weights come on top. Two
// requests that an analyst may send are timed: one at which no topic ever dies out, and one at
// which float32 underflows, which only many topics can do (about 80 or more), so that every
// document is computed again in double. Where that happens both times count: float32 may give
// up in its last iteration.
// Not in it: reading and unsealing blocks, which pass beside the arithmetic, adding integers,
// storing the release (together a few per cent of a long release, and some 10 ms a megabyte of
// it), and other load on the machine.
//
// PUBLIC: every input is configuration, and the vocabulary's size. Nothing reads a document.
// Threads: starts its own. Cost: about two seconds of every thread, or four documents each.
#ifndef TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_
#define TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace topicwall::admin {

// The largest release that configuration and vocabulary allow.
struct ReleaseShape {
  int num_topics;              // K
  int64_t vocabulary_size;     // V
  int64_t words;               // N of a document; different ones as far as V has them
  int max_e_step_iterations;   // of a document
  int64_t units;               // as stated in public
  int64_t documents_per_unit;  // at most
  int threads;
};

struct ReleaseTiming {
  double seconds;           // of the whole release
  int64_t documents_timed;  // in all samples
  bool in_double;           // documents can be made to need double precision
};

// INVALID_ARGUMENT for a shape that no release can have; INTERNAL without randomness.
absl::StatusOr<ReleaseTiming> TimeWorstRelease(const ReleaseShape& shape);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_
