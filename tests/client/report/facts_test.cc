// facts/: numbers against those that another way gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "client/report/facts/folder_facts.h"
#include "client/report/facts/ledger_facts.h"
#include "client/report/facts/model_facts.h"
#include "client/report/facts/rounded_numbers.h"
#include "client/report/facts/signal_facts.h"
#include "client/report/facts/topic_map.h"
#include "proto/told_numbers.h"
#include "tests/client/chain_builder.h"
#include "tests/client/seen_wall.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::topicwall::testing::StatusIs;

// Corners of a rectangle, whose distances are known: likeness is 1 less their squares.
TEST(TopicMapTest, DistancesThatAPlaneCanHoldAreKept) {
  const std::vector<MapPlace> corners = {{0.3, 0.1}, {-0.3, 0.1}, {-0.3, -0.1}, {0.3, -0.1}};
  Eigen::MatrixXd likeness(4, 4);
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = 0; b < 4; ++b) {
      const double d = std::hypot(corners[a].x - corners[b].x, corners[a].y - corners[b].y);
      likeness(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = 1 - d * d;
    }
  }
  const std::vector<MapPlace> places = PlacesOf(likeness);
  const double scale = std::hypot(0.3, 0.1);
  for (size_t a = 0; a < 4; ++a) {
    EXPECT_NEAR(std::hypot(places[a].x, places[a].y), 1, 1e-3);
    for (size_t b = 0; b < 4; ++b) {
      EXPECT_NEAR(scale * std::hypot(places[a].x - places[b].x, places[a].y - places[b].y),
                  std::hypot(corners[a].x - corners[b].x, corners[a].y - corners[b].y), 1e-3);
    }
  }
}

// Of two topics all is on one axis: the other is 0, not what a solver's rounding leaves there.
TEST(TopicMapTest, AnAxisThatHoldsNothingIsZero) {
  Eigen::MatrixXd likeness(2, 2);
  likeness << 1, 0.36, 0.36, 1;
  const std::vector<MapPlace> places = PlacesOf(likeness);
  EXPECT_EQ(std::abs(places[0].x), 1);
  EXPECT_EQ(places[0].x, -places[1].x);
  EXPECT_EQ(places[0].y, 0);
  EXPECT_EQ(places[1].y, 0);
  EXPECT_EQ(PlacesOf(Eigen::MatrixXd::Identity(1, 1))[0].x, 0);
}

TEST(LedgerFactsTest, WhatWasTakenIsWhatTheWallSaysOfTheSameEvents) {
  ChainBuilder chain;
  std::vector<double> spent = {0};
  for (const char* plan : {"first", "second", "third"}) {
    chain.Reserve("alice", plan, 80, 5);
    spent.push_back(chain.Budget().epsilon_spent());
  }
  v1::Report report;
  ASSERT_OK(AddLedgerFacts({.entries = chain.entries(), .plans = {"second"}}, report));
  const v1::ReportedLedger& ledger = report.ledger();
  ASSERT_EQ(ledger.plans_size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(ledger.plans(i).spent_before(), spent[static_cast<size_t>(i)]);
    EXPECT_DOUBLE_EQ(ledger.plans(i).spent_after(), spent[static_cast<size_t>(i) + 1]);
    EXPECT_EQ(ledger.plans(i).is_of_report(), i == 1);
  }
  EXPECT_DOUBLE_EQ(ledger.spent(), spent.back());
  EXPECT_EQ(ledger.entries(), static_cast<int64_t>(chain.entries().size()));
}

// Of an (ε, δ)-mechanism e^ε/(1 + e^ε) + δ/(1 + e^ε) at even odds, (2ε, (1 + e^ε)δ) for a unit that
// is replaced, and kε for a group of k.
TEST(LedgerFactsTest, WhatAnAttackerGainsIsOfTheWholeBudget) {
  ChainBuilder chain;
  v1::Report report;
  ASSERT_OK(AddLedgerFacts({.entries = chain.entries(), .plans = {}}, report));
  const v1::ReportedLedger& ledger = report.ledger();
  const double e = std::exp(2.44);
  EXPECT_NEAR(ledger.attack().best_posterior_at_even_odds(), (e + 1e-6) / (1 + e), 1e-5);
  EXPECT_NEAR(ledger.replace_one_epsilon(), 4.88, 1e-9);
  EXPECT_NEAR(ledger.replace_one_delta(), (1 + e) * 1e-6, 1e-9);
  ASSERT_EQ(ledger.groups_size(), 3);
  EXPECT_NEAR(ledger.groups(1).epsilon(), 5 * 2.44, 1e-9);
}

