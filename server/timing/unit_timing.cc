// The release itself, on made-up documents: each model's own inference, bound to the parameters
// that take it longest, and the server's clip behind it, on as many threads as the server computes
// with. A formula would have to know the processor, the kernel that is chosen on it and how threads
// get in each other's way; the sample has all three in it.
//
// Sums and maxima: all cases of one model are added, since one unit may be slow in every way at
// once; of the models only the dearest counts, since a release is of one.
#include "server/timing/unit_timing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/data/spread_document.h"
#include "model/models.h"
#include "server/mechanism/keyed_unit_bits.h"
#include "server/mechanism/unit_clipper.h"
#include "server/random/secret_key.h"

namespace topicwall::timing {
namespace {

using Clock = std::chrono::steady_clock;

// Long against the tick of the clock and the start of a thread, short enough to be tried often.
constexpr double kSampleSeconds = 0.5;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Sample {
  std::atomic<int64_t> documents = 0;
  std::atomic<uint64_t> kept = 0;  // so that no result is unused
};

// Units of one document until the time of the sample is over, at least one.
void InferUnits(const ReleaseShape& shape, const model::Inference& inference,
                const mechanism::UnitClipper& clipper, Sample* sample) {
  // One document a unit: those of one unit are inferred one after another, so that a unit of M
  // takes M times as long, which TimeWorstUnits counts.
  const model::UnitLimits limits{.vocabulary_size = shape.limits.vocabulary_size,
                                 .max_words = shape.limits.words,
                                 .max_documents = 1};
  const lda::SpreadDocuments documents{.words = shape.limits.words,
                                       .vocabulary_size = shape.limits.vocabulary_size};
  const random::SecretKey key({});  // what is drawn does not matter
  mechanism::KeyedUnitBits bits(&key);
  const std::unique_ptr<model::UnitInference> infers = inference.NewThread(limits);
  const model::WorstUnit worst = inference.Worst(limits);
  model::SparseStatistic statistic;
  statistic.Reserve(static_cast<size_t>(worst.columns), static_cast<size_t>(worst.rows));
  mechanism::ClippedUnit clipped;
  std::vector<lda::TermCount> counts;
  std::vector<float> vector;
  const Clock::time_point start = Clock::now();
  // At least one document, however long it takes.
  do {
    const int64_t number = sample->documents.fetch_add(1);
    if (shape.limits.vector_dimension > 0) {
      lda::FillSpreadVector(static_cast<uint64_t>(number), shape.limits.vector_dimension, &vector);
    } else {
      documents.Fill(static_cast<uint64_t>(number), &counts);
    }
    const model::UnitDocument document{
        .counts = counts, .number = static_cast<int>(number), .vector = vector};
    infers->Infer({.documents = absl::MakeConstSpan(&document, 1)}, bits, &statistic);
    if (clipper.Clip(statistic, &clipped)) sample->kept += clipped.values.front();
  } while (SecondsSince(start) < kSampleSeconds);
}

// With directions, if the model has any.
absl::StatusOr<mechanism::UnitClipper> SlowestClipper(const model::Inference& inference) {
  std::vector<float> directions(static_cast<size_t>(inference.shape().dimension));
  const bool has_directions = inference.Directions(absl::MakeSpan(directions));
  return mechanism::UnitClipper::Create({.shape = inference.shape(),
                                         .clip_norm = 1,
                                         .weights = {},
                                         .noise_multiplier = 1,
                                         .direction_noise = has_directions ? 1.0 : 0.0},
                                        mechanism::ChosenClipKernel(), directions);
}

struct CaseTiming {
  double binding;     // seconds
  double one;         // seconds of every document, all threads working at once
  int64_t documents;  // in the sample
};

absl::Status NotEnoughMemory(const ReleaseShape& shape) {
  return absl::UnavailableError(absl::StrCat(
      "not enough memory for a release of the largest size: lower limits.max_parameters_per_term (",
      shape.limits.parameters_per_term, ") or the number of threads (", shape.threads, ")"));
}

absl::StatusOr<CaseTiming> TimeCase(const ReleaseShape& shape, const std::string& name,
                                    const model::WorstCase& dear) try {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(name, dear.options, shape.corpus()));
  std::vector<float> parameters = dear.parameters();
  Clock::time_point start = Clock::now();
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference,
                      model->Bind(parameters, shape.threads));
  // As large as the largest matrix; the sample needs what was bound, and the memory.
  std::vector<float>().swap(parameters);
  TW_ASSIGN_OR_RETURN(const mechanism::UnitClipper clipper, SlowestClipper(*inference));
  CaseTiming timing = {.binding = SecondsSince(start), .one = 0, .documents = 0};
  Sample sample;
  start = Clock::now();
  lda::ForEachBlock(static_cast<size_t>(shape.threads), shape.threads,
                    [&](size_t, size_t) { InferUnits(shape, *inference, clipper, &sample); });
  // Until the last thread is done, as a release waits for its last thread; over the documents of
  // all.
  timing.one = SecondsSince(start) / static_cast<double>(sample.documents) * dear.times;
  timing.documents = sample.documents;
  return timing;
} catch (const std::bad_alloc&) {
  return NotEnoughMemory(shape);
}

}  // namespace

absl::StatusOr<UnitTiming> TimeWorstUnits(const ReleaseShape& shape) {
  if (shape.units < 1 || shape.documents_per_unit < 1 || shape.threads < 1) {
    return absl::InvalidArgumentError("every number of a release's shape must be at least 1");
  }
  UnitTiming worst = {};
  const double documents =
      static_cast<double>(shape.units) * static_cast<double>(shape.documents_per_unit);
  for (const std::string& name : model::ModelNamesFor(shape.corpus())) {
    TW_ASSIGN_OR_RETURN(const std::vector<model::WorstCase> cases,
                        model::WorstCases(name, shape.limits));
    double binding = 0;
    double one = 0;
    for (const model::WorstCase& dear : cases) {
      TW_ASSIGN_OR_RETURN(const CaseTiming timing, TimeCase(shape, name, dear));
      binding = std::max(binding, timing.binding);
      one += timing.one;
      worst.documents_timed += timing.documents;
      worst.cases.push_back(absl::StrFormat("%s: %s %.3g ms", name, dear.name, 1000 * timing.one));
    }
    worst.seconds = std::max(worst.seconds, binding + one * documents);
  }
  return worst;
}

}  // namespace topicwall::timing
