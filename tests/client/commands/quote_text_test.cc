#include "client/commands/quote_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "client/fit/fit_planner.h"

namespace topicwall::client {
namespace quote_text_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A pair of δ = 1 holds of anything; its ε would look like a promise.
TEST(QuoteTextTest, WhereDeltaIsOneNoEpsilonIsPrinted) {
  FitQuote quote;
  quote.spec.clip_norm = 1;
  quote.stages.emplace_back();
  quote.price.set_replace_one_epsilon(48);
  quote.price.set_replace_one_delta(1);
  v1::GroupGuarantee& group = *quote.price.add_groups();
  group.set_units(5);
  group.set_epsilon(40);
  group.set_delta(1);
  const std::string nothing = "no promise (delta would be 1)";
  EXPECT_THAT(
      QuoteText(quote, /*explain=*/false),
      AllOf(HasSubstr("one unit by another: " + nothing), HasSubstr("5 units together: " + nothing),
            Not(HasSubstr("48.0000")), Not(HasSubstr("40.0000"))));
  quote.price.set_replace_one_delta(0.5);
  EXPECT_THAT(QuoteText(quote, /*explain=*/false),
              HasSubstr("one unit by another: epsilon 48.0000 at delta 0.5"));
}

TEST(QuoteTextTest, WhatIsPromisedIsNeverToldAsLessThanItIs) {
  FitQuote quote;
  quote.spec.clip_norm = 1;
  quote.stages.emplace_back();
  quote.price.set_replace_one_epsilon(4.00001);
  quote.price.set_replace_one_delta(1.0049e-6);
  quote.price.mutable_attack_bounds()->set_best_posterior_at_even_odds(0.728304);
  quote.price.mutable_attack_bounds()->set_true_positive_rate_at_fpr_1_percent(0.04101);
  EXPECT_THAT(QuoteText(quote, /*explain=*/false),
              AllOf(HasSubstr("one unit by another: epsilon 4.0001 at delta 1.01e-06"),
                    HasSubstr("guesses right of a unit at even odds at most 72.9 % of the time"),
                    HasSubstr("at most 4.2 % of units")));
}

TEST(QuoteTextTest, AnAlphaThatTheFitCannotTakeIsSaidToBeLeft) {
  v1::ModelFile initial;
  initial.set_num_topics(5);
  for (int k = 0; k < 5; ++k) initial.add_document_topic_prior(0.1 * (k + 1));
  FitQuote quote;
  quote.spec.clip_norm = 1;
  quote.spec.num_topics = 6;
  quote.spec.initial_model = std::make_shared<const v1::ModelFile>(initial);
  quote.stages.emplace_back();
  const std::string left = "the initial model's alpha is of 5 topics and is left: the fit has 6";
  EXPECT_THAT(QuoteText(quote, /*explain=*/false), HasSubstr(left));
  quote.spec.num_topics = 5;
  EXPECT_THAT(QuoteText(quote, /*explain=*/false), Not(HasSubstr("alpha")));
}

FitQuote OfPaper(double noise_multiplier) {
  FitQuote quote;
  quote.spec.algorithm = kPaper;
  quote.spec.num_topics = 50;
  quote.spec.clip_norm = 50;
  quote.spec.sampling_rate = 0.05;
  quote.spec.noise_multiplier = noise_multiplier;
  quote.spec.planning.words_per_unit = 70;
  quote.description.set_nominal_size(400'000);
  quote.description.set_vocabulary_size(8000);
  quote.stages.emplace_back();
  quote.price.set_epsilon_alone(0.932);
  quote.expected_paper = *PaperNoiseOf(quote.spec, quote.description);
  return quote;
}

// The paper's own setting: 1.24·50/0.05 = 1,240 words of noise, 0.3989 of them in 400,000 entries,
// and 28 million words of documents.
TEST(QuoteTextTest, OfThePapersAlgorithmItSaysHowMuchOfTheTopicsIsNoise) {
  EXPECT_THAT(QuoteText(OfPaper(1.24), /*explain=*/false),
              AllOf(HasSubstr("noise leaves about 197875371 words in the topics, all documents "
                              "28000000"),
                    HasSubstr("for 400000 documents (nominal, says the custodian)")));
  // 7.12 times, and what 6.64 is enough for: neither is told as less.
  EXPECT_THAT(WarningOf(OfPaper(1.25)),
              AllOf(HasSubstr("warning: at epsilon 0.932"), HasSubstr("7.2 times the words"),
                    HasSubstr("epsilon of about 6.7"), HasSubstr("for 400000 documents")));
  EXPECT_EQ(WarningOf(OfPaper(0.17)), "");
}

FitQuote OfTopics(int64_t documents) {
  FitQuote quote;
  quote.spec.num_topics = 20;
  quote.spec.iterations = 20;
  quote.spec.sampling_rate = 1;
  quote.spec.noise_multiplier = 16;
  quote.description.set_nominal_size(documents);
  quote.description.set_vocabulary_size(8000);
  return quote;
}

// What the numbers beside it are of, and not what somebody took for granted.
TEST(QuoteTextTest, WhereFewerWordsCountThanAreAssumedTheFewerAreTold) {
  FitQuote quote = OfPaper(1.25);
  quote.description.mutable_limits()->set_max_tokens(100);
  EXPECT_THAT(AssumptionOf(quote), HasSubstr(" of 70 known words each (assumed"));
  quote.description.mutable_limits()->set_max_tokens(35);
  quote.expected_paper = *PaperNoiseOf(quote.spec, quote.description);
  EXPECT_THAT(AssumptionOf(quote), HasSubstr(" of 35 known words each, as no more count (assumed"));
  // Half as many, of which the clip leaves all.
  EXPECT_THAT(QuoteText(quote, /*explain=*/false), HasSubstr("all documents 14000000"));
}

TEST(QuoteTextTest, OfShortTextsNothingElseIsSaidThanIsExpected) {
  FitQuote quote = OfTopics(60'000);
  quote.spec.algorithm = kMixture;
  quote.spec.num_topics = 5;
  quote.spec.clip_norm = 0.7;
  const auto warning = [&quote](int64_t limit) {
    quote.description.mutable_limits()->set_max_tokens(limit);
    quote.expected = *ExpectationOf(quote.spec, quote.description);
    return WarningOf(quote);
  };
  EXPECT_THAT(warning(100), HasSubstr("and 40 are assumed, where titles have some 5"));
  EXPECT_THAT(warning(9), HasSubstr("and 9 are assumed, where titles have some 5"));
  EXPECT_THAT(warning(5), Not(HasSubstr("are assumed, where")));
}

// σ is enough for the topics; the noise of the first release is not.
TEST(QuoteTextTest, AClipNormThatDrownsAFitIsNamed) {
  FitQuote quote = OfTopics(60'000);
  const auto warning = [&quote](double clip_norm) {
    quote.spec.clip_norm = clip_norm;
    quote.expected = *ExpectationOf(quote.spec, quote.description);
    return WarningOf(quote);
  };
  EXPECT_EQ(warning(0.7), "");
  quote.description.mutable_limits()->set_max_tokens(1);
  EXPECT_THAT(warning(0.7), AllOf(HasSubstr("warning: "), Not(HasSubstr("--clip-norm"))))
      << "the usual one is nobody's";
  quote.description.clear_limits();
  EXPECT_THAT(warning(1e9),
              AllOf(HasSubstr("warning: "), HasSubstr("--clip-norm 1e+09 makes it "
                                                      "worse: it settles at about 4.1")));
}

TEST(QuoteTextTest, AClipNormThatIsExpectedToStayIsNotSaidToSettle) {
  FitQuote quote = OfTopics(2000);
  quote.spec.clip_norm = 50;
  quote.expected = *ExpectationOf(quote.spec, quote.description);
  EXPECT_THAT(
      WarningOf(quote),
      HasSubstr("--clip-norm 50 makes it worse: it would settle at about 4.1, but the norms "
                "are expected to drown in noise."));
}

}  // namespace quote_text_test
}  // namespace topicwall::client
