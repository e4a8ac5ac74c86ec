// The life of a denoised fit, as its state tells it:
//   1. no unigram yet: one topic, flat ℓ and a C of its own are asked for, and TakeIn makes p of
//      the answer;
//   2. BeginStage of the topics: p gives the term weights and decides the warm start. Both are
//      durable before the plan is reserved;
//   3. from there on the trainer holds all that changes, and state_ what the fit began with.
// Restore makes the same object at any point of it. How many updates the trainer has had, and how
// many are in its average, is computed from the stage's iterations and not kept beside them: two
// counters could disagree after a crash, one cannot.
#include "client/fit/algorithms/denoised_fit.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "client/fit/algorithms/denoised_state.h"
#include "client/fit/anchors.h"
#include "client/fit/initial_model.h"
#include "client/wall/topics_asked.h"
#include "model/lda/denoise/clip_choice.h"
#include "model/lda/denoise/denoised_trainer.h"
#include "model/lda/denoise/private_unigram.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

class DenoisedAlgorithm : public FitAlgorithm {
 public:
  DenoisedAlgorithm(const v1::CheckpointFile& checkpoint, v1::DenoisedState state,
                    const lda::DenoisedRecipe& recipe)
      : spec_(checkpoint.spec()),
        recipe_(recipe),
        vocabulary_size_(static_cast<int>(checkpoint.vocabulary_size())),
        state_(std::move(state)) {}

  // The topics, after so many iterations of their plan, which is complete.
  absl::Status BeginTopics(const v1::ReleaseSpec& plan, int iterations_done) {
    // The warm-up's releases say nothing of topics and are not in the average.
    const int64_t averaged = iterations_done - lda::WarmUpIterations(plan.iterations());
    lda::RunningStatisticState average = {
        .updates = std::max<int64_t>(0, averaged),
        .values = {},
        .noise_variances = {state_.noise_variances().begin(), state_.noise_variances().end()},
        .mass_variances = {state_.mass_variances().begin(), state_.mass_variances().end()}};
    TW_ASSIGN_OR_RETURN(average.values, proto::FloatsFromLittleEndian(state_.average()));
    // As they were reserved. Made anew from p they would be others: the warm-up has refined it
    // since, and the wall clips with those of the plan.
    TW_ASSIGN_OR_RETURN(std::vector<float> weights, proto::FloatsFromLittleEndian(plan.weights()));
    // None of a warm start that was dropped.
    TW_ASSIGN_OR_RETURN(std::vector<float> initial_topics,
                        proto::FloatsFromLittleEndian(state_.warm_start().topics()));
    TW_ASSIGN_OR_RETURN(const lda::PrivateUnigram unigram, UnigramOf(state_, vocabulary_size_));
    const v1::LdaOptions topics = TopicsOf(plan);
    TW_ASSIGN_OR_RETURN(trainer_, lda::DenoisedTrainer::Create(
                                      {.num_topics = topics.num_topics(),
                                       .vocabulary_size = vocabulary_size_,
                                       .num_iterations = plan.iterations(),
                                       .document_topic_prior =
                                           lda::DocumentTopicPrior(topics.document_topic_prior()),
                                       .sampling_rate = plan.sampling_rate(),
                                       .first_clip_norm = spec_.clip_norm(),
                                       .term_weights = std::move(weights),
                                       .seed = spec_.seed(),
                                       .num_threads = lda::NumProcessors(),
                                       .recipe = RecipeOf(plan),
                                       .initial_topics = std::move(initial_topics),
                                       .anchors = AnchorTermsOf(state_),
                                       .related_terms = RelatedTermsOf(state_)},
                                      {.updates = iterations_done,
                                       .unigram = unigram.state(),
                                       .average = std::move(average),
                                       .clip_norm = state_.clip_norm(),
                                       .direction_noise = state_.direction_noise()}));
    return absl::OkStatus();
  }

