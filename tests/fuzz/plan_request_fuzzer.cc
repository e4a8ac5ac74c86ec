// What an analyst asks, checked before anything is charged: a plan with its term weights, the
// header of an E-step request, its log topics, and the digest of both
// (server/vault/request_validator.h, proto/request_digest.h, model/lda/topics/log_topics.h).
//
// Input: two pieces, a serialized v1::ReleaseSpec and v1::RunReleaseHeader, then the log topics'
// bytes.
#include <cmath>

#include "model/lda/topics/log_topics.h"
#include "proto/matrix_codec.h"
#include "proto/request_digest.h"
#include "server/vault/request_validator.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"
#include "tests/support/topic_plans.h"

namespace topicwall::fuzz {
namespace {

constexpr int64_t kMaxMatrixBytes = 5 * 3 * 4;

const corpus::CorpusDescription& Corpus() {
  static const auto& description =
      *new corpus::CorpusDescription{.version = {},
                                     .privacy_unit = corpus::PrivacyUnit::kDocument,
                                     .tokenizer = "words-1",
                                     .vocabulary = std::make_shared<const lda::Vocabulary>(
                                         *lda::Vocabulary::Create({"alpha", "beta", "gamma"})),
                                     .vocabulary_sha256 = {},
                                     .duplicates = corpus::DuplicateRule::kRefuse};
  return description;
}

v1::Limits MakeLimits() {
  v1::Limits limits;
  limits.set_max_tokens(100);
  limits.set_max_parameters_per_term(1000);
  limits.set_max_iterations(20);
  limits.set_max_model_iterations(50);
  limits.set_min_noise_multiplier(0.5);
  return limits;
}

const v1::Limits& TheLimits() {
  static const auto& limits = *new v1::Limits(MakeLimits());
  return limits;
}

bool IsIn(double value, double low, double high) { return value >= low && value <= high; }

// Of ℓ, over three terms.
int ColumnsOf(const v1::LdaOptions& options) { return options.one_topic_a_document() ? 4 : 3; }

void RequireGoodEStep(const v1::LdaOptions& options) {
  const auto& prior = options.document_topic_prior();
  if (options.one_topic_a_document()) {
    Require(prior.empty() && options.max_iterations() == 0 && options.mean_change_threshold() == 0,
            "of a mixture nothing is said that nobody heeds");
    return;
  }
  Require(prior.size() == 1 || prior.size() == options.num_topics(),
          "the prior is one number, or one for each topic");
  for (const double alpha : prior) Require(IsIn(alpha, 1e-6, 1e3), "the prior is in its range");
  Require(options.max_iterations() >= 1 && options.max_iterations() <= 50,
          "E-step iterations are in their range");
  Require(IsIn(options.mean_change_threshold(), 0, 1), "the threshold is in its range");
}

void RequireGoodPlan(const v1::ReleaseSpec& plan) {
  Require(plan.sampling_rate() > 0 && plan.sampling_rate() <= 1, "the sampling rate is in (0, 1]");
  Require(IsIn(plan.gaussian().noise_multiplier(), 0.5, 0x1p20),
          "the noise is within the corpus's limits");
  Require(!plan.gaussian().has_histogram_noise_multiplier() ||
              IsIn(plan.gaussian().histogram_noise_multiplier(), 0.5, 0x1p20),
          "the histogram's noise is, too");
  Require(plan.iterations() >= 1 && plan.iterations() <= 20, "iterations are in their range");
  Require(plan.max_tokens() >= 1 && plan.max_tokens() <= 100, "words are in their range");
  const double share = plan.held_out_share();
  Require(plan.held_out_only() ? share > 0 && share <= 1 : share >= 0 && share < 1,
          "somebody takes part");
  const bool evaluates = plan.model() == "document_completion";
  Require(plan.model() == "lda" || evaluates, "there is a model");
  const v1::LdaOptions options = testing::OptionsOf(plan);
  const bool of_mixture = options.one_topic_a_document();
  Require(
      options.num_topics() >= 1 && options.num_topics() * ColumnsOf(options) * 4 <= kMaxMatrixBytes,
      "the parameters fit");
  Require(evaluates || !of_mixture, "a mixture is evaluated, and not fitted as topics");
  RequireGoodEStep(options);
  const auto weights = proto::FloatsFromLittleEndian(plan.weights());
  Require(
      weights.ok() && (evaluates ? weights->size() == 2 : weights->empty() || weights->size() == 3),
      "a weight for every term, or for nats and words");
  for (const float weight : *weights) {
    Require(IsIn(weight, 0x1p-20, 0x1p20), "weights are in their range");
  }
}

void RequireGoodHeader(const v1::RunReleaseHeader& header, const v1::ReleaseSpec& plan) {
  Require(header.iteration() >= 1 && header.iteration() <= plan.iterations(),
          "the iteration is one of the plan");
  Require(IsIn(header.clip_norm(), 0x1p-20, 0x1p30), "the clip norm is in its range");
  Require(header.direction_noise() == 0 || (IsIn(header.direction_noise(), 0x1p-4, 0x1p4) &&
                                            plan.gaussian().noise_multiplier() >= 1),
          "the direction noise is in its range");
  Require(header.request_digest().size() == 32, "a digest has 32 bytes");
}

// Any other clip norm, plan, model or topic is another request, and the digest itself is no part of
// it.
void RequireDigestOfEverything(v1::RunReleaseHeader header, v1::ReleaseSpec plan,
                               std::vector<float> topics) {
  const base::Digest digest = proto::RequestDigest(header, plan, topics);
  header.set_request_digest("another");
  Require(proto::RequestDigest(header, plan, topics) == digest, "the digest leaves itself out");
  header.set_iteration(header.iteration() ^ 1);
  Require(proto::RequestDigest(header, plan, topics) != digest, "the digest is of the iteration");
  header.set_iteration(header.iteration() ^ 1);
  header.set_plan_id(header.plan_id() + "0");
  Require(proto::RequestDigest(header, plan, topics) != digest, "the digest is of the plan");
  header.mutable_plan_id()->pop_back();
  const double direction_noise = header.direction_noise();
  header.set_direction_noise(direction_noise + 1);
  Require(proto::RequestDigest(header, plan, topics) != digest,
          "the digest is of the direction noise");
  header.set_direction_noise(direction_noise);
  plan.mutable_options()->push_back('o');
  Require(proto::RequestDigest(header, plan, topics) != digest, "the digest is of the options");
  plan.mutable_options()->pop_back();
  topics.push_back(0);
  Require(proto::RequestDigest(header, plan, topics) != digest, "the digest is of every topic");
}

absl::Status CheckTopics(const v1::ReleaseSpec& plan, const std::vector<float>& topics) {
  const v1::LdaOptions options = testing::OptionsOf(plan);
  const absl::StatusOr<lda::LogTopics> made =
      lda::LogTopics::Create(options.num_topics(), ColumnsOf(options), topics);
  if (!made.ok()) return made.status();
  for (const float value : made->values()) {
    Require(std::isfinite(value) && value <= 0, "log topics are finite and not positive");
  }
  return absl::OkStatus();
}

Verdict Run(absl::string_view input) {
  static const RefusalRules& rules = *new RefusalRules{
      .codes = {absl::StatusCode::kInvalidArgument, absl::StatusCode::kFailedPrecondition}};
  InputCursor cursor(input);
  const absl::string_view plan_bytes = cursor.Piece();
  const absl::string_view header_bytes = cursor.Piece();
  v1::ReleaseSpec plan;
  v1::RunReleaseHeader header;
  if (!plan.ParseFromArray(plan_bytes.data(), static_cast<int>(plan_bytes.size())) ||
      !header.ParseFromArray(header_bytes.data(), static_cast<int>(header_bytes.size()))) {
    return Verdict::kRefused;
  }
  const absl::Status good_plan = server::ValidatePlan(
      plan, {.corpus = Corpus(), .limits = TheLimits(), .max_matrix_bytes = kMaxMatrixBytes});
  if (!good_plan.ok()) return Refuse(good_plan, rules);
  RequireGoodPlan(plan);
  const absl::Status good_header = server::ValidateReleaseHeader(header, plan, TheLimits());
  if (!good_header.ok()) return Refuse(good_header, rules);
  RequireGoodHeader(header, plan);
  const absl::StatusOr<std::vector<float>> topics = proto::FloatsFromLittleEndian(cursor.Rest());
  if (!topics.ok()) return Refuse(topics.status(), rules);
  RequireDigestOfEverything(header, plan, *topics);
  const absl::Status good_topics = CheckTopics(plan, *topics);
  return good_topics.ok() ? Verdict::kAccepted : Refuse(good_topics, rules);
}

v1::ReleaseSpec GoodPlan() {
  v1::ReleaseSpec plan;
  plan.set_corpus("notes");
  plan.set_corpus_version(std::string(16, '\0'));
  plan.set_sampling_rate(0.5);
  plan.mutable_gaussian()->set_noise_multiplier(2);
  plan.set_iterations(10);
  plan.set_max_tokens(100);
  testing::AskTopics(&plan, "lda", 2, {0.5}, 50);
  return plan;
}

std::string RequestOf(const v1::ReleaseSpec& plan, double direction_noise = 0) {
  v1::RunReleaseHeader header;
  header.set_plan_id("0123456789abcdef0123456789abcdef");
  header.set_iteration(10);
  header.set_clip_norm(4);
  header.set_direction_noise(direction_noise);
  header.set_request_digest(std::string(32, 'd'));
  return PieceOf(plan.SerializeAsString()) + PieceOf(header.SerializeAsString()) +
         proto::FloatsToLittleEndian({-1, -2, -0.0f, -3, -1e9f, -4});
}

std::vector<std::string> Seeds() {
  v1::ReleaseSpec weighted = GoodPlan();
  weighted.mutable_gaussian()->set_histogram_noise_multiplier(0.5);
  weighted.set_weights(proto::FloatsToLittleEndian({1, 0x1p-20f, 0x1p20f}));
  v1::ReleaseSpec evaluation = GoodPlan();
  evaluation.set_model("document_completion");
  evaluation.set_held_out_only(true);
  evaluation.set_held_out_share(0.1);
  evaluation.set_weights(proto::FloatsToLittleEndian({0.01f, 0.1f}));
  v1::ReleaseSpec of_mixture = evaluation;
  testing::ChangeOptions(&of_mixture, [](v1::LdaOptions& options) {
    const int topics = options.num_topics();
    options.Clear();
    options.set_num_topics(topics);
    options.set_one_topic_a_document(true);
  });
  return {RequestOf(GoodPlan()), RequestOf(weighted), RequestOf(evaluation), RequestOf(of_mixture),
          RequestOf(GoodPlan(), /*direction_noise=*/5)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "plan_request", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
