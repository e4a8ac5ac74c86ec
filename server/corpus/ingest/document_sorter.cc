// A distribution sort: a document goes to the heap of its unit's first byte, and heap after heap is
// sorted when documents are given back. Units' ids are keyed hashes, so the heaps are even whatever
// ids the input has, and nobody without the key can make one of them large; but all documents of
// one unit are in one heap, which has to fit into memory.
#include "server/corpus/ingest/document_sorter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "server/random/secret_key.h"

namespace topicwall::corpus {
namespace {

// A document in a heap's bytes; its entries, its values of the attributes and its vector follow.
// Read by the process that wrote it.
struct RecordHead {
  random::UnitId unit;
  random::UnitId document;
  int64_t line;
  uint64_t num_entries;
};
static_assert(sizeof(RecordHead) == 48);

// Where a piece belongs, so that one that was moved or exchanged does not open.
std::string PlaceOf(int64_t offset) {
  return absl::StrCat("topicwall documents being sorted 1, at ", offset);
}

template <typename T>
void AppendBytes(absl::Span<const T> values, std::string* records) {
  records->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// Moves so many from the front of `records` behind the others; false if it has fewer.
template <typename T>
bool TakeBehind(size_t count, std::vector<T>* all, absl::string_view* records) {
  // Divided and not multiplied, which could wrap.
  if (count > records->size() / sizeof(T)) return false;
  if (count == 0) return true;
  const size_t first = all->size();
  all->resize(first + count);
  std::memcpy(all->data() + first, records->data(), count * sizeof(T));
  records->remove_prefix(count * sizeof(T));
  return true;
}

absl::Status CannotReadBack() {
  return absl::UnavailableError(
      "documents that were put aside to be sorted came back changed. Check the disk.");
}

}  // namespace

struct DocumentSorter::SortedHeap {
  struct Place {
    RecordHead head;
    size_t first_entry;
    size_t first_value;
    size_t first_number;
  };
  std::vector<Place> places;
  std::vector<lda::TermCount> entries;
  std::vector<uint16_t> values;  // of attributes
  std::vector<float> numbers;    // of vectors

  void Clear() {
    places.clear();
    entries.clear();
    values.clear();
    numbers.clear();
  }

  // False if `records` is no sequence of whole records.
  bool Append(absl::string_view records, const Params& params) {
    while (!records.empty()) {
      Place place = {.head = {},
                     .first_entry = entries.size(),
                     .first_value = values.size(),
                     .first_number = numbers.size()};
      if (records.size() < sizeof(place.head)) return false;
      std::memcpy(&place.head, records.data(), sizeof(place.head));
      records.remove_prefix(sizeof(place.head));
      if (!TakeBehind(place.head.num_entries, &entries, &records) ||
          !TakeBehind(params.num_attributes, &values, &records) ||
          !TakeBehind(params.dimension, &numbers, &records)) {
        return false;
      }
      places.push_back(place);
    }
    return true;
  }
};

absl::StatusOr<std::unique_ptr<DocumentSorter>> DocumentSorter::Create(Params params) {
  TW_ASSIGN_OR_RETURN(random::SecretKey secret, random::SecretKey::Generate());
  TW_ASSIGN_OR_RETURN(sealing::SealingKey key, sealing::SealingKey::Create(secret));
  return std::unique_ptr<DocumentSorter>(new DocumentSorter(std::move(params), std::move(key)));
}

absl::Status DocumentSorter::Add(const Document& document) {
  Heap& heap = heaps_[document.unit[0]];
  const lda::DocumentView counts = document.counts;
  const RecordHead head = {.unit = document.unit,
                           .document = document.document,
                           .line = document.line,
                           .num_entries = counts.size()};
  AppendBytes(absl::MakeConstSpan(&head, 1), &heap.records);
  AppendBytes(counts, &heap.records);
  AppendBytes(document.attributes, &heap.records);
  AppendBytes(document.vector, &heap.records);
  // A heap moves when its own share is full: heaps are even, so all of them together stay within
  // the bound.
  if (heap.records.size() < params_.bytes_in_memory / heaps_.size()) return absl::OkStatus();
  return MoveToFile(&heap);
}

absl::Status DocumentSorter::MoveToFile(Heap* heap) {
  if (!file_.has_value()) {
    TW_ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::CreateNear(params_.near_path));
    file_.emplace(std::move(file));
  }
  TW_ASSIGN_OR_RETURN(const std::string sealed, key_.Seal(heap->records, PlaceOf(file_->size())));
  TW_ASSIGN_OR_RETURN(const int64_t offset, file_->Append(sealed));
  heap->pieces.push_back({.offset = offset, .sealed_size = sealed.size()});
  heap->records.clear();
  return absl::OkStatus();
}

absl::Status DocumentSorter::Sort(const Heap& heap, SortedHeap* sorted) const {
  sorted->Clear();
  std::string sealed;
  std::string records;
  for (const Piece& piece : heap.pieces) {
    TW_RETURN_IF_ERROR(file_->Read(piece.offset, piece.sealed_size, &sealed));
    if (!key_.OpenInto(sealed, PlaceOf(piece.offset), &records).ok() ||
        !sorted->Append(records, params_)) {
      return CannotReadBack();
    }
  }
  if (!sorted->Append(heap.records, params_)) return CannotReadBack();
  // By line last, so that one input is always sorted in one way; what a unit holds does not depend
  // on it (unit_content.h), but which line is told to repeat which does.
  std::sort(sorted->places.begin(), sorted->places.end(),
            [](const SortedHeap::Place& a, const SortedHeap::Place& b) {
              return std::tie(a.head.unit, a.head.document, a.head.line) <
                     std::tie(b.head.unit, b.head.document, b.head.line);
            });
  return absl::OkStatus();
}

absl::Status DocumentSorter::ForEach(
    const std::function<absl::Status(const Document&)>& use) const {
  SortedHeap sorted;
  for (const Heap& heap : heaps_) {
    TW_RETURN_IF_ERROR(Sort(heap, &sorted));
    for (const SortedHeap::Place& place : sorted.places) {
      TW_RETURN_IF_ERROR(use({.unit = place.head.unit,
                              .document = place.head.document,
                              .line = place.head.line,
                              .counts = lda::DocumentView(sorted.entries.data() + place.first_entry,
                                                          place.head.num_entries),
                              .attributes = absl::MakeConstSpan(sorted.values)
                                                .subspan(place.first_value, params_.num_attributes),
                              .vector = absl::MakeConstSpan(sorted.numbers)
                                            .subspan(place.first_number, params_.dimension)}));
    }
  }
  return absl::OkStatus();
}

}  // namespace topicwall::corpus
