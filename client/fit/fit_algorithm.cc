#include "client/fit/fit_algorithm.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/for_each_block.h"
#include "base/status_macros.h"
#include "model/lda/denoise/denoised_trainer.h"
#include "model/lda/denoise/private_unigram.h"
#include "model/lda/topics/m_step.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

lda::PrivateUnigramState UnigramStateOf(const v1::CheckpointFile& checkpoint) {
  return {.sums = {checkpoint.unigram_sums().begin(), checkpoint.unigram_sums().end()},
          .precisions = {checkpoint.unigram_precisions().begin(),
                         checkpoint.unigram_precisions().end()}};
}

void SaveUnigram(const lda::PrivateUnigramState& state, v1::CheckpointFile& checkpoint) {
  checkpoint.mutable_unigram_sums()->Assign(state.sums.begin(), state.sums.end());
  checkpoint.mutable_unigram_precisions()->Assign(state.precisions.begin(), state.precisions.end());
}

class MStepAlgorithm : public FitAlgorithm {
 public:
  explicit MStepAlgorithm(std::unique_ptr<lda::MStep> m_step) : m_step_(std::move(m_step)) {
    m_step_->UseThreads(lda::NumProcessors());
  }

  lda::LogTopics NextLogTopics() const override { return m_step_->NextLogTopics(); }
  absl::Status TakeIn(const Release& release) override {
    return m_step_->Update(release.statistics);
  }
  void Save(v1::CheckpointFile& checkpoint) const override {
    checkpoint.set_iterations_done(static_cast<int32_t>(m_step_->state().updates));
    checkpoint.set_state(proto::FloatsToLittleEndian(m_step_->state().topics));
  }
  lda::TopicModel Model() const override { return m_step_->Model(); }
  void Annotate(v1::ModelFile&) const override {}

 private:
  std::unique_ptr<lda::MStep> m_step_;
};

class DenoisedAlgorithm : public FitAlgorithm {
 public:
  explicit DenoisedAlgorithm(lda::DenoisedTrainer trainer) : trainer_(std::move(trainer)) {}

  lda::LogTopics NextLogTopics() const override { return trainer_.NextLogTopics(); }
  absl::Status TakeIn(const Release& release) override {
    const v1::ReleaseHeader& header = release.header;
    return trainer_.Update(
        {.noisy_sum = release.statistics,
         .noise_deviation = header.noise_standard_deviation(),
         .norm_histogram = header.norm_histogram(),
         .histogram_noise_deviation = header.histogram_noise_standard_deviation()});
  }
  void Save(v1::CheckpointFile& checkpoint) const override {
    const lda::DenoisedTrainerState state = trainer_.state();
    checkpoint.set_iterations_done(static_cast<int32_t>(state.updates));
    SaveUnigram(state.unigram, checkpoint);
    checkpoint.set_state(proto::FloatsToLittleEndian(state.average.values));
    checkpoint.mutable_noise_variances()->Assign(state.average.noise_variances.begin(),
                                                 state.average.noise_variances.end());
    checkpoint.set_clip_norm(state.clip_norm);
  }
  lda::TopicModel Model() const override { return trainer_.Model(); }
  void Annotate(v1::ModelFile& model) const override {
    const lda::NoisyTopics noisy = trainer_.noisy_topics();
    const absl::Span<const double> unigram = trainer_.term_probabilities();
    model.mutable_term_probabilities()->Assign(unigram.begin(), unigram.end());
    model.set_noisy_statistics(proto::FloatsToLittleEndian(noisy.values));
    model.mutable_noise_deviations()->Assign(noisy.noise_deviations.begin(),
                                             noisy.noise_deviations.end());
  }

 private:
  lda::DenoisedTrainer trainer_;
};

absl::StatusOr<std::unique_ptr<lda::MStep>> RestoreMStep(const v1::CheckpointFile& checkpoint) {
  lda::MStepState state = {.updates = checkpoint.iterations_done(), .topics = {}};
  TW_ASSIGN_OR_RETURN(state.topics, proto::FloatsFromLittleEndian(checkpoint.state()));
  const v1::PlanSpec& plan = checkpoint.topics().plan();
  const lda::DocumentTopicPrior prior(plan.lda().document_topic_prior());
  const lda::MStepShape shape = {.num_topics = plan.lda().num_topics(),
                                 .vocabulary_size = static_cast<int>(checkpoint.vocabulary_size()),
                                 .document_topic_prior = prior,
                                 .topic_term_prior = checkpoint.topic_word_prior(),
                                 .sampling_rate = plan.sampling_rate()};
  if (checkpoint.algorithm() == kPaper) {
    TW_ASSIGN_OR_RETURN(
        std::unique_ptr<lda::PaperMStep> m_step,
        lda::PaperMStep::Create(
            {.shape = shape, .tau0 = checkpoint.step_offset(), .kappa = checkpoint.step_decay()},
            std::move(state)));
    return m_step;
  }
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<lda::SignedAverageMStep> m_step,
      lda::SignedAverageMStep::Create(
          {.shape = shape, .later_step_size = checkpoint.averaging_rate()}, std::move(state)));
  return m_step;
}

