// Parts a document of an evaluation: its topics are found from one half, the other is scored.
//
//   TokenHalves halves;                           // one per thread, reused
//   bits.StartDocument(document.number);
//   halves.Split(document.counts, bits);
//   … halves.observed(), halves.scored() …
//
// Every token goes to one side by a fair coin, from the document's own stream (model/unit_bits.h):
// what is on which side depends on nothing else, and is tossed freshly for every release. A side
// may be empty.
//
// Privacy: input and output are PRIVATE. Threads: one. Cost: one coin a token, 64 at once.
#ifndef TOPICWALL_MODEL_COMPLETION_TOKEN_HALVES_H_
#define TOPICWALL_MODEL_COMPLETION_TOKEN_HALVES_H_

#include <cstddef>
#include <vector>

#include "model/data/document.h"
#include "model/unit_bits.h"

namespace topicwall::completion {

class TokenHalves {
 public:
  // Takes and touches all that documents of up to so many distinct terms need.
  void Reserve(size_t num_terms) {
    observed_.resize(num_terms);
    scored_.resize(num_terms);
  }
  static size_t BytesReserved(size_t num_terms) { return 2 * num_terms * sizeof(lda::TermCount); }

  // From the bits at hand on.
  void Split(lda::DocumentView document, model::UnitBits& bits);

  // Of the last Split; terms in the document's order.
  lda::DocumentView observed() const { return observed_; }
  lda::DocumentView scored() const { return scored_; }

 private:
  std::vector<lda::TermCount> observed_;
  std::vector<lda::TermCount> scored_;
};

}  // namespace topicwall::completion

#endif  // TOPICWALL_MODEL_COMPLETION_TOKEN_HALVES_H_
