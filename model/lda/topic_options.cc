#include "model/lda/topic_options.h"

#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/models/lda.pb.h"
#include "proto/models/parse_options.h"

namespace topicwall::lda {
namespace {

// Narrower than what the E-step computes with (dirichlet_prior.h): what a plan may ask of a server.
absl::Status CheckRanges(absl::Span<const double> prior, double mean_change_threshold) {
  for (const double alpha : prior) {
    if (alpha >= kMinDocumentTopicPrior && alpha <= kMaxDocumentTopicPrior) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("document_topic_prior must be in [1e-06, 1000]; got ", alpha,
                     ". 1 / num_topics is usual."));
  }
  if (mean_change_threshold >= 0 && mean_change_threshold <= kMaxMeanChangeThreshold) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("mean_change_threshold must be in [0, 1]; got ",
                                                 mean_change_threshold, ". 1e-3 is usual."));
}

// So that of a mixture nothing is said that nobody heeds.
absl::Status CheckOfMixture(const v1::LdaOptions& message) {
  if (message.document_topic_prior().empty() && message.max_iterations() == 0 &&
      message.mean_change_threshold() == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "with one_topic_a_document there must be no document_topic_prior, max_iterations or "
      "mean_change_threshold; got ",
      message.document_topic_prior_size(), " numbers, ", message.max_iterations(), " and ",
      message.mean_change_threshold(), ". Leave them out."));
}

}  // namespace

// Bytes from outside: each number is held against its range before it shapes anything, K·V
// included.
absl::StatusOr<TopicOptions> ParseTopicOptions(absl::string_view serialised,
                                               int64_t vocabulary_size) {
  v1::LdaOptions message;
  TW_RETURN_IF_ERROR(proto::ParseOptions(serialised, &message));
  if (!(vocabulary_size >= 1 && vocabulary_size < std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the vocabulary must have at least 1 term and fewer than 2^31 - 1; got ", vocabulary_size));
  }
  const absl::Span<const double> prior(message.document_topic_prior().data(),
                                       static_cast<size_t>(message.document_topic_prior_size()));
  TW_RETURN_IF_ERROR(CheckRanges(prior, message.mean_change_threshold()));
  TopicOptions options = {.num_topics = message.num_topics(),
                          .vocabulary_size = static_cast<int>(vocabulary_size),
                          .e_step = {.document_topic_prior = DocumentTopicPrior(prior),
                                     .max_iterations = message.max_iterations(),
                                     .mean_change_threshold = message.mean_change_threshold()},
                          .one_topic_a_document = message.one_topic_a_document()};
  TW_RETURN_IF_ERROR(CheckTopicShape(options.num_topics, options.num_columns()));
  if (options.one_topic_a_document) {
    TW_RETURN_IF_ERROR(CheckOfMixture(message));
    options.e_step = {.document_topic_prior = 1.0, .max_iterations = 1, .mean_change_threshold = 0};
  }
  TW_RETURN_IF_ERROR(CheckEStepOptions(options.e_step, options.num_topics));
  return options;
}

absl::StatusOr<EStep> BindTopics(const TopicOptions& options, absl::Span<const float> log_topics,
                                 int num_threads) {
  const LogTopicsView view = options.View(log_topics);
  TW_RETURN_IF_ERROR(CheckLogTopics(view));
  return EStep::Create(view, options.e_step, ChosenKernel(), num_threads);
}

int64_t BytesOfTopics(int64_t num_topics, int64_t vocabulary_size) {
  const int64_t entries = vocabulary_size * num_topics;
  // K rounded up to 16 is at most K + 15; beside it each term has its two scales.
  const int64_t padded = vocabulary_size * (num_topics + 15);
  return int64_t{sizeof(float)} * (entries + padded + 2 * vocabulary_size);
}

}  // namespace topicwall::lda
