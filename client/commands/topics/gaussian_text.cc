#include "client/commands/topics/gaussian_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/evaluate/gaussian_evaluation.h"
#include "client/fit/model_file.h"
#include "model/gaussian/fitted_gaussians.h"
#include "model/lda/math/normal_tail.h"

namespace topicwall::client {
namespace {

struct ShownComponent {
  size_t number;  // from 0
  double share;
  double spread;    // √ of the summed variances
  double distance;  // from the mean of the whole
};

std::vector<ShownComponent> HeaviestFirst(const gaussian::Components& components,
                                          double norm_bound) {
  const gaussian::Components whole = gaussian::WholeOf(components);
  const size_t dimension = whole.means.size();
  std::vector<ShownComponent> shown;
  for (size_t k = 0; k < components.weights.size(); ++k) {
    double variance = 0, squares = 0;
    for (size_t j = 0; j < dimension; ++j) {
      const double apart = components.means[k * dimension + j] - whole.means[j];
      // Their sum is the mean squared distance of a component's vectors from its mean.
      variance += components.variances[k * dimension + j];
      squares += apart * apart;
    }
    shown.push_back({.number = k,
                     .share = components.weights[k],
                     // In the units of the vectors as they were given; components are in those of
                     // the bound.
                     .spread = norm_bound * std::sqrt(variance),
                     .distance = norm_bound * std::sqrt(squares)});
  }
  std::stable_sort(
      shown.begin(), shown.end(),
      [](const ShownComponent& a, const ShownComponent& b) { return a.share > b.share; });
  return shown;
}

// Of the component, `scale` times each.
std::string NumbersJson(const std::vector<double>& values, size_t component, size_t dimension,
                        double (*of)(double), double scale) {
  std::vector<std::string> numbers;
  for (size_t j = 0; j < dimension; ++j) {
    numbers.push_back(base::JsonNumber(scale * of(values[component * dimension + j])));
  }
  return base::JsonArray(numbers);
}

std::string ComponentsJson(const v1::ModelFile& model, const TopicLabels& labels,
                           const std::vector<ShownComponent>& shown,
                           const gaussian::Components& components, double margin) {
  const double bound = model.gaussian().norm_bound();
  const auto dimension = static_cast<size_t>(model.vocabulary_size());
  std::vector<base::JsonObject> items;
  for (const ShownComponent& component : shown) {
    const auto numbers = [&](const std::vector<double>& values, double (*of)(double)) {
      return NumbersJson(values, component.number, dimension, of, bound);
    };
    base::JsonObject item;
    item.SetInteger("component", static_cast<int64_t>(component.number) + 1);
    if (!labels[component.number].empty()) item.SetString("label", labels[component.number]);
    item.SetNumber("share", component.share)
        .SetNumber("share_margin", margin)
        .SetNumber("spread", component.spread)
        .SetNumber("distance", component.distance)
        .SetRaw("mean", numbers(components.means, [](double x) { return x; }))
        .SetRaw("deviation", numbers(components.variances, [](double x) { return std::sqrt(x); }));
    items.push_back(item);
  }
  base::JsonObject object;
  SetStanding(model, object);
  return object.SetObjects("components", items).Text();
}

}  // namespace

std::string ComponentsText(const v1::ModelFile& model, const TopicLabels& labels, bool as_json) {
  const gaussian::Components components = ComponentsOf(model);
  const std::vector<ShownComponent> shown =
      HeaviestFirst(components, model.gaussian().norm_bound());
  // One for all components: the noise of a count does not depend on whose it is.
  const double margin = lda::UsualPoint() * model.gaussian().weight_deviation();
  if (as_json) return ComponentsJson(model, labels, shown, components, margin);
  base::Table table;
  table.AddRow({"component", "share", "spread", "from the mean of all"});
  for (const ShownComponent& component : shown) {
    table.AddRow({absl::StrCat(component.number + 1),
                  absl::StrFormat("%5.1f ± %.1f %%", 100 * component.share, 100 * margin),
                  absl::StrFormat("%.4g", component.spread),
                  // Labels stand behind, without a heading: most components have none, and an empty
                  // cell leaves nothing.
                  absl::StrFormat("%.4g", component.distance), labels[component.number]});
  }
  return table.Text();
}

absl::StatusOr<std::string> AssignedVectorsText(const v1::ModelFile& model,
                                                const std::string& vectors, bool as_json) {
  TW_ASSIGN_OR_RETURN(const VectorMatrix mine, ReadVectorsFor(model, vectors));
  const gaussian::FittedGaussians fitted(ComponentsOf(model));
  base::Table table;
  table.AddRow({"vector", "component", "probability", "log density"});
  std::vector<std::string> items;
  for (size_t i = 0; i < mine.rows(); ++i) {
    const gaussian::Assignment found = fitted.Assign(mine.row(i));
    table.AddRow({absl::StrCat(i + 1), absl::StrCat(found.component + 1),
                  absl::StrFormat("%.3f", found.probability),
                  absl::StrFormat("%.2f", found.log_density)});
    items.push_back(base::JsonObject()
                        .SetInteger("vector", static_cast<int64_t>(i) + 1)
                        .SetInteger("component", static_cast<int64_t>(found.component) + 1)
                        .SetNumber("probability", found.probability)
                        .SetNumber("log_density", found.log_density)
                        .Text());
  }
  if (!as_json) return table.Text();
  return base::JsonObject().SetRaw("vectors", base::JsonArray(items)).Text();
}

absl::StatusOr<std::string> LogLikelihoodText(const v1::ModelFile& model,
                                              const std::string& vectors, bool as_json) {
  TW_ASSIGN_OR_RETURN(const VectorMatrix mine, ReadVectorsFor(model, vectors));
  TW_ASSIGN_OR_RETURN(const GaussianEvaluation found, EvaluateGaussians(model, mine));
  if (as_json) {
    base::JsonObject object;
    SetStanding(model, object);
    return object.SetInteger("vectors", found.vectors)
        .SetString("base", "e")
        .SetNumber("log_likelihood", found.log_likelihood)
        .SetNumber("one_gaussian", found.one_gaussian)
        .Text();
  }
  base::Table table;
  table.AddRow({"mixture", absl::StrFormat("%.3f", found.log_likelihood)});
  table.AddRow({"one Gaussian", absl::StrFormat("%.3f", found.one_gaussian)});
  return absl::StrCat("log density (natural base, higher is better), mean of ", found.vectors,
                      " vectors in units of the norm bound\n", table.Text(2));
}

}  // namespace topicwall::client
