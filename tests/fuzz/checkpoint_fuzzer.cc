// The analyst's checkpoint.pb (client/fit/checkpoint.h): a fit goes on from it, and must not be led
// to pay twice or to fall over.
#include <algorithm>

#include "client/fit/checkpoint.h"
#include "client/fit/fit_algorithm.h"
#include "client/wall/paid_release.h"
#include "proto/matrix_codec.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

// Topics are drawn where the state has none: as many as the file says, whatever it says.
bool WillDraw(const v1::CheckpointFile& checkpoint) {
  v1::DenoisedState state;
  v1::MixtureState mixture;
  const std::string& algorithm = checkpoint.spec().algorithm();
  if (algorithm == client::kMixture && mixture.ParseFromString(checkpoint.state())) {
    return state.ParseFromString(mixture.topics()) && state.average().empty();
  }
  return algorithm == client::kDenoised && state.ParseFromString(checkpoint.state()) &&
         state.average().empty();
}

Verdict Run(absl::string_view input) {
  // FAILED_PRECONDITION: the unigram is noise.
  const RefusalRules rules = {
      .codes = {absl::StatusCode::kInvalidArgument, absl::StatusCode::kFailedPrecondition},
      .longest_message = 400 + 4 * input.size()};
  const absl::StatusOr<v1::CheckpointFile> checkpoint = client::ParseCheckpoint(input, "c.pb");
  if (!checkpoint.ok()) return Refuse(checkpoint.status(), rules);
  Require(checkpoint->stages_size() >= 1, "there is a stage");
  Require(!checkpoint->stages(0).plan().request_id().empty(), "the first is requested");
  bool is_done = true;
  for (const v1::FitStage& stage : checkpoint->stages()) {
    const v1::FitPlan& plan = stage.plan();
    Require(plan.request_id().empty() || plan.request_id().size() == client::kRequestIdSize,
            "a request id is one or none");
    Require(plan.request_id().empty() || is_done, "a stage comes after the one before");
    Require(plan.plan_id().empty() || !plan.request_id().empty(),
            "nothing is reserved before the request");
    Require(stage.iterations_done() <= plan.plan().iterations(),
            "no more is done than was planned");
    Require(stage.iterations_done() == 0 || !plan.plan_id().empty(),
            "nothing is done before the reservation");
    is_done = stage.iterations_done() == plan.plan().iterations();
  }
  Require(checkpoint->vocabulary_size() >= 1, "there is a vocabulary");
  const auto again = client::ParseCheckpoint(checkpoint->SerializeAsString(), "c");
  Require(again.ok() && again->SerializeAsString() == checkpoint->SerializeAsString(),
          "a checkpoint reads back as it was");
  if (WillDraw(*checkpoint)) return Verdict::kAccepted;
  const auto algorithm = client::RestoreAlgorithm(*checkpoint);
  if (!algorithm.ok()) return Refuse(algorithm.status(), rules);
  v1::CheckpointFile saved = *checkpoint;
  saved.set_state((*algorithm)->State());
  const auto resumed = client::RestoreAlgorithm(saved);
  Require(resumed.ok() && (*resumed)->State() == saved.state(),
          "an algorithm is saved as it was restored");
  return Verdict::kAccepted;
}

std::string CheckpointOf(const char* algorithm) {
  client::FitSpec spec;
  spec.corpus = "notes";
  spec.algorithm = algorithm;
  spec.num_topics = 2;
  spec.iterations = 3;
  spec.sampling_rate = 0.5;
  spec.noise_multiplier = 6;
  spec.clip_norm = 4;
  spec.max_words = 500;
  v1::CorpusDescription description;
  description.mutable_limits()->set_max_model_iterations(50);
  v1::CheckpointFile checkpoint =
      *client::NewCheckpoint(spec, *client::StagesOf(spec, description),
                             *lda::Vocabulary::Create({"apple", "fig", "pear"}));
  for (v1::FitStage& stage : *checkpoint.mutable_stages()) {
    stage.mutable_plan()->set_request_id("0123456789abcdef");
    stage.mutable_plan()->set_plan_id("plan");
    stage.set_iterations_done(std::min(2, stage.plan().plan().iterations()));
  }
  const bool is_mixture = spec.algorithm == client::kMixture;
  if (is_mixture || spec.algorithm == client::kDenoised) {
    v1::DenoisedState state;
    state.mutable_unigram_sums()->Resize(3, 1000);
    state.mutable_unigram_precisions()->Resize(3, 3000);
    state.set_average(proto::FloatsToLittleEndian({1, -2, 3, 4, 5, 6}));
    state.mutable_noise_variances()->Resize(3, 4);
    state.set_clip_norm(2);
    state.set_direction_noise(5);
    state.mutable_mass_variances()->Resize(2, 9);
    checkpoint.set_state(state.SerializeAsString());
    v1::MixtureState mixture;
    mixture.set_topics(checkpoint.state());
    mixture.add_documents(30);
    mixture.add_documents(-2);
    if (is_mixture) checkpoint.set_state(mixture.SerializeAsString());
  }
  if (spec.algorithm == client::kGaussian) {
    v1::GaussianState state;
    state.set_parameters(proto::FloatsToLittleEndian(std::vector<float>(14, 1)));
    state.mutable_averages()->Resize(14, 2);
    state.mutable_noise_variances()->Resize(3, 1);
    checkpoint.set_state(state.SerializeAsString());
  }
  return checkpoint.SerializeAsString();
}

std::vector<std::string> Seeds() {
  return {CheckpointOf(client::kDenoised), CheckpointOf(client::kMixture),
          CheckpointOf(client::kPaper), CheckpointOf(client::kGaussian)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "checkpoint", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
