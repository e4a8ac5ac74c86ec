#include "client/fit/checkpoint.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/initial_model.h"
#include "model/lda/denoise/denoised_trainer.h"
#include "model/lda/topics/initial_topics.h"
#include "model/lda/topics/log_topics.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

// The cap that the measurements behind the defaults of `fit` were made with.
constexpr int kEStepIterations = 20;
constexpr double kMeanChangeThreshold = 1e-3;
constexpr double kDenoisedMeanChangeThreshold = 1e-2;
constexpr double kLaterStepSize = 0.3;
constexpr double kPaperTau0 = 1024;
constexpr double kPaperKappa = 0.7;

absl::Status NoCheckpoint(absl::string_view path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, " is no readable checkpoint: ", why, "."));
}

bool HasRequest(const v1::FitPlan& plan) {
  return plan.request_id().size() == kRequestIdSize && plan.plan().lda().num_topics() >= 1;
}

// The release that comes before those of the topics.
bool HasUnigram(const v1::CheckpointFile& checkpoint) { return !checkpoint.unigram_sums().empty(); }

// What the algorithm keeps of K×V and V after so many iterations.
bool HasItsState(const v1::CheckpointFile& checkpoint) {
  const auto topics = static_cast<size_t>(checkpoint.topics().plan().lda().num_topics());
  const auto terms = static_cast<size_t>(checkpoint.vocabulary_size());
  const bool denoised = checkpoint.algorithm() == kDenoised;
  const bool has_counts = HasUnigram(checkpoint);
  if (denoised != checkpoint.has_unigram() || (has_counts && !denoised)) return false;
  const auto counted = has_counts ? terms : 0;
  if (static_cast<size_t>(checkpoint.unigram_sums_size()) != counted ||
      static_cast<size_t>(checkpoint.unigram_precisions_size()) != counted) {
    return false;
  }
  const int64_t flat = lda::FlatIterations(checkpoint.topics().plan().iterations());
  const bool empty = denoised && checkpoint.iterations_done() <= flat;
  return checkpoint.state().size() == (empty ? 0 : topics * terms * sizeof(float)) &&
         static_cast<size_t>(checkpoint.noise_variances_size()) == (denoised && !empty ? terms : 0);
}

// Each step only after the one before.
bool IsInOrder(const v1::CheckpointFile& checkpoint) {
  const v1::FitPlan& topics = checkpoint.topics();
  if (checkpoint.iterations_done() < 0 ||
      checkpoint.iterations_done() > topics.plan().iterations() ||
      (checkpoint.iterations_done() > 0 && topics.plan_id().empty())) {
    return false;
  }
  if (!checkpoint.has_unigram()) return true;
  const bool has_counts = HasUnigram(checkpoint);
  return (!has_counts || !checkpoint.unigram().plan_id().empty()) &&
         (has_counts || topics.plan_id().empty());
}

absl::StatusOr<v1::FitPlan> NewPlan(const v1::PlanSpec& plan) {
  v1::FitPlan fit_plan;
  *fit_plan.mutable_plan() = plan;
  TW_ASSIGN_OR_RETURN(*fit_plan.mutable_request_id(), NewRequestId());
  return fit_plan;
}

// Numbers that this program, and the wall's limits, decide.
absl::Status SetConstants(const v1::CorpusDescription& description,
                          v1::CheckpointFile& checkpoint) {
  const int num_topics = checkpoint.topics().plan().lda().num_topics();
  const bool denoised = checkpoint.algorithm() == kDenoised;
  if (!denoised) checkpoint.set_topic_word_prior(1.0 / num_topics);
  checkpoint.set_max_e_step_iterations(
      std::min(kEStepIterations, description.limits().max_e_step_iterations()));
  checkpoint.set_mean_change_threshold(denoised ? kDenoisedMeanChangeThreshold
                                                : kMeanChangeThreshold);
  if (checkpoint.algorithm() == kPaper) {
    checkpoint.set_step_offset(kPaperTau0);
    checkpoint.set_step_decay(kPaperKappa);
  } else if (!denoised) {
    checkpoint.set_averaging_rate(kLaterStepSize);
  }
  if (denoised)
    return lda::CheckTopicShape(num_topics, static_cast<int>(checkpoint.vocabulary_size()));
  TW_ASSIGN_OR_RETURN(const std::vector<float> topics,
                      lda::RandomTopics(num_topics, static_cast<int>(checkpoint.vocabulary_size()),
                                        checkpoint.seed()));
  checkpoint.set_state(proto::FloatsToLittleEndian(topics));
  // Whatever lda would refuse later must be refused before anything is paid.
  return RestoreAlgorithm(checkpoint).status();
}

}  // namespace