// Two budgets of 2.44 and 12.68 over the same people promise 15.12 together, and no less is told.
TEST(LedgerFactsTest, WhatAnAttackerGainsIsOfAllBudgetsThatMayConcernTheSamePeople) {
  ChainBuilder chain;
  chain.TellSum(chain.SumWith(12.68, 1e-6));
  v1::Report report;
  ASSERT_OK(AddLedgerFacts({.entries = chain.entries(), .plans = {}}, report));
  const v1::ReportedLedger& ledger = report.ledger();
  const double e = std::exp(15.12);
  EXPECT_NEAR(ledger.attack().best_posterior_at_even_odds(), (e + 2e-6) / (1 + e), 1e-8);
  EXPECT_NEAR(ledger.replace_one_epsilon(), 2 * 15.12, 1e-9);
}

TEST(LedgerFactsTest, TimingIsTheShortestIntervalAndUnknownWhereOneChargeSaysNone) {
  const auto told = [](std::initializer_list<int64_t> intervals) {
    ChainBuilder chain;
    chain.Reserve("alice", "hers", 80, 5);
    int iteration = 0;
    for (const int64_t interval : intervals) {
      v1::LedgerEvent event;
      event.set_principal("alice");
      v1::IterationCharged& charge = *event.mutable_iteration_charged();
      charge.set_plan_id("hers");
      charge.set_iteration(++iteration);
      charge.set_release_key_sha256(std::string(32, 'k'));
      if (interval >= 0) charge.mutable_protection()->set_release_interval_ms(interval);
      chain.Append(event);
    }
    v1::Report report;
    EXPECT_OK(AddLedgerFacts({.entries = chain.entries(), .plans = {}}, report));
    return report.ledger();
  };
  EXPECT_TRUE(told({4000, 1500, 2000}).knows_timing());
  EXPECT_EQ(told({4000, 1500, 2000}).shortest_interval_ms(), 1500);
  EXPECT_EQ(told({4000, 0}).shortest_interval_ms(), 0);
  EXPECT_FALSE(told({4000, -1}).knows_timing());
  EXPECT_FALSE(told({}).knows_timing()) << "nothing was charged";
}

TEST(LedgerFactsTest, TimingIsThatOfAReleaseThatIsBegunAgainToo) {
  const auto told = [](std::optional<int64_t> interval_ms) {
    ChainBuilder chain;
    chain.Reserve("alice", "hers", 80, 5);
    v1::LedgerEvent event;
    event.set_principal("alice");
    v1::IterationCharged& charge = *event.mutable_iteration_charged();
    charge.set_plan_id("hers");
    charge.set_iteration(1);
    charge.set_release_key_sha256(std::string(32, 'k'));
    charge.mutable_protection()->set_release_interval_ms(4000);
    chain.Append(event);
    v1::ReleaseRestarted& again = *event.mutable_release_restarted();
    again.set_plan_id("hers");
    again.set_iteration(1);
    if (interval_ms) again.mutable_protection()->set_release_interval_ms(*interval_ms);
    chain.Append(event);
    v1::Report report;
    EXPECT_OK(AddLedgerFacts({.entries = chain.entries(), .plans = {}}, report));
    return report.ledger();
  };
  EXPECT_TRUE(told(0).knows_timing());
  EXPECT_EQ(told(0).shortest_interval_ms(), 0);
  EXPECT_EQ(told(9000).shortest_interval_ms(), 4000);
  EXPECT_FALSE(told(std::nullopt).knows_timing());
}

TEST(LedgerFactsTest, WhatCannotBeSeenIsCounted) {
  ChainBuilder chain;
  chain.Reserve("alice", "hers", 80, 5);
  chain.Reserve("bob", "his", 80, 5);
  v1::Report report;
  ASSERT_OK(AddLedgerFacts({.entries = chain.SeenBy("alice"), .plans = {}}, report));
  EXPECT_EQ(report.ledger().unseen_entries(), 1);
  EXPECT_EQ(report.ledger().plans_size(), 1);
  EXPECT_LT(report.ledger().spent(), chain.Budget().epsilon_spent());
}

