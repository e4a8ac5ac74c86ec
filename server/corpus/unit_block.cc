// The bytes of a block were unsealed, so this custodian's program wrote them; Parse believes
// nothing of them all the same. First the arrays are taken out by their lengths, which together
// must be exactly the bytes there are (ParseArrays), so that nothing is read beside them and no
// memory is taken for what is only claimed. Then the rules are checked that the rest of the server
// leans on without looking again (FollowsTheRules).
//
// It runs for every block of every release: arrays are moved as a whole, kept from block to block,
// and checked without branches.
#include "server/corpus/unit_block.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/bounded_vector.h"
#include "model/data/corpus_shape.h"
#include "model/data/document.h"

namespace topicwall::corpus {
namespace {

// Arrays are copied to and from the file's layout as they are in memory.
static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(lda::TermCount) == 8 && std::is_trivially_copyable_v<lda::TermCount>);
static_assert(sizeof(random::UnitId) == 16);

struct Sizes {
  uint32_t units;
  uint32_t documents;
  uint64_t entries;
};
static_assert(sizeof(Sizes) == 16);

template <typename T>
void Append(absl::Span<const T> values, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// Moves as many values as `values` holds from the front of `bytes`, which has them.
template <typename T>
void Take(absl::Span<T> values, absl::string_view* bytes) {
  if (values.empty()) return;
  std::memcpy(static_cast<void*>(values.data()), bytes->data(), values.size() * sizeof(T));
  bytes->remove_prefix(values.size() * sizeof(T));
}

// The lengths of runs as running offsets (`offsets` has one more, the first 0). False if a run is
// empty or they do not sum to `total`. Fewer than 2^32 lengths below 2^32 cannot wrap a sum of 64
// bits.
bool TakeOffsets(size_t total, absl::Span<size_t> offsets, absl::string_view* bytes) {
  offsets[0] = 0;
  for (size_t i = 1; i < offsets.size(); ++i) {
    uint32_t length = 0;
    Take(absl::MakeSpan(&length, 1), bytes);
    if (length == 0) return false;
    offsets[i] = offsets[i - 1] + length;
  }
  return offsets.back() == total;
}

void AppendLengths(absl::Span<const size_t> offsets, std::string* bytes) {
  for (size_t i = 1; i < offsets.size(); ++i) {
    const uint32_t length = static_cast<uint32_t>(offsets[i] - offsets[i - 1]);
    Append(absl::MakeConstSpan(&length, 1), bytes);
  }
}

// The documents are canonical (model/data/document.h) if these two hold. Both look at all entries
// of a block at once and never leave early, so that the compiler makes vectors of them.
bool EveryEntryIsValid(absl::Span<const lda::TermCount> entries, int64_t vocabulary_size) {
  bool valid = true;
  for (const lda::TermCount& entry : entries) {
    valid &= (int64_t{entry.term} < vocabulary_size) & (entry.count > 0);
  }
  return valid;
}

// A term may fail to be larger than the one before it only where a document begins.
bool TermsAscend(absl::Span<const lda::TermCount> entries, absl::Span<const size_t> offsets) {
  // Counted over all neighbours, and those that straddle two documents taken off again: that is one
  // loop without a condition and one over documents, where a loop over each document's entries
  // would be short and full of branches.
  if (entries.empty()) return true;  // of vectors no document has any
  uint64_t falls = 0;
  for (size_t i = 1; i < entries.size(); ++i) falls += entries[i].term <= entries[i - 1].term;
  for (size_t i = 1; i + 1 < offsets.size(); ++i) {
    const size_t begin = offsets[i];  // of a document but the first; none is empty
    falls -= entries[begin].term <= entries[begin - 1].term;
  }
  return falls == 0;
}

// `values` holds one of each attribute, document by document.
bool EveryValueIsValid(absl::Span<const uint16_t> values, absl::Span<const int> sizes) {
  bool valid = true;
  for (size_t first = 0; first < values.size(); first += sizes.size()) {
    for (size_t a = 0; a < sizes.size(); ++a) valid &= int{values[first + a]} < sizes[a];
  }
  return valid;
}

// One vector after the other.
bool EveryVectorIsWithinBound(absl::Span<const float> numbers, int dimension) {
  const auto size = static_cast<size_t>(dimension);
  for (size_t first = 0; first < numbers.size(); first += size) {
    if (!model::IsWithinBound(numbers.subspan(first, size))) return false;
  }
  return true;
}

// What the largest block has of each array.
struct Most {
  explicit Most(const model::CorpusShape& corpus)
      : documents(MostDocumentsOfBlock(corpus)),
        entries(corpus.vector_dimension > 0 ? 0 : documents),
        numbers(documents * static_cast<size_t>(corpus.vector_dimension)),
        values(documents * corpus.attribute_sizes.size()) {}

  size_t documents;
  size_t entries;  // of text
  size_t numbers;  // of vectors
  size_t values;   // of attributes
};

}  // namespace

size_t MostEntriesOfBlock(size_t vocabulary_size) {
  return std::max(kEntriesPerBlock, vocabulary_size);
}

size_t MostDocumentsOfBlock(const model::CorpusShape& corpus) {
  const size_t entries = MostEntriesOfBlock(static_cast<size_t>(corpus.vocabulary_size));
  return corpus.vector_dimension > 0 ? entries / static_cast<size_t>(corpus.vector_dimension)
                                     : entries;
}

size_t MostBytesOfBlock(const model::CorpusShape& corpus) {
  const Most most(corpus);
  return sizeof(Sizes) + (sizeof(random::UnitId) + sizeof(uint32_t)) * kUnitsPerBlock +
         (sizeof(uint32_t) + sizeof(lda::TermCount)) * most.entries + sizeof(float) * most.numbers +
         sizeof(uint16_t) * most.values;
}

int64_t UnitBlock::BytesOfACopy() const {
  return static_cast<int64_t>(sizeof(*this) + ids_.size() * sizeof(ids_[0]) +
                              first_document_.size() * sizeof(first_document_[0]) +
                              documents_.offsets.size() * sizeof(documents_.offsets[0]) +
                              documents_.entries.size() * sizeof(documents_.entries[0]) +
                              vectors_.size() * sizeof(vectors_[0]) +
                              attributes_.size() * sizeof(attributes_[0]));
}

// resize writes to all of it; with reserve the pages would be asked for after the charge. Clear
// keeps them.
void UnitBlock::Reserve(const model::CorpusShape& corpus) {
  const Most most(corpus);
  ids_.resize(kUnitsPerBlock);
  first_document_.resize(kUnitsPerBlock + 1);
  documents_.offsets.resize(most.documents + 1);
  documents_.entries.resize(most.entries);
  vectors_.resize(most.numbers);
  attributes_.resize(most.values);
  Clear();
}

int64_t UnitBlock::BytesReserved(const model::CorpusShape& corpus) {
  const Most most(corpus);
  return static_cast<int64_t>(
      kUnitsPerBlock * sizeof(ids_[0]) + (kUnitsPerBlock + 1) * sizeof(first_document_[0]) +
      (most.documents + 1) * sizeof(documents_.offsets[0]) +
      most.entries * sizeof(documents_.entries[0]) + most.numbers * sizeof(vectors_[0]) +
      most.values * sizeof(attributes_[0]));
}

void UnitBlock::Clear() {
  ids_.clear();
  first_document_.assign(1, 0);
  documents_.entries.clear();
  documents_.offsets.assign(1, 0);
  vectors_.clear();
  attributes_.clear();
}

void UnitBlock::AddUnit(const random::UnitId& id) {
  ids_.push_back(id);
  first_document_.push_back(first_document_.back());
}

void UnitBlock::AddDocument(lda::DocumentView counts, absl::Span<const uint16_t> attributes,
                            absl::Span<const float> vector) {
  documents_.Append(counts);
  vectors_.insert(vectors_.end(), vector.begin(), vector.end());
  attributes_.insert(attributes_.end(), attributes.begin(), attributes.end());
  ++first_document_.back();
}

void UnitBlock::AddUnits(const UnitBlock& block) {
  for (int unit = 0; unit < block.size(); ++unit) {
    AddUnit(block.id(unit));
    for (int i = 0; i < block.num_documents(unit); ++i) {
      AddDocument(block.document(unit, i), block.attributes(unit, i), block.vector(unit, i));
    }
  }
}

std::string UnitBlock::Serialize() const {
  const Sizes sizes = {.units = static_cast<uint32_t>(ids_.size()),
                       .documents = static_cast<uint32_t>(documents_.size()),
                       .entries = num_entries()};
  std::string bytes;
  bytes.reserve(sizeof(sizes) + 20 * ids_.size() + 4 * documents_.size() +
                8 * documents_.entries.size() + 4 * vectors_.size() + 2 * attributes_.size());
  Append(absl::MakeConstSpan(&sizes, 1), &bytes);
  Append(absl::MakeConstSpan(ids_), &bytes);
  AppendLengths(first_document_, &bytes);
  if (vectors_.empty()) {
    AppendLengths(documents_.offsets, &bytes);
    Append(absl::MakeConstSpan(documents_.entries), &bytes);
  } else {
    Append(absl::MakeConstSpan(vectors_), &bytes);
  }
  Append(absl::MakeConstSpan(attributes_), &bytes);
  return bytes;
}

bool UnitBlock::Parse(absl::string_view bytes, const model::CorpusShape& corpus) {
  if (ParseArrays(bytes, corpus) && FollowsTheRules(corpus)) return true;
  Clear();
  return false;
}

bool UnitBlock::ParseArrays(absl::string_view bytes, const model::CorpusShape& corpus) {
  Sizes sizes = {};
  if (bytes.size() < sizeof(sizes)) return false;
  Take(absl::MakeSpan(&sizes, 1), &bytes);
  const size_t num_attributes = corpus.attribute_sizes.size();
  const auto dimension = static_cast<uint64_t>(corpus.vector_dimension);
  const bool text = dimension == 0;
  if (!text && sizes.entries != sizes.documents * dimension) return false;
  // The first condition keeps the second from wrapping.
  const uint64_t bytes_of_entry = text ? sizeof(lda::TermCount) : sizeof(float);
  const uint64_t bytes_of_document =
      (text ? sizeof(uint32_t) : 0) + sizeof(uint16_t) * num_attributes;
  if (sizes.entries > bytes.size() || bytes.size() != uint64_t{20} * sizes.units +
                                                          bytes_of_document * sizes.documents +
                                                          bytes_of_entry * sizes.entries) {
    return false;
  }
  // The lengths add up to the bytes that are there, so none of these is longer than they allow. (A
  // vector has at least one number, so that documents without lengths have bytes, too.)
  ids_.resize(sizes.units);
  first_document_.resize(size_t{sizes.units} + 1);
  documents_.offsets.resize(size_t{sizes.documents} + 1);
  if (!text) std::fill(documents_.offsets.begin(), documents_.offsets.end(), 0);
  documents_.entries.resize(text ? sizes.entries : 0);
  vectors_.resize(text ? 0 : sizes.entries);
  attributes_.resize(num_attributes * sizes.documents);
  Take(absl::MakeSpan(ids_), &bytes);
  if (!TakeOffsets(sizes.documents, absl::MakeSpan(first_document_), &bytes) ||
      (text && !TakeOffsets(sizes.entries, absl::MakeSpan(documents_.offsets), &bytes))) {
    return false;
  }
  Take(absl::MakeSpan(documents_.entries), &bytes);
  Take(absl::MakeSpan(vectors_), &bytes);
  Take(absl::MakeSpan(attributes_), &bytes);
  return true;
}

bool UnitBlock::FollowsTheRules(const model::CorpusShape& corpus) const {
  // That ids ascend from block to block is CorpusStore::VerifyAll's to say.
  for (size_t i = 1; i < ids_.size(); ++i) {
    if (!(ids_[i - 1] < ids_[i])) return false;
  }
  return EveryEntryIsValid(documents_.entries, corpus.vocabulary_size) &&
         TermsAscend(documents_.entries, documents_.offsets) &&
         EveryVectorIsWithinBound(vectors_, corpus.vector_dimension) &&
         EveryValueIsValid(attributes_, corpus.attribute_sizes);
}

}  // namespace topicwall::corpus
