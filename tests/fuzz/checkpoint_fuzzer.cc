// The analyst's checkpoint.pb (client/checkpoint.h): a fit goes on from it, and must not be led to
// pay twice or to fall over.
#include "client/checkpoint.h"
#include "proto/matrix_codec.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

Verdict Run(absl::string_view input) {
  const RefusalRules rules = {.codes = {absl::StatusCode::kInvalidArgument},
                              .longest_message = 400 + 4 * input.size()};
  const absl::StatusOr<v1::CheckpointFile> checkpoint = client::ParseCheckpoint(input, "c.pb");
  if (!checkpoint.ok()) return Refuse(checkpoint.status(), rules);
  Require(checkpoint->request_id().size() == client::kRequestIdSize, "there is a request id");
  Require(checkpoint->iterations_done() <= checkpoint->plan().iterations(),
          "no more is done than was planned");
  Require(checkpoint->iterations_done() == 0 || !checkpoint->plan_id().empty(),
          "nothing is done before the reservation");
  Require(client::VocabularySizeOf(*checkpoint) >= 1, "there is a vocabulary");
  const auto again = client::ParseCheckpoint(checkpoint->SerializeAsString(), "c");
  Require(again.ok() && again->SerializeAsString() == checkpoint->SerializeAsString(),
          "a checkpoint reads back as it was");
  const absl::StatusOr<std::unique_ptr<lda::MStep>> m_step = client::RestoreMStep(*checkpoint);
  if (!m_step.ok()) return Refuse(m_step.status(), rules);
  v1::CheckpointFile saved = *checkpoint;
  client::SaveMStep(**m_step, saved);
  Require(saved.iterations_done() == checkpoint->iterations_done() &&
              saved.state() == checkpoint->state(),
          "an M-step is saved as it was restored");
  return Verdict::kAccepted;
}

std::string CheckpointOf(const char* m_step) {
  v1::PlanSpec plan;
  plan.set_sampling_rate(0.5);
  plan.set_noise_multiplier(6);
  plan.set_iterations(3);
  plan.mutable_lda()->set_num_topics(2);
  plan.mutable_lda()->set_document_topic_prior(0.25);
  v1::CorpusDescription description;
  description.set_vocabulary_size(3);
  description.mutable_limits()->set_max_e_step_iterations(50);
  v1::CheckpointFile checkpoint =
      *client::NewCheckpoint(plan, description, {.clip_norm = 4, .m_step = m_step, .seed = 1});
  checkpoint.set_request_id("0123456789abcdef");
  checkpoint.set_plan_id("plan");
  checkpoint.set_iterations_done(2);
  return checkpoint.SerializeAsString();
}

std::vector<std::string> Seeds() {
  return {CheckpointOf(client::kSignedAverage), CheckpointOf(client::kPaper)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "checkpoint", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
