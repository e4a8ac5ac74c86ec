#include "deploy/study/simulated_wall.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "client/wall/topics_asked.h"
#include "model/lda/lda_model.h"
#include "model/weighted_directions.h"
#include "server/mechanism/norm_histogram.h"

namespace topicwall::study {
namespace {

// Neither of the models that are trained here draws anything.
class NoBits final : public model::UnitBits {
 public:
  void StartDocument(int) override {}
  uint64_t NextBits(int) override { return 0; }
};

// What one thread adds up.
class ClippedSum {
 public:
  ClippedSum(const model::Inference& inference, const model::UnitLimits& limits,
             const SimulatedRequest& request, const model::WeightedDirections& directions)
      : shape_(inference.shape()),
        request_(request),
        directions_(directions),
        sums_(static_cast<size_t>(shape_.dimension)),
        histogram_(mechanism::kNormHistogramBins),
        inference_(inference.NewThread(limits)) {}

  // The documents of one unit.
  void Add(absl::Span<const model::UnitDocument> documents) {
    inference_->Infer({.documents = documents}, bits_, &x_);
    if (x_.columns.empty()) return;
    const double norm = WeightedNorm();
    const bool clipped = !request_.clip_whole_batch && norm > request_.clip_norm;
    const double factor = clipped ? request_.clip_norm / norm : 1;
    // Of the norm before the clip: it is what C is chosen by.
    ++histogram_[static_cast<size_t>(mechanism::NormHistogramBin(norm))];
    const auto rows = static_cast<size_t>(shape_.rows());
    const float* values = x_.values.data();
    for (const uint32_t column : x_.columns) {
      double* const sums = sums_.data() + column * rows;
      for (const uint32_t row : x_.rows) sums[row] += factor * *values++;
    }
    for (const model::UnitDocument& document : documents) {
      const auto words = static_cast<double>(lda::TokenCount(document.counts));
      words_ += words;
      kept_words_ += factor * words;
    }
  }

  void AddTo(ClippedSum* total) const {
    for (size_t i = 0; i < sums_.size(); ++i) total->sums_[i] += sums_[i];
    for (size_t b = 0; b < histogram_.size(); ++b) total->histogram_[b] += histogram_[b];
    total->words_ += words_;
    total->kept_words_ += kept_words_;
  }

  // The paper's projection of the batch's sum.
  void ClipAll() {
    double squares = 0;
    for (const double sum : sums_) squares += sum * sum;
    const double norm = std::sqrt(squares);
    if (!(norm > request_.clip_norm)) return;
    for (double& sum : sums_) sum *= request_.clip_norm / norm;
    kept_words_ *= request_.clip_norm / norm;
  }

  // Adds the noise, column by column, and turns the matrix.
  SimulatedRelease Released(NormalDraws* draws) const {
    const auto rows = static_cast<size_t>(shape_.rows());
    const auto columns = static_cast<size_t>(shape_.period);
    SimulatedRelease release = {.noisy_sum = std::vector<float>(sums_.size()),
                                .norm_histogram = {},
                                .exact_sum = std::vector<float>(sums_.size()),
                                .kept_words = words_ > 0 ? kept_words_ / words_ : 1};
    const double noise =
        request_.noise_multiplier > 0 ? request_.noise_multiplier * request_.clip_norm : 0;
    const std::vector<double> along = NoiseAlong(noise, draws);
    for (size_t column = 0; column < columns; ++column) {
      const double deviation = noise / Weight(column);
      for (size_t row = 0; row < rows; ++row) {
        double sum = sums_[column * rows + row];
        release.exact_sum[row * columns + column] = static_cast<float>(sum);
        if (!along.empty()) sum += along[row] * directions_.Step(row, column);
        release.noisy_sum[row * columns + column] =
            static_cast<float>(noise > 0 ? sum + deviation * draws->Next() : sum);
      }
    }
    for (const double count : histogram_) {
      release.norm_histogram.push_back(
          static_cast<float>(count + request_.histogram_noise_multiplier * draws->Next()));
    }
    return release;
  }

 private:
  double Weight(size_t column) const {
    return request_.term_weights.empty() ? 1.0 : double{request_.term_weights[column]};
  }

  // A draw a row; none without r or noise.
  std::vector<double> NoiseAlong(double noise, NormalDraws* draws) const {
    if (directions_.empty() || noise == 0) return {};
    std::vector<double> along(static_cast<size_t>(shape_.rows()));
    for (double& length : along) length = noise * draws->Next();
    return along;
  }

  double WeightedNorm() {
    double squares = 0;
    const float* values = x_.values.data();
    for (const uint32_t column : x_.columns) {
      float sum = 0;
      for (size_t a = 0; a < x_.rows.size(); ++a, ++values) sum += *values * *values;
      squares += Weight(column) * Weight(column) * double{sum};
    }
    return std::sqrt(std::max(squares - directions_.SquaresLeftOut(x_, &room_), 0.0));
  }

