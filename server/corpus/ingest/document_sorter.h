// Counted documents, given in any order and given back in the order of their units, in a
// memory that hardly grows with their number.
//
//   TW_ASSIGN_OR_RETURN(auto sorter, DocumentSorter::Create({.near_path = "notes.corpus",
//                                                            .bytes_in_memory = 16 << 20}));
//   TW_RETURN_IF_ERROR(sorter->Add({.unit = …, .document = …, .line = 7, .counts = counts,
//                                    .attributes = values}));
//   TW_RETURN_IF_ERROR(sorter->ForEach([&](const DocumentSorter::Document& d) { … }));
//
// Ids are keyed hashes, so their first byte deals the documents out evenly to 256 heaps. What
// a heap holds beyond its share of `bytes_in_memory` goes to a file without a name
// (scratch_file.h) in pieces that are sealed under a key of this object's own: nothing of a
// document lies on the disk in the clear, and after a crash nothing of it can be read. Little
// enough never touches the disk. ForEach sorts one heap after the other.
//
// Order: by unit, then by document, both as byte strings, then by line.
// Memory: about twice `bytes_in_memory` while documents are added, and 1/256 of all documents
// (more if one unit has more) while they are given back.
// Errors: UNAVAILABLE as of ScratchFile or if what was written cannot be unsealed again.
// Privacy: PRIVATE. Threads: one thread's object.
// Cost: about 0.2 µs a document to add, and 0.5 µs to give back each time.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_DOCUMENT_SORTER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_DOCUMENT_SORTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "server/corpus/ingest/scratch_file.h"
#include "server/random/unit_id.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::corpus {

class DocumentSorter {
 public:
  struct Params {
    std::string near_path;      // in whose folder there is room
    size_t bytes_in_memory;     // >= 1
    size_t num_attributes = 0;  // of every document
    size_t dimension = 0;       // of every document's vector; 0 of text
  };
  struct Document {
    random::UnitId unit;
    random::UnitId document;
    int64_t line;                                // where it was found
    lda::DocumentView counts;                    // this and the next two valid during the call
    absl::Span<const uint16_t> attributes = {};  // num_attributes values
    absl::Span<const float> vector = {};         // `dimension` numbers
  };

  // INTERNAL if there is no randomness for a key.
  static absl::StatusOr<std::unique_ptr<DocumentSorter>> Create(Params params);

  absl::Status Add(const Document& document);

  // Gives every document to `use` until that fails; may be called again.
  absl::Status ForEach(const std::function<absl::Status(const Document&)>& use) const;

 private:
  struct Piece {  // of a heap, sealed in the file
    int64_t offset;
    size_t sealed_size;
  };
  struct Heap {
    std::vector<Piece> pieces;
    std::string records;  // not yet in a piece
  };
  struct SortedHeap;

  DocumentSorter(Params params, sealing::SealingKey key)
      : params_(std::move(params)), key_(std::move(key)) {}
  absl::Status MoveToFile(Heap* heap);
  absl::Status Sort(const Heap& heap, SortedHeap* sorted) const;

  const Params params_;
  const sealing::SealingKey key_;
  std::optional<ScratchFile> file_;  // once it is needed
  std::array<Heap, 256> heaps_;      // by the first byte of the unit
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_DOCUMENT_SORTER_H_
