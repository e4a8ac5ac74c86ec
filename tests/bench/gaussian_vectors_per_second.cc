// How long one pass of a mixture of Gaussians over vectors takes, sums included: one measurement.
//
//   gaussian_vectors_per_second --vectors x.f32 --parameters p.f32 --dimension 64
//   {"kernel":"avx2-f32-4","num_components":50,"vectors":50000,"mean_cpu_seconds":0.031}
//
// Both files: little-endian float32; rows of d, of norms of at most 1, and K rows of 2d + 1
// (model/gaussian/gaussian_model.h). One thread infers every vector through the model, as the
// server does, and adds its statistic up in float, --repeat times; reading is not in the time,
// which is processor time.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "model/models.h"
#include "proto/models/gaussian.pb.h"

namespace {

namespace model = topicwall::model;

class NoBits final : public model::UnitBits {
 public:
  void StartDocument(int) override {}
  uint64_t NextBits(int) override { return 0; }
};

std::vector<float> ReadFloats(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<float> values(file ? static_cast<size_t>(file.tellg()) / sizeof(float) : 0);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

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

}  // namespace

int main(int argc, char** argv) {
  std::string vectors_path, parameters_path, kernel;
  int dimension = 64, repeat = 5;
  CLI::App app("One pass of a mixture of Gaussians.");
  app.add_option("--vectors", vectors_path)->required();
  app.add_option("--parameters", parameters_path)->required();
  app.add_option("--dimension", dimension)->check(CLI::Range(1, 1024));
  app.add_option("--repeat", repeat)->check(CLI::PositiveNumber);
  app.add_option("--kernel", kernel);
  CLI11_PARSE(app, argc, argv);
  if (!kernel.empty() && !model::ChooseKernel(kernel).ok()) return 1;
  const std::vector<float> vectors = ReadFloats(vectors_path);
  const std::vector<float> parameters = ReadFloats(parameters_path);
  const auto columns = 2 * static_cast<size_t>(dimension) + 1;
  const size_t num_components = parameters.size() / columns;
  topicwall::v1::GaussianOptions options;
  options.set_num_components(static_cast<int32_t>(num_components));
  const auto made = model::MakeModel("gaussian_mixture", options.SerializeAsString(),
                                     {.vector_dimension = dimension});
  if (!made.ok()) return std::cerr << made.status().message() << "\n", 1;
  const auto inference = (*made)->Bind(parameters, 1);
  if (!inference.ok()) return std::cerr << inference.status().message() << "\n", 1;
  const auto thread =
      (*inference)->NewThread({.vocabulary_size = dimension, .max_words = 1, .max_documents = 1});
  std::vector<float> sum(parameters.size());
  const double start = CpuSeconds();
  for (int i = 0; i < repeat; ++i) {
    RunPass(*thread, vectors, static_cast<size_t>(dimension), num_components, &sum);
  }
  const double seconds = (CpuSeconds() - start) / repeat;
  std::cout << "{\"kernel\":\"" << model::ChosenKernelName()
            << "\",\"num_components\":" << num_components
            << ",\"vectors\":" << vectors.size() / static_cast<size_t>(dimension)
            << ",\"mean_cpu_seconds\":" << seconds << "}\n";
  return 0;
}
