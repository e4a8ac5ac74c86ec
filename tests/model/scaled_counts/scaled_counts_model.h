// The smallest model there can be: how often a unit has each term, times a number (of any sign)
// that the analyst sends for it. D = P = V, one row. No options. What a contributor starts from.
#ifndef TOPICWALL_TESTS_MODEL_SCALED_COUNTS_SCALED_COUNTS_MODEL_H_
#define TOPICWALL_TESTS_MODEL_SCALED_COUNTS_SCALED_COUNTS_MODEL_H_
#include <cmath>

#include "model/statistic_model.h"

namespace topicwall::model {

class ScaledCounts final : public StatisticModel, public Inference, public UnitInference {
 public:
  ScaledCounts(int64_t terms, std::vector<float> scales) : terms_(terms), scales_(scales) {}

  StatisticShape shape() const override { return {.dimension = terms_, .period = terms_}; }
  Demand demand() const override { return {terms_, /*iterations=*/1, /*needs_weights=*/false}; }
  absl::string_view kernel_name() const override { return "scaled-counts-1"; }
  WorstUnit Worst(const UnitLimits& limits) const override {
    const int64_t bytes = terms_ * int64_t{sizeof(float)};
    return {limits.TermsOfUnit(), /*rows=*/1, /*bytes_of_thread=*/2 * bytes,
            /*bytes_of_all=*/bytes};
  }
  absl::Status Check(absl::Span<const float> scales) const override {
    bool good = static_cast<int64_t>(scales.size()) == terms_;
    for (const float scale : scales) good = good && std::isfinite(scale);
    if (good) return absl::OkStatus();
    return absl::InvalidArgumentError("scales must be finite and one for each term; send others");
  }
  absl::StatusOr<std::unique_ptr<Inference>> Bind(absl::Span<const float> scales,
                                                  int /*num_threads*/) const override {
    if (absl::Status status = Check(scales); !status.ok()) return status;
    return std::make_unique<ScaledCounts>(terms_, std::vector<float>(scales.begin(), scales.end()));
  }
  std::unique_ptr<UnitInference> NewThread(const UnitLimits& /*limits*/) const override {
    auto thread = std::make_unique<ScaledCounts>(terms_, scales_);
    thread->counts_.resize(scales_.size());
    return thread;
  }
  void Infer(const Unit& unit, UnitBits& /*bits*/, SparseStatistic* statistic) override {
    std::fill(counts_.begin(), counts_.end(), 0.0F);
    for (const UnitDocument& document : unit.documents) {
      if (unit.Abandoned()) break;
      if (!lda::IsCanonical(document.counts, terms_)) continue;
      for (const auto& [term, count] : document.counts) counts_[term] += static_cast<float>(count);
    }
    statistic->Clear();
    statistic->rows.push_back(0);
    for (uint32_t term = 0; term < counts_.size(); ++term) {
      const float value = counts_[term] * scales_[term];
      if (counts_[term] == 0 || !std::isfinite(value)) continue;
      statistic->columns.push_back(term);
      statistic->values.push_back(value);
    }
  }

 private:
  int64_t terms_;
  std::vector<float> scales_, counts_;
};

}  // namespace topicwall::model
#endif  // TOPICWALL_TESTS_MODEL_SCALED_COUNTS_SCALED_COUNTS_MODEL_H_
