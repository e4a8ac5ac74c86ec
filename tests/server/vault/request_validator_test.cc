#include "server/vault/request_validator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/matrix_codec.h"
#include "proto/models/prevalence.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::server {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using ::topicwall::testing::AskTopics;

// A change of what the plan asks of topics.
template <typename Change>
std::function<void(v1::ReleaseSpec&)> With(Change change) {
  return [change](v1::ReleaseSpec& plan) { testing::ChangeOptions(&plan, change); };
}

class RequestValidatorTest : public ::testing::Test {
 protected:
  RequestValidatorTest() {
    description_.version.fill(7);
    description_.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
    description_.duplicates = v1::DUPLICATE_RULE_REFUSE;
    description_.vocabulary = std::make_shared<const lda::Vocabulary>(
        *lda::Vocabulary::Create({"alpha", "beta", "gamma"}));
    limits_.set_max_tokens(100);
    limits_.set_max_documents_per_unit(10);
    limits_.set_max_parameters_per_term(1000);
    limits_.set_max_iterations(20);
    limits_.set_max_model_iterations(50);
    limits_.set_min_noise_multiplier(0.5);
    plan_.set_corpus_version(std::string(16, '\7'));
    plan_.set_sampling_rate(1);
    plan_.mutable_gaussian()->set_noise_multiplier(2);
    plan_.set_iterations(10);
    plan_.set_max_tokens(100);
    AskTopics(&plan_, "lda", 5, {0.2}, 50);
    header_.set_iteration(10);
    header_.set_clip_norm(4);
    header_.set_request_digest(std::string(32, 'd'));
  }

  absl::Status Validate(const v1::ReleaseSpec& plan) const {
    return ValidatePlan(plan,
                        {.corpus = description_, .limits = limits_, .max_matrix_bytes = 5 * 3 * 4});
  }

  corpus::CorpusDescription description_;
  v1::Limits limits_;
  v1::ReleaseSpec plan_;
  v1::RunReleaseHeader header_;
};

// 6 numbers a cell, 3000 in all: groups of few topics may ask for as many as parameters may be, and
// no more, or ten attributes would take all memory there is.
TEST_F(RequestValidatorTest, AStatisticHasNoMoreNumbersThanParametersMayBe) {
  v1::PrevalenceOptions options;
  ASSERT_TRUE(options.mutable_topics()->ParseFromString(plan_.options()));
  options.add_attributes(0);
  plan_.set_model("prevalence");
  plan_.set_options(options.SerializeAsString());
  model::Attribute& attribute = description_.attributes.emplace_back();
  attribute.name = "ward";
  while (attribute.values.size() < 499) {
    attribute.values.push_back(absl::StrCat("ward ", attribute.values.size()));
  }
  EXPECT_OK(Validate(plan_));
  attribute.values.emplace_back("one more");
  EXPECT_THAT(Validate(plan_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("it has 3006")));
  description_.attributes.clear();
  EXPECT_THAT(Validate(plan_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("attributes")));
}

