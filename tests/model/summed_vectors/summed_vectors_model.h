// The smallest model of vectors there can be: their sum and their number, over d + 1 columns in one
// row. No options, no parameters.
#ifndef TOPICWALL_TESTS_MODEL_SUMMED_VECTORS_SUMMED_VECTORS_MODEL_H_
#define TOPICWALL_TESTS_MODEL_SUMMED_VECTORS_SUMMED_VECTORS_MODEL_H_
#include "model/statistic_model.h"

namespace topicwall::model {

class SummedVectors final : public Inference, public UnitInference {
 public:
  explicit SummedVectors(int dimension) : dimension_(dimension) {}

  StatisticShape shape() const override {
    return {.dimension = dimension_ + 1, .period = dimension_ + 1};
  }
  absl::string_view kernel_name() const override { return "summed-vectors-1"; }
  WorstUnit Worst(const UnitLimits& /*limits*/) const override {
    return {.columns = dimension_ + 1, .rows = 1, .bytes_of_thread = 0, .bytes_of_all = 0};
  }
  std::unique_ptr<UnitInference> NewThread(const UnitLimits& /*limits*/) const override {
    return std::make_unique<SummedVectors>(dimension_);
  }
  void Infer(const Unit& unit, UnitBits& /*bits*/, SparseStatistic* statistic) override {
    const auto dimension = static_cast<size_t>(dimension_);
    statistic->Clear();
    statistic->rows.push_back(0);
    for (uint32_t i = 0; i <= dimension; ++i) statistic->columns.push_back(i);
    statistic->values.assign(dimension + 1, 0);
    for (const UnitDocument& document : unit.documents) {
      for (size_t i = 0; i < dimension; ++i) statistic->values[i] += document.vector.at(i);
      statistic->values[dimension] += 1;
    }
  }

 private:
  const int dimension_;
};

}  // namespace topicwall::model
#endif  // TOPICWALL_TESTS_MODEL_SUMMED_VECTORS_SUMMED_VECTORS_MODEL_H_