// Entries of others cannot be recounted: what was spent then is what the wall told.
TEST(LedgerFactsTest, WhatOthersTookIsInWhatIsReportedOnceAWallTellsIt) {
  SeenWall wall;
  wall.Reserve("bob", "his", 20, 5);
  const double before = wall.chain.Budget().epsilon_spent();
  wall.Reserve("alice", "hers", 80, 5);
  const double after = wall.chain.Budget().epsilon_spent();
  wall.Reserve("bob", "his other", 40, 5);
  wall.reader = "alice";
  ASSERT_OK_AND_ASSIGN(const auto takings, TakingsOf(wall, wall.chain.Budget()));
  v1::Report report;
  ASSERT_OK(AddLedgerFacts(
      {.entries = wall.chain.SeenBy("alice"), .plans = {"hers"}, .takings = &takings}, report));
  const v1::ReportedLedger& ledger = report.ledger();
  EXPECT_EQ(ledger.spent_by_all(), wall.chain.Budget().epsilon_spent());
  ASSERT_EQ(ledger.plans_size(), 1);
  EXPECT_NEAR(ledger.plans(0).spent_before(), before, 1e-12);
  EXPECT_NEAR(ledger.plans(0).spent_after(), after, 1e-12);
  wall.reader.clear();
  v1::Report of_auditor;
  ASSERT_OK(AddLedgerFacts({.entries = wall.chain.entries(), .plans = {}, .takings = &takings},
                           of_auditor));
  EXPECT_FALSE(of_auditor.ledger().has_spent_by_all()) << "whoever sees all needs no word for it";
}

TEST(LedgerFactsTest, OfALedgerThatWasAlteredNothingIsReported) {
  ChainBuilder chain;
  chain.Reserve("alice", "hers", 80, 5);
  chain.entries()[2].set_head(std::string(32, 'h'));
  v1::Report report;
  EXPECT_THAT(AddLedgerFacts({.entries = chain.entries(), .plans = {}}, report),
              StatusIs(absl::StatusCode::kDataLoss));
}

// Counted as unseen, it could have been anything, and the page would have been filed.
TEST(LedgerFactsTest, OfALedgerThatSaysWhatIsNotKnownNothingIsReported) {
  ChainBuilder chain;
  chain.Append(v1::LedgerEvent());
  v1::Report report;
  EXPECT_THAT(AddLedgerFacts({.entries = chain.entries(), .plans = {}}, report),
              StatusIs(absl::StatusCode::kDataLoss));
}

// What it promises together is nothing; what is left of it is reported all the same.
TEST(LedgerFactsTest, OfBudgetsThatPromiseNothingTogetherNoAttackIsBounded) {
  ChainBuilder chain;
  chain.TellSum(chain.SumWith(1, 1));
  v1::Report report;
  ASSERT_OK(AddLedgerFacts({.entries = chain.entries(), .plans = {}}, report));
  EXPECT_FALSE(report.ledger().has_attack());
  EXPECT_EQ(report.ledger().sum().delta(), 1 + 1e-6);
}

TEST(ModelFactsTest, ATopicsNeighboursAreTheOthersAndItsIntervalsHoldItsWords) {
  v1::Report report;
  ASSERT_OK(AddModelFacts(MadeUpModel(1, 15), "", report));
  for (const v1::ReportedTopic& topic : report.topics()) {
    EXPECT_EQ(topic.neighbours_size(), kMadeUpTopics - 1);
    for (const v1::ReportedNeighbour& other : topic.neighbours()) {
      EXPECT_NE(other.number(), topic.number());
    }
    for (const v1::ReportedWord& word : topic.words()) {
      EXPECT_LE(word.low(), word.probability());
      EXPECT_GE(word.high(), word.probability());
      EXPECT_LT(word.low(), word.high());
    }
  }
  EXPECT_EQ(report.common_words(1).topics(), 1);
  // With more noise two topics seem to have more of "the" than the corpus; neither surely has.
  v1::Report noisy;
  ASSERT_OK(AddModelFacts(MadeUpModel(2, 100), "", noisy));
  EXPECT_EQ(noisy.common_words(0).term(), "the");
  EXPECT_EQ(noisy.common_words(0).topics(), 0);
}

