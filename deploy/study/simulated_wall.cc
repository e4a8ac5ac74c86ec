#include "deploy/study/simulated_wall.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/for_each_block.h"
#include "server/mechanism/norm_histogram.h"

namespace topicwall::study {
namespace {

// What one thread adds up.
class ClippedSum {
 public:
  ClippedSum(const lda::EStep& e_step, const SimulatedRequest& request)
      : e_step_(e_step),
        request_(request),
        sums_(static_cast<size_t>(e_step.vocabulary_size()) *
              static_cast<size_t>(e_step.num_topics())),
        histogram_(mechanism::kNormHistogramBins) {}

  void Add(lda::DocumentView document) {
    e_step_.Infer(document, workspace_);
    if (workspace_.num_rows() == 0) return;
    const double norm = WeightedNorm(document);
    const bool clipped = !request_.clip_whole_batch && norm > request_.clip_norm;
    const double factor = clipped ? request_.clip_norm / norm : 1;
    ++histogram_[static_cast<size_t>(mechanism::NormHistogramBin(norm))];
    const absl::Span<const uint32_t> topics = workspace_.topics();
    const auto num_topics = static_cast<size_t>(e_step_.num_topics());
    for (size_t j = 0; j < workspace_.num_rows(); ++j) {
      double* const row = sums_.data() + document[j].term * num_topics;
      const absl::Span<const float> x = workspace_.row(j);
      for (size_t a = 0; a < topics.size(); ++a) row[topics[a]] += factor * x[a];
    }
    const auto words = static_cast<double>(lda::TokenCount(document));
    words_ += words;
    kept_words_ += factor * words;
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

  // Adds the noise, term by term, and turns the matrix.
  SimulatedRelease Released(NormalDraws* draws) const {
    const auto topics = static_cast<size_t>(e_step_.num_topics());
    const size_t terms = sums_.size() / topics;
    SimulatedRelease release = {.noisy_sum = std::vector<float>(sums_.size()),
                                .norm_histogram = {},
                                .kept_words = words_ > 0 ? kept_words_ / words_ : 1};
    const double noise =
        request_.noise_multiplier > 0 ? request_.noise_multiplier * request_.clip_norm : 0;
    for (size_t v = 0; v < terms; ++v) {
      const double deviation = noise / Weight(static_cast<uint32_t>(v));
      for (size_t k = 0; k < topics; ++k) {
        const double sum = sums_[v * topics + k];
        release.noisy_sum[k * terms + v] =
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
  double Weight(uint32_t term) const {
    return request_.term_weights.empty() ? 1.0 : double{request_.term_weights[term]};
  }

  double WeightedNorm(lda::DocumentView document) const {
    double squares = 0;
    for (size_t j = 0; j < workspace_.num_rows(); ++j) {
      float row = 0;
      for (const float x : workspace_.row(j)) row += x * x;
      const double weight = Weight(document[j].term);
      squares += weight * weight * double{row};
    }
    return std::sqrt(squares);
  }

  const lda::EStep& e_step_;
  const SimulatedRequest& request_;
  std::vector<double> sums_;  // V×K
  std::vector<double> histogram_;
  double words_ = 0;
  double kept_words_ = 0;
  lda::EStep::Workspace workspace_;
};

}  // namespace

SimulatedWall::SimulatedWall(const SimulatedWallParams& params)
    : params_(params), draws_(params.seed) {}

std::vector<size_t> SimulatedWall::Draw(double sampling_rate) {
  std::vector<size_t> drawn;
  for (size_t d = 0; d < params_.documents.size(); ++d) {
    if (sampling_rate >= 1 || draws_.Uniform() < sampling_rate) drawn.push_back(d);
  }
  return drawn;
}

absl::StatusOr<SimulatedRelease> SimulatedWall::Release(const lda::LogTopics& log_topics,
                                                        const SimulatedRequest& request) {
  const absl::StatusOr<lda::EStep> e_step =
      lda::EStep::Create(log_topics, request.e_step, lda::ChosenKernel(), params_.num_threads);
  if (!e_step.ok()) return e_step.status();
  const std::vector<size_t> drawn = Draw(request.sampling_rate);
  const auto shares = static_cast<size_t>(std::max(params_.num_threads, 1));
  std::vector<ClippedSum> sums(shares, ClippedSum(*e_step, request));
  lda::ForEachBlock(shares, params_.num_threads, [&](size_t share, size_t) {
    for (size_t i = share; i < drawn.size(); i += shares) {
      sums[share].Add(params_.documents[drawn[i]]);
    }
  });
  for (size_t share = 1; share < shares; ++share) sums[share].AddTo(&sums[0]);
  if (request.clip_whole_batch) sums[0].ClipAll();
  return sums[0].Released(&draws_);
}

}  // namespace topicwall::study
