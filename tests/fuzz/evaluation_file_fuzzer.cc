// The analyst's evaluation-….pb (client/evaluate/evaluation_file.h): an evaluation goes on from it,
// and must not be led to pay twice or to fall over.
#include "client/evaluate/evaluation_file.h"
#include "client/wall/paid_release.h"
#include "proto/matrix_codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/topic_plans.h"

namespace topicwall::fuzz {
namespace {

void Check(const v1::EvaluationFile& file) {
  Require(file.plan().request_id().size() == client::kRequestIdSize, "there is a request id");
  Require(file.words_size() <= file.plan().plan().iterations(), "no more came than was planned");
  Require(file.words_size() == 0 || !file.plan().plan_id().empty(),
          "nothing came before the reservation");
  if (file.words_size() > 0) {
    const client::PerplexityEstimate estimate = client::EstimateOf(file);
    Require(!estimate.perplexity.has_value() || *estimate.perplexity >= 0,
            "a perplexity is told or it is not");
    const client::LogLikelihoodEstimate likelihood = client::LogLikelihoodOf(file);
    Require(likelihood.vectors == estimate.words || likelihood.vectors != likelihood.vectors,
            "what was counted is the same, whatever it is taken for");
  }
}

Verdict Run(absl::string_view input) { return RunFileFuzz(input, client::ReadEvaluation, Check); }

std::string EvaluationOf(int releases, const char* model = "document_completion") {
  v1::EvaluationFile file;
  file.set_format_version(client::kEvaluationFormatVersion);
  file.mutable_plan()->set_request_id("0123456789abcdef");
  v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
  plan.set_iterations(2);
  plan.set_weights(proto::FloatsToLittleEndian({0.01F, 0.1F}));
  testing::AskTopics(&plan, model, 2, {0.5});
  if (releases > 0) file.mutable_plan()->set_plan_id("plan");
  file.mutable_words()->Resize(releases, 1000);
  file.mutable_negative_log_likelihoods()->Resize(releases, 7000);
  file.set_noise_standard_deviation(3);
  return file.SerializeAsString();
}

std::vector<std::string> Seeds() {
  return {EvaluationOf(0), EvaluationOf(1), EvaluationOf(2),
          EvaluationOf(2, "gaussian_likelihood")};
}

[[maybe_unused]] const bool registered =
    Register({.name = "evaluation_file", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
