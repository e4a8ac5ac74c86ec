// The largest unit follows from the public limits and from the corpus format, which lets a block,
// and so a unit, have so many entries and no more. Whatever is taken here is written to (resize,
// Reserve), so that its pages exist. Only the list of sampled units cannot be: a SampledUnit is
// made by coins alone. It is a few KiB, whoever is drawn.
#include "server/executor/unit_memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "server/corpus/unit_block.h"
#include "server/mechanism/release_memory.h"

namespace topicwall::executor {
namespace {

// How much of a unit there can be at once: it lies in one block.
struct WorstReading {
  size_t documents;  // that are chosen
  size_t cut_terms;  // of those that are cut, altogether
};

model::CorpusShape ShapeOf(const UnitBounds& bounds) {
  return {.vocabulary_size = bounds.unit.vocabulary_size,
          .attribute_sizes = bounds.attribute_sizes,
          .vector_dimension = bounds.vector_dimension};
}

// Cut terms: each document keeps at most min(V, N) of them, and together they have no more than the
// block. Vectors are not cut.
WorstReading ReadingOf(const UnitBounds& bounds) {
  const model::UnitLimits& limits = bounds.unit;
  const size_t documents = std::min(static_cast<size_t>(std::max<int64_t>(limits.max_documents, 0)),
                                    corpus::MostDocumentsOfBlock(ShapeOf(bounds)));
  if (bounds.vector_dimension > 0) return {.documents = documents, .cut_terms = 0};
  const size_t entries = corpus::MostEntriesOfBlock(static_cast<size_t>(limits.vocabulary_size));
  const auto terms = static_cast<size_t>(limits.TermsOfDocument());
  const bool all = documents >= (entries + terms - 1) / terms;  // no product that could overflow
  return {.documents = documents, .cut_terms = all ? entries : documents * terms};
}

void ReserveOne(const model::Inference& inference, const UnitBounds& bounds, UnitBuffers* buffers) {
  const auto vocabulary = static_cast<size_t>(bounds.unit.vocabulary_size);
  const WorstReading reading = ReadingOf(bounds);
  const model::WorstUnit worst = inference.Worst(bounds.unit);
  const auto columns = static_cast<size_t>(worst.columns);
  const auto rows = static_cast<size_t>(worst.rows);
  buffers->ids.resize(corpus::kUnitsPerBlock);
  buffers->sampled.reserve(corpus::kUnitsPerBlock);
  buffers->chosen.resize(corpus::MostDocumentsOfBlock(ShapeOf(bounds)));
  buffers->cut.Reserve(vocabulary);  // before the cut a document may have any terms
  buffers->cut_words.resize(reading.cut_terms);
  buffers->documents.resize(reading.documents);
  buffers->inference = inference.NewThread(bounds.unit);
  buffers->statistic.Reserve(columns, rows);
  buffers->clipped.Reserve(columns, rows, bounds.has_weights);
}

}  // namespace

UnitBounds BoundsOf(const corpus::CorpusDescription& corpus, const UnitCaps& caps,
                    int num_threads) {
  const model::CorpusShape shape = corpus::ShapeOf(corpus);
  const bool by_owner = corpus.privacy_unit == v1::PRIVACY_UNIT_OWNER;
  return {.unit = {.vocabulary_size = shape.vocabulary_size,
                   .max_words = caps.max_words,
                   .max_documents = by_owner ? caps.max_documents_per_owner : 1},
          .has_weights = caps.has_weights,
          .num_threads = num_threads,
          .attribute_sizes = shape.attribute_sizes,
          .vector_dimension = shape.vector_dimension};
}

absl::StatusOr<UnitMemory> UnitMemory::Reserve(const model::Inference& inference,
                                               const UnitBounds& bounds) {
  TW_ASSIGN_OR_RETURN(corpus::ReadMemory reading,
                      corpus::ReadMemory::Reserve(ShapeOf(bounds), bounds.num_threads));
  UnitMemory memory(std::move(reading));
  try {
    for (int thread = 0; thread < bounds.num_threads; ++thread) {
      ReserveOne(inference, bounds, &memory.buffers_.emplace_back());
    }
  } catch (const std::bad_alloc&) {
    return absl::UnavailableError(
        "not enough memory for a release of this size now; try again later or ask for a smaller "
        "one");
  }
  return memory;
}

// Term by term what ReserveOne takes. A buffer that is added there and forgotten here would make
// check-config promise too little.
int64_t UnitMemory::BytesReserved(const model::WorstUnit& worst, const UnitBounds& bounds) {
  const auto vocabulary = static_cast<size_t>(bounds.unit.vocabulary_size);
  const WorstReading reading = ReadingOf(bounds);
  const auto columns = static_cast<size_t>(worst.columns);
  const auto rows = static_cast<size_t>(worst.rows);
  const size_t bytes =
      corpus::kUnitsPerBlock * (sizeof(random::UnitId) + sizeof(mechanism::SampledUnit)) +
      corpus::MostDocumentsOfBlock(ShapeOf(bounds)) * sizeof(int) +
      UnitCut::Workspace::BytesReserved(vocabulary) + reading.cut_terms * sizeof(lda::TermCount) +
      reading.documents * sizeof(model::UnitDocument) + static_cast<size_t>(worst.bytes_of_thread) +
      model::SparseStatistic::BytesReserved(columns, rows) +
      mechanism::ClippedUnit::BytesReserved(columns, rows, bounds.has_weights);
  return static_cast<int64_t>(bytes) * bounds.num_threads +
         corpus::ReadMemory::Bytes(ShapeOf(bounds), bounds.num_threads);
}

int64_t WorstReleaseBytes(const model::StatisticModel& model, const UnitBounds& bounds) {
  const model::WorstUnit worst = model.Worst(bounds.unit);
  return worst.bytes_of_all + UnitMemory::BytesReserved(worst, bounds) +
         mechanism::ReleaseMemory::BytesReserved(
             {.shape = model.shape(), .num_threads = bounds.num_threads, .has_directions = true});
}

}  // namespace topicwall::executor
