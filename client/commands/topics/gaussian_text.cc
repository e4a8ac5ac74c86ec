#include "client/commands/topics/gaussian_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/evaluate/evaluator.h"
#include "client/fit/model_file.h"
#include "client/topics/component_reading.h"
#include "model/gaussian/fitted_gaussians.h"

namespace topicwall::client {
namespace {

std::vector<size_t> HeaviestFirst(const std::vector<ReadComponent>& read) {
  std::vector<size_t> order(read.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&read](size_t a, size_t b) { return read[a].share > read[b].share; });
  return order;
}

std::string NumbersJson(const std::vector<double>& values, size_t component, size_t dimension,
                        double (*of)(double)) {
  std::vector<std::string> numbers;
  for (size_t j = 0; j < dimension; ++j) {
    numbers.push_back(base::JsonNumber(of(values[component * dimension + j])));
  }
  return base::JsonArray(numbers);
}

std::string ComponentShareText(const ReadComponent& component) {
  if (!component.share.has_value()) return "not known";
  return absl::StrFormat("%5.1f ± %.1f %%", 100 * *component.share, 100 * *component.margin);
}

// An only component has every vector in every fit.
std::string MarginRemark(size_t components) {
  if (components == 1) return "";
  return "\n± 95 %, by the noise alone; another fit may divide the vectors otherwise.";
}

std::string ComponentsJson(const v1::ModelFile& model, const TopicLabels& labels,
                           const std::vector<ReadComponent>& read) {
  const gaussian::Components components = ComponentsAsGiven(model);
  const auto dimension = static_cast<size_t>(model.vocabulary_size());
  std::vector<base::JsonObject> items;
  for (const size_t k : HeaviestFirst(read)) {
    base::JsonObject item;
    item.SetInteger("component", static_cast<int64_t>(k) + 1);
    if (!labels[k].empty()) item.SetString("label", labels[k]);
    // A number that is none is null in JSON.
    item.SetNumber("share", read[k].share.value_or(std::numeric_limits<double>::quiet_NaN()));
    if (read[k].margin.has_value()) item.SetNumber("share_margin", *read[k].margin);
    item.SetNumber("spread", read[k].spread)
        .SetNumber("distance", read[k].distance)
        .SetRaw("mean", NumbersJson(components.means, k, dimension, [](double x) { return x; }))
        .SetRaw("deviation", NumbersJson(components.variances, k, dimension,
                                         [](double x) { return std::sqrt(x); }));
    items.push_back(item);
  }
  base::JsonObject object;
  SetStanding(model, object);
  return object.SetObjects("components", items).Text();
}

}  // namespace

std::string ComponentsText(const v1::ModelFile& model, const TopicLabels& labels, bool as_json) {
  const std::vector<ReadComponent> read = ReadComponents(model);
  if (as_json) return ComponentsJson(model, labels, read);
  base::Table table;
  table.AddRow({"component", "share", "spread", "from the mean of all"});
  for (const size_t k : HeaviestFirst(read)) {
    table.AddRow({absl::StrCat(k + 1), ComponentShareText(read[k]),
                  absl::StrFormat("%.4g", read[k].spread),
                  // Labels stand behind, without a heading: most components have none, and an empty
                  // cell leaves nothing.
                  absl::StrFormat("%.4g", read[k].distance), labels[k]});
  }
  if (read.front().share.has_value()) return absl::StrCat(table.Text(), MarginRemark(read.size()));
  return absl::StrCat(table.Text(), "\n",
                      AreOne(model) ? "Noise hides what tells the components apart, and all are one"
                                    : "All counts together are no more than noise",
                      ": of the components' shares nothing is known.");
}

absl::StatusOr<std::string> AssignedVectorsText(const v1::ModelFile& model,
                                                const std::string& vectors, bool as_json) {
  TW_ASSIGN_OR_RETURN(const VectorMatrix mine, ReadVectorsFor(model, vectors));
  const gaussian::FittedGaussians fitted(ComponentsOf(model));
  base::Table table;
  table.AddRow({"vector", "component", "probability", "log density"});
  std::vector<base::JsonObject> items;
  for (size_t i = 0; i < mine.rows(); ++i) {
    const gaussian::Assignment found = fitted.Assign(mine.row(i));
    table.AddRow({absl::StrCat(i + 1), absl::StrCat(found.component + 1),
                  absl::StrFormat("%.3f", found.probability),
                  absl::StrFormat("%.2f", found.log_density)});
    items.push_back(base::JsonObject()
                        .SetInteger("vector", static_cast<int64_t>(i) + 1)
                        .SetInteger("component", static_cast<int64_t>(found.component) + 1)
                        .SetNumber("probability", found.probability)
                        .SetNumber("log_density", found.log_density));
  }
  if (!as_json) return table.Text();
  return base::JsonObject().SetObjects("vectors", items).Text();
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
