// What a model may know of a corpus before it sees a document: how many terms there are, how many
// values each attribute has, and how long a vector is where documents are vectors.
//
//   const CorpusShape shape = {.vocabulary_size = 8000, .attribute_sizes = {13, 5}};
//
// PUBLIC: typed by the custodian, never counted from documents. Threads: values.
#ifndef TOPICWALL_MODEL_DATA_CORPUS_SHAPE_H_
#define TOPICWALL_MODEL_DATA_CORPUS_SHAPE_H_

#include <cstdint>
#include <vector>

namespace topicwall::model {

struct CorpusShape {
  int64_t vocabulary_size = 0;  // V
  // "other" is one of an attribute's values (attributes.h).
  std::vector<int> attribute_sizes = {};
  // d, of a corpus of vectors, whose documents have no words and norms of at most 1 in units of a
  // public bound; 0 of a corpus of text.
  int vector_dimension = 0;

  int num_attributes() const { return static_cast<int>(attribute_sizes.size()); }
  friend bool operator==(const CorpusShape&, const CorpusShape&) = default;
};

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_DATA_CORPUS_SHAPE_H_
