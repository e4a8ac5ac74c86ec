// What is durable between two releases are the parameters of the next request and the averages that
// they were made of. Where the components are in their plan is the stage's to say.
#include "client/fit/algorithms/gaussian_fit.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/fit/algorithms/gaussian_plan.h"
#include "client/fit/model_file.h"
#include "client/wall/topics_asked.h"
#include "model/gaussian/component_estimate.h"
#include "model/gaussian/first_components.h"
#include "model/gaussian/merged_components.h"
#include "model/lda/topics/step_size.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

using gaussian::ComponentEstimate;
using gaussian::Components;

constexpr int kWholeStage = 0;

// K rows of 2d + 1.
size_t SizeOf(size_t num_components, size_t dimension) {
  return num_components * (2 * dimension + 1);
}

// Of parameters that ParametersOf made.
Components ComponentsIn(const std::vector<float>& parameters, size_t dimension) {
  Components components;
  for (size_t i = 0; i < parameters.size(); i += 2 * dimension + 1) {
    components.weights.push_back(std::exp(double{parameters[i]}));
    for (size_t j = 1; j <= dimension; ++j) {
      components.means.push_back(parameters[i + j]);
      // Requests have log π and precisions (model/gaussian/gaussian_parameters.h).
      components.variances.push_back(1 / double{parameters[i + j + dimension]});
    }
  }
  return components;
}

// Where a fit is: the first stage that is not done, or the last. It begins anew with each.
struct Place {
  int stage;
  int iterations_done;
  size_t num_components;
};

size_t NumComponentsOf(const v1::FitStage& stage) {
  return static_cast<size_t>(NumTopics(stage.plan().plan()));
}

Place PlaceIn(const v1::CheckpointFile& checkpoint) {
  int stage = 0;
  while (stage + 1 < checkpoint.stages_size() &&
         checkpoint.stages(stage).iterations_done() ==
             checkpoint.stages(stage).plan().plan().iterations()) {
    ++stage;
  }
  return {.stage = stage,
          .iterations_done = checkpoint.stages(stage).iterations_done(),
          .num_components = NumComponentsOf(checkpoint.stages(stage))};
}

class GaussianAlgorithm : public FitAlgorithm {
 public:
  GaussianAlgorithm(const v1::CheckpointFile& checkpoint, ComponentEstimate estimate,
                    std::vector<float> parameters, std::vector<float> initial)
      : spec_(checkpoint.spec()),
        stages_(checkpoint.stages().begin(), checkpoint.stages().end()),
        dimension_(static_cast<size_t>(checkpoint.vocabulary_size())),
        place_(PlaceIn(checkpoint)),
        estimate_(std::move(estimate)),
        parameters_(std::move(parameters)),
        initial_(std::move(initial)) {}

  absl::StatusOr<v1::ReleaseSpec> BeginStage(int /*stage*/, v1::ReleaseSpec plan) override {
    return plan;
  }
  absl::StatusOr<std::vector<float>> NextParameters() const override { return parameters_; }
  double clip_norm() const override { return spec_.clip_norm(); }

  absl::Status TakeIn(const Release& release) override {
    // A copy: what is refused, here or as noise below, must leave the fit where it was.
    ComponentEstimate estimate = estimate_;
    TW_RETURN_IF_ERROR(estimate.Update(
        {.statistics = release.statistics,
         .deviations = GaussianNoise(release.header.noise_standard_deviation(), dimension_),
         .sampling_rate = spec_.sampling_rate(),
         .step_size = lda::PolynomialStepSize(kGaussianStepPower, place_.iterations_done + 1)}));
    TW_ASSIGN_OR_RETURN(Components components, estimate.Estimate());
    estimate_ = std::move(estimate);
    ++place_.iterations_done;
    const auto stage = static_cast<size_t>(place_.stage);
    // With the stage's last release the next request is already one of the stage behind it.
    if (stage + 1 < stages_.size() &&
        place_.iterations_done == stages_[stage].plan().plan().iterations()) {
      components = BeginComponents(std::move(components), NumComponentsOf(stages_[stage + 1]));
    }
    parameters_ = gaussian::ParametersOf(components);
    return absl::OkStatus();
  }

  std::string State() const override {
    v1::GaussianState state;
    state.set_parameters(proto::FloatsToLittleEndian(parameters_));
    state.set_initial_parameters(proto::FloatsToLittleEndian(initial_));
    const ComponentEstimate::State& estimate = estimate_.state();
    state.mutable_averages()->Assign(estimate.averages.begin(), estimate.averages.end());
    for (const double variance :
         {estimate.variances.counts, estimate.variances.sums, estimate.variances.squares}) {
      state.add_noise_variances(variance);
    }
    return state.SerializeAsString();
  }

  // Components, and how noisy they are, by releases of their own.
  bool HasTopics() const override {
    return place_.stage > kWholeStage && place_.iterations_done > 0;
  }
  std::optional<lda::TopicModel> Model() const override { return std::nullopt; }
  void Annotate(const v1::CheckpointFile& fit, v1::ModelFile& model) const override {
    const Components components = ComponentsIn(parameters_, dimension_);
    model.set_num_topics(static_cast<int>(components.weights.size()));
    model.mutable_component_weights()->Assign(components.weights.begin(), components.weights.end());
    v1::GaussianComponents& gaussian = *model.mutable_gaussian();
    gaussian.mutable_means()->Assign(components.means.begin(), components.means.end());
    gaussian.mutable_variances()->Assign(components.variances.begin(), components.variances.end());
    gaussian.set_count_deviation(estimate_.CountDeviation());
    gaussian.set_vectors(estimate_.Vectors());
    for (const v1::FitStage& stage : fit.stages()) {
      if (stage.iterations_done() == 0) break;  // it saw none of its releases
      v1::ModelStage& seen = *gaussian.add_stages();
      seen.set_name(stage.name());
      seen.set_plan_id(stage.plan().plan_id());
      seen.set_releases(stage.iterations_done());
    }
  }

