// How long the units of a release can take at most, measured on this machine without a look at the
// corpus.
//
//   TW_ASSIGN_OR_RETURN(const UnitTiming timing, TimeWorstUnits(shape));
//
// Every model for corpora of the kind (text or vectors) says which requests take it longest
// (model/worst_case.h). Each of them is bound, and made-up documents or vectors
// (model/data/spread_document.h) run through it and through the server's clip, on as many threads
// as a release is summed with. What a short sample takes is extrapolated linearly to the *stated*
// number of units; the cases of one model are added, and the dearest model counts. The binding
// comes on top. Not in it: reading and unsealing blocks, which pass beside the arithmetic, adding
// integers (a few per cent of a long release), and other load on the machine.
//
// PUBLIC: every input is configuration, and the vocabulary's size. Nothing reads a document.
// Threads: starts its own. Cost: of every thread half a second, or a document, for each case:
// about eight seconds for all models of text.
#ifndef TOPICWALL_SERVER_TIMING_UNIT_TIMING_H_
#define TOPICWALL_SERVER_TIMING_UNIT_TIMING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/corpus_shape.h"
#include "model/worst_case.h"

namespace topicwall::timing {

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

struct UnitTiming {
  double seconds;                  // of all units
  int64_t documents_timed;         // in all samples
  // "model: case T ms", of one document while all threads compute, in the order of their timing.
  std::vector<std::string> cases;
};

// INVALID_ARGUMENT for a shape that no release can have; UNAVAILABLE without the memory for it;
// INTERNAL without randomness.
absl::StatusOr<UnitTiming> TimeWorstUnits(const ReleaseShape& shape);

}  // namespace topicwall::timing

#endif  // TOPICWALL_SERVER_TIMING_UNIT_TIMING_H_
