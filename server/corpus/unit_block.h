// A run of privacy units with their documents as term counts, or as vectors of the corpus's d
// dimensions (model/data/bounded_vector.h), and values of the corpus's A attributes
// (model/data/attributes.h): what one sealed value of a corpus file holds. PRIVATE: no printing, no
// proto, no logging.
//
// Units have strictly ascending ids across the whole corpus, so their order says nothing
// about the order of the documents given in. The documents of one unit are in the order of
// a keyed hash of their own ids, for the same reason.
//
// As bytes, everything little-endian:
//
//   uint32 units U · uint32 documents D · uint64 entries E
//   U × 16 bytes   unit ids, strictly ascending
//   U × uint32     documents of each unit, >= 1, sum D
//   D × uint32     entries of each document, >= 1, sum E
//   E × (uint32 term, uint32 count)   terms strictly ascending in a document, count >= 1
//   D × A × uint16   values, document by document, each below its attribute's number of values
//
// Of vectors E is D·d, and in place of both arrays of entries stands
//
//   E × float32   vector by vector, each of a norm of at most 1
//
// A and d are not in the block: the corpus's manifest says them.
//
// Every block of a corpus has at most kUnitsPerBlock units and MostEntriesOfBlock entries, so
// that what reading takes is known without the corpus (read_memory.h).
//
// Threads: a UnitBlock is one thread's; const methods may be called from many at once.
// Its arrays grow to the largest block read and are used again.
#ifndef TOPICWALL_SERVER_CORPUS_UNIT_BLOCK_H_
#define TOPICWALL_SERVER_CORPUS_UNIT_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/corpus_shape.h"
#include "model/data/document.h"
#include "server/random/unit_id.h"

namespace topicwall::corpus {

// A block has at most so many units, and so many entries (distinct terms, or numbers of vectors,
// summed over documents): 2 MiB, and 3 MiB with the documents' lengths, if each has one entry; of
// vectors 1 MiB; for every attribute 512 KiB more, or 512/d of vectors. PUBLIC.
inline constexpr int kUnitsPerBlock = 256;
inline constexpr size_t kEntriesPerBlock = size_t{1} << 18;

// Over V terms: kEntriesPerBlock, or V if that is more, for one document that has them all.
size_t MostEntriesOfBlock(size_t vocabulary_size);
// None is empty; of vectors all have as many entries.
size_t MostDocumentsOfBlock(const model::CorpusShape& corpus);
// Of what Serialize then returns.
size_t MostBytesOfBlock(const model::CorpusShape& corpus);

class UnitBlock {
 public:
  int size() const { return static_cast<int>(ids_.size()); }
  absl::Span<const random::UnitId> ids() const { return ids_; }
  const random::UnitId& id(int unit) const { return ids_[unit]; }
  int num_documents(int unit) const {
    return static_cast<int>(first_document_[unit + 1] - first_document_[unit]);
  }
  // 0 <= document < num_documents(unit). Valid until the block is changed.
  lda::DocumentView document(int unit, int document) const {
    return documents_[first_document_[unit] + document];
  }

  // Its value of each attribute. As above.
  absl::Span<const uint16_t> attributes(int unit, int document) const {
    return PartOf<uint16_t>(attributes_, first_document_[unit] + document);
  }
  // Its d numbers; of text none. As above.
  absl::Span<const float> vector(int unit, int document) const {
    return PartOf<float>(vectors_, first_document_[unit] + document);
  }

  size_t num_entries() const { return documents_.entries.size() + vectors_.size(); }

  // Bytes that a copy of this block takes in memory.
  int64_t BytesOfACopy() const;

  // Takes, and touches, the memory of the largest block of such a corpus; the block is empty then.
  void Reserve(const model::CorpusShape& corpus);
  static int64_t BytesReserved(const model::CorpusShape& corpus);

  void Clear();

  // Building: a unit, then its documents. Ids in strictly ascending order; at least one
  // document to a unit; every document canonical (model/data/document.h) and not empty, or a vector
  // (IsWithinBound) without counts, as the others are; with a value of each attribute, as many as
  // the others have.
  void AddUnit(const random::UnitId& id);
  void AddDocument(lda::DocumentView counts, absl::Span<const uint16_t> attributes = {},
                   absl::Span<const float> vector = {});
  // All of another block, whose ids are larger.
  void AddUnits(const UnitBlock& block);

  std::string Serialize() const;

  // Reads what Serialize wrote of such a corpus. False, and the block is empty, if any rule of
  // the layout is broken: whatever the bytes, a block that was parsed is safe to use.
  bool Parse(absl::string_view bytes, const model::CorpusShape& corpus);

 private:
  // Of an array with equally many values for each document, those of one.
  template <typename T>
  absl::Span<const T> PartOf(absl::Span<const T> values, size_t document) const {
    const size_t size = values.size() / documents_.size();
    return values.subspan(document * size, size);
  }
  bool ParseArrays(absl::string_view bytes, const model::CorpusShape& corpus);
  bool FollowsTheRules(const model::CorpusShape& corpus) const;

  std::vector<random::UnitId> ids_;
  std::vector<size_t> first_document_ = {0};  // of each unit, and the end
  lda::DocumentList documents_;               // of vectors all empty
  std::vector<float> vectors_;                // D × d
  std::vector<uint16_t> attributes_;          // D × A
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_UNIT_BLOCK_H_
