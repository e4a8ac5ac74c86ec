// A fit of topics in the clothes of a mixture: plans, parameters, releases and state are translated
// on their way between the trainer, which knows a mixture, and the algorithm inside, which knows
// topics. What the translation adds is a column of documents and what follows from it, π.
#include "client/fit/algorithms/mixture_fit.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "client/fit/algorithms/denoised_fit.h"
#include "client/wall/topics_asked.h"
#include "model/lda/topics/step_size.h"
#include "model/mixture/component_weights.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

// As a plan of topics, whose options are of no effect beside K.
v1::ReleaseSpec AsTopics(v1::ReleaseSpec plan) {
  v1::LdaOptions topics;
  topics.set_num_topics(NumTopics(plan));
  topics.add_document_topic_prior(kDenoisedTotalPrior / std::max(1, NumTopics(plan)));
  topics.set_max_iterations(1);
  AskTopics(kLda, topics, &plan);
  // Without the documents' own, which is the last.
  std::string& weights = *plan.mutable_weights();
  weights.resize(weights.size() - std::min(weights.size(), sizeof(float)));
  return plan;
}

v1::ReleaseSpec AsMixture(v1::ReleaseSpec plan) {
  v1::MixtureOptions options;
  options.set_num_components(NumTopics(plan));
  plan.set_model(kMultinomialMixture);
  plan.set_options(options.SerializeAsString());
  if (!plan.weights().empty()) {
    plan.mutable_weights()->append(proto::FloatsToLittleEndian({kDocumentWeight}));
  }
  return plan;
}

class MixtureAlgorithm : public FitAlgorithm {
 public:
  MixtureAlgorithm(std::unique_ptr<FitAlgorithm> topics, mixture::ComponentWeights weights)
      : topics_(std::move(topics)), weights_(std::move(weights)) {}

  // The components, after so many iterations of their plan.
  void BeginComponents(const v1::ReleaseSpec& plan, int iterations_done) {
    sampling_rate_ = plan.sampling_rate();
    warm_up_ = lda::WarmUpIterations(plan.iterations());
    iterations_done_ = iterations_done;
    at_components_ = true;
  }

  absl::StatusOr<v1::ReleaseSpec> BeginStage(int stage, v1::ReleaseSpec plan) override {
    if (stage == kUnigramStage) return topics_->BeginStage(stage, std::move(plan));
    TW_ASSIGN_OR_RETURN(plan, topics_->BeginStage(stage, AsTopics(std::move(plan))));
    BeginComponents(plan, 0);
    return AsMixture(std::move(plan));
  }

  absl::StatusOr<std::vector<float>> NextParameters() const override {
    TW_ASSIGN_OR_RETURN(std::vector<float> log_topics, topics_->NextParameters());
    if (!at_components_) return log_topics;
    return mixture::WithWeights(log_topics, weights_.Probabilities());
  }
  double clip_norm() const override { return topics_->clip_norm(); }

  absl::Status TakeIn(const Release& release) override {
    if (!at_components_) return topics_->TakeIn(release);
    TW_ASSIGN_OR_RETURN(mixture::NoisyMixture noisy,
                        mixture::Split(release.statistics, weights_.num_components()));
    // Taken over only once the topics have taken theirs: a release is taken in whole or not at all.
    mixture::ComponentWeights weights = weights_;
    // Of the warm-up's releases all components are alike.
    const int64_t averaged = iterations_done_ - warm_up_;
    if (averaged >= 0) {
      TW_RETURN_IF_ERROR(weights.Update(
          {.documents = noisy.documents,
           .sampling_rate = sampling_rate_,
           .step_size = lda::PolynomialStepSize(MixtureRecipe().step_power, averaged + 1)}));
    }
    TW_RETURN_IF_ERROR(
        topics_->TakeIn({.header = release.header, .statistics = std::move(noisy.words)}));
    weights_ = std::move(weights);
    ++iterations_done_;
    return absl::OkStatus();
  }

