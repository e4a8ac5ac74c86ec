#include "lda/e_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lda/dirichlet_prior.h"
#include "lda/portable_exp.h"

namespace topicwall::lda {
namespace {

// Exponents below this count as weight 0.
constexpr double kSmallestExponent = -80.0;

absl::Status CheckOptions(const EStepOptions& options) {
  if (absl::Status status = CheckPrior("document_topic_prior", options.document_topic_prior);
      !status.ok()) {
    return status;
  }
  if (options.max_iterations < 1) {
    return absl::InvalidArgumentError(absl::StrCat("max_iterations must be at least 1; got ",
                                                   options.max_iterations, ". 100 is usual."));
  }
  if (!(options.mean_change_threshold >= 0 && std::isfinite(options.mean_change_threshold))) {
    return absl::InvalidArgumentError(
        absl::StrCat("mean_change_threshold must be finite and at least 0; got ",
                     options.mean_change_threshold, ". 1e-3 is usual."));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EStep> EStep::Create(const LogTopics& log_topics, const EStepOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  return EStep(log_topics, options);
}

EStep::EStep(const LogTopics& log_topics, const EStepOptions& options)
    : num_topics_(log_topics.num_topics()),
      vocabulary_size_(log_topics.vocabulary_size()),
      padded_topics_((num_topics_ + kLanes - 1) / kLanes * kLanes),
      options_(options) {
  weights_.resize(static_cast<size_t>(vocabulary_size_) * static_cast<size_t>(padded_topics_));
  FillWeights(log_topics);
}

void EStep::FillWeights(const LogTopics& log_topics) {
  // ℓ has topics as rows and b has terms as rows: a few terms at a time stay in the cache.
  constexpr size_t kTermsPerBlock = 64;
  const auto topics = static_cast<size_t>(num_topics_);
  const auto terms = static_cast<size_t>(vocabulary_size_);
  const auto stride = static_cast<size_t>(padded_topics_);
  const float* values = log_topics.values().data();
  for (size_t begin = 0; begin < terms; begin += kTermsPerBlock) {
    const size_t size = std::min(kTermsPerBlock, terms - begin);
    std::array<float, kTermsPerBlock> largest;
    largest.fill(-std::numeric_limits<float>::infinity());
    for (size_t k = 0; k < topics; ++k) {
      const float* row = values + k * terms + begin;
      for (size_t i = 0; i < size; ++i) largest[i] = std::max(largest[i], row[i]);
    }
    for (size_t k = 0; k < topics; ++k) {
      const float* row = values + k * terms + begin;
      for (size_t i = 0; i < size; ++i) {
        const double exponent = double{row[i]} - double{largest[i]};
        const double weight = exponent < kSmallestExponent ? 0.0 : PortableExp(exponent);
        weights_[(begin + i) * stride + k] = static_cast<float>(weight);
      }
    }
  }
}

void EStep::Infer(DocumentView document, Workspace& workspace) const {
  KernelBuffers& buffers = workspace.buffers_;
  const auto stride = static_cast<size_t>(padded_topics_);
  workspace.num_topics_ = static_cast<size_t>(num_topics_);
  workspace.padded_topics_ = stride;
  workspace.used_double_ = false;
  workspace.num_rows_ = 0;
  buffers.iterations = 0;
  if (document.empty() || !IsCanonical(document, vocabulary_size_)) {
    buffers.gamma.assign(stride, static_cast<float>(options_.document_topic_prior));
    return;
  }
  buffers.rows.clear();
  for (const TermCount& entry : document) {
    buffers.rows.push_back(weights_.data() + entry.term * stride);
  }
  const KernelOptions kernel_options = {.num_topics = num_topics_,
                                        .padded_topics = padded_topics_,
                                        .document_topic_prior = options_.document_topic_prior,
                                        .max_iterations = options_.max_iterations,
                                        .mean_change_threshold = options_.mean_change_threshold};
  workspace.num_rows_ = document.size();
  if (SolveInSingle(document, kernel_options, buffers)) return;
  workspace.used_double_ = true;
  SolveInDouble(document, kernel_options, buffers);
}

}  // namespace topicwall::lda
