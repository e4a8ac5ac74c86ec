#include "client/topics/gaussian_export.h"

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/csv.h"
#include "base/status_macros.h"
#include "client/topics/component_reading.h"
#include "client/topics/model_export.h"
#include "client/topics/numpy_archive.h"
#include "client/wall/mock_custodian.h"
#include "model/gaussian/component_estimate.h"

namespace topicwall::client {
namespace {

absl::StatusOr<std::string> ComponentsAsNpz(const v1::ModelFile& model) {
  const gaussian::Components components = ComponentsAsGiven(model);
  const size_t count = components.weights.size();
  const size_t dimension = components.means.size() / count;
  const double bound = model.gaussian().norm_bound();
  std::vector<double> margins;
  for (const ReadComponent& read : ReadComponents(model)) {
    if (read.margin.has_value()) margins.push_back(*read.margin);
  }
  NumpyArchive archive;
  archive.Add("weights", components.weights, {count});
  archive.Add("means", components.means, {count, dimension});
  archive.Add("variances", components.variances, {count, dimension});
  if (!margins.empty()) archive.Add("weight_margins", margins, {count});
  archive.Add("norm_bound", absl::MakeConstSpan(&bound, 1), {1});
  if (IsMock(model.custodian_id())) archive.AddTexts("MOCK", {kMockRemark});
  return archive.Bytes();
}

std::string ComponentsAsCsv(const v1::ModelFile& model) {
  const gaussian::Components components = ComponentsAsGiven(model);
  const size_t dimension = components.means.size() / components.weights.size();
  std::string csv = "component,weight,dimension,mean,variance\r\n";
  for (size_t i = 0; i < components.means.size(); ++i) {
    const size_t k = i / dimension;
    absl::StrAppend(&csv, k + 1, ",", base::CsvNumber(components.weights[k]), ",",
                    i % dimension + 1, ",", base::CsvNumber(components.means[i]), ",");
    absl::StrAppend(&csv, base::CsvNumber(components.variances[i]), "\r\n");
  }
  return csv;
}

}  // namespace

absl::StatusOr<std::string> ExportGaussians(const v1::ModelFile& model, absl::string_view format) {
  TW_RETURN_IF_ERROR(CheckExportFormat(format));
  if (format == "npz") return ComponentsAsNpz(model);
  if (format == "csv") return ComponentsAsCsv(model);
  return absl::FailedPreconditionError(
      absl::StrCat(format,
                   " is of topics and their words; this model is a mixture of Gaussians, "
                   "of vectors. The formats npz and csv take it."));
}

}  // namespace topicwall::client
