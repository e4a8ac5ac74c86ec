#include "model/weighted_directions.h"

#include <cmath>
#include <cstdint>

namespace topicwall::model {

std::optional<WeightedDirections> WeightedDirections::Of(const Inference& inference,
                                                         absl::Span<const float> weights,
                                                         double direction_noise) {
  WeightedDirections along;
  if (direction_noise == 0) return along;
  along.noise_ = direction_noise;
  along.rows_ = static_cast<std::size_t>(inference.shape().rows());
  along.weights_.assign(weights.begin(), weights.end());
  std::vector<float>& d = along.directions_;
  d.resize(static_cast<std::size_t>(inference.shape().dimension));
  if (!inference.Directions(absl::MakeSpan(d))) return std::nullopt;
  std::vector<double> squares(along.rows_);
  const auto weighted = [&](std::size_t i) { return along.Weight(i / along.rows_) * double{d[i]}; };
  for (std::size_t i = 0; i < d.size(); ++i) squares[i % along.rows_] += weighted(i) * weighted(i);
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double length = std::sqrt(squares[i % along.rows_]);
    // A row of zeros has no direction, and gets no noise along one.
    d[i] = length > 0 ? static_cast<float>(weighted(i) / length) : 0;
  }
  return along;
}

double WeightedDirections::SquaresLeftOut(const SparseStatistic& x,
                                          std::vector<double>* room) const {
  if (empty()) return 0;
  room->assign(x.rows.size(), 0);
  const float* value = x.values.data();
  for (const uint32_t column : x.columns) {
    const float* const d = directions_.data() + column * rows_;
    const double weight = Weight(column);
    for (std::size_t a = 0; a < x.rows.size(); ++a) {
      (*room)[a] += weight * double{*value++} * double{d[x.rows[a]]};
    }
  }
  double squares = 0;
  for (const double product : *room) squares += product * product;
  // Along a direction the noise has the variance 1 + r² where all others have 1; a step there
  // counts 1/(1 + r²).
  return noise_ * noise_ / (1 + noise_ * noise_) * squares;
}

}  // namespace topicwall::model
