// A run of privacy units with their documents as term counts: what one sealed value of a
// corpus file holds. PRIVATE: no printing, no proto, no logging.
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
#include "model/data/document.h"
#include "server/random/unit_id.h"

namespace topicwall::corpus {

// A block has at most so many units, and so many entries (distinct terms, summed over documents):
// 2 MiB. PUBLIC.
inline constexpr int kUnitsPerBlock = 256;
inline constexpr size_t kEntriesPerBlock = size_t{1} << 18;

// Over V terms: kEntriesPerBlock, or V if that is more, for one document that has them all.
size_t MostEntriesOfBlock(size_t vocabulary_size);
// Of what Serialize then returns.
size_t MostBytesOfBlock(size_t vocabulary_size);

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

  size_t num_entries() const { return documents_.entries.size(); }

  // Bytes that a copy of this block takes in memory.
  int64_t BytesOfACopy() const;

  // Takes, and touches, the memory of the largest block over V terms; the block is empty then.
  void Reserve(size_t vocabulary_size);
  static int64_t BytesReserved(size_t vocabulary_size);

  void Clear();

  // Building: a unit, then its documents. Ids in strictly ascending order; at least one
  // document to a unit; every document canonical (model/data/document.h) and not empty.
  void AddUnit(const random::UnitId& id);
  void AddDocument(lda::DocumentView document);
  // All of another block, whose ids are larger.
  void AddUnits(const UnitBlock& block);

  std::string Serialize() const;

  // Reads what Serialize wrote over a vocabulary of `vocabulary_size` terms. False, and
  // the block is empty, if any rule of the layout is broken: whatever the bytes, a block
  // that was parsed is safe to use.
  bool Parse(absl::string_view bytes, int64_t vocabulary_size);

 private:
  bool ParseArrays(absl::string_view bytes);
  bool FollowsTheRules(int64_t vocabulary_size) const;

  std::vector<random::UnitId> ids_;
  std::vector<size_t> first_document_ = {0};  // of each unit, and the end
  lda::DocumentList documents_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_UNIT_BLOCK_H_
