// Made-up documents that take a model as long as any can: of as many different terms as N words can
// have, one from each of as many equal stretches of the vocabulary, so that neighbours in a table
// are of no use to each other.
//
//   const SpreadDocuments documents{.words = 500, .vocabulary_size = 50'000};
//   documents.Fill(number, &document);
//
// The first term has one word, the others share the rest. The same number gives the same document.
// PUBLIC: made of nobody's. Threads: any. Cost: O(min(N, V)).
#ifndef TOPICWALL_MODEL_DATA_SPREAD_DOCUMENT_H_
#define TOPICWALL_MODEL_DATA_SPREAD_DOCUMENT_H_

#include <cstdint>
#include <vector>

#include "model/data/document.h"

namespace topicwall::lda {

// A number that looks random, from a counter (SplitMix64).
uint64_t Scatter(uint64_t counter);

struct SpreadDocuments {
  int64_t words;            // N >= 1
  int64_t vocabulary_size;  // V >= 1

  int64_t DistinctTerms() const { return words < vocabulary_size ? words : vocabulary_size; }
  // The terms below it, of which each document has one, are the stretch of its first.
  int64_t EndOfFirstStretch() const { return vocabulary_size / DistinctTerms(); }
  void Fill(uint64_t number, std::vector<TermCount>* document) const;
};

// A vector of the largest length that there is (bounded_vector.h), in a direction that the number
// decides: no number of it is 0, nor near it.
void FillSpreadVector(uint64_t number, int dimension, std::vector<float>* vector);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_DATA_SPREAD_DOCUMENT_H_
