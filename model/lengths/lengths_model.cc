#include "model/lengths/lengths_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/data/document.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "proto/models/lengths.pb.h"
#include "proto/models/parse_options.h"

namespace topicwall::lengths {
namespace {

struct LengthShape {
  int num_bins;
  int64_t vocabulary_size;

  model::StatisticShape Grid() const { return model::GridOf(1, num_bins); }
  model::WorstUnit Worst(const model::UnitLimits& /*limits*/) const {
    return {.columns = 1,
            .rows = 1,
            .bytes_of_thread = 0,
            .bytes_of_all = num_bins * int64_t{sizeof(float)}};
  }
};

class LengthOfUnit final : public model::UnitInference {
 public:
  LengthOfUnit(absl::Span<const float> edges, int64_t vocabulary_size)
      : edges_(edges), vocabulary_size_(vocabulary_size) {}

  // Draws nothing.
  void Infer(const model::Unit& unit, model::UnitBits& /*bits*/,
             model::SparseStatistic* statistic) override {
    int64_t words = 0;
    for (const model::UnitDocument& document : unit.documents) {
      if (unit.Abandoned()) break;
      if (!lda::IsCanonical(document.counts, vocabulary_size_)) continue;
      words += lda::TokenCount(document.counts);
    }
    statistic->Clear();
    // What has nothing to say says nothing: not even that it is short.
    if (words == 0) return;
    // In double: as a float a length beyond 2^24 words might be rounded over an edge.
    const auto above =
        std::upper_bound(edges_.begin(), edges_.end(), static_cast<double>(words),
                         [](double length, float edge) { return length < double{edge}; });
    statistic->columns.push_back(static_cast<uint32_t>(above - edges_.begin()));
    statistic->rows.push_back(0);
    statistic->values.push_back(1);
  }

 private:
  const absl::Span<const float> edges_;
  const int64_t vocabulary_size_;
};

class BoundLengths final : public model::Shaped<model::Inference, LengthShape> {
 public:
  BoundLengths(LengthShape shape, std::vector<float> edges)
      : Shaped(shape), edges_(std::move(edges)) {}

  // There is nothing to round: every kernel's bits are the same.
  absl::string_view kernel_name() const override { return lda::ChosenKernel().name; }
  std::unique_ptr<model::UnitInference> NewThread(
      const model::UnitLimits& /*limits*/) const override {
    return std::make_unique<LengthOfUnit>(edges_, shape_.vocabulary_size);
  }

 private:
  const std::vector<float> edges_;
};

class LengthsModel final : public model::Shaped<model::StatisticModel, LengthShape> {
 public:
  using Shaped::Shaped;

  model::Demand demand() const override {
    return {.parameters = shape_.num_bins - 1, .iterations = 1, .needs_weights = false};
  }
  absl::Status Check(absl::Span<const float> edges) const override {
    bool good = edges.size() + 1 == static_cast<size_t>(shape_.num_bins);
    float before = 0;
    for (const float edge : edges) {
      good = good && edge >= before && std::isfinite(edge);
      before = edge;
    }
    if (good) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("the edges must be ", shape_.num_bins - 1,
                     ", one less than bins, finite, at least 0 and never falling; they are not. "
                     "Send others."));
  }
  absl::StatusOr<std::unique_ptr<model::Inference>> Bind(absl::Span<const float> edges,
                                                         int /*num_threads*/) const override {
    TW_RETURN_IF_ERROR(Check(edges));
    return std::make_unique<BoundLengths>(shape_, std::vector<float>(edges.begin(), edges.end()));
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeLengthsModel(absl::string_view options,
                                                                        int64_t vocabulary_size) {
  v1::LengthOptions message;
  TW_RETURN_IF_ERROR(proto::ParseOptions(options, &message));
  if (!(message.num_bins() >= 2 && message.num_bins() <= kMaxBins)) {
    return absl::InvalidArgumentError(absl::StrCat("num_bins must be in [2, ", kMaxBins, "]; got ",
                                                   message.num_bins(), ". Send other edges."));
  }
  return std::make_unique<LengthsModel>(LengthShape{message.num_bins(), vocabulary_size});
}

absl::StatusOr<std::vector<model::WorstCase>> WorstLengths(const model::AnalystLimits& limits) {
  // No more than the limits let anybody ask for.
  const int64_t most = limits.parameters_per_term * limits.vocabulary_size;
  const auto bins = static_cast<int32_t>(std::clamp<int64_t>(most, 2, kMaxBins));
  v1::LengthOptions options;
  options.set_num_bins(bins);
  return std::vector<model::WorstCase>{
      {.name = "most bins",
       .options = options.SerializeAsString(),
       .parameters = [bins] { return std::vector<float>(static_cast<size_t>(bins) - 1, 1.0F); },
       .times = 1}};
}

}  // namespace topicwall::lengths