TEST_F(RequestValidatorTest, APlanWhoseSumCouldWrapIsRefusedFromPublicNumbersAlone) {
  limits_.set_min_noise_multiplier(0.25);
  limits_.set_max_units(int64_t{1} << 31);
  plan_.mutable_gaussian()->set_noise_multiplier(0.25);
  EXPECT_THAT(Validate(plan_), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^63")));
  plan_.mutable_gaussian()->set_noise_multiplier(0.5);
  EXPECT_OK(Validate(plan_));
  plan_.mutable_gaussian()->set_histogram_noise_multiplier(0.25);
  EXPECT_THAT(Validate(plan_), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^63")));
  limits_.clear_max_units();
  EXPECT_OK(Validate(plan_));
}

// Along directions a unit that was clipped may be 16 times as long.
TEST_F(RequestValidatorTest, ARequestWhoseSumAlongDirectionsCouldWrapIsRefused) {
  limits_.set_max_units(int64_t{1} << 31);
  plan_.mutable_gaussian()->set_noise_multiplier(1);
  ASSERT_OK(Validate(plan_));
  EXPECT_OK(ValidateReleaseHeader(header_, plan_, limits_));
  header_.set_direction_noise(16);
  EXPECT_THAT(ValidateReleaseHeader(header_, plan_, limits_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^63")));
  limits_.clear_max_units();
  EXPECT_OK(ValidateReleaseHeader(header_, plan_, limits_));
}

TEST_F(RequestValidatorTest, NoPlanIsTakenForACorpusOfTheFirstFormat) {
  description_.duplicates = v1::DUPLICATE_RULE_UNSPECIFIED;
  EXPECT_THAT(Validate(plan_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ingest it again")));
}

TEST_F(RequestValidatorTest, APlanAtItsLimitsIsTaken) {
  plan_.set_iterations(20);
  plan_.mutable_gaussian()->set_noise_multiplier(0.5);
  plan_.mutable_gaussian()->set_histogram_noise_multiplier(0.5);
  plan_.set_weights(proto::FloatsToLittleEndian({1, 0x1p-20f, 0x1p20f}));
  EXPECT_OK(Validate(plan_));
}

TEST_F(RequestValidatorTest, EveryPlanNumberOutOfItsDomainIsNamed) {
  using Change = std::function<void(v1::ReleaseSpec&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"sampling_rate", [](auto& p) { p.set_sampling_rate(0); }},
      {"sampling_rate", [](auto& p) { p.set_sampling_rate(1.0000001); }},
      {"sampling_rate", [](auto& p) { p.set_sampling_rate(kNaN); }},
      {"noise_multiplier", [](auto& p) { p.mutable_gaussian()->set_noise_multiplier(0.49); }},
      {"noise_multiplier", [](auto& p) { p.mutable_gaussian()->set_noise_multiplier(0); }},
      {"noise_multiplier", [](auto& p) { p.mutable_gaussian()->set_noise_multiplier(1e-300); }},
      {"noise_multiplier", [](auto& p) { p.mutable_gaussian()->set_noise_multiplier(5e-324); }},
      {"noise_multiplier", [](auto& p) { p.mutable_gaussian()->set_noise_multiplier(1e308); }},
      {"noise_multiplier", [](auto& p) { p.mutable_gaussian()->set_noise_multiplier(kNaN); }},
      {"noise_multiplier", [](auto& p) { p.mutable_gaussian()->set_noise_multiplier(-2); }},
      {"histogram_noise_multiplier",
       [](auto& p) { p.mutable_gaussian()->set_histogram_noise_multiplier(0.1); }},
      {"histogram_noise_multiplier",
       [](auto& p) { p.mutable_gaussian()->set_histogram_noise_multiplier(kInfinity); }},
      {"iterations", [](auto& p) { p.set_iterations(0); }},
      {"iterations", [](auto& p) { p.set_iterations(21); }},
      {"max_tokens", [](auto& p) { p.set_max_tokens(0); }},
      {"max_tokens", [](auto& p) { p.set_max_tokens(101); }},
      {"weights", [](auto& p) { p.set_weights("abc"); }},
      {"weights",
       [](auto& p) {
         p.set_weights(proto::FloatsToLittleEndian({1, 1}));
       }},
      {"weights",
       [](auto& p) {
         p.set_weights(proto::FloatsToLittleEndian({1, 1, 0}));
       }},
      {"weights",
       [](auto& p) {
         p.set_weights(proto::FloatsToLittleEndian({1, NAN, 1}));
       }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(1); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(-1e-9); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(kNaN); }},
      {"model", [](auto& p) { p.clear_model(); }},
      {"mechanism", [](auto& p) { p.clear_mechanism(); }},
      {"model must be one of", [](auto& p) { p.set_model("counts"); }},
      {"LdaOptions", [](auto& p) { p.set_options("not a message"); }},
      {"topics", With([](auto& o) { o.set_num_topics(0); })},
      {"max_parameters_per_term", With([](auto& o) { o.set_num_topics(1001); })},
      {"num_topics", With([](auto& o) { o.set_num_topics(std::numeric_limits<int32_t>::max()); })},
      {"bytes", With([](auto& o) { o.set_num_topics(6); })},
      {"iterations", With([](auto& o) { o.set_max_iterations(0); })},
      {"iterations", With([](auto& o) { o.set_max_iterations(51); })},
      {"mean_change_threshold", With([](auto& o) { o.set_mean_change_threshold(-1e-9); })},
      {"mean_change_threshold", With([](auto& o) { o.set_mean_change_threshold(1.0000001); })},
      {"mean_change_threshold", With([](auto& o) { o.set_mean_change_threshold(kNaN); })},
      {"document_topic_prior", With([](auto& o) { o.set_document_topic_prior(0, 0); })},
      {"document_topic_prior", With([](auto& o) { o.set_document_topic_prior(0, 1001); })},
      {"document_topic_prior", With([](auto& o) { o.set_document_topic_prior(0, kNaN); })},
      {"got 0 numbers", With([](auto& o) { o.clear_document_topic_prior(); })},
      {"got 2 numbers", With([](auto& o) { o.add_document_topic_prior(0.2); })},
  };
  for (const auto& [field, change] : changes) {
    v1::ReleaseSpec plan = plan_;
    change(plan);
    EXPECT_THAT(Validate(plan), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(field)))
        << plan.DebugString();
  }
}

TEST_F(RequestValidatorTest, AnEvaluationAtItsLimitsIsTaken) {
  AskTopics(&plan_, "document_completion", 5, {1e-6}, 50);
  plan_.set_held_out_only(true);
  plan_.mutable_gaussian()->set_histogram_noise_multiplier(0.5);
  plan_.set_weights(proto::FloatsToLittleEndian({0x1p-20f, 0x1p20f}));
  for (const double share : {1e-300, 0.5, 1.0}) {
    plan_.set_held_out_share(share);
    EXPECT_OK(Validate(plan_)) << share;
  }
}

TEST_F(RequestValidatorTest, EveryWrongEvaluationIsNamed) {
  AskTopics(&plan_, "document_completion", 5, {0.2}, 50);
  plan_.set_held_out_only(true);
  plan_.set_weights(proto::FloatsToLittleEndian({0.01f, 0.1f}));
  plan_.set_held_out_share(0.1);
  ASSERT_OK(Validate(plan_));
  using Change = std::function<void(v1::ReleaseSpec&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"held_out_share", [](auto& p) { p.set_held_out_share(0); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(1.0000001); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(kNaN); }},
      {"held_out_share", [](auto& p) { p.set_held_out_share(-0.1); }},
      {"weights", [](auto& p) { p.clear_weights(); }},
      {"weights", [](auto& p) { p.set_weights(proto::FloatsToLittleEndian({1})); }},
      {"weights",  // as many as there are terms
       [](auto& p) {
         p.set_weights(proto::FloatsToLittleEndian({1, 1, 1}));
       }},
      {"weights",
       [](auto& p) {
         p.set_weights(proto::FloatsToLittleEndian({1, NAN}));
       }},
      {"weights",
       [](auto& p) {
         p.set_weights(proto::FloatsToLittleEndian({0, 1}));
       }},
      {"topics", With([](auto& o) { o.set_num_topics(0); })},
      {"max_parameters_per_term", With([](auto& o) { o.set_num_topics(1001); })},
      {"bytes", With([](auto& o) { o.set_num_topics(6); })},
      {"document_topic_prior", With([](auto& o) { o.set_document_topic_prior(0, 0); })},
  };
  for (const auto& [field, change] : changes) {
    v1::ReleaseSpec plan = plan_;
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
  EXPECT_OK(ValidateReleaseHeader(header_, plan_, limits_));
  using Change = std::function<void(v1::RunReleaseHeader&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"iteration", [](auto& h) { h.set_iteration(0); }},
      {"iteration", [](auto& h) { h.set_iteration(11); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(0); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(0x1p-21); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(0x1p31); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(kNaN); }},
      {"clip_norm", [](auto& h) { h.set_clip_norm(-4); }},
      {"request_digest", [](auto& h) { h.set_request_digest("short"); }},
      {"direction_noise", [](auto& h) { h.set_direction_noise(-1); }},
      {"direction_noise", [](auto& h) { h.set_direction_noise(0x1p-5); }},
      {"direction_noise", [](auto& h) { h.set_direction_noise(17); }},
      {"direction_noise", [](auto& h) { h.set_direction_noise(kNaN); }},
  };
  for (const auto& [field, change] : changes) {
    v1::RunReleaseHeader header = header_;
    change(header);
    EXPECT_THAT(ValidateReleaseHeader(header, plan_, limits_),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(field)))
        << header.DebugString();
  }
}

TEST_F(RequestValidatorTest, AModelOfTextIsRefusedForACorpusOfVectorsInWordsThatSayWhy) {
  ASSERT_OK(Validate(plan_));
  description_.tokenizer = "vectors";
  description_.vectors = {.dimension = 3, .norm_bound = 1};
  for (const char* model : {"lda", "document_completion", "multinomial_mixture", "prevalence"}) {
    plan_.set_model(model);
    EXPECT_THAT(Validate(plan_),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         ::testing::AllOf(HasSubstr("a corpus of vectors"), HasSubstr(model),
                                          HasSubstr("is for corpora of text"))));
  }
}

}  // namespace
}  // namespace topicwall::server
