#include "client/report/facts/component_facts.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "client/report/facts/topic_map.h"
#include "client/topics/component_reading.h"
#include "model/gaussian/fitted_gaussians.h"

namespace topicwall::client {
namespace {

Eigen::MatrixXd SquaredDistances(const gaussian::Components& components) {
  const auto count = static_cast<Eigen::Index>(components.weights.size());
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
      means(components.means.data(), count,
            static_cast<Eigen::Index>(components.means.size()) / count);
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index a = 0; a < count; ++a) {
    for (Eigen::Index b = 0; b < a; ++b) {
      squares(a, b) = squares(b, a) = (means.row(a) - means.row(b)).squaredNorm();
    }
  }
  return squares;
}

void AddDimensions(const v1::ModelFile& file, const double* mean, const gaussian::Components& whole,
                   v1::ReportedComponent& component) {
  const auto standardised = [&](size_t j) {
    return (mean[j] - whole.means[j]) / std::sqrt(whole.variances[j]);
  };
  std::vector<size_t> order(whole.means.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::fabs(standardised(a)) > std::fabs(standardised(b));
  });
  order.resize(std::min(order.size(), static_cast<size_t>(kDimensionsShown)));
  for (const size_t j : order) {
    v1::ReportedDimension& dimension = *component.add_dimensions();
    dimension.set_name(file.terms(static_cast<int>(j)));
    dimension.set_mean(mean[j]);
    dimension.set_whole(whole.means[j]);
    dimension.set_standardised(standardised(j));
  }
}

}  // namespace

void AddComponentFacts(const v1::ModelFile& file, v1::Report& report) {
  v1::ReportedVectors& vectors = *report.mutable_model()->mutable_vectors();
  vectors.set_norm_bound(file.gaussian().norm_bound());
  vectors.set_vectors(file.gaussian().vectors());
  vectors.set_count_margin(CountMargin(file));
  vectors.set_iterations(file.spec().iterations());
  for (const v1::ModelStage& stage : file.gaussian().stages()) {
    v1::ReportedStage& reported = *vectors.add_stages();
    reported.set_name(stage.name());
    reported.set_plan_id(stage.plan_id());
    reported.set_releases(stage.releases());
  }
  const gaussian::Components components = ComponentsAsGiven(file);
  const gaussian::Components whole = gaussian::WholeOf(components);
  const std::vector<ReadComponent> read = ReadComponents(file);
  const std::vector<MapPlace> places = PlacesBy(SquaredDistances(components));
  for (size_t k = 0; k < read.size(); ++k) {
    v1::ReportedTopic& topic = *report.add_topics();
    topic.set_number(static_cast<int>(k) + 1);
    if (read[k].share.has_value()) topic.set_share(*read[k].share);
    topic.set_share_margin(read[k].margin.value_or(0));
    topic.set_x(places[k].x);
    topic.set_y(places[k].y);
    v1::ReportedComponent& component = *topic.mutable_component();
    component.set_size(read[k].size);
    component.set_spread(read[k].spread);
    component.set_distance(read[k].distance);
    AddDimensions(file, components.means.data() + k * whole.means.size(), whole, component);
  }
}

}  // namespace topicwall::client
