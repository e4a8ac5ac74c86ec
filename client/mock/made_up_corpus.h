// Documents that nobody wrote, over the public words of a corpus: what a mock wall computes on.
//
//   const MadeUpCorpus corpus = MakeUpCorpus(description);
//   corpus.documents[7], corpus.attributes[7]      // of one unit each
//
// A function of the description alone (its vocabulary's digest, its attributes, its dimension), the
// same on one machine whenever it is made. Text has up to 20 topics, each with words of its own,
// and words that all of them share; a document is of one topic or two, and which it is depends on
// its attributes, so that prevalences differ. Vectors are draws around up to 20 centres.
//
// There are few, so that a mock is quick. A corpus that says how large it is stands for all of its
// units: each made-up one counts `weight` times, and signals are then as large against the noise as
// they may be behind the wall.
//
// PUBLIC: no document of anybody's has any part in it. Values.
#ifndef TOPICWALL_CLIENT_MOCK_MADE_UP_CORPUS_H_
#define TOPICWALL_CLIENT_MOCK_MADE_UP_CORPUS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/data/corpus_shape.h"
#include "model/data/document.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

inline constexpr size_t kMadeUpUnits = 2000;

struct MadeUpCorpus {
  model::CorpusShape shape;
  lda::DocumentList documents;                    // of text; kMadeUpUnits
  std::vector<std::vector<float>> vectors;        // of vectors; as many
  std::vector<std::vector<uint16_t>> attributes;  // of each unit: a value of each attribute
  double weight;                                  // at least 1

  size_t size() const { return attributes.size(); }
};

MadeUpCorpus MakeUpCorpus(const v1::CorpusDescription& description);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_MOCK_MADE_UP_CORPUS_H_
