// Both rules are one loop: topics ← (1 − ρ)·topics + ρ·rule(sum/ν), in double from entry to entry,
// rounded to float32 once. What differs is where negatives are cut: the paper's rule cuts every
// sum, the signed average none of them, and only the model that is made of it.
#include "model/lda/topics/m_step.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/for_each_block.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/math/portable_exp.h"
#include "model/lda/topics/dirichlet_prior.h"

namespace topicwall::lda {
namespace {

constexpr float kLargestFinite = std::numeric_limits<float>::max();
// Entries that a thread updates at a time.
constexpr size_t kSumsPerBlock = size_t{1} << 15;

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

// The first entry of a sum, or of what came of it, that is not finite; there is one.
absl::Status SumError(absl::Span<const float> noisy_sum, absl::Span<const float> updated,
                      int vocabulary_size) {
  size_t i = 0;
  while (i + 1 < updated.size() && std::isfinite(noisy_sum[i]) && std::isfinite(updated[i])) ++i;
  return EntryError(i, vocabulary_size,
                    "noisy_sum must be finite and its share of the corpus within float32",
                    noisy_sum[i]);
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

MStep::MStep(const MStepShape& shape, const Rules& rules, MStepState state)
    : shape_(shape), rules_(rules), state_(std::move(state)) {}

void MStep::UseThreads(int num_threads) { num_threads_ = std::max(num_threads, 1); }

absl::Status MStep::CheckShapeAndState(const MStepShape& shape, const MStepState& state) {
  for (const absl::Status& status : {shape.document_topic_prior.Check(shape.num_topics),
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
  // Into a new vector: if an entry at the end is not finite, the state must be what it was.
  std::vector<float> updated(noisy_sum.size());
  std::atomic<bool> all_finite = true;
  const size_t num_blocks = (noisy_sum.size() + kSumsPerBlock - 1) / kSumsPerBlock;
  ForEachBlock(num_blocks, num_threads_, [&](size_t block, size_t) {
    const size_t begin = block * kSumsPerBlock;
    const size_t end = std::min(noisy_sum.size(), begin + kSumsPerBlock);
    if (!UpdateEntries(noisy_sum, begin, end, updated)) all_finite = false;
  });
  if (!all_finite) return SumError(noisy_sum, updated, shape_.vocabulary_size);
  state_.topics = std::move(updated);
  ++state_.updates;
  return absl::OkStatus();
}

bool MStep::UpdateEntries(absl::Span<const float> noisy_sum, size_t begin, size_t end,
                          std::vector<float>& updated) const {
  const double rho = StepSize(state_.updates + 1);
  const double rate = shape_.sampling_rate;
  const Rule rule = rules_.of_sums;
  const float* const sums = noisy_sum.data();
  const float* const before = state_.topics.data();
  float* const after = updated.data();
  int bad = 0;  // without a branch the loop is vectorised
  for (size_t i = begin; i < end; ++i) {
    after[i] = static_cast<float>((1 - rho) * before[i] + rho * rule(sums[i] / rate));
    bad |= static_cast<int>(!(std::fabs(sums[i]) <= kLargestFinite));
    bad |= static_cast<int>(!(std::fabs(after[i]) <= kLargestFinite));
  }
  return bad == 0;
}

TopicModel MStep::Model() const {
  std::vector<float> parameters = state_.topics;
  // Before any update the topics are the initial λ themselves, to which no η is added.
  if (state_.updates > 0) {
    const Rule rule = rules_.of_topics;
    for (float& entry : parameters) entry = static_cast<float>(rule(entry));
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
    : MStep(params.shape,
            {.of_sums = {.least = 0, .added = params.shape.topic_term_prior}, .of_topics = kAsItIs},
            std::move(state)),
      tau0_(params.tau0),
      kappa_(params.kappa) {}

LogTopics PaperMStep::NextLogTopics() const { return ExpectedLogBeta(Model(), num_threads()); }

double PaperMStep::StepSize(int64_t t) const {
  // Not libm's pow, whose last bit depends on the processor. τ0 + t >= 1, so the logarithm is >= 0.
  return PortableExp(-kappa_ * FastestArrayMath().log(tau0_ + static_cast<double>(t)));
}

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
    : MStep(params.shape,
            {.of_sums = kAsItIs, .of_topics = {.least = 0, .added = params.shape.topic_term_prior}},
            std::move(state)),
      later_step_size_(params.later_step_size) {}

LogTopics SignedAverageMStep::NextLogTopics() const {
  return LogMeanTopics(Model(), num_threads());
}

// With ρ = 1 first nothing of the initial topics stays in Y, which is an average of releases alone.
double SignedAverageMStep::StepSize(int64_t t) const { return t == 1 ? 1.0 : later_step_size_; }

}  // namespace topicwall::lda