  const model::StatisticShape shape_;
  const SimulatedRequest& request_;
  const model::WeightedDirections& directions_;
  std::vector<double> sums_;  // columns × rows
  std::vector<double> histogram_;
  double words_ = 0;
  double kept_words_ = 0;
  const std::unique_ptr<model::UnitInference> inference_;
  model::SparseStatistic x_;
  std::vector<double> room_;
  NoBits bits_;
};

absl::StatusOr<std::unique_ptr<model::Inference>> InferenceOf(const lda::LogTopics& log_topics,
                                                              const lda::EStepOptions& e_step,
                                                              int num_threads) {
  v1::LdaOptions options;
  options.set_num_topics(log_topics.num_topics());
  const absl::Span<const double> prior = e_step.document_topic_prior.values();
  options.mutable_document_topic_prior()->Add(prior.begin(), prior.end());
  options.set_max_iterations(e_step.max_iterations);
  options.set_mean_change_threshold(e_step.mean_change_threshold);
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      lda::MakeLdaModel(options.SerializeAsString(), log_topics.vocabulary_size()));
  return model->Bind(log_topics.values(), num_threads);
}

// Where each unit's documents end, which is where the next one's begin.
std::vector<size_t> EndsOf(const SimulatedWallParams& params) {
  std::vector<size_t> ends;
  if (params.units.empty()) {
    for (size_t d = 0; d < params.documents.size(); ++d) ends.push_back(d + 1);
  } else {
    ends.assign(params.units.begin() + 1, params.units.end());
    ends.push_back(params.documents.size());
  }
  return ends;
}

// Of the longest document and the unit of most, so that no more memory is taken than they need.
model::UnitLimits LimitsOf(const SimulatedWallParams& params, const std::vector<size_t>& ends) {
  int64_t longest = 1;
  for (size_t d = 0; d < params.documents.size(); ++d) {
    longest = std::max(longest, lda::TokenCount(params.documents[d]));
  }
  size_t most = 1, first = 0;
  for (const size_t end : ends) {
    most = std::max(most, end - first);
    first = end;
  }
  return {.vocabulary_size = params.vocabulary_size,
          .max_words = longest,
          .max_documents = static_cast<int64_t>(most)};
}

}  // namespace

SimulatedWall::SimulatedWall(const SimulatedWallParams& params)
    : params_(params),
      ends_(EndsOf(params)),
      limits_(LimitsOf(params, ends_)),
      draws_(params.seed) {}

std::vector<size_t> SimulatedWall::Draw(double sampling_rate) {
  std::vector<size_t> drawn;
  for (size_t unit = 0; unit < ends_.size(); ++unit) {
    if (sampling_rate >= 1 || draws_.Uniform() < sampling_rate) drawn.push_back(unit);
  }
  return drawn;
}

absl::StatusOr<SimulatedRelease> SimulatedWall::Release(const lda::LogTopics& log_topics,
                                                        const SimulatedRequest& request) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference,
                      InferenceOf(log_topics, request.e_step, params_.num_threads));
  return Release(*inference, request);
}

SimulatedRelease SimulatedWall::Release(const model::Inference& inference,
                                        const SimulatedRequest& request) {
  const std::vector<size_t> drawn = Draw(request.sampling_rate);
  const auto shares = static_cast<size_t>(std::max(params_.num_threads, 1));
  const model::WeightedDirections directions =
      model::WeightedDirections::Of(inference, request.term_weights, request.direction_noise)
          .value();
  std::vector<std::unique_ptr<ClippedSum>> sums(shares);
  // In one order whatever the threads do, so that a study's numbers can be had again.
  for (auto& sum : sums) {
    sum = std::make_unique<ClippedSum>(inference, limits_, request, directions);
  }
  lda::ForEachBlock(shares, params_.num_threads, [&](size_t share, size_t) {
    std::vector<model::UnitDocument> unit;
    for (size_t i = share; i < drawn.size(); i += shares) {
      const size_t first = drawn[i] == 0 ? 0 : ends_[drawn[i] - 1];
      unit.clear();
      for (size_t d = first; d < ends_[drawn[i]]; ++d) {
        unit.push_back({.counts = params_.documents[d], .number = static_cast<int>(d - first)});
      }
      sums[share]->Add(unit);
    }
  });
  for (size_t share = 1; share < shares; ++share) sums[share]->AddTo(sums[0].get());
  if (request.clip_whole_batch) sums[0]->ClipAll();
  return sums[0]->Released(&draws_);
}

}  // namespace topicwall::study
