// Every model of the table, and the smallest one there can be, keeps the contract.
#include <set>

#include "model/models.h"
#include "proto/models/gaussian.pb.h"
#include "proto/models/lda.pb.h"
#include "proto/models/lengths.pb.h"
#include "proto/models/mixture.pb.h"
#include "proto/models/prevalence.pb.h"
#include "tests/model/scaled_counts/scaled_counts_model.h"
#include "tests/model/statistic_model_contract.h"

namespace topicwall::model {
namespace {

constexpr int kTopics = 12;

std::string LdaOptions() {
  v1::LdaOptions options;
  options.set_num_topics(kTopics);
  options.add_document_topic_prior(0.05);
  options.set_max_iterations(30);
  options.set_mean_change_threshold(1e-3);
  return options.SerializeAsString();
}

template <typename Value>
std::vector<float> Parameters(size_t size, Value value) {
  std::vector<float> parameters(size);
  for (size_t i = 0; i < size; ++i) parameters[i] = value(i);
  return parameters;
}

// Of models whose parameters are logarithms: rows of so many columns.
ContractCase OverLogarithms(const std::string& name, const std::string& options, size_t columns) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  const size_t size = kTopics * columns;
  return {
      .name = name,
      .make =
          [name](absl::string_view asked, int64_t terms) {
            return MakeModel(
                name, asked,
                {.vocabulary_size = terms, .attribute_sizes = ContractAttributeSizes()});
          },
      .options = options,
      .parameters = Parameters(
          size, [](size_t i) { return -static_cast<float>(ContractBits::Mixed(i) % 1000) / 100; }),
      .strange = {Parameters(size, [](size_t) { return 0.0F; }),  // ties
                  Parameters(size, [](size_t) { return kLowest; }),
                  Parameters(size, [](size_t i) { return i % 3 == 0 ? 0.0F : kLowest; }),
                  Parameters(size, [](size_t i) { return i % 2 == 0 ? -kDenormal : -1e30F; }),
                  Parameters(size, [columns](size_t i) { return i < columns ? 0.0F : -1e4F; })},
      .refused = 1e-3F};
}

ContractCase OverTopics(const std::string& name) {
  return OverLogarithms(name, LdaOptions(), kContractTerms);
}

// The same, asked of a mixture.
ContractCase CompletionOfAMixture() {
  v1::LdaOptions options;
  options.set_num_topics(kTopics);
  options.set_one_topic_a_document(true);
  ContractCase one =
      OverLogarithms("document_completion", options.SerializeAsString(), kContractTerms + 1);
  one.name = "document_completion_of_a_mixture";
  return one;
}

ContractCase Prevalence() {
  v1::PrevalenceOptions options;
  EXPECT_TRUE(options.mutable_topics()->ParseFromString(LdaOptions()));
  options.add_attributes(0);
  options.add_attributes(1);
  return OverLogarithms("prevalence", options.SerializeAsString(), kContractTerms);
}

ContractCase PrevalenceOfAMixture() {
  v1::PrevalenceOptions options;
  options.mutable_topics()->set_num_topics(kTopics);
  options.mutable_topics()->set_one_topic_a_document(true);
  options.add_attributes(0);
  options.add_attributes(1);
  ContractCase one = OverLogarithms("prevalence", options.SerializeAsString(), kContractTerms + 1);
  one.name = "prevalence_of_a_mixture";
  return one;
}

ContractCase Mixture() {
  v1::MixtureOptions options;
  options.set_num_components(kTopics);
  return OverLogarithms("multinomial_mixture", options.SerializeAsString(), kContractTerms + 1);
}

ContractCase OverGaussians(const std::string& name) {
  v1::GaussianOptions options;
  options.set_num_components(kTopics);
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  const size_t size = kTopics * (2 * kContractDimension + 1);
  return {.name = name,
          .make =
              [name](absl::string_view asked, int64_t /*terms*/) {
                return MakeModel(name, asked, {.vector_dimension = kContractDimension});
              },
          .options = options.SerializeAsString(),
          .parameters = Parameters(
              size,
              [](size_t i) { return static_cast<float>(ContractBits::Mixed(i) % 1000) / 500 - 1; }),
          .strange = {Parameters(size, [](size_t) { return 0.0F; }),  // ties
                      Parameters(size, [](size_t) { return kLargest; }),
                      Parameters(size, [](size_t) { return -kLargest; }),
                      Parameters(size, [](size_t i) { return i % 3 == 0 ? kLargest : -kLargest; }),
                      Parameters(size, [](size_t i) { return i % 2 == 0 ? -kDenormal : 1e30F; })},
          .refused = -std::numeric_limits<float>::quiet_NaN()};
}

ContractCase Lengths() {
  v1::LengthOptions options;
  options.set_num_bins(kTopics);
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  constexpr size_t kEdges = kTopics - 1;
  return {.name = "unit_lengths",
          .make =
              [](absl::string_view asked, int64_t terms) {
                return MakeModel("unit_lengths", asked, {.vocabulary_size = terms});
              },
          .options = options.SerializeAsString(),
          .parameters = Parameters(kEdges, [](size_t i) { return 2 + 3 * static_cast<float>(i); }),
          .strange = {Parameters(kEdges, [](size_t) { return 0.0F; }),
                      Parameters(kEdges, [](size_t) { return 25.0F; }),  // ties
                      Parameters(kEdges, [](size_t) { return kLargest; }),
                      Parameters(kEdges, [](size_t i) { return i == 0 ? kDenormal : kLargest; }),
                      Parameters(kEdges, [](size_t i) { return static_cast<float>(i) / 7; })},
          .refused = -kDenormal};
}

ContractCase Smallest() {
  return {.name = "scaled_counts",
          .make = [](absl::string_view /*options*/,
                     int64_t terms) -> absl::StatusOr<std::unique_ptr<StatisticModel>> {
            if (terms < 1) return absl::InvalidArgumentError("no terms");
            return std::make_unique<ScaledCounts>(terms, std::vector<float>());
          },
          .options = "",
          .parameters =
              Parameters(kContractTerms, [](size_t i) { return static_cast<float>(i % 7) - 3; }),
          .strange = {Parameters(kContractTerms, [](size_t) { return 0.0F; }),
                      Parameters(kContractTerms,
                                 [](size_t) { return std::numeric_limits<float>::lowest(); })},
          .refused = std::numeric_limits<float>::infinity()};
}

std::vector<ContractCase> Cases() {
  return {OverTopics("lda"),
          OverTopics("document_completion"),
          CompletionOfAMixture(),
          Mixture(),
          Prevalence(),
          PrevalenceOfAMixture(),
          OverGaussians("gaussian_mixture"),
          OverGaussians("gaussian_likelihood"),
          Lengths(),
          Smallest()};
}

INSTANTIATE_TEST_SUITE_P(Models, StatisticModelContract, ::testing::ValuesIn(Cases()), NameOf);

// A model that is added to the table and not to the cases above is found here.
TEST(ModelsTest, EveryModelOfTheTableIsHeldToTheContract) {
  std::set<std::string> held;
  for (const ContractCase& one : Cases()) held.insert(one.name);
  for (const std::string& name : ModelNames()) EXPECT_EQ(held.count(name), 1u) << name;
}

// A mixture is asked about and never fitted as topics, and says nothing that nobody heeds.
TEST(ModelsTest, OptionsOfAMixtureThatMeanNothingAreRefused) {
  const CorpusShape corpus = {.vocabulary_size = kContractTerms};
  v1::LdaOptions options;
  options.set_num_topics(kTopics);
  options.set_one_topic_a_document(true);
  EXPECT_OK(MakeModel("document_completion", options.SerializeAsString(), corpus));
  EXPECT_THAT(MakeModel("lda", options.SerializeAsString(), corpus),
              ::topicwall::testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                             ::testing::HasSubstr("multinomial_mixture")));
  for (const int field : {0, 1, 2}) {
    v1::LdaOptions more = options;
    if (field == 0) more.add_document_topic_prior(0.1);
    if (field == 1) more.set_max_iterations(10);
    if (field == 2) more.set_mean_change_threshold(1e-3);
    EXPECT_THAT(MakeModel("document_completion", more.SerializeAsString(), corpus),
                ::topicwall::testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                               ::testing::HasSubstr("Leave them out")))
        << field;
  }
}

TEST(ModelsTest, ANameThatIsNoneIsRefusedWithThoseThereAre) {
  EXPECT_THAT(
      MakeModel("lsa", LdaOptions(), {.vocabulary_size = kContractTerms}),
      ::topicwall::testing::StatusIs(
          absl::StatusCode::kInvalidArgument,
          ::testing::AllOf(::testing::HasSubstr("lda"), ::testing::HasSubstr("document_completion"),
                           ::testing::HasSubstr("got \"lsa\""))));
}

TEST(ModelsTest, ANameOfAnyBytesMakesARefusalThatFitsALog) {
  const auto refused =
      MakeModel(std::string(10'000, '\n'), "", {.vocabulary_size = kContractTerms});
  EXPECT_LT(refused.status().message().size(), 400u);
  EXPECT_THAT(std::string(refused.status().message()), ::testing::Not(::testing::HasSubstr("\n")));
}

}  // namespace
}  // namespace topicwall::model
