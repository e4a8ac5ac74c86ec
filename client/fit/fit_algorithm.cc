// `paper`, which has one stage and an M-step, and the table of all. What it shares with `denoised`
// is the contract alone: ask with ℓ and C, take in a release, remember the rest as bytes.
//
// The constants of a method stand in its state and not only here. A fit that was begun goes on with
// those that it began with, whatever a later version of this program would choose; for the same
// reason K, α and ν come from the plan that was reserved.
#include "client/fit/fit_algorithm.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "client/fit/algorithms/denoised_fit.h"
#include "client/fit/algorithms/gaussian_fit.h"
#include "client/fit/algorithms/mixture_fit.h"
#include "client/wall/topics_asked.h"
#include "model/lda/topics/initial_topics.h"
#include "model/lda/topics/m_step.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

// The cap that the measurements behind the defaults of `fit` were made with.
constexpr int kEStepIterations = 20;
// The paper gives no numbers for ρ_t = (τ0 + t)^−κ. These are the ones of Hoffman's implementation,
// which its experiments adapted.
constexpr double kPaperTau0 = 1024;
constexpr double kPaperKappa = 0.7;

class PaperAlgorithm : public FitAlgorithm {
 public:
  PaperAlgorithm(lda::PaperMStep m_step, double clip_norm, v1::MStepState state)
      : m_step_(std::move(m_step)), clip_norm_(clip_norm), state_(std::move(state)) {
    m_step_.UseThreads(lda::NumProcessors());
  }

  absl::StatusOr<v1::ReleaseSpec> BeginStage(int /*stage*/, v1::ReleaseSpec plan) override {
    return plan;
  }
  absl::StatusOr<std::vector<float>> NextParameters() const override {
    return m_step_.NextLogTopics().TakeValues();
  }
  double clip_norm() const override { return clip_norm_; }
  absl::Status TakeIn(const Release& release) override {
    // The histogram is not asked for: C is the same in all releases.
    return m_step_.Update(release.statistics);
  }
  std::string State() const override {
    v1::MStepState state = state_;
    state.set_topics(proto::FloatsToLittleEndian(m_step_.state().topics));
    return state.SerializeAsString();
  }
  bool HasTopics() const override { return m_step_.state().updates > 0; }
  std::optional<lda::TopicModel> Model() const override { return m_step_.Model(); }
  void Annotate(const v1::CheckpointFile&, v1::ModelFile&) const override {}

 private:
  lda::PaperMStep m_step_;
  const double clip_norm_;
  const v1::MStepState state_;  // without topics
};

absl::StatusOr<std::vector<v1::FitStage>> OneStage(const v1::ReleaseSpec& topics,
                                                   const FitSpec& spec,
                                                   const v1::CorpusDescription& /*description*/) {
  v1::FitStage stage;
  stage.set_name("topics");
  *stage.mutable_plan()->mutable_plan() = topics;
  stage.mutable_plan()->mutable_plan()->mutable_gaussian()->set_noise_multiplier(
      *spec.noise_multiplier);
  return std::vector<v1::FitStage>{std::move(stage)};
}

// λ drawn, η = 1/K; the constants.
absl::StatusOr<std::string> InitialPaperState(const FitSpec& spec,
                                              const lda::Vocabulary& vocabulary) {
  if (spec.initial_model != nullptr) {
    return absl::InvalidArgumentError(
        "an initial model is for algorithms denoised, mixture and gaussian.");
  }
  TW_ASSIGN_OR_RETURN(
      const std::vector<float> topics,
      lda::RandomTopics(*spec.num_topics, static_cast<int>(vocabulary.size()), spec.seed));
  v1::MStepState state;
  state.set_topics(proto::FloatsToLittleEndian(topics));
  state.set_topic_word_prior(1.0 / *spec.num_topics);
  state.set_step_offset(kPaperTau0);
  state.set_step_decay(kPaperKappa);
  return state.SerializeAsString();
}

absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestorePaper(const v1::CheckpointFile& checkpoint) {
  v1::MStepState saved;
  if (!saved.ParseFromString(checkpoint.state()) || checkpoint.stages_size() != 1) {
    return absl::InvalidArgumentError(
        "the checkpoint's state is not one of algorithm paper: its bytes do not parse, or there "
        "are "
        "two stages.");
  }
  const v1::FitStage& stage = checkpoint.stages(0);
  const v1::ReleaseSpec& plan = stage.plan().plan();
  // ρ_t goes by the number of updates, which the stage counts.
  lda::MStepState state = {.updates = stage.iterations_done(), .topics = {}};
  TW_ASSIGN_OR_RETURN(state.topics, proto::FloatsFromLittleEndian(saved.topics()));
  saved.clear_topics();
  const v1::LdaOptions topics = TopicsOf(plan);
  const lda::DocumentTopicPrior prior(topics.document_topic_prior());
  const lda::MStepShape shape = {.num_topics = topics.num_topics(),
                                 .vocabulary_size = static_cast<int>(checkpoint.vocabulary_size()),
                                 .document_topic_prior = prior,
                                 .topic_term_prior = saved.topic_word_prior(),
                                 .sampling_rate = plan.sampling_rate()};
  TW_ASSIGN_OR_RETURN(lda::PaperMStep m_step, lda::PaperMStep::Create({.shape = shape,
                                                                       .tau0 = saved.step_offset(),
                                                                       .kappa = saved.step_decay()},
                                                                      std::move(state)));
  return std::make_unique<PaperAlgorithm>(std::move(m_step), checkpoint.spec().clip_norm(),
                                          std::move(saved));
}

