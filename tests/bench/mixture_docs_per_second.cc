// How long one pass of a mixture of multinomials over documents takes, sums included: one
// measurement, for scripts that compare engines.
//
//   mixture_docs_per_second --docword titles.docword --weights weights.f32
//   {"kernel":"avx2-f32-4","num_components":50,"documents":142500,"tokens":812000,
//    "components_per_document":3.1,"mean_cpu_seconds":0.031,"documents_per_second":4596774}
//
// --docword: UCI bag of words (docword_file.h).
// --weights: ℓ, K×(V + 1) little-endian float32, row = component, log π last
// (model/mixture/responsibilities.h); K follows from the size of the file.
// One thread infers every document through the model, as the server does, and adds its statistic up
// in float, --repeat times; reading is not in the time, which is processor time.
// --statistics-out: the sum, as the weights lie.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "model/data/document.h"
#include "model/kernel_option.h"
#include "model/mixture/mixture_model.h"
#include "model/models.h"
#include "proto/models/mixture.pb.h"
#include "tests/bench/docword_file.h"
#include "tests/bench/measuring.h"

namespace {

using topicwall::bench::SecondsOn;
using topicwall::lda::DocumentList;
namespace model = topicwall::model;

struct Arguments {
  std::string docword, weights, kernel, statistics_out;
  int repeat = 5;
};

class NoBits final : public model::UnitBits {
 public:
  void StartDocument(int) override {}
  uint64_t NextBits(int) override { return 0; }
};

struct Pass {
  std::vector<float> sum;  // (V + 1)×K
  int64_t components = 0;  // listed, of all documents
};

void RunPass(model::UnitInference& inference, const DocumentList& documents, size_t num_components,
             model::SparseStatistic* statistic, Pass* pass) {
  NoBits bits;
  for (size_t d = 0; d < documents.size(); ++d) {
    const model::UnitDocument document = {.counts = documents[d], .number = 0};
    inference.Infer({.documents = {&document, 1}}, bits, statistic);
    const size_t width = statistic->rows.size();
    const float* value = statistic->values.data();
    for (const uint32_t column : statistic->columns) {
      float* sum = pass->sum.data() + column * num_components;
      for (size_t a = 0; a < width; ++a) sum[statistic->rows[a]] += *value++;
    }
    pass->components += static_cast<int64_t>(width);
  }
}

absl::Status WriteTransposed(const std::string& path, const std::vector<float>& sum,
                             size_t num_components) {
  std::vector<float> rows;
  for (size_t k = 0; k < num_components; ++k) {
    for (size_t i = k; i < sum.size(); i += num_components) rows.push_back(sum[i]);
  }
  return topicwall::bench::WriteFloats(path, rows);
}

model::UnitLimits LimitsOf(const DocumentList& documents, int64_t vocabulary_size) {
  int64_t words = 1;
  for (size_t d = 0; d < documents.size(); ++d) {
    words = std::max(words, static_cast<int64_t>(documents[d].size()));
  }
  return {.vocabulary_size = vocabulary_size, .max_words = words, .max_documents = 1};
}

absl::Status Measure(const Arguments& arguments) {
  TW_ASSIGN_OR_RETURN(const auto file, topicwall::lda::bench::ReadDocword(arguments.docword));
  TW_ASSIGN_OR_RETURN(const std::vector<float> weights,
                      topicwall::bench::ReadFloats(arguments.weights));
  const size_t num_components = weights.size() / (static_cast<size_t>(file.vocabulary_size) + 1);
  topicwall::v1::MixtureOptions options;
  options.set_num_components(static_cast<int>(num_components));
  TW_ASSIGN_OR_RETURN(const auto mixture, topicwall::mixture::MakeMixtureModel(
                                              options.SerializeAsString(), file.vocabulary_size));
  TW_RETURN_IF_ERROR(mixture->Check(weights));
  TW_ASSIGN_OR_RETURN(const auto bound, mixture->Bind(weights, 1));
  const model::UnitLimits limits = LimitsOf(file.documents, file.vocabulary_size);
  const std::unique_ptr<model::UnitInference> inference = bound->NewThread(limits);
  model::SparseStatistic statistic;
  const model::WorstUnit worst = bound->Worst(limits);
  statistic.Reserve(static_cast<size_t>(worst.columns), static_cast<size_t>(worst.rows));

  Pass pass = {.sum = std::vector<float>(weights.size())};
  RunPass(*inference, file.documents, num_components, &statistic, &pass);  // warms up
  if (!arguments.statistics_out.empty()) {
    TW_RETURN_IF_ERROR(WriteTransposed(arguments.statistics_out, pass.sum, num_components));
  }
  const auto documents = static_cast<double>(file.documents.size());
  const double components = static_cast<double>(pass.components) / documents;
  const double start = SecondsOn(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < arguments.repeat; ++i) {
    RunPass(*inference, file.documents, num_components, &statistic, &pass);
  }
  const double seconds = (SecondsOn(CLOCK_PROCESS_CPUTIME_ID) - start) / arguments.repeat;
  std::cout << "{\"kernel\":\"" << bound->kernel_name()
            << "\",\"num_components\":" << num_components
            << ",\"documents\":" << file.documents.size()
            << ",\"tokens\":" << TokenCount(file.documents)
            << ",\"components_per_document\":" << components << ",\"mean_cpu_seconds\":" << seconds
            << ",\"documents_per_second\":" << static_cast<int64_t>(documents / seconds) << "}"
            << std::endl;
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures a pass of a mixture of multinomials over one corpus.",
               "mixture_docs_per_second"};
  Arguments arguments;
  app.add_option("--docword", arguments.docword, "UCI bag of words")->required();
  app.add_option("--weights", arguments.weights, "K×(V + 1) float32 log weights")->required();
  app.add_option("--kernel", arguments.kernel, "Name of the kernel; the fastest if not given");
  app.add_option("--repeat", arguments.repeat, "Mean of so many passes")
      ->check(CLI::PositiveNumber);
  app.add_option("--statistics-out", arguments.statistics_out, "The sum, K×(V + 1) float32");
  CLI11_PARSE(app, argc, argv);
  absl::Status status;
  if (!arguments.kernel.empty()) status = model::ChooseKernel(arguments.kernel);
  if (status.ok()) status = Measure(arguments);
  if (!status.ok()) {
    std::cerr << "mixture_docs_per_second: " << status.message() << "\n";
    return 1;
  }
  return 0;
}
