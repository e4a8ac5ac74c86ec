// A privacy unit as a model sees it: its documents, already cut to the public caps, and nothing
// else of the corpus.
//
//   for (const UnitDocument& document : unit.documents) {
//     if (unit.Abandoned()) return;
//     … document.counts …
//   }
//
// Privacy: PRIVATE. Threads: borrowed from whoever reads the corpus, valid during one Infer.
#ifndef TOPICWALL_MODEL_DATA_UNIT_H_
#define TOPICWALL_MODEL_DATA_UNIT_H_

#include <atomic>
#include <cstdint>

#include "absl/types/span.h"
#include "model/data/document.h"

namespace topicwall::model {

struct UnitDocument {
  lda::DocumentView counts;  // canonical over the corpus's vocabulary
  int number;                // among the unit's documents before the caps: names its bits
  // Its value of each of the corpus's attributes (attributes.h), below their number of values.
  absl::Span<const uint16_t> attributes = {};
  // Of a corpus of vectors its d numbers, in units of the public norm bound (corpus_shape.h), finite;
  // else empty.
  absl::Span<const float> vector = {};
};

struct Unit {
  absl::Span<const UnitDocument> documents;  // ascending numbers

  // Set when nobody waits for the release any more.
  const std::atomic<bool>* abandoned = nullptr;
  // To be asked before each document, as a unit may have many: what is made of the unit is then
  // thrown away, and only the time that it takes matters.
  bool Abandoned() const { return abandoned != nullptr && *abandoned; }
};

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_DATA_UNIT_H_
