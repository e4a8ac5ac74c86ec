#include "model/lda/topics/topic_model.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/lda/math/array_math_choice.h"

namespace topicwall::lda {
namespace {

// Entries that a thread transforms at a time.
constexpr size_t kEntriesPerTransform = size_t{1} << 14;

// Looks at every entry, so that the loop is vectorised.
bool AllPositiveAndFinite(absl::Span<const float> values) {
  int bad = 0;
  for (const float value : values) {
    bad |= static_cast<int>(!((value > 0) & (value <= std::numeric_limits<float>::max())));
  }
  return bad == 0;
}

// ℓ_kv = transform(λ_kv, shift_k) in place, a part of a topic at a time.
// By value: whoever needs the model no more hands it over, and λ becomes ℓ where it lies. A second
// K×V matrix is gigabytes in the largest models.
std::vector<float> Transformed(TopicModel model, absl::Span<const double> shifts,
                               decltype(ArrayMath::log_minus) transform, int num_threads) {
  const auto terms = static_cast<size_t>(model.vocabulary_size());
  std::vector<float> values = std::move(model).TakeTopicParameters();
  const size_t blocks_per_topic = (terms + kEntriesPerTransform - 1) / kEntriesPerTransform;
  ForEachBlock(shifts.size() * blocks_per_topic, num_threads, [&](size_t block, size_t) {
    const size_t topic = block / blocks_per_topic;
    const size_t begin = block % blocks_per_topic * kEntriesPerTransform;
    float* const first = values.data() + topic * terms + begin;
    transform(first, std::min(kEntriesPerTransform, terms - begin), shifts[topic], first);
  });
  return values;
}

absl::Status CheckParams(const TopicModelParams& params) {
  TW_RETURN_IF_ERROR(CheckTopicShape(params.num_topics, params.vocabulary_size));
  TW_RETURN_IF_ERROR(params.document_topic_prior.Check(params.num_topics));
  TW_RETURN_IF_ERROR(CheckPrior("topic_term_prior", params.topic_term_prior));
  const auto terms = static_cast<size_t>(params.vocabulary_size);
  const size_t expected = static_cast<size_t>(params.num_topics) * terms;
  if (params.topic_parameters.size() != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("topic_parameters must have num_topics times vocabulary_size = ", expected,
                     " entries; got ", params.topic_parameters.size()));
  }
  // One fast pass over K·V entries; the slow one below only names the first offence.
  if (AllPositiveAndFinite(params.topic_parameters)) return absl::OkStatus();
  for (size_t i = 0; i < expected; ++i) {
    const float value = params.topic_parameters[i];
    if (!(value > 0 && value <= std::numeric_limits<float>::max())) {
      return absl::InvalidArgumentError(
          absl::StrCat("topic_parameters must be finite and above 0; got ", value, " for topic ",
                       i / terms, ", term ", i % terms, " (counted from 0)"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TopicModel> TopicModel::Create(TopicModelParams params) {
  TW_RETURN_IF_ERROR(CheckParams(params));
  return TopicModel(std::move(params));
}

TopicModel::TopicModel(TopicModelParams params) : params_(std::move(params)) {
  for (int k = 0; k < num_topics(); ++k) {
    const absl::Span<const float> row = topic(k);
    // Once, in double and in one order: every form of the topics divides by the same number.
    topic_sums_.push_back(FastestArrayMath().sum(row.data(), row.size()));
  }
}

absl::StatusOr<TopicModel> TopicModel::WithDocumentTopicPrior(DocumentTopicPrior prior) && {
  TW_RETURN_IF_ERROR(prior.Check(num_topics()));
  params_.document_topic_prior = std::move(prior);
  return std::move(*this);
}

absl::Span<const float> TopicModel::topic(int topic) const {
  const auto terms = static_cast<size_t>(params_.vocabulary_size);
  return absl::MakeConstSpan(params_.topic_parameters)
      .subspan(static_cast<size_t>(topic) * terms, terms);
}

std::vector<double> MeanTopics(const TopicModel& model) {
  std::vector<double> means;
  means.reserve(model.topic_parameters().size());
  for (int k = 0; k < model.num_topics(); ++k) {
    for (const float parameter : model.topic(k)) means.push_back(parameter / model.topic_sum(k));
  }
  return means;
}

LogTopics LogMeanTopics(TopicModel model, int num_threads) {
  const ArrayMath& math = FastestArrayMath();
  const int num_topics = model.num_topics(), vocabulary_size = model.vocabulary_size();
  std::vector<double> shifts;
  // log λ − log Σλ: a subtraction an entry instead of a division.
  for (int k = 0; k < num_topics; ++k) shifts.push_back(math.log(model.topic_sum(k)));
  return LogTopics(num_topics, vocabulary_size,
                   Transformed(std::move(model), shifts, math.log_minus, num_threads));
}

LogTopics ExpectedLogBeta(TopicModel model, int num_threads) {
  const ArrayMath& math = FastestArrayMath();
  const int num_topics = model.num_topics(), vocabulary_size = model.vocabulary_size();
  std::vector<double> shifts;
  for (int k = 0; k < num_topics; ++k) shifts.push_back(math.digamma(model.topic_sum(k)));
  return LogTopics(num_topics, vocabulary_size,
                   Transformed(std::move(model), shifts, math.digamma_minus, num_threads));
}

}  // namespace topicwall::lda
