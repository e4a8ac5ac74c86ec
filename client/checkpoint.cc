#include "client/checkpoint.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/status_macros.h"
#include "lda/initial_topics.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

// The cap that the measurements behind the defaults of `fit` were made with.
constexpr int kEStepIterations = 20;
constexpr double kMeanChangeThreshold = 1e-3;
constexpr double kLaterStepSize = 0.3;
constexpr double kPaperTau0 = 1024;
constexpr double kPaperKappa = 0.7;

absl::Status NoCheckpoint(absl::string_view path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, " is no readable checkpoint: ", why, "."));
}

bool IsMStepName(absl::string_view name) { return name == kSignedAverage || name == kPaper; }

absl::Status UnknownMStep(absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("m-step must be ", kSignedAverage, " or ", kPaper, "; got \"", name, "\"."));
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

absl::StatusOr<v1::CheckpointFile> NewCheckpoint(const v1::PlanSpec& plan,
                                                 const v1::CorpusDescription& description,
                                                 const FitChoices& choices) {
  if (!IsMStepName(choices.m_step)) return UnknownMStep(choices.m_step);
  const int num_topics = plan.lda().num_topics();
  if (!(description.vocabulary_size() <= std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the vocabulary must have fewer than 2^31 terms; got ",
                     description.vocabulary_size(), "."));
  }
  TW_ASSIGN_OR_RETURN(
      const std::vector<float> topics,
      lda::RandomTopics(num_topics, static_cast<int>(description.vocabulary_size()), choices.seed));
  v1::CheckpointFile checkpoint;
  checkpoint.set_format_version(kCheckpointFormatVersion);
  TW_ASSIGN_OR_RETURN(*checkpoint.mutable_request_id(), NewRequestId());
  *checkpoint.mutable_plan() = plan;
  checkpoint.set_m_step(choices.m_step);
  checkpoint.set_clip_norm(choices.clip_norm);
  checkpoint.set_topic_word_prior(1.0 / num_topics);
  checkpoint.set_max_e_step_iterations(
      std::min(kEStepIterations, description.limits().max_e_step_iterations()));
  checkpoint.set_mean_change_threshold(kMeanChangeThreshold);
  checkpoint.set_seed(choices.seed);
  checkpoint.set_state(proto::FloatsToLittleEndian(topics));
  if (choices.m_step == kPaper) {
    checkpoint.set_step_offset(kPaperTau0);
    checkpoint.set_step_decay(kPaperKappa);
  } else {
    checkpoint.set_averaging_rate(kLaterStepSize);
  }
  // Whatever lda would refuse later must be refused before anything is paid.
  TW_RETURN_IF_ERROR(RestoreMStep(checkpoint).status());
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
  const int topics = checkpoint.plan().lda().num_topics();
  const size_t row = static_cast<size_t>(std::max(topics, 0)) * sizeof(float);
  if (checkpoint.request_id().size() != kRequestIdSize || topics < 1 ||
      checkpoint.state().empty() || checkpoint.state().size() % row != 0) {
    return NoCheckpoint(path, "its request, plan or state is incomplete");
  }
  if (checkpoint.iterations_done() < 0 ||
      checkpoint.iterations_done() > checkpoint.plan().iterations() ||
      (checkpoint.iterations_done() > 0 && checkpoint.plan_id().empty())) {
    return NoCheckpoint(path, "its iterations contradict its plan");
  }
  if (!IsMStepName(checkpoint.m_step())) {
    return NoCheckpoint(path, UnknownMStep(checkpoint.m_step()).message());
  }
  return checkpoint;
}

int64_t VocabularySizeOf(const v1::CheckpointFile& checkpoint) {
  const int64_t topics = checkpoint.plan().lda().num_topics();
  return static_cast<int64_t>(checkpoint.state().size() / sizeof(float)) / topics;
}

absl::StatusOr<std::unique_ptr<lda::MStep>> RestoreMStep(const v1::CheckpointFile& checkpoint) {
  lda::MStepState state = {.updates = checkpoint.iterations_done(), .topics = {}};
  TW_ASSIGN_OR_RETURN(state.topics, proto::FloatsFromLittleEndian(checkpoint.state()));
  const v1::PlanSpec& plan = checkpoint.plan();
  const lda::MStepShape shape = {.num_topics = plan.lda().num_topics(),
                                 .vocabulary_size = static_cast<int>(VocabularySizeOf(checkpoint)),
                                 .document_topic_prior = plan.lda().document_topic_prior(),
                                 .topic_term_prior = checkpoint.topic_word_prior(),
                                 .sampling_rate = plan.sampling_rate()};
  if (checkpoint.m_step() == kPaper) {
    TW_ASSIGN_OR_RETURN(
        std::unique_ptr<lda::PaperMStep> m_step,
        lda::PaperMStep::Create(
            {.shape = shape, .tau0 = checkpoint.step_offset(), .kappa = checkpoint.step_decay()},
            std::move(state)));
    return m_step;
  }
  if (checkpoint.m_step() != kSignedAverage) return UnknownMStep(checkpoint.m_step());
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<lda::SignedAverageMStep> m_step,
      lda::SignedAverageMStep::Create(
          {.shape = shape, .later_step_size = checkpoint.averaging_rate()}, std::move(state)));
  return m_step;
}

void SaveMStep(const lda::MStep& m_step, v1::CheckpointFile& checkpoint) {
  checkpoint.set_iterations_done(static_cast<int32_t>(m_step.state().updates));
  checkpoint.set_state(proto::FloatsToLittleEndian(m_step.state().topics));
}

}  // namespace topicwall::client
