// Noise along the rows of a release (proto/wall.proto, RunReleaseHeader) in doubles: for whoever
// computes one with nothing to keep secret. The wall has its own, in integers.
//
//   const std::optional<WeightedDirections> along = WeightedDirections::Of(*inference, w, r);
//   norm² = Σ_k ‖u_k‖² − along->SquaresLeftOut(x, &room)
//   sum_kv += σC·g_k·along->Step(k, v)         g_k ~ N(0, 1), one draw a row
//
// Threads: immutable; a `room` for each. Cost: of Of three passes over D; of SquaresLeftOut one
// over the unit's entries.
#ifndef TOPICWALL_MODEL_WEIGHTED_DIRECTIONS_H_
#define TOPICWALL_MODEL_WEIGHTED_DIRECTIONS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "model/sparse_statistic.h"
#include "model/statistic_model.h"

namespace topicwall::model {

class WeightedDirections {
 public:
  // Those of no noise: nothing is left out, and no step is to be asked for.
  WeightedDirections() = default;

  // d of the model, weighted and of length 1; those of no noise if r is 0, nothing if the model has
  // none. w of the columns, or empty = all 1. Precondition: r >= 0.
  static std::optional<WeightedDirections> Of(const Inference& inference,
                                              absl::Span<const float> weights,
                                              double direction_noise);

  bool empty() const { return directions_.empty(); }

  // r²/(1 + r²)·Σ_k (u_k·d_k)², where u is x weighted. PRIVATE as x is.
  double SquaresLeftOut(const SparseStatistic& x, std::vector<double>* room) const;

  // r·d_kv/w_v: of an entry of the sum, which is not weighted. Precondition: not empty.
  double Step(std::size_t row, std::size_t column) const {
    return noise_ * double{directions_[column * rows_ + row]} / Weight(column);
  }

 private:
  double Weight(std::size_t column) const {
    return weights_.empty() ? 1 : double{weights_[column]};
  }

  double noise_ = 0;  // r
  std::size_t rows_ = 0;
  std::vector<float> weights_;
  std::vector<float> directions_;  // d, at column·rows + row
};

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_WEIGHTED_DIRECTIONS_H_
