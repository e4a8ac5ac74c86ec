// What a plan asks of its model, counted apart from the server: the claims of
// plan_request_fuzzer.cc for every model of model/models.h.
//
//   RequireGoodModel(plan);   // of a plan that the server took
#ifndef TOPICWALL_TESTS_FUZZ_PLANNED_MODEL_H_
#define TOPICWALL_TESTS_FUZZ_PLANNED_MODEL_H_

#include <cstdint>

#include "proto/matrix_codec.h"
#include "proto/models/gaussian.pb.h"
#include "proto/models/lda.pb.h"
#include "proto/models/lengths.pb.h"
#include "proto/models/mixture.pb.h"
#include "proto/models/prevalence.pb.h"
#include "proto/wall.pb.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {

// The custodian's limits, and both corpora: of text with two attributes, and of vectors.
inline constexpr int64_t kMaxMatrixBytes = 5 * 3 * 4;
inline constexpr int64_t kMaxParametersPerTerm = 1000;
inline constexpr int kTerms = 3;
inline constexpr int kDimension = 2;
inline constexpr int kGroups = 3 * 2;  // of documents, by both attributes
inline constexpr char kVectors[] = "vectors";

inline bool IsIn(double value, double low, double high) { return value >= low && value <= high; }

// What a plan asks of its model, counted here once more.
struct Asked {
  int64_t parameters;
  int64_t numbers;  // of the statistic
  int64_t columns;  // as many weights as there are
  bool needs_weights = false;
};

inline void RequireGoodTopics(const v1::LdaOptions& options) {
  const auto& prior = options.document_topic_prior();
  if (options.one_topic_a_document()) {
    Require(prior.empty() && options.max_iterations() == 0 && options.mean_change_threshold() == 0,
            "of a mixture nothing is said that nobody heeds");
    return;
  }
  Require(prior.size() == 1 || prior.size() == options.num_topics(),
          "the prior is one number, or one for each topic");
  for (const double alpha : prior) Require(IsIn(alpha, 1e-6, 1e3), "the prior is in its range");
  Require(options.max_iterations() >= 1 && options.max_iterations() <= 50,
          "E-step iterations are in their range");
  Require(IsIn(options.mean_change_threshold(), 0, 1), "the threshold is in its range");
}

// ℓ, of a mixture with log π.
inline int64_t ParametersOf(const v1::LdaOptions& options) {
  return int64_t{options.num_topics()} * (options.one_topic_a_document() ? kTerms + 1 : kTerms);
}

template <typename Options>
Options Parsed(const v1::ReleaseSpec& plan) {
  Options options;
  Require(options.ParseFromString(plan.options()), "options are the model's message");
  return options;
}

inline Asked AskedOfText(const v1::ReleaseSpec& plan) {
  if (plan.model() == "multinomial_mixture") {
    const int64_t rows = Parsed<v1::MixtureOptions>(plan).num_components();
    const int64_t numbers = rows * (kTerms + 1);
    return {.parameters = numbers, .numbers = numbers, .columns = kTerms + 1};
  }
  if (plan.model() == "prevalence") {
    const auto options = Parsed<v1::PrevalenceOptions>(plan);
    RequireGoodTopics(options.topics());
    int64_t groups = 1;
    for (const int attribute : options.attributes()) groups *= attribute == 0 ? 3 : 2;
    Require(groups <= kGroups, "an attribute is asked for once");
    const int64_t topics = options.topics().num_topics();
    return {.parameters = ParametersOf(options.topics()),
            .numbers = (topics + 1) * groups,
            .columns = topics + 1};
  }
  if (plan.model() == "unit_lengths") {
    const int64_t bins = Parsed<v1::LengthOptions>(plan).num_bins();
    return {.parameters = bins - 1, .numbers = bins, .columns = bins};
  }
  const bool evaluates = plan.model() == "document_completion";
  Require(evaluates || plan.model() == "lda", "the model is one for text");
  const auto options = Parsed<v1::LdaOptions>(plan);
  RequireGoodTopics(options);
  Require(evaluates || !options.one_topic_a_document(),
          "a mixture is evaluated, and not fitted as topics");
  const int64_t parameters = ParametersOf(options);
  return {.parameters = parameters,
          .numbers = evaluates ? 2 : parameters,
          .columns = evaluates ? 2 : kTerms,
          .needs_weights = evaluates};
}

inline Asked AskedOfVectors(const v1::ReleaseSpec& plan) {
  const bool evaluates = plan.model() == "gaussian_likelihood";
  Require(evaluates || plan.model() == "gaussian_mixture", "the model is one for vectors");
  constexpr int kColumns = 2 * kDimension + 1;
  const int64_t parameters = int64_t{Parsed<v1::GaussianOptions>(plan).num_components()} * kColumns;
  return {.parameters = parameters,
          .numbers = evaluates ? 2 : parameters,
          .columns = evaluates ? 2 : kColumns,
          .needs_weights = true};
}

inline void RequireGoodModel(const v1::ReleaseSpec& plan) {
  const Asked asked = plan.corpus() == kVectors ? AskedOfVectors(plan) : AskedOfText(plan);
  Require(asked.parameters >= 1 && asked.parameters * 4 <= kMaxMatrixBytes, "the parameters fit");
  Require(asked.numbers >= 1 && asked.numbers <= kMaxParametersPerTerm * kTerms,
          "the statistic fits");
  const auto weights = proto::FloatsFromLittleEndian(plan.weights());
  Require(weights.ok() && (static_cast<int64_t>(weights->size()) == asked.columns ||
                           (weights->empty() && !asked.needs_weights)),
          "a weight for every column, or none where one unit counts them all");
  for (const float weight : *weights) {
    Require(IsIn(weight, 0x1p-20, 0x1p20), "weights are in their range");
  }
}

}  // namespace topicwall::fuzz

#endif  // TOPICWALL_TESTS_FUZZ_PLANNED_MODEL_H_
