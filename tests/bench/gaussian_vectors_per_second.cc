// How long one pass of a mixture of Gaussians over vectors takes, sums included: one measurement.
//
//   gaussian_vectors_per_second --vectors x.f32 --parameters p.f32 --dimension 64
//   {"kernel":"avx2-f32-4","num_components":50,"vectors":50000,"mean_cpu_seconds":0.031}
//
// Both files: little-endian float32; rows of d, of norms of at most 1, and K rows of 2d + 1
// (model/gaussian/gaussian_model.h). One thread infers every vector through the model, as the
// server does, and adds its statistic up in float, --repeat times; reading is not in the time,
// which is processor time. --statistics-out: the sum, 2d + 1 rows of K.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "model/kernel_option.h"
#include "model/models.h"
#include "proto/models/gaussian.pb.h"
#include "tests/bench/measuring.h"

namespace {

namespace bench = topicwall::bench;
namespace model = topicwall::model;

class NoBits final : public model::UnitBits {
 public:
  void StartDocument(int) override {}
  uint64_t NextBits(int) override { return 0; }
};

struct Arguments {
  std::string vectors, parameters, kernel, statistics_out;
  int dimension = 64, repeat = 5;
};

void RunPass(model::UnitInference& inference, const std::vector<float>& vectors, size_t dimension,
             size_t num_components, std::vector<float>* sum) {
  NoBits bits;
  model::SparseStatistic statistic;
  for (size_t i = 0; i + dimension <= vectors.size(); i += dimension) {
    const model::UnitDocument document = {
        .counts = {}, .number = 0, .vector = {vectors.data() + i, dimension}};
    inference.Infer({.documents = {&document, 1}}, bits, &statistic);
    const float* value = statistic.values.data();
    for (const uint32_t column : statistic.columns) {
      float* row = sum->data() + column * num_components;
      for (const uint32_t component : statistic.rows) row[component] += *value++;
    }
  }
}

absl::Status Measure(const Arguments& arguments) {
  TW_ASSIGN_OR_RETURN(const std::vector<float> vectors, bench::ReadFloats(arguments.vectors));
  TW_ASSIGN_OR_RETURN(const std::vector<float> parameters, bench::ReadFloats(arguments.parameters));
  const auto dimension = static_cast<size_t>(arguments.dimension);
  const size_t num_components = parameters.size() / (2 * dimension + 1);
  topicwall::v1::GaussianOptions options;
  options.set_num_components(static_cast<int32_t>(num_components));
  TW_ASSIGN_OR_RETURN(const auto gaussians,
                      model::MakeModel("gaussian_mixture", options.SerializeAsString(),
                                       {.vector_dimension = arguments.dimension}));
  TW_RETURN_IF_ERROR(gaussians->Check(parameters));
  TW_ASSIGN_OR_RETURN(const auto bound, gaussians->Bind(parameters, 1));
  const auto inference = bound->NewThread(
      {.vocabulary_size = arguments.dimension, .max_words = 1, .max_documents = 1});
  std::vector<float> sum(parameters.size());
  RunPass(*inference, vectors, dimension, num_components, &sum);  // warms up
  if (!arguments.statistics_out.empty()) {
    TW_RETURN_IF_ERROR(bench::WriteFloats(arguments.statistics_out, sum));
  }
  const double start = bench::SecondsOn(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < arguments.repeat; ++i) {
    RunPass(*inference, vectors, dimension, num_components, &sum);
  }
  const double seconds = (bench::SecondsOn(CLOCK_PROCESS_CPUTIME_ID) - start) / arguments.repeat;
  std::cout << "{\"kernel\":\"" << bound->kernel_name()
            << "\",\"num_components\":" << num_components
            << ",\"vectors\":" << vectors.size() / dimension << ",\"mean_cpu_seconds\":" << seconds
            << "}\n";
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("One pass of a mixture of Gaussians.");
  app.add_option("--vectors", arguments.vectors)->required();
  app.add_option("--parameters", arguments.parameters)->required();
  app.add_option("--dimension", arguments.dimension)->check(CLI::Range(1, 1024));
  app.add_option("--repeat", arguments.repeat)->check(CLI::PositiveNumber);
  app.add_option("--kernel", arguments.kernel);
  app.add_option("--statistics-out", arguments.statistics_out);
  CLI11_PARSE(app, argc, argv);
  absl::Status status =
      arguments.kernel.empty() ? absl::OkStatus() : model::ChooseKernel(arguments.kernel);
  if (status.ok()) status = Measure(arguments);
  if (status.ok()) return 0;
  std::cerr << "gaussian_vectors_per_second: " << status.message() << "\n";
  return 1;
}
