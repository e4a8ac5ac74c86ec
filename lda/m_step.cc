#include "lda/m_step.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lda/dirichlet_prior.h"

namespace topicwall::lda {
namespace {

absl::Status CheckStepParameter(absl::string_view name, double value) {
  if (value >= 0 && value <= std::numeric_limits<double>::max()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be finite and at least 0; got ", value));
}

absl::Status CheckRate(absl::string_view name, double value) {
  if (value > 0 && value <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " must be in (0, 1]; got ", value));
}

absl::Status EntryError(size_t i, int vocabulary_size, absl::string_view rule, double value) {
  const auto terms = static_cast<size_t>(vocabulary_size);
  return absl::InvalidArgumentError(absl::StrCat(rule, "; got ", value, " for topic ", i / terms,
                                                 ", term ", i % terms, " (counted from 0)"));
}

// Entries of a saved state must be finite and, where they are a model's λ, above 0.
absl::Status CheckEntries(absl::Span<const float> topics, bool positive, int vocabulary_size) {
  for (size_t i = 0; i < topics.size(); ++i) {
    if (!std::isfinite(topics[i]) || (positive && !(topics[i] > 0))) {
      return EntryError(i, vocabulary_size,
                        positive ? "topics must be finite and above 0" : "topics must be finite",
                        topics[i]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

MStep::MStep(const MStepShape& shape, MStepState state) : shape_(shape), state_(std::move(state)) {}

absl::Status MStep::CheckShapeAndState(const MStepShape& shape, const MStepState& state) {
  for (const absl::Status& status : {CheckPrior("document_topic_prior", shape.document_topic_prior),
                                     CheckPrior("topic_term_prior", shape.topic_term_prior),
                                     CheckRate("sampling_rate", shape.sampling_rate)}) {
    if (!status.ok()) return status;
  }
  const auto expected =
      static_cast<size_t>(shape.num_topics) * static_cast<size_t>(shape.vocabulary_size);
  if (state.topics.size() != expected || state.updates < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "state must have at least 0 updates and num_topics times vocabulary_size = ", expected,
        " entries; got ", state.updates, " and ", state.topics.size()));
  }
  return absl::OkStatus();
}

absl::Status MStep::Update(absl::Span<const float> noisy_sum) {
  if (noisy_sum.size() != state_.topics.size()) {
    return absl::InvalidArgumentError(absl::StrCat("noisy_sum must have ", state_.topics.size(),
                                                   " entries; got ", noisy_sum.size()));
  }
  const double rho = StepSize(state_.updates + 1);
  std::vector<float> updated(noisy_sum.size());
  for (size_t i = 0; i < noisy_sum.size(); ++i) {
    const double target = Target(noisy_sum[i] / shape_.sampling_rate);
    updated[i] = static_cast<float>((1 - rho) * state_.topics[i] + rho * target);
    if (!std::isfinite(noisy_sum[i]) || !std::isfinite(updated[i])) {
      return EntryError(i, shape_.vocabulary_size,
                        "noisy_sum must be finite and its share of the corpus within float32",
                        noisy_sum[i]);
    }
  }
  state_.topics = std::move(updated);
  ++state_.updates;
  return absl::OkStatus();
}

TopicModel MStep::Model() const {
  std::vector<float> parameters = state_.topics;
  if (state_.updates > 0) {
    for (float& entry : parameters) entry = static_cast<float>(TopicParameter(entry));
  }
  // Holds a value: shape_ and the entries keep the model's rules by construction.
  return *TopicModel::Create({.num_topics = shape_.num_topics,
                              .vocabulary_size = shape_.vocabulary_size,
                              .document_topic_prior = shape_.document_topic_prior,
                              .topic_term_prior = shape_.topic_term_prior,
                              .topic_parameters = std::move(parameters)});
}

absl::StatusOr<std::unique_ptr<PaperMStep>> PaperMStep::Create(const PaperMStepParams& params,
                                                               MStepState state) {
  for (const absl::Status& status :
       {CheckShapeAndState(params.shape, state), CheckStepParameter("tau0", params.tau0),
        CheckStepParameter("kappa", params.kappa)}) {
    if (!status.ok()) return status;
  }
  absl::Status entries =
      CheckEntries(state.topics, /*positive=*/true, params.shape.vocabulary_size);
  if (!entries.ok()) return entries;
  return std::unique_ptr<PaperMStep>(new PaperMStep(params, std::move(state)));
}

PaperMStep::PaperMStep(const PaperMStepParams& params, MStepState state)
    : MStep(params.shape, std::move(state)), tau0_(params.tau0), kappa_(params.kappa) {}

LogTopics PaperMStep::NextLogTopics() const { return ExpectedLogBeta(Model()); }

double PaperMStep::StepSize(int64_t t) const {
  return std::pow(tau0_ + static_cast<double>(t), -kappa_);
}

double PaperMStep::Target(double scaled_sum) const {
  return shape_.topic_term_prior + std::max(scaled_sum, 0.0);
}

double PaperMStep::TopicParameter(double entry) const { return entry; }

absl::StatusOr<std::unique_ptr<SignedAverageMStep>> SignedAverageMStep::Create(
    const SignedAverageMStepParams& params, MStepState state) {
  for (const absl::Status& status : {CheckShapeAndState(params.shape, state),
                                     CheckRate("later_step_size", params.later_step_size)}) {
    if (!status.ok()) return status;
  }
  absl::Status entries =
      CheckEntries(state.topics, /*positive=*/state.updates == 0, params.shape.vocabulary_size);
  if (!entries.ok()) return entries;
  return std::unique_ptr<SignedAverageMStep>(new SignedAverageMStep(params, std::move(state)));
}

SignedAverageMStep::SignedAverageMStep(const SignedAverageMStepParams& params, MStepState state)
    : MStep(params.shape, std::move(state)), later_step_size_(params.later_step_size) {}

LogTopics SignedAverageMStep::NextLogTopics() const { return LogMeanTopics(Model()); }

double SignedAverageMStep::StepSize(int64_t t) const { return t == 1 ? 1.0 : later_step_size_; }

double SignedAverageMStep::Target(double scaled_sum) const { return scaled_sum; }

double SignedAverageMStep::TopicParameter(double entry) const {
  return std::max(entry, 0.0) + shape_.topic_term_prior;
}

}  // namespace topicwall::lda
