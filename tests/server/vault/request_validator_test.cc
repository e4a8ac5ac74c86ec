#include "server/vault/request_validator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RequestValidatorTest : public ::testing::Test {
 protected:
  RequestValidatorTest() {
    description_.version.fill(7);
    description_.privacy_unit = corpus::PrivacyUnit::kDocument;
    description_.duplicates = corpus::DuplicateRule::kRefuse;
    description_.vocabulary = std::make_shared<const lda::Vocabulary>(
        *lda::Vocabulary::Create({"alpha", "beta", "gamma"}));
    limits_.set_max_words(100);
    limits_.set_max_documents_per_unit(10);
    limits_.set_max_topics(1000);
    limits_.set_max_iterations(20);
    limits_.set_max_e_step_iterations(50);
    limits_.set_min_noise_multiplier(0.5);
    plan_.set_corpus_version(std::string(16, '\7'));
    plan_.set_sampling_rate(1);
    plan_.set_noise_multiplier(2);
    plan_.set_iterations(10);
    plan_.set_max_words(100);
    plan_.mutable_lda()->set_num_topics(5);
    plan_.mutable_lda()->add_document_topic_prior(0.2);
    header_.set_iteration(10);
    header_.set_clip_norm(4);
    header_.set_max_e_step_iterations(50);
    header_.set_mean_change_threshold(1e-3);
    header_.set_request_digest(std::string(32, 'd'));
  }

  absl::Status Validate(const v1::PlanSpec& plan) const {
    return ValidatePlan(plan,
                        {.corpus = description_, .limits = limits_, .max_matrix_bytes = 5 * 3 * 4});
  }

  corpus::CorpusDescription description_;
  v1::Limits limits_;
  v1::PlanSpec plan_;
  v1::EStepHeader header_;
};

