// evaluation-….pb: an evaluation behind the wall, under way or done, beside its model.
//
//   const std::string path = EvaluationPath(directory.path(), wish, model);
//   absl::StatusOr<std::optional<v1::EvaluationFile>> begun = ReadEvaluation(path);
//   absl::Status status = WritePaid(*file, path);
//   PerplexityEstimate estimate = EstimateOf(*file);         // or LogLikelihoodOf
//
// Named and kept as paid_plan.h says. PUBLIC: released numbers. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_EVALUATION_FILE_H_
#define TOPICWALL_CLIENT_EVALUATE_EVALUATION_FILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/audit/spend.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kEvaluationFormatVersion = 2;

// What the analyst asks of an evaluation.
struct EvaluationWish {
  std::string corpus;
  double held_out_share;  // of the units: those to evaluate, in (0, 1]
  int releases;           // J >= 1
  // Known words of a typical unit, in [1, 1e6]; longer ones count less. Otherwise what the quote of
  // the model's fit assumed.
  std::optional<double> words_per_unit = {};
  PlanNoise noise = {};
  std::optional<int64_t> max_words = {};  // N; the wall's limit if not given
};

// That of the wish, that of the model's fit, or the one assumption of all (fit_spec.h).
double WordsPerUnit(const EvaluationWish& wish, const v1::ModelFile& model);

std::string EvaluationPath(const std::string& directory, const EvaluationWish& wish,
                           const v1::ModelFile& model);

absl::StatusOr<std::optional<v1::EvaluationFile>> ReadEvaluation(const std::string& path);

// Whether all of its releases are in it.
bool IsFinished(const v1::EvaluationFile& file);

// From this standard error on, as a share of the perplexity, there is no number to tell: ± 2 of
// them are the number itself, and first order is no longer enough.
inline constexpr double kMostRelativeError = 0.5;

// exp(ΣA/Σn), or 1 where noise made ΣA negative, over the releases in a file, and what their noise
// does to it.
struct PerplexityEstimate {
  double words;  // scored, noisy, by one release: the mean
  // Of their number, half of the known words but for noise and coins: by the noise, and by the
  // coins of their split, which leave √(words/2) for each release, less where long units are cut.
  double words_deviation;
  // Nothing if the noise of the words is a quarter of them or more, or the standard error
  // kMostRelativeError of it: no number can be told then.
  std::optional<double> perplexity;
  // Of the perplexity, to first order, by the known noise alone: r = ΣA/Σn has deviation
  // √(σ_A² + r²σ_n²)/Σn. That other units might have been held out, and their words fallen into
  // other halves (model/completion/token_halves.h), is not in it, and may be more: that would take
  // how much the nats of words differ, which no release tells.
  double standard_error;
};
PerplexityEstimate EstimateOf(const v1::EvaluationFile& file);

// Of an evaluation of vectors: −ΣA/Σn, the mean log density of a vector in units of the norm bound,
// as EvaluateGaussians has it for vectors of one's own (evaluator.h), but that vectors
// which are far from what the mixture expects count for less (evaluation_question.h): of a mixture
// that is wrong of many, more than the truth, and well below `expected`.
bool IsOfVectors(const v1::EvaluationFile& file);
struct LogLikelihoodEstimate {
  double vectors;            // noisy, by one release: the mean
  double vectors_deviation;  // of its noise
  // Nothing if the noise of the vectors is a quarter of them or more.
  std::optional<double> log_likelihood;
  double standard_error;  // of the log likelihood, in nats; as of a perplexity
  double expected;        // the log likelihood of vectors that are as the mixture has them
};
LogLikelihoodEstimate LogLikelihoodOf(const v1::EvaluationFile& file);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_EVALUATION_FILE_H_
