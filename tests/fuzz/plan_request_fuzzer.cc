// What an analyst asks, checked before anything is charged: a plan of any model with its weights,
// the header of a request, its parameters, and the digest of both
// (server/vault/request_validator.h, proto/request_digest.h, model/models.h).
//
// Input: two pieces, a serialized v1::ReleaseSpec and v1::RunReleaseHeader, then the parameters'
// bytes. A plan for "vectors" is read against a corpus of vectors, any other against one of text.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/data/tokenizer.h"
#include "model/statistic_model.h"
#include "proto/matrix_codec.h"
#include "proto/models/gaussian.pb.h"
#include "proto/models/lengths.pb.h"
#include "proto/models/mixture.pb.h"
#include "proto/models/prevalence.pb.h"
#include "proto/request_digest.h"
#include "server/vault/request_validator.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"
#include "tests/fuzz/planned_model.h"
#include "tests/support/topic_plans.h"

namespace topicwall::fuzz {
namespace {

corpus::CorpusDescription DescriptionOf(const std::vector<std::string>& terms) {
  return {{.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
           .tokenizer = "words-1",
           .vocabulary = std::make_shared<const lda::Vocabulary>(*lda::Vocabulary::Create(terms)),
           .duplicates = v1::DUPLICATE_RULE_REFUSE},
          /*version=*/{},
          /*vocabulary_sha256=*/{}};
}

corpus::CorpusDescription MakeText() {
  corpus::CorpusDescription text = DescriptionOf({"alpha", "beta", "gamma"});
  text.attributes = {{.name = "ward", .values = {"north", "south"}},
                     {.name = "kind", .values = {"letter"}}};
  return text;
}

corpus::CorpusDescription MakeVectors() {
  corpus::CorpusDescription vectors = DescriptionOf({"first", "second"});
  vectors.tokenizer = lda::kVectorsTokenizerName;
  vectors.vectors = {.dimension = kDimension, .norm_bound = 1};
  return vectors;
}

const corpus::CorpusDescription& CorpusOf(const v1::ReleaseSpec& plan) {
  static const auto& text = *new corpus::CorpusDescription(MakeText());
  static const auto& vectors = *new corpus::CorpusDescription(MakeVectors());
  return plan.corpus() == kVectors ? vectors : text;
}

v1::Limits MakeLimits() {
  v1::Limits limits;
  limits.set_max_tokens(100);
  limits.set_max_parameters_per_term(kMaxParametersPerTerm);
  limits.set_max_iterations(20);
  limits.set_max_model_iterations(50);
  limits.set_min_noise_multiplier(0.5);
  return limits;
}

const v1::Limits& TheLimits() {
  static const auto& limits = *new v1::Limits(MakeLimits());
  return limits;
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
  RequireGoodModel(plan);
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

// Any other clip norm, plan, model or parameter is another request, and the digest itself is no
// part of it.
void RequireDigestOfEverything(v1::RunReleaseHeader header, v1::ReleaseSpec plan,
                               std::vector<float> parameters) {
  const base::Digest digest = proto::RequestDigest(header, plan, parameters);
  header.set_request_digest("another");
  Require(proto::RequestDigest(header, plan, parameters) == digest, "the digest leaves itself out");
  header.set_iteration(header.iteration() ^ 1);
  Require(proto::RequestDigest(header, plan, parameters) != digest,
          "the digest is of the iteration");
  header.set_iteration(header.iteration() ^ 1);
  header.set_plan_id(header.plan_id() + "0");
  Require(proto::RequestDigest(header, plan, parameters) != digest, "the digest is of the plan");
  header.mutable_plan_id()->pop_back();
  const double direction_noise = header.direction_noise();
  header.set_direction_noise(direction_noise + 1);
  Require(proto::RequestDigest(header, plan, parameters) != digest,
          "the digest is of the direction noise");
  header.set_direction_noise(direction_noise);
  plan.mutable_options()->push_back('o');
  Require(proto::RequestDigest(header, plan, parameters) != digest, "the digest is of the options");
  plan.mutable_options()->pop_back();
  parameters.push_back(0);
  Require(proto::RequestDigest(header, plan, parameters) != digest,
          "the digest is of every parameter");
}

absl::Status CheckParameters(const v1::ReleaseSpec& plan, const server::PlanBounds& bounds,
                             const std::vector<float>& parameters) {
  const auto model = server::ModelOf(plan, bounds.corpus);
  Require(model.ok(), "the model of a good plan is made again");
  const absl::Status good = (*model)->Check(parameters);
  if (!good.ok()) return good;
  Require(static_cast<int64_t>(parameters.size()) == (*model)->demand().parameters,
          "parameters are as many as the model says");
  const bool of_logarithms = plan.corpus() != kVectors && plan.model() != "unit_lengths";
  for (const float value : parameters) {
    Require(std::isfinite(value) && (value <= 0 || !of_logarithms),
            "parameters are finite, and logarithms not positive");
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
  const server::PlanBounds bounds = {
      .corpus = CorpusOf(plan), .limits = TheLimits(), .max_matrix_bytes = kMaxMatrixBytes};
  const absl::Status good_plan = server::ValidatePlan(plan, bounds);
  if (!good_plan.ok()) return Refuse(good_plan, rules);
  RequireGoodPlan(plan);
  const absl::Status good_header = server::ValidateReleaseHeader(header, plan, TheLimits());
  if (!good_header.ok()) return Refuse(good_header, rules);
  RequireGoodHeader(header, plan);
  const absl::StatusOr<std::vector<float>> parameters =
      proto::FloatsFromLittleEndian(cursor.Rest());
  if (!parameters.ok()) return Refuse(parameters.status(), rules);
  RequireDigestOfEverything(header, plan, *parameters);
  const absl::Status good_parameters = CheckParameters(plan, bounds, *parameters);
  return good_parameters.ok() ? Verdict::kAccepted : Refuse(good_parameters, rules);
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

std::string RequestOf(const v1::ReleaseSpec& plan, const std::vector<float>& parameters,
                      double direction_noise = 0) {
  v1::RunReleaseHeader header;
  header.set_plan_id("0123456789abcdef0123456789abcdef");
  header.set_iteration(10);
  header.set_clip_norm(4);
  header.set_direction_noise(direction_noise);
  header.set_request_digest(std::string(32, 'd'));
  return PieceOf(plan.SerializeAsString()) + PieceOf(header.SerializeAsString()) +
         proto::FloatsToLittleEndian(parameters);
}

// Of two components.
v1::ReleaseSpec PlanOfVectors(const char* model, const std::vector<float>& weights) {
  v1::ReleaseSpec plan = GoodPlan();
  v1::GaussianOptions options;
  options.set_num_components(2);
  plan.set_corpus(kVectors);
  plan.set_model(model);
  plan.set_options(options.SerializeAsString());
  plan.set_weights(proto::FloatsToLittleEndian(weights));
  return plan;
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
  const std::vector<float> weights_of_mixture = {-1, -2, -0.0f, -1, -3, -1e9f, -4, -1};
  v1::ReleaseSpec mixture = GoodPlan();
  v1::MixtureOptions components;
  components.set_num_components(2);
  mixture.set_model("multinomial_mixture");
  mixture.set_options(components.SerializeAsString());
  v1::ReleaseSpec prevalence = GoodPlan();
  v1::PrevalenceOptions groups;
  *groups.mutable_topics() = testing::OptionsOf(prevalence);
  groups.add_attributes(0);
  groups.add_attributes(1);
  prevalence.set_model("prevalence");
  prevalence.set_options(groups.SerializeAsString());
  prevalence.set_weights(proto::FloatsToLittleEndian({1, 1, 0.25f}));
  v1::ReleaseSpec lengths = GoodPlan();
  v1::LengthOptions bins;
  bins.set_num_bins(4);
  lengths.set_model("unit_lengths");
  lengths.set_options(bins.SerializeAsString());
  const std::vector<float> topics = {-1, -2, -0.0f, -3, -1e9f, -4};
  const std::vector<float> gaussians = {-1, 0.5f, -0.5f, 1, 16, 0, 3, 0, -1e9f, 0x1p30f};
  return {RequestOf(GoodPlan(), topics),
          RequestOf(weighted, topics),
          RequestOf(evaluation, topics),
          RequestOf(GoodPlan(), topics, /*direction_noise=*/5),
          RequestOf(of_mixture, weights_of_mixture),
          RequestOf(mixture, weights_of_mixture),
          RequestOf(prevalence, topics),
          RequestOf(lengths, {1, 10, 10}),
          RequestOf(PlanOfVectors("gaussian_mixture", {0.5f, 1, 1, 0.7f, 0.7f}), gaussians),
          RequestOf(PlanOfVectors("gaussian_likelihood", {0.02f, 0.1f}), gaussians)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "plan_request", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