absl::StatusOr<std::string> NewRequestId() {
  std::string id(kRequestIdSize, '\0');
  ssize_t got;
  do {
    got = ::getrandom(id.data(), id.size(), 0);
  } while (got < 0 && errno == EINTR);
  // The system call never splits a request this short.
  if (got != static_cast<ssize_t>(id.size())) {
    return absl::UnavailableError("the operating system gave no random bytes. Try again.");
  }
  return id;
}

absl::StatusOr<v1::CheckpointFile> NewCheckpoint(const FitPlans& plans,
                                                 const v1::CorpusDescription& description,
                                                 const FitChoices& choices) {
  TW_RETURN_IF_ERROR(CheckAlgorithmName(plans.algorithm));
  if (plans.unigram.has_value() != (plans.algorithm == kDenoised)) {
    return absl::InvalidArgumentError("a plan for the unigram belongs to algorithm denoised.");
  }
  if (!(description.vocabulary_size() <= std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the vocabulary must have fewer than 2^31 terms; got ",
                     description.vocabulary_size(), "."));
  }
  v1::CheckpointFile checkpoint;
  checkpoint.set_format_version(kCheckpointFormatVersion);
  TW_ASSIGN_OR_RETURN(*checkpoint.mutable_topics(), NewPlan(plans.topics));
  if (plans.unigram.has_value()) {
    TW_ASSIGN_OR_RETURN(*checkpoint.mutable_unigram(), NewPlan(*plans.unigram));
  }
  checkpoint.set_algorithm(plans.algorithm);
  checkpoint.set_vocabulary_size(description.vocabulary_size());
  checkpoint.set_clip_norm(plans.algorithm == kDenoised
                               ? lda::FirstClipNorm(plans.topics.lda().num_topics(),
                                                    lda::FlatIterations(plans.topics.iterations()),
                                                    choices.clip_norm)
                               : choices.clip_norm);
  checkpoint.set_first_clip_norm(choices.clip_norm);
  checkpoint.set_seed(choices.seed);
  if (choices.warm_start.has_value()) {
    *checkpoint.mutable_warm_start() = *choices.warm_start;
    if (!IsSoundWarmStart(checkpoint)) {
      return absl::InvalidArgumentError(
          "an initial model belongs to algorithm denoised, with as many topics at most.");
    }
  }
  TW_RETURN_IF_ERROR(SetConstants(description, checkpoint));
  return checkpoint;
}

absl::StatusOr<v1::CheckpointFile> ParseCheckpoint(absl::string_view bytes,
                                                   absl::string_view path) {
  v1::CheckpointFile checkpoint;
  if (!checkpoint.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return NoCheckpoint(path, "its bytes do not parse");
  }
  if (checkpoint.format_version() != kCheckpointFormatVersion) {
    return NoCheckpoint(
        path, absl::StrCat("format_version must be ", kCheckpointFormatVersion, "; got ",
                           checkpoint.format_version(),
                           ". Finish the fit with the version of topicwall that began it"));
  }
  const absl::Status name = CheckAlgorithmName(checkpoint.algorithm());
  if (!name.ok()) return NoCheckpoint(path, absl::StripSuffix(name.message(), "."));
  if (!HasRequest(checkpoint.topics()) || checkpoint.vocabulary_size() < 1 ||
      checkpoint.vocabulary_size() > std::numeric_limits<int>::max() ||
      (checkpoint.has_unigram() && !HasRequest(checkpoint.unigram())) || !HasItsState(checkpoint) ||
      !IsSoundWarmStart(checkpoint)) {
    return NoCheckpoint(path, "its request, plan or state is incomplete");
  }
  if (!IsInOrder(checkpoint)) return NoCheckpoint(path, "its iterations contradict its plan");
  return checkpoint;
}

}  // namespace topicwall::client
