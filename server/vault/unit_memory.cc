#include "server/vault/unit_memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "server/corpus/unit_block.h"
#include "server/mechanism/release_memory.h"

namespace topicwall::server {
namespace {

// The largest unit that the limits allow.
struct WorstUnit {
  size_t document_terms;  // distinct, of a document that was cut
  size_t unit_terms;      // distinct, of all its documents
  size_t entries;         // terms × topics
  bool several_documents;
};

WorstUnit WorstOf(const UnitBounds& bounds) {
  const int64_t terms = bounds.vocabulary_size;
  const int64_t of_document = std::min(bounds.max_words, terms);
  const bool several = bounds.max_documents_per_unit > 1;
  // Without a product that could overflow.
  const bool all = bounds.max_documents_per_unit >= (terms + of_document - 1) / of_document;
  const int64_t of_unit = all ? terms : of_document * bounds.max_documents_per_unit;
  return {.document_terms = static_cast<size_t>(of_document),
          .unit_terms = static_cast<size_t>(of_unit),
          .entries = static_cast<size_t>(of_unit) * static_cast<size_t>(bounds.num_topics),
          .several_documents = several};
}

void ReserveOne(const lda::EStep& e_step, const UnitBounds& bounds, UnitBuffers* buffers) {
  const WorstUnit worst = WorstOf(bounds);
  const auto vocabulary = static_cast<size_t>(bounds.vocabulary_size);
  buffers->ids.resize(corpus::kUnitsPerBlock);
  buffers->sampled.reserve(corpus::kUnitsPerBlock);
  buffers->chosen.resize(corpus::MostEntriesOfBlock(vocabulary));
  buffers->cut.Reserve(vocabulary);  // before the cut a document may have any terms
  if (bounds.is_evaluation) {
    buffers->halves.Reserve(worst.document_terms);
    buffers->score.Reserve(worst.document_terms);
    buffers->statistic.Reserve(2, 1);
    buffers->clipped.Reserve(2, bounds.has_weights);
    return;
  }
  e_step.Reserve(worst.document_terms, buffers->workspace);
  buffers->rows.Reserve(bounds.num_topics, worst.unit_terms, worst.several_documents);
  buffers->statistic.Reserve(worst.unit_terms, static_cast<size_t>(bounds.num_topics));
  buffers->clipped.Reserve(worst.entries, bounds.has_weights);
}

}  // namespace

absl::StatusOr<UnitMemory> UnitMemory::Reserve(const lda::EStep& e_step, const UnitBounds& bounds) {
  TW_ASSIGN_OR_RETURN(
      corpus::ReadMemory reading,
      corpus::ReadMemory::Reserve(static_cast<size_t>(bounds.vocabulary_size), bounds.num_threads));
  UnitMemory memory(std::move(reading));
  try {
    for (int thread = 0; thread < bounds.num_threads; ++thread) {
      ReserveOne(e_step, bounds, &memory.buffers_.emplace_back(&e_step));
    }
  } catch (const std::bad_alloc&) {
    return absl::UnavailableError(
        "not enough memory for a release of this size now; try again later or ask for fewer "
        "topics");
  }
  return memory;
}

int64_t UnitMemory::BytesReserved(const UnitBounds& bounds) {
  const WorstUnit worst = WorstOf(bounds);
  const auto vocabulary = static_cast<size_t>(bounds.vocabulary_size);
  const auto topics = static_cast<size_t>(bounds.num_topics);
  size_t bytes =
      corpus::kUnitsPerBlock * (sizeof(random::UnitId) + sizeof(mechanism::SampledUnit)) +
      corpus::MostEntriesOfBlock(vocabulary) * sizeof(int) +
      mechanism::UnitCut::Workspace::BytesReserved(vocabulary) +
      lda::EStep::BytesReserved(worst.document_terms, topics);
  if (bounds.is_evaluation) {
    bytes += mechanism::TokenHalves::Workspace::BytesReserved(worst.document_terms) +
             topics * sizeof(double);
  } else {
    bytes += lda::UnitStatistic::BytesReserved(topics, worst.unit_terms, worst.several_documents) +
             model::SparseStatistic::BytesReserved(worst.unit_terms, topics) +
             mechanism::ClippedUnit::BytesReserved(worst.entries, bounds.has_weights);
  }
  return static_cast<int64_t>(bytes) * bounds.num_threads +
         corpus::ReadMemory::Bytes(vocabulary, bounds.num_threads);
}

int64_t WorstReleaseBytes(const UnitBounds& bounds) {
  const int64_t entries = bounds.vocabulary_size * bounds.num_topics;
  const int64_t padded = bounds.vocabulary_size * (int64_t{bounds.num_topics} + 15);
  // As they are received and checked, and as the E-step's table.
  const int64_t topics = int64_t{sizeof(float)} * (entries + padded + 2 * bounds.vocabulary_size);
  return topics + UnitMemory::BytesReserved(bounds) +
         mechanism::ReleaseMemory::BytesReserved(
             {.shape = {.dimension = entries, .period = bounds.vocabulary_size},
              .num_threads = bounds.num_threads});
}

}  // namespace topicwall::server
