// The analyst's checkpoint.pb (client/fit/checkpoint.h): a fit goes on from it, and must not be led
// to pay twice or to fall over.
#include "client/fit/checkpoint.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "proto/matrix_codec.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

Verdict Run(absl::string_view input) {
  // FAILED_PRECONDITION: the unigram is noise.
  const RefusalRules rules = {
      .codes = {absl::StatusCode::kInvalidArgument, absl::StatusCode::kFailedPrecondition},
      .longest_message = 400 + 4 * input.size()};
  const absl::StatusOr<v1::CheckpointFile> checkpoint = client::ParseCheckpoint(input, "c.pb");
  if (!checkpoint.ok()) return Refuse(checkpoint.status(), rules);
  const v1::FitPlan& topics = checkpoint->topics();
  Require(topics.request_id().size() == client::kRequestIdSize, "there is a request id");
  Require(checkpoint->iterations_done() <= topics.plan().iterations(),
          "no more is done than was planned");
  Require(checkpoint->iterations_done() == 0 || !topics.plan_id().empty(),
          "nothing is done before the reservation");
  Require(checkpoint->vocabulary_size() >= 1, "there is a vocabulary");
  Require(!checkpoint->has_unigram() || topics.plan_id().empty() ||
              checkpoint->unigram_sums_size() == checkpoint->vocabulary_size(),
          "the topics' plan comes after the release of the unigram");
  const auto again = client::ParseCheckpoint(checkpoint->SerializeAsString(), "c");
  Require(again.ok() && again->SerializeAsString() == checkpoint->SerializeAsString(),
          "a checkpoint reads back as it was");
  // Before the first update topics are drawn: as many as the file says, whatever it says.
  if (checkpoint->state().empty()) return Verdict::kAccepted;
  const auto algorithm = client::RestoreAlgorithm(*checkpoint);
  if (!algorithm.ok()) return Refuse(algorithm.status(), rules);
  v1::CheckpointFile saved = *checkpoint;
  (*algorithm)->Save(saved);
  Require(saved.iterations_done() == checkpoint->iterations_done() &&
              saved.state() == checkpoint->state(),
          "an algorithm is saved as it was restored");
  return Verdict::kAccepted;
}

std::string CheckpointOf(const char* algorithm) {
  v1::PlanSpec plan;
  plan.set_sampling_rate(0.5);
  plan.set_noise_multiplier(6);
  plan.set_iterations(3);
  plan.mutable_lda()->set_num_topics(2);
  plan.mutable_lda()->add_document_topic_prior(0.25);
  client::FitPlans plans = {.algorithm = algorithm, .topics = plan, .unigram = {}};
  if (plans.algorithm == client::kDenoised) {
    plans.unigram = client::PlanDenoised(plan, 6)->unigram;
  }
  v1::CorpusDescription description;
  description.set_vocabulary_size(3);
  description.mutable_limits()->set_max_e_step_iterations(50);
  v1::CheckpointFile checkpoint =
      *client::NewCheckpoint(plans, description, {.clip_norm = 4, .seed = 1});
  checkpoint.mutable_topics()->set_request_id("0123456789abcdef");
  checkpoint.mutable_topics()->set_plan_id("plan");
  checkpoint.set_iterations_done(2);
  if (plans.unigram.has_value()) {
    checkpoint.mutable_unigram()->set_request_id("fedcba9876543210");
    checkpoint.mutable_unigram()->set_plan_id("first");
    checkpoint.mutable_unigram_sums()->Resize(3, 1000);
    checkpoint.mutable_unigram_precisions()->Resize(3, 3000);
    checkpoint.set_state(proto::FloatsToLittleEndian({1, -2, 3, 4, 5, 6}));
    checkpoint.mutable_noise_variances()->Resize(3, 4);
  }
  return checkpoint.SerializeAsString();
}

std::vector<std::string> Seeds() {
  return {CheckpointOf(client::kDenoised), CheckpointOf(client::kSignedAverage),
          CheckpointOf(client::kPaper)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "checkpoint", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
