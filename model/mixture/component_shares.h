// How likely every component is of a document, for those who ask of a mixture what they ask of
// topics: in place of a document's proportions.
//
//   ComponentShares shares(&responsibilities);   // one per thread, reused
//   shares.Fill(document, &theta);
//
// r of responsibilities.h with nothing left out: where a word is scored that the likeliest
// component hardly has, the others decide, however small they are. Bits: as there.
//
// Privacy: output PRIVATE. Threads: one. Cost: as there, and K divisions.
#ifndef TOPICWALL_MODEL_MIXTURE_COMPONENT_SHARES_H_
#define TOPICWALL_MODEL_MIXTURE_COMPONENT_SHARES_H_

#include <cstddef>
#include <vector>

#include "model/data/document.h"
#include "model/mixture/responsibilities.h"

namespace topicwall::mixture {

class ComponentShares {
 public:
  // `e_step` outlives this.
  explicit ComponentShares(const Responsibilities* e_step) : e_step_(*e_step) {}

  // Takes and touches all that documents of up to so many distinct terms need.
  void Reserve(size_t num_terms);
  static size_t BytesReserved(size_t num_terms, size_t num_components);

  // K numbers whose sum is 1; of a document that is empty or not canonical over V terms, π.
  void Fill(lda::DocumentView document, std::vector<double>* shares);

 private:
  const Responsibilities& e_step_;
  Responsibilities::Workspace workspace_;
  std::vector<lda::TermCount> counts_;
};

}  // namespace topicwall::mixture

#endif  // TOPICWALL_MODEL_MIXTURE_COMPONENT_SHARES_H_
