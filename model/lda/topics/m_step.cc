// In double from entry to entry, rounded to float32 once.
#include "model/lda/topics/m_step.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
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

absl::Status CheckEntries(absl::Span<const float> topics, int vocabulary_size) {
  for (size_t i = 0; i < topics.size(); ++i) {
    if (std::isfinite(topics[i]) && topics[i] > 0) continue;
    return EntryError(i, vocabulary_size, "topics must be finite and above 0", topics[i]);
  }
  return absl::OkStatus();
}

absl::Status CheckState(const MStepShape& shape, const MStepState& state) {
  const auto expected =
      static_cast<size_t>(shape.num_topics) * static_cast<size_t>(shape.vocabulary_size);
  if (state.topics.size() != expected || state.updates < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "state must have at least 0 updates and num_topics times vocabulary_size = ", expected,
        " entries; got ", state.updates, " and ", state.topics.size()));
  }
  return CheckEntries(state.topics, shape.vocabulary_size);
}

}  // namespace

absl::StatusOr<PaperMStep> PaperMStep::Create(const PaperMStepParams& params, MStepState state) {
  const MStepShape& shape = params.shape;
  TW_RETURN_IF_ERROR(shape.document_topic_prior.Check(shape.num_topics));
  TW_RETURN_IF_ERROR(CheckPrior("topic_term_prior", shape.topic_term_prior));
  TW_RETURN_IF_ERROR(CheckRate("sampling_rate", shape.sampling_rate));
  TW_RETURN_IF_ERROR(CheckStepParameter("tau0", params.tau0));
  TW_RETURN_IF_ERROR(CheckStepParameter("kappa", params.kappa));
  TW_RETURN_IF_ERROR(CheckState(shape, state));
  return PaperMStep(params, std::move(state));
}

PaperMStep::PaperMStep(const PaperMStepParams& params, MStepState state)
    : params_(params), state_(std::move(state)) {}

void PaperMStep::UseThreads(int num_threads) { num_threads_ = std::max(num_threads, 1); }

absl::Status PaperMStep::Update(absl::Span<const float> noisy_sum) {
  if (noisy_sum.size() != state_.topics.size()) {
    return absl::InvalidArgumentError(absl::StrCat("noisy_sum must have ", state_.topics.size(),
                                                   " entries; got ", noisy_sum.size()));
  }
  // Into a new vector: if an entry at the end is not finite, the state must be what it was.
  std::vector<float> updated(noisy_sum.size());
  std::atomic<bool> all_finite = true;
  ForEachPart(noisy_sum.size(), kSumsPerBlock, num_threads_, [&](size_t begin, size_t end, size_t) {
    if (!UpdateEntries(noisy_sum, begin, end, updated)) all_finite = false;
  });
  if (!all_finite) return SumError(noisy_sum, updated, params_.shape.vocabulary_size);
  state_.topics = std::move(updated);
  ++state_.updates;
  return absl::OkStatus();
}

bool PaperMStep::UpdateEntries(absl::Span<const float> noisy_sum, size_t begin, size_t end,
                               std::vector<float>& updated) const {
  const double rho = NextStepSize();
  const double rate = params_.shape.sampling_rate;
  const double prior = params_.shape.topic_term_prior;
  const float* const sums = noisy_sum.data();
  const float* const before = state_.topics.data();
  float* const after = updated.data();
  int bad = 0;  // without a branch the loop is vectorised
  for (size_t i = begin; i < end; ++i) {
    const double of_corpus = sums[i] / rate;
    // The paper's: counts are never below 0, so a negative sum is noise.
    const double estimate = (of_corpus < 0 ? 0 : of_corpus) + prior;
    after[i] = static_cast<float>((1 - rho) * before[i] + rho * estimate);
    bad |= static_cast<int>(!(std::fabs(sums[i]) <= kLargestFinite));
    bad |= static_cast<int>(!(std::fabs(after[i]) <= kLargestFinite));
  }
  return bad == 0;
}

TopicModel PaperMStep::Model() const {
  const MStepShape& shape = params_.shape;
  // Holds a value: shape and entries keep the model's rules by construction.
  return *TopicModel::Create({.num_topics = shape.num_topics,
                              .vocabulary_size = shape.vocabulary_size,
                              .document_topic_prior = shape.document_topic_prior,
                              .topic_term_prior = shape.topic_term_prior,
                              .topic_parameters = state_.topics});
}

LogTopics PaperMStep::NextLogTopics() const { return ExpectedLogBeta(Model(), num_threads_); }

double PaperMStep::NextStepSize() const {
  const auto t = static_cast<double>(state_.updates + 1);
  // Not libm's pow, whose last bit depends on the processor. τ0 + t >= 1, so the logarithm is >= 0.
  return PortableExp(-params_.kappa * FastestArrayMath().log(params_.tau0 + t));
}

}  // namespace topicwall::lda
