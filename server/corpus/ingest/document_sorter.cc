// A distribution sort: a document goes to the heap of its unit's first byte, and heap after heap is
// sorted when documents are given back. Units' ids are keyed hashes, so the heaps are even whatever
// ids the input has, and nobody without the key can make one of them large; but all documents of
// one unit are in one heap, which has to fit into memory.
//
// What does not fit is sealed and put into a file without a name. The key is this object's own and
// is written nowhere, so that a crash, or a disk that is thrown away, leaves nothing that anybody
// can read.
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
#include "server/random/secret_key.h"

namespace topicwall::corpus {
namespace {

// A document in a heap's bytes; its entries and its values of the attributes follow. Read by the
// process that wrote it.
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

// Moves so many from the front of `records`, which has them, behind the others.
template <typename T>
void TakeBehind(size_t count, std::vector<T>* all, absl::string_view* records) {
  if (count == 0) return;
  const size_t first = all->size();
  all->resize(first + count);
  std::memcpy(all->data() + first, records->data(), count * sizeof(T));
  records->remove_prefix(count * sizeof(T));
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
  };
  std::vector<Place> places;
  std::vector<lda::TermCount> entries;
  std::vector<uint16_t> values;  // of attributes

  // False if `records` is no sequence of whole records.
  bool Append(absl::string_view records, size_t num_attributes) {
    while (!records.empty()) {
      Place place = {.head = {}, .first_entry = entries.size(), .first_value = values.size()};
      if (records.size() < sizeof(place.head)) return false;
      std::memcpy(&place.head, records.data(), sizeof(place.head));
      records.remove_prefix(sizeof(place.head));
      const size_t num_entries = place.head.num_entries;
      // Divided and not multiplied, which could wrap.
      if (num_entries > records.size() / sizeof(lda::TermCount)) return false;
      TakeBehind(num_entries, &entries, &records);
      if (num_attributes > records.size() / sizeof(uint16_t)) return false;
      TakeBehind(num_attributes, &values, &records);
      places.push_back(place);
    }
    return true;
  }
};

absl::StatusOr<std::unique_ptr<DocumentSorter>> DocumentSorter::Create(Params params) {
  absl::StatusOr<random::SecretKey> secret = random::SecretKey::Generate();
  if (!secret.ok()) return secret.status();
  absl::StatusOr<sealing::SealingKey> key = sealing::SealingKey::Create(*secret);
  if (!key.ok()) return key.status();
  return std::unique_ptr<DocumentSorter>(new DocumentSorter(std::move(params), *std::move(key)));
}

absl::Status DocumentSorter::Add(const Document& document) {
  Heap& heap = heaps_[document.unit[0]];
  const lda::DocumentView counts = document.counts;
  const RecordHead head = {.unit = document.unit,
                           .document = document.document,
                           .line = document.line,
                           .num_entries = counts.size()};
  heap.records.append(reinterpret_cast<const char*>(&head), sizeof(head));
  heap.records.append(reinterpret_cast<const char*>(counts.data()),
                      counts.size() * sizeof(lda::TermCount));
  heap.records.append(reinterpret_cast<const char*>(document.attributes.data()),
                      document.attributes.size() * sizeof(uint16_t));
  // A heap moves when its own share is full: heaps are even, so all of them together stay within
  // the bound.
  if (heap.records.size() < params_.bytes_in_memory / heaps_.size()) return absl::OkStatus();
  return MoveToFile(&heap);
}

absl::Status DocumentSorter::MoveToFile(Heap* heap) {
  if (!file_.has_value()) {
    absl::StatusOr<ScratchFile> file = ScratchFile::CreateNear(params_.near_path);
    if (!file.ok()) return file.status();
    file_.emplace(*std::move(file));
  }
  const absl::StatusOr<std::string> sealed = key_.Seal(heap->records, PlaceOf(file_->size()));
  if (!sealed.ok()) return sealed.status();
  const absl::StatusOr<int64_t> offset = file_->Append(*sealed);
  if (!offset.ok()) return offset.status();
  heap->pieces.push_back({.offset = *offset, .sealed_size = sealed->size()});
  heap->records.clear();
  return absl::OkStatus();
}

absl::Status DocumentSorter::Sort(const Heap& heap, SortedHeap* sorted) const {
  sorted->places.clear();
  sorted->entries.clear();
  sorted->values.clear();
  std::string sealed;
  std::string records;
  for (const Piece& piece : heap.pieces) {
    absl::Status status = file_->Read(piece.offset, piece.sealed_size, &sealed);
    if (!status.ok()) return status;
    if (!key_.OpenInto(sealed, PlaceOf(piece.offset), &records).ok() ||
        !sorted->Append(records, params_.num_attributes)) {
      return CannotReadBack();
    }
  }
  if (!sorted->Append(heap.records, params_.num_attributes)) return CannotReadBack();
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
    if (absl::Status status = Sort(heap, &sorted); !status.ok()) return status;
    for (const SortedHeap::Place& place : sorted.places) {
      absl::Status status =
          use({.unit = place.head.unit,
               .document = place.head.document,
               .line = place.head.line,
               .counts = lda::DocumentView(sorted.entries.data() + place.first_entry,
                                           place.head.num_entries),
               .attributes = absl::MakeConstSpan(sorted.values)
                                 .subspan(place.first_value, params_.num_attributes)});
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace topicwall::corpus