TEST_F(RequestValidatorTest, APlanWhoseSumCouldWrapIsRefusedFromPublicNumbersAlone) {
  limits_.set_min_noise_multiplier(0.25);
  limits_.set_max_units(int64_t{1} << 31);
  plan_.set_noise_multiplier(0.25);
  EXPECT_THAT(Validate(plan_), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^63")));
  plan_.set_noise_multiplier(0.5);
  EXPECT_OK(Validate(plan_));
  plan_.set_histogram_noise_multiplier(0.25);
  EXPECT_THAT(Validate(plan_), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^63")));
  limits_.clear_max_units();
  EXPECT_OK(Validate(plan_));
}

TEST_F(RequestValidatorTest, NoPlanIsTakenForACorpusOfTheFirstFormat) {
  description_.duplicates = corpus::DuplicateRule::kUnknown;
  EXPECT_THAT(Validate(plan_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ingest it again")));
}

TEST_F(RequestValidatorTest, APlanAtItsLimitsIsTaken) {
  plan_.set_iterations(20);
  plan_.set_noise_multiplier(0.5);
  plan_.set_histogram_noise_multiplier(0.5);
  plan_.set_term_weights(proto::FloatsToLittleEndian({1, 0x1p-20f, 0x1p20f}));
  EXPECT_OK(Validate(plan_));
}

TEST_F(RequestValidatorTest, EveryPlanNumberOutOfItsDomainIsNamed) {
  using Change = std::function<void(v1::PlanSpec&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"sampling_rate", [](auto& p) { p.set_sampling_rate(0); }},
      {"sampling_rate", [](auto& p) { p.set_sampling_rate(1.0000001); }},
      {"sampling_rate", [](auto& p) { p.set_sampling_rate(kNaN); }},
      {"noise_multiplier", [](auto& p) { p.set_noise_multiplier(0.49); }},
      {"noise_multiplier", [](auto& p) { p.set_noise_multiplier(0); }},
      {"noise_multiplier", [](auto& p) { p.set_noise_multiplier(1e-300); }},
      {"noise_multiplier", [](auto& p) { p.set_noise_multiplier(5e-324); }},
      {"noise_multiplier", [](auto& p) { p.set_noise_multiplier(1e308); }},
      {"noise_multiplier", [](auto& p) { p.set_noise_multiplier(kNaN); }},
      {"noise_multiplier", [](auto& p) { p.set_noise_multiplier(-2); }},
      {"histogram_noise_multiplier", [](auto& p) { p.set_histogram_noise_multiplier(0.1); }},
      {"histogram_noise_multiplier", [](auto& p) { p.set_histogram_noise_multiplier(kInfinity); }},
      {"iterations", [](auto& p) { p.set_iterations(0); }},
      {"iterations", [](auto& p) { p.set_iterations(21); }},
      {"max_words", [](auto& p) { p.set_max_words(0); }},
      {"max_words", [](auto& p) { p.set_max_words(101); }},
      {"term_weights", [](auto& p) { p.set_term_weights("abc"); }},
      {"term",
       [](auto& p) {
         p.set_term_weights(proto::FloatsToLittleEndian({1, 1}));
       }},
      {"term",
       [](auto& p) {
         p.set_term_weights(proto::FloatsToLittleEndian({1, 1, 0}));
       }},
      {"term",
       [](auto& p) {
         p.set_term_weights(proto::FloatsToLittleEndian({1, NAN, 1}));
       }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(1); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(-1e-9); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(kNaN); }},
      {"model", [](auto& p) { p.clear_model(); }},
      {"num_topics", [](auto& p) { p.mutable_lda()->set_num_topics(0); }},
      {"num_topics", [](auto& p) { p.mutable_lda()->set_num_topics(1001); }},
      {"bytes", [](auto& p) { p.mutable_lda()->set_num_topics(6); }},
      {"document_topic_prior", [](auto& p) { p.mutable_lda()->set_document_topic_prior(0, 0); }},
      {"document_topic_prior", [](auto& p) { p.mutable_lda()->set_document_topic_prior(0, kNaN); }},
      {"got 0 numbers", [](auto& p) { p.mutable_lda()->clear_document_topic_prior(); }},
      {"got 2 numbers", [](auto& p) { p.mutable_lda()->add_document_topic_prior(0.2); }},
  };
  for (const auto& [field, change] : changes) {
    v1::PlanSpec plan = plan_;
    change(plan);
    EXPECT_THAT(Validate(plan), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(field)))
        << plan.DebugString();
  }
}

TEST_F(RequestValidatorTest, AnEvaluationAtItsLimitsIsTaken) {
  plan_.mutable_document_completion()->set_num_topics(5);
  plan_.mutable_document_completion()->add_document_topic_prior(1e-6);
  plan_.set_histogram_noise_multiplier(0.5);
  plan_.set_term_weights(proto::FloatsToLittleEndian({0x1p-20f, 0x1p20f}));
  for (const double share : {1e-300, 0.5, 1.0}) {
    plan_.set_held_out_share(share);
    EXPECT_OK(Validate(plan_)) << share;
  }
}

TEST_F(RequestValidatorTest, EveryWrongEvaluationIsNamed) {
  plan_.mutable_document_completion()->set_num_topics(5);
  plan_.mutable_document_completion()->add_document_topic_prior(0.2);
  plan_.set_term_weights(proto::FloatsToLittleEndian({0.01f, 0.1f}));
  plan_.set_held_out_share(0.1);
  ASSERT_OK(Validate(plan_));
  using Change = std::function<void(v1::PlanSpec&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"held_out_share", [](auto& p) { p.set_held_out_share(0); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(1.0000001); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(kNaN); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(-0.1); }},
      {"term_weights", [](auto& p) { p.clear_term_weights(); }},
      {"term_weights", [](auto& p) { p.set_term_weights(proto::FloatsToLittleEndian({1})); }},
      {"term_weights",  // as many as there are terms
       [](auto& p) {
         p.set_term_weights(proto::FloatsToLittleEndian({1, 1, 1}));
       }},
      {"term_weights",
       [](auto& p) {
         p.set_term_weights(proto::FloatsToLittleEndian({1, NAN}));
       }},
      {"term_weights",
       [](auto& p) {
         p.set_term_weights(proto::FloatsToLittleEndian({0, 1}));
       }},
      {"num_topics", [](auto& p) { p.mutable_document_completion()->set_num_topics(0); }},
      {"num_topics", [](auto& p) { p.mutable_document_completion()->set_num_topics(1001); }},
      {"bytes", [](auto& p) { p.mutable_document_completion()->set_num_topics(6); }},
      {"document_topic_prior",
       [](auto& p) { p.mutable_document_completion()->set_document_topic_prior(0, 0); }},
  };
  for (const auto& [field, change] : changes) {
    v1::PlanSpec plan = plan_;
    change(plan);
    EXPECT_THAT(Validate(plan), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(field)))
        << plan.DebugString();
  }
}

TEST_F(RequestValidatorTest, APlanForAnotherVersionIsToldToDescribeAgain) {
  plan_.set_corpus_version(std::string(16, '\6'));
  EXPECT_THAT(Validate(plan_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("describe")));
}

TEST_F(RequestValidatorTest, EveryHeaderNumberOutOfItsDomainIsNamed) {
  EXPECT_OK(ValidateEStepHeader(header_, plan_, limits_));
  using Change = std::function<void(v1::EStepHeader&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"iteration", [](auto& h) { h.set_iteration(0); }},
      {"iteration", [](auto& h) { h.set_iteration(11); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(0); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(0x1p-21); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(0x1p31); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(kNaN); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(-4); }},
      {"max_e_step_iterations", [](auto& h) { h.set_max_e_step_iterations(0); }},
      {"max_e_step_iterations", [](auto& h) { h.set_max_e_step_iterations(51); }},
      {"mean_change_threshold", [](auto& h) { h.set_mean_change_threshold(-1e-9); }},
      {"mean_change_threshold", [](auto& h) { h.set_mean_change_threshold(kNaN); }},
      {"request_digest", [](auto& h) { h.set_request_digest("short"); }},
  };
  for (const auto& [field, change] : changes) {
    v1::EStepHeader header = header_;
    change(header);
    EXPECT_THAT(ValidateEStepHeader(header, plan_, limits_),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(field)))
        << header.DebugString();
  }
}

}  // namespace
}  // namespace topicwall::server
