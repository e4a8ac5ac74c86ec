#include "client/topics/component_reading.h"

#include <cmath>

#include "client/fit/model_file.h"
#include "model/gaussian/fitted_gaussians.h"
#include "model/lda/math/normal_tail.h"

namespace topicwall::client {

gaussian::Components ComponentsAsGiven(const v1::ModelFile& model) {
  gaussian::Components components = ComponentsOf(model);
  const double bound = model.gaussian().norm_bound();
  for (double& mean : components.means) mean *= bound;
  for (double& variance : components.variances) variance *= bound * bound;
  return components;
}

bool AreOne(const v1::ModelFile& model) {
  constexpr double kRounding = 1e-9;
  const gaussian::Components components = ComponentsOf(model);
  const size_t dimension = components.means.size() / components.weights.size();
  for (size_t i = dimension; i < components.means.size(); ++i) {
    const double variance = components.variances[i % dimension];
    const double apart = components.means[i] - components.means[i % dimension];
    if (!(std::abs(apart) <= kRounding * std::sqrt(variance)) ||
        !(std::abs(components.variances[i] - variance) <= kRounding * variance)) {
      return false;
    }
  }
  return components.weights.size() > 1;
}

namespace {

bool KnowsShares(const v1::ModelFile& model) {
  const double deviation =
      std::sqrt(static_cast<double>(model.num_topics())) * model.gaussian().count_deviation();
  return model.num_topics() == 1 || lda::CanDivideBy(1, deviation);
}

}  // namespace

std::vector<ReadComponent> ReadComponents(const v1::ModelFile& model) {
  const gaussian::Components components = ComponentsAsGiven(model);
  const gaussian::Components whole = gaussian::WholeOf(components);
  const size_t dimension = whole.means.size();
  const bool knows_shares = KnowsShares(model) && !AreOne(model);
  std::vector<ReadComponent> read;
  for (size_t k = 0; k < components.weights.size(); ++k) {
    double size = 0, variance = 0, apart = 0;
    for (size_t j = 0; j < dimension; ++j) {
      const double mean = components.means[k * dimension + j];
      size += mean * mean;
      variance += components.variances[k * dimension + j];
      apart += (mean - whole.means[j]) * (mean - whole.means[j]);
    }
    ReadComponent component = {.share = {},
                               .margin = {},
                               .size = std::sqrt(size),
                               .spread = std::sqrt(variance),
                               .distance = std::sqrt(apart)};
    if (knows_shares) {
      component.share = components.weights[k];
      component.margin = lda::UsualPoint() *
                         gaussian::WeightDeviation(components.weights[k], components.weights.size(),
                                                   model.gaussian().count_deviation());
    }
    read.push_back(component);
  }
  return read;
}

double CountMargin(const v1::ModelFile& model) {
  return lda::UsualPoint() * model.gaussian().count_deviation() * model.gaussian().vectors();
}

}  // namespace topicwall::client