// Of a warm start that is used; else none.
absl::StatusOr<std::vector<float>> InitialTopicsOf(const v1::CheckpointFile& checkpoint) {
  const v1::WarmStart& start = checkpoint.warm_start();
  if (start.outcome() != v1::WarmStart::OUTCOME_USED) return std::vector<float>();
  return proto::FloatsFromLittleEndian(start.topics());
}

absl::StatusOr<lda::DenoisedTrainer> RestoreTrainer(const v1::CheckpointFile& checkpoint) {
  const v1::PlanSpec& plan = checkpoint.topics().plan();
  const int64_t flat = lda::FlatIterations(plan.iterations());
  const int64_t updates = checkpoint.iterations_done();
  lda::RunningStatisticState average = {.updates = std::max<int64_t>(0, updates - flat),
                                        .values = {},
                                        .noise_variances = {checkpoint.noise_variances().begin(),
                                                            checkpoint.noise_variances().end()}};
  TW_ASSIGN_OR_RETURN(average.values, proto::FloatsFromLittleEndian(checkpoint.state()));
  TW_ASSIGN_OR_RETURN(std::vector<float> weights,
                      proto::FloatsFromLittleEndian(plan.term_weights()));
  TW_ASSIGN_OR_RETURN(std::vector<float> initial_topics, InitialTopicsOf(checkpoint));
  return lda::DenoisedTrainer::Create(
      {.num_topics = plan.lda().num_topics(),
       .vocabulary_size = static_cast<int>(checkpoint.vocabulary_size()),
       .num_iterations = plan.iterations(),
       .document_topic_prior = lda::DocumentTopicPrior(plan.lda().document_topic_prior()),
       .sampling_rate = plan.sampling_rate(),
       .first_clip_norm = checkpoint.first_clip_norm(),
       .term_weights = std::move(weights),
       .seed = checkpoint.seed(),
       .num_threads = lda::NumProcessors(),
       .initial_topics = std::move(initial_topics)},
      {.updates = updates,
       .unigram = UnigramStateOf(checkpoint),
       .average = std::move(average),
       .clip_norm = checkpoint.clip_norm()});
}

}  // namespace

absl::Status CheckAlgorithmName(absl::string_view name) {
  if (name == kDenoised || name == kSignedAverage || name == kPaper) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("algorithm must be ", kDenoised, ", ",
                                                 kSignedAverage, " or ", kPaper, "; got \"", name,
                                                 "\"."));
}

absl::Status BeginUnigram(const Release& release, v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(
      lda::PrivateUnigram unigram,
      lda::PrivateUnigram::Create(static_cast<int>(checkpoint.vocabulary_size()), {}));
  TW_RETURN_IF_ERROR(unigram.Add({.noisy_counts = release.statistics,
                                  .noise_deviation = release.header.noise_standard_deviation()}));
  SaveUnigram(unigram.state(), checkpoint);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> UnigramOf(const v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(const lda::PrivateUnigram unigram,
                      lda::PrivateUnigram::Create(static_cast<int>(checkpoint.vocabulary_size()),
                                                  UnigramStateOf(checkpoint)));
  return unigram.Probabilities();
}

absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestoreAlgorithm(
    const v1::CheckpointFile& checkpoint) {
  TW_RETURN_IF_ERROR(CheckAlgorithmName(checkpoint.algorithm()));
  if (checkpoint.algorithm() == kDenoised) {
    TW_ASSIGN_OR_RETURN(lda::DenoisedTrainer trainer, RestoreTrainer(checkpoint));
    return std::make_unique<DenoisedAlgorithm>(std::move(trainer));
  }
  TW_ASSIGN_OR_RETURN(std::unique_ptr<lda::MStep> m_step, RestoreMStep(checkpoint));
  return std::make_unique<MStepAlgorithm>(std::move(m_step));
}

}  // namespace topicwall::client