  // Of the topics: the term weights, and whether the initial model is used, with its α.
  absl::StatusOr<v1::ReleaseSpec> BeginStage(int stage, v1::ReleaseSpec plan) override {
    if (stage == kUnigramStage) return plan;
    TW_ASSIGN_OR_RETURN(const lda::PrivateUnigram unigram, UnigramOf(state_, vocabulary_size_));
    TW_ASSIGN_OR_RETURN(const std::vector<double> probabilities,
                        unigram.Probabilities(RelatedTermsOf(state_)));
    TW_ASSIGN_OR_RETURN(*plan.mutable_weights(), TermWeightsOf(probabilities));
    if (state_.has_warm_start()) {
      TW_ASSIGN_OR_RETURN(*state_.mutable_warm_start(),
                          DecideWarmStart(state_.warm_start(), probabilities,
                                          {.num_topics = spec_.num_topics(),
                                           .seed = spec_.seed(),
                                           .gamma_shape = recipe_.gamma_shape}));
      // α is among the options, on which no price depends: the plan still costs what was agreed to.
      const auto& alphas = state_.warm_start().document_topic_prior();
      if (!alphas.empty()) {
        v1::LdaOptions topics = TopicsOf(plan);
        *topics.mutable_document_topic_prior() = alphas;
        AskTopics(kLda, topics, &plan);
      }
    }
    // As the initial state has it, but of a plan that may be shorter by now (trainer.h).
    state_.set_clip_norm(lda::FirstClipNorm(
        spec_.num_topics(), lda::WarmUpIterations(plan.iterations()), spec_.clip_norm()));
    // Before the plan is reserved, so that weights or topics that the trainer refuses cost nothing
    // more.
    TW_RETURN_IF_ERROR(BeginTopics(plan, 0));
    return plan;
  }

  absl::StatusOr<std::vector<float>> NextParameters() const override {
    if (trainer_.has_value()) return trainer_->NextLogTopics().TakeValues();
    TW_ASSIGN_OR_RETURN(lda::LogTopics uniform, lda::UniformLogTopics(1, vocabulary_size_));
    return std::move(uniform).TakeValues();
  }
  double clip_norm() const override {
    return trainer_.has_value() ? trainer_->clip_norm() : kUnigramClipNorm;
  }
  double direction_noise() const override {
    return trainer_.has_value() ? trainer_->direction_noise() : 0;
  }

  absl::Status TakeIn(const Release& release) override {
    const v1::ReleaseHeader& header = release.header;
    if (trainer_.has_value()) {
      return trainer_->Update(
          {.noisy_sum = release.statistics,
           .noise_deviation = header.noise_standard_deviation(),
           .norm_histogram = header.norm_histogram(),
           .histogram_noise_deviation = header.histogram_noise_standard_deviation(),
           .direction_noise = header.direction_noise()});
    }
    TW_ASSIGN_OR_RETURN(lda::PrivateUnigram unigram,
                        lda::PrivateUnigram::Create(vocabulary_size_, {}));
    // Counts that are mere noise are an error here. The fit then ends with one release paid of J +
    // 1, and so does every resumption: it reads the same release again, free, and comes to the same
    // end.
    TW_RETURN_IF_ERROR(unigram.Add({.noisy_counts = release.statistics,
                                    .noise_deviation = header.noise_standard_deviation()}));
    SaveUnigram(unigram.state(), state_);
    return absl::OkStatus();
  }

  std::string State() const override {
    if (!trainer_.has_value()) return state_.SerializeAsString();
    const lda::DenoisedTrainerState trained = trainer_->state();
    v1::DenoisedState state;
    SaveUnigram(trained.unigram, state);
    state.set_average(proto::FloatsToLittleEndian(trained.average.values));
    state.mutable_noise_variances()->Assign(trained.average.noise_variances.begin(),
                                            trained.average.noise_variances.end());
    state.set_clip_norm(trained.clip_norm);
    state.set_direction_noise(trained.direction_noise);
    state.mutable_mass_variances()->Assign(trained.average.mass_variances.begin(),
                                           trained.average.mass_variances.end());
    if (state_.has_warm_start()) *state.mutable_warm_start() = state_.warm_start();
    *state.mutable_anchors() = state_.anchors();
    *state.mutable_related_terms() = state_.related_terms();
    return state.SerializeAsString();
  }

  // The warm-up's releases are counts of words.
  bool HasTopics() const override {
    return trainer_.has_value() && trainer_->state().average.updates > 0;
  }
  std::optional<lda::TopicModel> Model() const override { return trainer_->Model(); }
  void Annotate(const v1::CheckpointFile& fit, v1::ModelFile& model) const override {
    model.set_unigram_plan_id(fit.stages(kUnigramStage).plan().plan_id());
    const lda::NoisyTopics noisy = trainer_->noisy_topics();
    const auto unigram = trainer_->term_probabilities();
    model.mutable_term_probabilities()->Assign(unigram.begin(), unigram.end());
    model.set_noisy_statistics(proto::FloatsToLittleEndian(noisy.values));
    model.mutable_noise_deviations()->Assign(noisy.noise_deviations.begin(),
                                             noisy.noise_deviations.end());
    model.mutable_mass_deviations()->Assign(noisy.mass_deviations.begin(),
                                            noisy.mass_deviations.end());
    if (!state_.has_warm_start()) return;
    *model.mutable_warm_start() = state_.warm_start();
    // They are in the earlier model, and as large as this one.
    model.mutable_warm_start()->clear_topics();
    model.mutable_warm_start()->clear_document_topic_prior();
  }