TEST(ModelFactsTest, OfAModelWithoutPrivacyNoPromiseIsTold) {
  v1::ModelFile file = MadeUpModel(1, 15);
  file.set_epsilon(std::numeric_limits<double>::infinity());
  file.set_delta(1);
  v1::Report report;
  ASSERT_OK(AddModelFacts(file, "", report));
  ASSERT_OK(AddComparison(file, {.file = file, .sha256 = ""}, report));
  EXPECT_EQ(report.model().epsilon(), 0);
  EXPECT_EQ(report.comparison().epsilon(), 0);
  EXPECT_TRUE(RoundNumbers(report));
}

TEST(RoundedNumbersTest, HaveSixDigitsAndAreFinite) {
  v1::Report report;
  report.mutable_model()->set_recurring(2.4400004);
  report.mutable_model()->set_iterations(1234567891);
  report.add_topics()->add_words()->set_probability(0.12345678F);
  EXPECT_TRUE(RoundNumbers(report));
  EXPECT_EQ(report.model().recurring(), 2.44);
  EXPECT_EQ(report.model().iterations(), 1234567891);
  EXPECT_EQ(report.topics(0).words(0).probability(), 0.123457F);
  report.mutable_topics(0)->mutable_words(0)->set_low(std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(RoundNumbers(report));
}

// describe, budget and fit say 121.3458 of it.
TEST(RoundedNumbersTest, ALargeEpsilonHasTheDigitsThatItHasEverywhere) {
  for (const double epsilon : {121.34575, 121.3458, 99.99999, 1234567.00001, 100.0}) {
    v1::Report report;
    report.mutable_ledger()->mutable_sum()->set_epsilon(epsilon);
    report.mutable_ledger()->set_spent(epsilon);
    EXPECT_TRUE(RoundNumbers(report));
    EXPECT_EQ(proto::EpsilonText(report.ledger().sum().epsilon()), proto::EpsilonText(epsilon));
    EXPECT_EQ(proto::EpsilonText(report.ledger().spent()), proto::EpsilonText(epsilon));
    EXPECT_GE(report.ledger().sum().epsilon(), epsilon);
  }
}

TEST(RoundedNumbersTest, WhatIsPromisedOrSpentGoesUpAndStaysThere) {
  v1::Report report;
  v1::ReportedLedger& ledger = *report.mutable_ledger();
  ledger.set_spent(1.00000001);
  ledger.set_epsilon(0.0123456789);
  ledger.set_delta(1e-6);
  ledger.add_plans()->set_spent_after(999.99999);
  ledger.mutable_plans(0)->set_spent_before(0.99999999);
  ledger.mutable_attack()->set_best_posterior_at_even_odds(0.72900001);
  ledger.mutable_attack()->set_true_positive_rate_at_fpr_1_percent(0.04100001);
  // 26.8, but for how doubles add.
  ledger.mutable_sum()->set_epsilon(26.800000000000004);
  EXPECT_TRUE(RoundNumbers(report));
  EXPECT_EQ(ledger.spent(), 1.00001);
  EXPECT_EQ(ledger.epsilon(), 0.0123457);
  EXPECT_EQ(ledger.delta(), 1e-6);
  EXPECT_EQ(ledger.plans(0).spent_after(), 1000);
  EXPECT_EQ(ledger.plans(0).spent_before(), 1);
  EXPECT_EQ(ledger.attack().best_posterior_at_even_odds(), 0.729001);
  EXPECT_EQ(ledger.attack().true_positive_rate_at_fpr_1_percent(), 0.0410001);
  EXPECT_EQ(ledger.sum().epsilon(), 26.8);
  const std::string once = report.SerializeAsString();
  EXPECT_TRUE(RoundNumbers(report));
  EXPECT_EQ(report.SerializeAsString(), once);
}

// Of 40 words rank 1 is "the", of which each topic has 1000. Ranks 7 to 15 are words that one topic
// has 1500 times and two 15 times.
TEST(SignalFactsTest, GotIsTheMeanOfTheTopicsThatHaveMostOfAWord) {
  v1::Report report;
  ASSERT_OK(AddSignalFacts(MadeUpModel(1, 2), report));
  ASSERT_EQ(report.signals_size(), 3);  // ranks 1, 10 and 20
  EXPECT_EQ(report.signals(1).rank(), 10);
  EXPECT_NEAR(report.signals(0).signal(), 1000, 10);
  EXPECT_NEAR(report.signals(1).signal(), (1500 + 15 + 15) / 3.0, 10);
  EXPECT_NEAR(report.signals(1).noise(), 2, 1e-6);
  EXPECT_EQ(report.signals(1).expected_signal(), 0);  // nobody says what was bought
}

// Which says what was bought and assumed: σ = 1, ν = 1, J = 1, 40 words.
v1::ModelFile MadeUpModelOfAPlan() {
  v1::ModelFile file = MadeUpModel(1, 2);
  v1::FitSpec& spec = *file.mutable_spec();
  spec.set_iterations(1);
  spec.set_words_per_unit(40);
  spec.set_sampling_rate(1);
  spec.set_noise_multiplier(1);
  return file;
}

// At σ = 1, ν = 1 and J = 1 the noise is C = 0.65·√40 words over the word's weight; a third of the
// words of rank 10 are 1/3 · (1/12.7) / Σ 1/(r + 2.7) of all.
TEST(SignalFactsTest, ExpectedIsThePlannersFormulaForThePlanThatWasBought) {
  v1::ModelFile file = MadeUpModelOfAPlan();
  v1::FitSpec& spec = *file.mutable_spec();
  v1::Report report;
  ASSERT_OK(AddSignalFacts(file, report));
  double all = 0, ranks = 0;
  for (int k = 0; k < kMadeUpTopics; ++k) {
    for (int v = 0; v < kMadeUpTerms; ++v) all += MadeUpSum(k, v);
  }
  for (int rank = 1; rank <= kMadeUpTerms; ++rank) ranks += 1 / (rank + 2.7);
  EXPECT_NEAR(report.signals(1).expected_signal() / (all / 3 / 12.7 / ranks), 1, 0.01);
  EXPECT_GT(report.signals(1).expected_noise(), 1);
  spec.set_noise_multiplier(3);
  const double before = report.signals(1).expected_noise();
  report.clear_signals();
  ASSERT_OK(AddSignalFacts(file, report));
  EXPECT_NEAR(report.signals(1).expected_noise(), 3 * before, 1e-9 * before);
}

TEST(SignalFactsTest, ExpectedIsOfNoMoreWordsThanCount) {
  v1::ModelFile file = MadeUpModelOfAPlan();
  v1::FitSpec& spec = *file.mutable_spec();
  const auto noise = [&file] {
    v1::Report report;
    EXPECT_OK(AddSignalFacts(file, report));
    return report.signals(1).expected_noise();
  };
  const double of_forty = noise();
  spec.set_max_words(10);
  EXPECT_EQ(noise(), of_forty) << "of an owner's documents nobody knows how many";
  file.mutable_unit_naming()->set_privacy_unit(v1::PRIVACY_UNIT_DOCUMENT);
  EXPECT_NEAR(noise(), of_forty / 2, 1e-9 * of_forty) << "C is 0.65 of the root of the words";
  spec.set_max_words(500);
  EXPECT_EQ(noise(), of_forty);
}

// Of one release there is nothing but the C that it asked for.
TEST(SignalFactsTest, ExpectedIsOfTheClipNormThatWasAskedFor) {
  v1::ModelFile file = MadeUpModelOfAPlan();
  v1::FitSpec& spec = *file.mutable_spec();
  double signal = 0;
  const auto noise = [&](double clip_norm) {
    spec.set_clip_norm(clip_norm);
    v1::Report report;
    EXPECT_OK(AddSignalFacts(file, report));
    signal = report.signals(1).expected_signal();
    return report.signals(1).expected_noise();
  };
  EXPECT_NEAR(noise(50) / noise(5), 10, 1e-9);
  // The words are those that were counted, whatever the clip left.
  const double of_five = signal;
  noise(0.7);
  EXPECT_NEAR(signal, of_five, 1e-9 * of_five);
  // Of ten with a noise of which a histogram of so few documents says nothing it stays.
  spec.set_iterations(10);
  spec.set_noise_multiplier(1000);
  EXPECT_NEAR(noise(50) / noise(5), 10, 0.01);
}

}  // namespace
}  // namespace topicwall::client