  std::string State() const override {
    v1::MixtureState state;
    state.set_topics(topics_->State());
    state.mutable_documents()->Assign(weights_.averages().begin(), weights_.averages().end());
    return state.SerializeAsString();
  }

  bool HasTopics() const override { return topics_->HasTopics(); }
  std::optional<lda::TopicModel> Model() const override { return topics_->Model(); }
  void Annotate(const v1::CheckpointFile& fit, v1::ModelFile& model) const override {
    topics_->Annotate(fit, model);
    const std::vector<double> weights = weights_.Probabilities();
    model.mutable_component_weights()->Assign(weights.begin(), weights.end());
  }

 private:
  const std::unique_ptr<FitAlgorithm> topics_;
  mixture::ComponentWeights weights_;
  // From the beginning of the components on.
  bool at_components_ = false;
  double sampling_rate_ = 1;
  int64_t warm_up_ = 0;
  int64_t iterations_done_ = 0;
};

absl::StatusOr<std::vector<v1::FitStage>> Stages(const v1::ReleaseSpec& topics, const FitSpec& spec,
                                                 const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(std::vector<v1::FitStage> stages, DenoisedStages(topics, spec, description));
  v1::FitStage& components = stages[kTopicsStage];
  components.set_name("components");
  v1::ReleaseSpec& plan = *components.mutable_plan()->mutable_plan();
  plan = AsMixture(plan);
  return stages;
}

absl::StatusOr<std::string> InitialState(const FitSpec& spec, const lda::Vocabulary& vocabulary) {
  TW_ASSIGN_OR_RETURN(v1::DenoisedState topics, InitialDenoisedState(spec, vocabulary));
  // A document is of one component: there is no α for a plan to have.
  if (topics.has_warm_start()) topics.mutable_warm_start()->clear_document_topic_prior();
  v1::MixtureState state;
  state.set_topics(topics.SerializeAsString());
  return state.SerializeAsString();
}

absl::StatusOr<std::unique_ptr<FitAlgorithm>> Restore(const v1::CheckpointFile& checkpoint) {
  v1::MixtureState state;
  if (!state.ParseFromString(checkpoint.state()) || checkpoint.stages_size() != 2) {
    return absl::InvalidArgumentError(
        "the checkpoint's state is not one of algorithm mixture: its bytes do not parse, or there "
        "are not two stages.");
  }
  v1::CheckpointFile of_topics = checkpoint;
  of_topics.set_state(state.topics());
  const v1::FitStage& components = checkpoint.stages(kTopicsStage);
  const v1::ReleaseSpec& plan = components.plan().plan();
  *of_topics.mutable_stages(kTopicsStage)->mutable_plan()->mutable_plan() = AsTopics(plan);
  TW_ASSIGN_OR_RETURN(std::unique_ptr<FitAlgorithm> topics,
                      RestoreDenoised(of_topics, MixtureRecipe()));
  TW_ASSIGN_OR_RETURN(mixture::ComponentWeights weights,
                      mixture::ComponentWeights::Create(
                          NumTopics(plan), {state.documents().begin(), state.documents().end()}));
  auto algorithm = std::make_unique<MixtureAlgorithm>(std::move(topics), std::move(weights));
  if (!components.plan().request_id().empty()) {
    algorithm->BeginComponents(plan, components.iterations_done());
  }
  return algorithm;
}

}  // namespace

lda::DenoisedRecipe MixtureRecipe() {
  return {.direction_noise = 0, .first_exponent = 1, .warm_exponent = 1, .gamma_shape = 1};
}

FitMethod MixtureMethod() {
  FitMethod method = DenoisedMethod();
  method.name = kMixture;
  method.stages = Stages;
  method.initial_state = InitialState;
  method.restore = Restore;
  return method;
}

}  // namespace topicwall::client
