#include "model/lda/worst_topics.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/status_macros.h"
#include "model/data/spread_document.h"
#include "model/lda/topic_options.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"
#include "proto/models/lda_options.h"

namespace topicwall::lda {
namespace {

// Of one document, in terms · topics · iterations: about a second of one thread. In double
// precision it takes some ten times as long.
constexpr double kMostWorkInFloat = 1e9;
constexpr double kMostWorkInDouble = 1e8;

// Weights of all sizes, so that no exponent is a special case.
float AnyWeight(const SpreadDocuments& documents, int64_t topic, int64_t term) {
  const uint64_t counter =
      static_cast<uint64_t>(topic) * static_cast<uint64_t>(documents.vocabulary_size) +
      static_cast<uint64_t>(term);
  return -10.0F * static_cast<float>(Scatter(counter) >> 40) * 0x1p-24F;
}

// A document's first word is shared by all topics but one, which has all the other words. Each of
// those many topics then holds 1/(K - 1) of a word and weighs exp(ψ(1/(K - 1))), about e^-K: from
// some 80 topics on that is too little for float32.
float WeightTooSmallForFloat(const SpreadDocuments& documents, int64_t topic, int64_t term) {
  const bool first_word = term < documents.EndOfFirstStretch();
  return first_word == (topic == 0) ? -1e4F : -1.0F;
}

struct Dear {
  const char* name;
  double prior;
  double most_work;
  float (*weight)(const SpreadDocuments&, int64_t topic, int64_t term);
};
constexpr Dear kNoTopicDiesOut = {
    .name = "all topics", .prior = 1, .most_work = kMostWorkInFloat, .weight = AnyWeight};
constexpr Dear kInDouble = {.name = "double precision",
                            .prior = kMinDocumentTopicPrior,
                            .most_work = kMostWorkInDouble,
                            .weight = WeightTooSmallForFloat};

std::vector<float> ParametersOf(const Dear& dear, const model::AnalystLimits& limits) {
  const SpreadDocuments documents{.words = limits.words, .vocabulary_size = limits.vocabulary_size};
  std::vector<float> parameters;
  parameters.reserve(static_cast<size_t>(limits.parameters_per_term * limits.vocabulary_size));
  for (int64_t topic = 0; topic < limits.parameters_per_term; ++topic) {
    for (int64_t term = 0; term < limits.vocabulary_size; ++term) {
      parameters.push_back(dear.weight(documents, topic, term));
    }
  }
  return parameters;
}

model::WorstCase CaseOf(const Dear& dear, const model::AnalystLimits& limits) {
  const int64_t terms = std::min(limits.words, limits.vocabulary_size);
  // Taking the time to be proportional to the iterations errs upwards.
  const double work = static_cast<double>(terms) * static_cast<double>(limits.parameters_per_term) *
                      limits.iterations;
  const double share = std::min(1.0, dear.most_work / work);
  // Threshold 0 runs them all: no document is done early.
  const int iterations = std::max(1, static_cast<int>(share * limits.iterations));
  return {.name = dear.name,
          .options = proto::LdaOptionBytes(static_cast<int32_t>(limits.parameters_per_term),
                                           {dear.prior}, iterations, /*mean_change_threshold=*/0),
          .parameters = [&dear, limits] { return ParametersOf(dear, limits); },
          // What was left out of one document's iterations is multiplied back: a limit of a million
          // iterations must not take a million to be timed.
          .times = static_cast<double>(limits.iterations) / iterations};
}

absl::StatusOr<bool> TakesDouble(const model::WorstCase& candidate,
                                 const model::AnalystLimits& limits) {
  TW_ASSIGN_OR_RETURN(const TopicOptions options,
                      ParseTopicOptions(candidate.options, limits.vocabulary_size));
  TW_ASSIGN_OR_RETURN(const EStep e_step, BindTopics(options, candidate.parameters(), 1));
  std::vector<TermCount> document;
  SpreadDocuments{.words = limits.words, .vocabulary_size = limits.vocabulary_size}.Fill(0,
                                                                                         &document);
  EStep::Workspace workspace;
  e_step.Infer(document, workspace);
  return workspace.used_double();
}

}  // namespace

absl::StatusOr<std::vector<model::WorstCase>> WorstTopics(const model::AnalystLimits& limits) {
  if (limits.vocabulary_size < 1 || limits.words < 1 || limits.parameters_per_term < 1 ||
      limits.parameters_per_term > INT32_MAX || limits.iterations < 1) {
    return absl::InvalidArgumentError("every limit of an analyst's must be at least 1");
  }
  // Before K·V of them are made.
  TW_RETURN_IF_ERROR(CheckTopicShape(static_cast<int>(limits.parameters_per_term),
                                     static_cast<int>(limits.vocabulary_size)));
  std::vector<model::WorstCase> cases = {CaseOf(kNoTopicDiesOut, limits)};
  model::WorstCase in_double = CaseOf(kInDouble, limits);
  TW_ASSIGN_OR_RETURN(const bool possible, TakesDouble(in_double, limits));
  if (possible) cases.push_back(std::move(in_double));
  return cases;
}

}  // namespace topicwall::lda
