// What a model of vectors makes of one unit.
#ifndef TOPICWALL_TESTS_MODEL_GAUSSIAN_STATISTIC_BY_H_
#define TOPICWALL_TESTS_MODEL_GAUSSIAN_STATISTIC_BY_H_

#include <memory>
#include <string>
#include <vector>

#include "model/statistic_model.h"
#include "proto/models/gaussian.pb.h"
#include "tests/model/no_bits.h"
#include "tests/support/status_matchers.h"

namespace topicwall::gaussian {

inline std::string OptionsOf(int num_components) {
  v1::GaussianOptions options;
  options.set_num_components(num_components);
  return options.SerializeAsString();
}

// `make`: MakeGaussianModel or MakeLikelihoodModel. The parameters are of so many components in so
// many dimensions; the unit has up to three vectors.
template <typename Make>
model::SparseStatistic StatisticBy(const Make& make, const std::vector<std::vector<float>>& vectors,
                                   const std::vector<float>& parameters, int num_components,
                                   int dimension) {
  const auto made = make(OptionsOf(num_components), {.vector_dimension = dimension});
  EXPECT_OK(made);
  const auto inference = (*made)->Bind(parameters, 1);
  EXPECT_OK(inference);
  std::vector<model::UnitDocument> unit;
  for (const std::vector<float>& vector : vectors) {
    unit.push_back({.counts = {}, .number = static_cast<int>(unit.size()), .vector = vector});
  }
  model::SparseStatistic statistic;
  model::NoBits bits;
  (*inference)
      ->NewThread({.vocabulary_size = 0, .max_words = 1, .max_documents = 3})
      ->Infer({.documents = unit}, bits, &statistic);
  return statistic;
}

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_TESTS_MODEL_GAUSSIAN_STATISTIC_BY_H_