 private:
  // A wall takes noise along topics with a noise multiplier of 1 or more alone (proto/wall.proto),
  // and with 2 of as many units as one may state (2^31): a fit must not be refused when it has
  // paid.
  lda::DenoisedRecipe RecipeOf(const v1::ReleaseSpec& plan) const {
    lda::DenoisedRecipe recipe = recipe_;
    if (plan.gaussian().noise_multiplier() < 2) recipe.direction_noise = 0;
    return recipe;
  }

  const v1::FitSpec spec_;
  const lda::DenoisedRecipe recipe_;
  const int vocabulary_size_;
  v1::DenoisedState state_;  // once there is a trainer, of what the fit began with alone
  std::optional<lda::DenoisedTrainer> trainer_;  // from the beginning of the topics on
};

}  // namespace

absl::StatusOr<std::vector<v1::FitStage>> DenoisedStages(
    const v1::ReleaseSpec& topics, const FitSpec& spec,
    const v1::CorpusDescription& /*description*/) {
  TW_ASSIGN_OR_RETURN(DenoisedPlans plans, PlanDenoised(topics, *spec.noise_multiplier));
  std::vector<v1::FitStage> stages(2);
  stages[kUnigramStage].set_name("unigram");
  *stages[kUnigramStage].mutable_plan()->mutable_plan() = std::move(plans.unigram);
  stages[kTopicsStage].set_name("topics");
  *stages[kTopicsStage].mutable_plan()->mutable_plan() = std::move(plans.topics);
  return stages;
}

absl::StatusOr<v1::DenoisedState> InitialDenoisedState(const FitSpec& spec,
                                                       const lda::Vocabulary& vocabulary) {
  // The first release has one topic and would not find out that K·V is too large.
  TW_RETURN_IF_ERROR(lda::CheckTopicShape(*spec.num_topics, static_cast<int>(vocabulary.size())));
  v1::DenoisedState state;
  state.set_clip_norm(lda::FirstClipNorm(*spec.num_topics, lda::WarmUpIterations(*spec.iterations),
                                         *spec.clip_norm));
  if (spec.initial_model != nullptr) {
    TW_ASSIGN_OR_RETURN(*state.mutable_warm_start(),
                        NewWarmStart(*spec.initial_model, vocabulary, *spec.num_topics));
  }
  TW_ASSIGN_OR_RETURN(const lda::AnchorTerms anchors,
                      AnchorTermsOf(spec.anchors, vocabulary, *spec.num_topics));
  for (const std::vector<uint32_t>& terms : anchors) {
    state.add_anchors()->mutable_terms()->Assign(terms.begin(), terms.end());
  }
  SaveRelatedTerms(lda::FindRelatedTerms(vocabulary.terms()), state);
  return state;
}

absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestoreDenoised(const v1::CheckpointFile& checkpoint,
                                                              const lda::DenoisedRecipe& recipe) {
  v1::DenoisedState state;
  if (!state.ParseFromString(checkpoint.state()) || !IsOfItsStages(state, checkpoint)) {
    return absl::InvalidArgumentError(
        "the checkpoint's state is not one of algorithm denoised: its bytes do not parse, or "
        "contradict its stages.");
  }
  // Of its shape, or what follows refuses it.
  TW_RETURN_IF_ERROR(UnigramOf(state, static_cast<int>(checkpoint.vocabulary_size())).status());
  auto algorithm = std::make_unique<DenoisedAlgorithm>(checkpoint, std::move(state), recipe);
  const v1::FitStage& topics = checkpoint.stages(kTopicsStage);
  if (!topics.plan().request_id().empty()) {
    TW_RETURN_IF_ERROR(algorithm->BeginTopics(topics.plan().plan(), topics.iterations_done()));
  }
  return algorithm;
}

FitMethod DenoisedMethod() {
  return {.name = kDenoised,
          .iterations = kMostUsefulIterations,
          .sampling_rate = 1,
          .clip_norm = 0.7,
          .total_prior = kDenoisedTotalPrior,
          .mean_change_threshold = 1e-2,
          .releases_beside = 1,
          .stages = DenoisedStages,
          .initial_state = [](const FitSpec& spec,
                              const lda::Vocabulary& vocabulary) -> absl::StatusOr<std::string> {
            TW_ASSIGN_OR_RETURN(const v1::DenoisedState state,
                                InitialDenoisedState(spec, vocabulary));
            return state.SerializeAsString();
          },
          .restore =
              [](const v1::CheckpointFile& checkpoint) { return RestoreDenoised(checkpoint, {}); },
          .takes_anchors = true,
          .can_be_planned = true};
}

}  // namespace topicwall::client
