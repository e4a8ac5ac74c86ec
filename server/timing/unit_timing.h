// How long a release of a corpus can take at most, measured on this machine without a look
// at the corpus: the schedule's interval has to be longer.
//
//   TW_ASSIGN_OR_RETURN(const ReleaseTiming timing, TimeWorstRelease(shape));
//   if (!(interval_ms >= 1000 * timing.seconds)) ...
//
// Every model for corpora of the kind (text or vectors) says which requests take it longest
// (model/worst_case.h). Each of them is bound, and made-up documents or vectors
// (model/data/spread_document.h) run through it and through the server's clip, on as many threads
// as the server uses. What a short sample takes is extrapolated linearly to the *stated* number of
// units; the cases of one model are added, and the dearest model counts. The noise, timed the same
// way, and the binding come on top. Not in it: reading and unsealing blocks, which pass beside the
// arithmetic, adding integers, storing the release (together a few per cent of a long release, and
// some 10 ms a megabyte of it), and other load on the machine.
//
// PUBLIC: every input is configuration, and the vocabulary's size. Nothing reads a document.
// Threads: starts its own. Cost: about two seconds of every thread, or four documents each.
#ifndef TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_
#define TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/corpus_shape.h"
#include "model/worst_case.h"

namespace topicwall::admin {

// The largest release that configuration and vocabulary allow.
struct ReleaseShape {
  model::AnalystLimits limits;
  int64_t units;               // as stated in public
  int64_t documents_per_unit;  // at most
  int threads;
  std::vector<int> attribute_sizes = {};  // of the corpus: reading it takes memory for them

  model::CorpusShape corpus() const {
    return {.vocabulary_size = limits.vocabulary_size,
            .attribute_sizes = attribute_sizes,
            .vector_dimension = limits.vector_dimension};
  }
};

struct ReleaseTiming {
  double seconds;                  // of the whole release
  int64_t documents_timed;         // in all samples
  std::vector<std::string> cases;  // "model: case", in the order in which they were timed
};

// INVALID_ARGUMENT for a shape that no release can have; INTERNAL without randomness.
absl::StatusOr<ReleaseTiming> TimeWorstRelease(const ReleaseShape& shape);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_