 private:
  // Those of the next stage, from what the one that has ended found.
  Components BeginComponents(Components found, size_t num_components) {
    const bool was_whole = place_.stage == kWholeStage;
    place_ = {.stage = place_.stage + 1, .iterations_done = 0, .num_components = num_components};
    estimate_ = ComponentEstimate(num_components, dimension_);
    if (!was_whole) return gaussian::MergedTo(std::move(found), num_components);
    Components first =
        gaussian::FirstComponents(found, {.num_components = static_cast<int>(num_components),
                                          .seed = spec_.seed(),
                                          .earlier = ComponentsIn(initial_, dimension_)});
    initial_.clear();
    return first;
  }

  const v1::FitSpec spec_;
  const std::vector<v1::FitStage>
      stages_;  // as they were at the beginning: of them the plans count
  const size_t dimension_;
  Place place_;
  ComponentEstimate estimate_;     // of its stage
  std::vector<float> parameters_;  // of the next request
  std::vector<float> initial_;     // of an initial model, until the first are drawn
};

absl::StatusOr<std::string> InitialGaussianState(const FitSpec& spec,
                                                 const lda::Vocabulary& vocabulary) {
  v1::GaussianState state;
  // Of one component every vector is wholly, whatever its parameters.
  state.set_parameters(proto::FloatsToLittleEndian(
      gaussian::ParametersOf({.weights = {1},
                              .means = std::vector<double>(vocabulary.size(), 0),
                              .variances = std::vector<double>(vocabulary.size(), 1)})));
  for (int i = 0; i < 3; ++i) state.add_noise_variances(0);
  if (spec.initial_model == nullptr) return state.SerializeAsString();
  if (spec.initial_model->num_topics() > *spec.num_topics) {
    return absl::InvalidArgumentError(
        absl::StrCat("topics must be at least ", spec.initial_model->num_topics(),
                     ", which the initial model has; got ", *spec.num_topics, "."));
  }
  state.set_initial_parameters(
      proto::FloatsToLittleEndian(gaussian::ParametersOf(ComponentsOf(*spec.initial_model))));
  return state.SerializeAsString();
}

// What the stages say that there must be.
bool IsOfItsStages(const v1::CheckpointFile& checkpoint, const v1::GaussianState& state) {
  if (checkpoint.stages_size() < 2 || state.noise_variances_size() != 3) return false;
  for (const v1::FitStage& stage : checkpoint.stages()) {
    if (NumComponentsOf(stage) < 1) return false;
  }
  if (NumComponentsOf(*checkpoint.stages().rbegin()) !=
      static_cast<size_t>(checkpoint.spec().num_topics())) {
    return false;
  }
  const Place place = PlaceIn(checkpoint);
  const size_t row = SizeOf(1, static_cast<size_t>(checkpoint.vocabulary_size())) * sizeof(float);
  // Kept until the first components are drawn, and cleared with that.
  const size_t initial = place.stage > kWholeStage ? 0 : NumComponentsOf(checkpoint.stages(1));
  return state.parameters().size() == place.num_components * row &&
         (place.iterations_done > 0) != state.averages().empty() &&
         state.initial_parameters().size() % row == 0 &&
         state.initial_parameters().size() / row <= initial;
}

absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestoreGaussian(
    const v1::CheckpointFile& checkpoint) {
  v1::GaussianState state;
  if (!state.ParseFromString(checkpoint.state()) || !IsOfItsStages(checkpoint, state)) {
    return absl::InvalidArgumentError(
        "the checkpoint's state is not one of algorithm gaussian: its bytes do not parse, or "
        "contradict its stages.");
  }
  TW_ASSIGN_OR_RETURN(
      ComponentEstimate estimate,
      ComponentEstimate::Create(PlaceIn(checkpoint).num_components,
                                static_cast<size_t>(checkpoint.vocabulary_size()),
                                {.averages = {state.averages().begin(), state.averages().end()},
                                 .variances = {.counts = state.noise_variances(0),
                                               .sums = state.noise_variances(1),
                                               .squares = state.noise_variances(2)}}));
  TW_ASSIGN_OR_RETURN(std::vector<float> parameters,
                      proto::FloatsFromLittleEndian(state.parameters()));
  TW_ASSIGN_OR_RETURN(std::vector<float> initial,
                      proto::FloatsFromLittleEndian(state.initial_parameters()));
  return std::make_unique<GaussianAlgorithm>(checkpoint, std::move(estimate), std::move(parameters),
                                             std::move(initial));
}

}  // namespace

FitMethod GaussianMethod() {
  return {.name = kGaussian,
          .iterations = 20,
          .sampling_rate = 1,
          // √2, which a vector at the norm bound has (gaussian_plan.h), and a little for rounding.
          .clip_norm = 1.42,
          .total_prior = 1,
          .mean_change_threshold = 1e-3,
          .releases_beside = 1,
          .stages = GaussianStages,
          .initial_state = InitialGaussianState,
          .restore = RestoreGaussian,
          .of_vectors = true,
          .can_be_planned = true};
}

}  // namespace topicwall::client