// The one table of all algorithms. `paper`: S = 20,000 of 400,000 documents and one epoch of them,
// C = aN = 50 (N = 500 is the wall's to say).
const std::vector<FitMethod>& Methods() {
  // Never destroyed: other static objects may still ask at the end of the program.
  static const auto* const methods = new std::vector<FitMethod>{
      DenoisedMethod(),
      {.name = kPaper,
       .iterations = 20,
       .sampling_rate = 0.05,
       .clip_norm = 50,
       .total_prior = 1,
       .mean_change_threshold = 1e-3,
       .releases_beside = 0,
       .stages = OneStage,
       .initial_state = InitialPaperState,
       .restore = RestorePaper},
      MixtureMethod(),
      GaussianMethod(),
  };
  return *methods;
}

std::vector<std::string> NamesOf(bool (*is_meant)(const FitMethod& method)) {
  std::vector<std::string> names;
  for (const FitMethod& method : Methods()) {
    if (is_meant(method)) names.emplace_back(method.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> AlgorithmNames() {
  return NamesOf([](const FitMethod&) { return true; });
}

std::vector<std::string> PlannedAlgorithmNames() {
  return NamesOf([](const FitMethod& method) { return method.can_be_planned; });
}

absl::StatusOr<const FitMethod*> FindMethod(absl::string_view name) {
  for (const FitMethod& method : Methods()) {
    if (name == method.name) return &method;
  }
  std::vector<std::string> names = AlgorithmNames();
  const std::string last = std::move(names.back());
  names.pop_back();
  return absl::InvalidArgumentError(absl::StrCat("algorithm must be ", absl::StrJoin(names, ", "),
                                                 " or ", last, "; got \"", name, "\"."));
}

absl::Status CheckKindOfCorpus(const FitSpec& spec, const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(spec.algorithm));
  if (method->of_vectors == description.has_vectors()) return absl::OkStatus();
  const auto kind = [](bool of_vectors) { return of_vectors ? "vectors" : "text"; };
  std::vector<std::string> others;
  for (const FitMethod& other : Methods()) {
    if (other.of_vectors != method->of_vectors) others.emplace_back(other.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("algorithm ", spec.algorithm, " is for corpora of ", kind(method->of_vectors),
                   "; ", description.corpus(), " is one of ", kind(description.has_vectors()),
                   ". For these there is --algorithm ", absl::StrJoin(others, ", "), "."));
}

absl::StatusOr<model::CorpusShape> CorpusShapeOf(const v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(checkpoint.spec().algorithm()));
  model::CorpusShape shape = {.vocabulary_size = checkpoint.vocabulary_size()};
  // Its vocabulary are the names of its dimensions.
  if (method->of_vectors) shape.vector_dimension = static_cast<int>(shape.vocabulary_size);
  return shape;
}

absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestoreAlgorithm(
    const v1::CheckpointFile& checkpoint) {
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(checkpoint.spec().algorithm()));
  return method->restore(checkpoint);
}

absl::StatusOr<int64_t> NumReleases(const FitSpec& spec) {
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(spec.algorithm));
  return int64_t{*spec.iterations} + method->releases_beside;
}

absl::StatusOr<std::vector<v1::FitStage>> StagesOf(const FitSpec& spec,
                                                   const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(spec.algorithm));
  v1::ReleaseSpec topics;
  topics.set_corpus(spec.corpus);
  topics.set_corpus_version(description.corpus_version());
  topics.set_sampling_rate(*spec.sampling_rate);
  topics.set_iterations(*spec.iterations);
  topics.set_max_tokens(*spec.max_words);
  topics.set_held_out_share(spec.held_out_share);
  v1::LdaOptions options;
  options.set_num_topics(*spec.num_topics);
  options.add_document_topic_prior(method->total_prior / *spec.num_topics);
  // A wall may allow fewer passes, and refuses a plan that asks for more.
  options.set_max_iterations(
      std::min(kEStepIterations, description.limits().max_model_iterations()));
  options.set_mean_change_threshold(method->mean_change_threshold);
  AskTopics(kLda, options, &topics);
  return method->stages(topics, spec, description);
}

v1::ReleaseSpec PricedAs(const std::vector<v1::FitStage>& stages) {
  // The first has the least noise of all, if only by rounding, so the whole costs no more than
  // this. The wall's limits are about the model of the most topics: K is 1 in a stage that counts
  // words.
  v1::ReleaseSpec all = stages.front().plan().plan();
  const v1::FitStage& largest =
      *std::max_element(stages.begin(), stages.end(), [](const auto& a, const auto& b) {
        return NumTopics(a.plan().plan()) < NumTopics(b.plan().plan());
      });
  all.set_model(largest.plan().plan().model());
  all.set_options(largest.plan().plan().options());
  int32_t iterations = 0;
  for (const v1::FitStage& stage : stages) iterations += stage.plan().plan().iterations();
  all.set_iterations(iterations);
  return all;
}

}  // namespace topicwall::client
