// A model: what the server computes of every privacy unit, and all that it knows of it. Everything
// else (who takes part, caps, clip, sum, noise, price, time) is the same for all models.
//
//   TW_ASSIGN_OR_RETURN(auto model, MakeModel("lda", options, corpus_shape));   // models.h
//   model->shape()                                 // D and P: what a release of it looks like
//   model->Worst({…})                              // memory, before anything is charged
//   TW_ASSIGN_OR_RETURN(auto inference, model->Bind(parameters, num_threads));
//   auto unit_inference = inference->NewThread(limits);      // on each thread, before the charge
//   unit_inference->Infer(unit, bits, &statistic);           // after it, unit by unit
//
// What a model promises, and tests/model/statistic_model_contract.h holds every one of them to:
//   - Locality. The bits of a statistic are a function of (unit, options, parameters, the unit's
//     own bits, kernel_name()) and of nothing else: no other unit, no order, no thread, no clock.
//   - Shape. Every statistic keeps the contract of sparse_statistic.h. A unit of which nothing can
//     be said has an empty one; a unit never fails a release.
//   - Bounds. A unit within the limits makes no statistic larger than Worst says, and Infer takes
//     no memory that NewThread has not taken, however the parameters were chosen; its time is
//     bounded by what demand() says, which the custodian limits.
//   - Suspicion. Options and parameters come from an analyst who may be hostile: any bytes, any
//     floats. They are refused with INVALID_ARGUMENT, or computed with.
// A model need not bound what a unit may weigh: the clip does that.
//
// Privacy: options, parameters and all bounds are PUBLIC; units and statistics PRIVATE.
// Threads: StatisticModel and Inference are immutable; a UnitInference is one thread's.
#ifndef TOPICWALL_MODEL_STATISTIC_MODEL_H_
#define TOPICWALL_MODEL_STATISTIC_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/unit.h"
#include "model/sparse_statistic.h"
#include "model/unit_bits.h"

namespace topicwall::model {

// What no unit exceeds after the caps.
struct UnitLimits {
  int64_t vocabulary_size;  // V
  int64_t max_words;        // N, of a document
  int64_t max_documents;    // M, of a unit

  // Distinct terms: of a document, min(V, N); of a unit, min(V, M·N).
  int64_t TermsOfDocument() const {
    return max_words < vocabulary_size ? max_words : vocabulary_size;
  }
  int64_t TermsOfUnit() const {
    const int64_t terms = TermsOfDocument();
    // Without a product that could overflow.
    const bool all = max_documents >= (vocabulary_size + terms - 1) / terms;
    return all ? vocabulary_size : terms * max_documents;
  }
};

// The largest statistic that a unit within the limits can have, and the memory of it all.
struct WorstUnit {
  int64_t columns;
  int64_t rows;
  int64_t bytes_of_thread;  // of a UnitInference, without the statistic
  int64_t bytes_of_all;     // of the parameters and the Inference
};

// What a model with the options of one plan takes of the custodian's limits, and of the analyst.
struct Demand {
  int64_t parameters;  // floats that Check and Bind take
  int64_t iterations;  // passes over one document, at most
  bool needs_weights;  // columns count in different units: a norm without weights means nothing
};

// One thread's, with the memory that it works in.
class UnitInference {
 public:
  virtual ~UnitInference() = default;

  // Replaces *statistic, which has room for the worst unit, by that of `unit`.
  virtual void Infer(const Unit& unit, UnitBits& bits, SparseStatistic* statistic) = 0;
};

// A model with the parameters of one release.
class Inference {
 public:
  virtual ~Inference() = default;

  virtual StatisticShape shape() const = 0;
  // Names the arithmetic that bits are promised for; recorded with every release.
  virtual absl::string_view kernel_name() const = 0;
  virtual WorstUnit Worst(const UnitLimits& limits) const = 0;
  // A direction for each row, along which units are alike and a sum may be told less exactly
  // (server/mechanism/row_directions.h): D finite numbers of any length, column by column as
  // (column·rows + row). False, and nothing is written: the model has none.
  virtual bool Directions(absl::Span<float> /*directions*/) const { return false; }
  // Takes and touches all the memory that Infer needs for units within the limits; must not outlive
  // this. Throws std::bad_alloc, as memory is asked for nowhere else.
  virtual std::unique_ptr<UnitInference> NewThread(const UnitLimits& limits) const = 0;
};

// A model with the options of one plan.
class StatisticModel {
 public:
  virtual ~StatisticModel() = default;

  virtual StatisticShape shape() const = 0;
  virtual Demand demand() const = 0;
  virtual WorstUnit Worst(const UnitLimits& limits) const = 0;

  // INVALID_ARGUMENT unless Bind takes these parameters. Cost: one pass.
  virtual absl::Status Check(absl::Span<const float> parameters) const = 0;
  // INVALID_ARGUMENT as above. Does not keep `parameters`; num_threads change no bit.
  virtual absl::StatusOr<std::unique_ptr<Inference>> Bind(absl::Span<const float> parameters,
                                                          int num_threads) const = 0;
};

// A StatisticModel or an Inference (Base) that says what its Shape, a value of both, knows: Grid()
// and Worst(limits).
template <class Base, class Shape>
class Shaped : public Base {
 public:
  explicit Shaped(Shape shape) : shape_(std::move(shape)) {}

  StatisticShape shape() const final { return shape_.Grid(); }
  WorstUnit Worst(const UnitLimits& limits) const final { return shape_.Worst(limits); }

 protected:
  const Shape shape_;
};

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_STATISTIC_MODEL_H_
