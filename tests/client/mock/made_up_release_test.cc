#include "client/mock/made_up_release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace made_up_release_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr int kTerms = 300;

v1::CorpusDescription Description() {
  v1::CorpusDescription description;
  description.set_vocabulary_size(kTerms);
  description.set_vocabulary_sha256(std::string(32, 'd'));
  description.set_nominal_size(3 * static_cast<int64_t>(kMadeUpUnits));
  v1::Attribute& ward = *description.add_attributes();
  ward.set_name("ward");
  ward.add_values("north");
  ward.add_values("south");
  return description;
}

// Of one topic, whose statistic of a document is its counts, whatever its parameters.
v1::ReleaseSpec OneTopic(double sigma) {
  v1::LdaOptions options;
  options.set_num_topics(1);
  options.add_document_topic_prior(1);
  options.set_max_iterations(10);
  v1::ReleaseSpec plan;
  AskTopics(kLda, options, &plan);
  plan.set_sampling_rate(1);
  plan.set_iterations(1);
  plan.set_max_tokens(100000);
  plan.mutable_gaussian()->set_noise_multiplier(sigma);
  return plan;
}

Release Made(const MadeUpCorpus& corpus, const v1::ReleaseSpec& plan, double clip_norm,
             int iteration = 1, double direction_noise = 0) {
  v1::RunReleaseHeader header;
  header.set_direction_noise(direction_noise);
  header.set_iteration(iteration);
  header.set_clip_norm(clip_norm);
  const std::vector<float> topic(kTerms, std::log(1.0F / kTerms));
  return *MakeUpRelease(corpus, plan, header, topic);
}

std::vector<double> Counts(const MadeUpCorpus& corpus, double scale_to = 0) {
  std::vector<double> counts(kTerms);
  for (size_t d = 0; d < corpus.size(); ++d) {
    double squares = 0;
    for (const lda::TermCount& entry : corpus.documents[d]) {
      squares += double{1.0 * entry.count} * entry.count;
    }
    const double factor =
        scale_to > 0 && squares > scale_to * scale_to ? scale_to / std::sqrt(squares) : 1;
    for (const lda::TermCount& entry : corpus.documents[d]) {
      counts[entry.term] += corpus.weight * factor * entry.count;
    }
  }
  return counts;
}

TEST(MadeUpReleaseTest, OneTopicsSumsAreTheWordsOfAllUnitsTimesTheirWeightEachClippedByItself) {
  const MadeUpCorpus corpus = MakeUpCorpus(Description());
  EXPECT_EQ(corpus.weight, 3);
  for (const double clip_norm : {1e6, 5.0}) {  // longer than any unit; shorter than many
    const Release release = Made(corpus, OneTopic(1e-12), clip_norm);
    const std::vector<double> counts = Counts(corpus, clip_norm);
    for (size_t v = 0; v < kTerms; ++v) {
      EXPECT_NEAR(release.statistics[v], counts[v], 1e-4 * (1 + counts[v])) << clip_norm;
    }
  }
}

// The sum of 300 squares is chi-square, deviation sqrt(600): 8 of them are passed with
// probability below 1e-8 (Laurent and Massart 2000, x = 20 on both sides).
TEST(MadeUpReleaseTest, NoiseHasTheDeviationThatTheHeaderStatesOverTheColumnsWeight) {
  const MadeUpCorpus corpus = MakeUpCorpus(Description());
  v1::ReleaseSpec plan = OneTopic(1e6);
  std::vector<float> weights(kTerms, 4);
  plan.set_weights(proto::FloatsToLittleEndian(weights));
  const Release release = Made(corpus, plan, 1);
  EXPECT_EQ(release.header.noise_standard_deviation(), 1e6);
  double squares = 0;
  for (const float value : release.statistics) squares += std::pow(value / (1e6 / 4), 2);
  EXPECT_NEAR(squares, kTerms, 8 * std::sqrt(2.0 * kTerms));
}

TEST(MadeUpReleaseTest, HeldOutUnitsAndTheRestAreTheWhole) {
  const MadeUpCorpus corpus = MakeUpCorpus(Description());
  v1::ReleaseSpec rest = OneTopic(1e-12), held_out = OneTopic(1e-12);
  rest.set_held_out_share(0.1);
  held_out.set_held_out_share(0.1);
  held_out.set_held_out_only(true);
  const Release a = Made(corpus, rest, 1e6), b = Made(corpus, held_out, 1e6);
  const std::vector<double> counts = Counts(corpus);
  double held = 0, all = 0;
  for (size_t v = 0; v < kTerms; ++v) {
    EXPECT_NEAR(a.statistics[v] + b.statistics[v], counts[v], 2e-4 * (1 + counts[v]));
    held += double{b.statistics[v]};
    all += counts[v];
  }
  EXPECT_NEAR(held / all, 0.1, 0.02);
}

TEST(MadeUpReleaseTest, ARepeatedQuestionHasTheSameBitsAndAnotherOneOtherNoise) {
  const MadeUpCorpus corpus = MakeUpCorpus(Description());
  const v1::ReleaseSpec plan = OneTopic(10);
  const Release first = Made(corpus, plan, 20);
  EXPECT_EQ(Made(MakeUpCorpus(Description()), plan, 20).statistics, first.statistics);
  EXPECT_NE(Made(corpus, plan, 20, 2).statistics, first.statistics);
}

// Of one topic whose words are all alike: d is w at the length 1, so that with w = (2, 1, 1, …) the
// norm is √(|u|² − r²/(1 + r²)·(u·d)²) by hand.
TEST(MadeUpReleaseTest, WithNoiseAlongTopicsEachUnitIsClippedInWhatIsLeftOfItsNorm) {
  // Of so many documents that noise is nothing.
  v1::CorpusDescription description = Description();
  description.set_nominal_size(1'000'000'000'000);
  const MadeUpCorpus corpus = MakeUpCorpus(description);
  v1::ReleaseSpec plan = OneTopic(1);
  std::vector<float> weights(kTerms, 1);
  weights[0] = 2;
  plan.set_weights(proto::FloatsToLittleEndian(weights));
  std::vector<double> expected(kTerms);
  for (size_t d = 0; d < corpus.size(); ++d) {
    double squares = 0, product = 0;
    for (const lda::TermCount& entry : corpus.documents[d]) {
      const double u = entry.count * double{weights[entry.term]};
      squares += u * u;
      product += u * double{weights[entry.term]} / std::sqrt(kTerms + 3.0);
    }
    const double norm = std::sqrt(squares - 9.0 / 10 * product * product);
    for (const lda::TermCount& entry : corpus.documents[d]) {
      expected[entry.term] += corpus.weight * std::min(1.0, 5 / norm) * entry.count;
    }
  }
  const Release release = Made(corpus, plan, 5, 1, 3);
  EXPECT_EQ(release.header.direction_noise(), 3);
  EXPECT_EQ(release.header.noise_standard_deviation(), 5);
  for (size_t v = 0; v < kTerms; ++v) {
    EXPECT_NEAR(release.statistics[v], expected[v], 1e-4 * (1 + expected[v])) << v;
  }
}

// Over σC the noise along d is N(0, 1 + r²), across it N(0, 1). Of 30 releases, by the Chernoff
// bound of chi-square: the sum of squares along is in [2, 116] times 1 + r² = 257, and that across,
// of 30·299, within 8 deviations, but for a chance below 1e-8 each.
TEST(MadeUpReleaseTest, NoiseAlongATopicIsOneDraw) {
  const MadeUpCorpus corpus = MakeUpCorpus(Description());
  const v1::ReleaseSpec plan = OneTopic(1e9);
  double along = 0, across = 0;
  for (int iteration = 1; iteration <= 30; ++iteration) {
    const Release release = Made(corpus, plan, 1, iteration, 16);
    double sum = 0, squares = 0;
    for (const float x : release.statistics) {
      sum += x / 1e9;
      squares += x / 1e9 * x / 1e9;
    }
    along += sum * sum / kTerms;
    across += squares - sum * sum / kTerms;
  }
  EXPECT_GT(along, 2 * 257);
  EXPECT_LT(along, 116 * 257);
  EXPECT_NEAR(across, 30 * (kTerms - 1), 8 * std::sqrt(2 * 30.0 * (kTerms - 1)));
}

TEST(MadeUpReleaseTest, OtherNoiseAlongTopicsIsAnotherQuestionAndWhatNoWallTakesIsRefused) {
  const MadeUpCorpus corpus = MakeUpCorpus(Description());
  v1::ReleaseSpec plan = OneTopic(1e9);
  // The noise across d, of which r is no part: the first word's less the mean.
  const auto first = [&](double direction_noise) {
    const std::vector<float> sums = Made(corpus, plan, 1, 1, direction_noise).statistics;
    double mean = 0;
    for (const float x : sums) mean += x / kTerms;
    return sums[0] - mean;
  };
  EXPECT_GT(std::abs(first(5) - first(5.5)), 1e3);
  const std::vector<float> topic(kTerms, -1);
  v1::RunReleaseHeader header;
  for (const double bad : {0.0, 0x1p-21, 0x1p31, -1.0, double{NAN}}) {
    header.set_clip_norm(bad);
    EXPECT_THAT(MakeUpRelease(corpus, plan, header, topic),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("clip_norm")));
  }
  header.set_clip_norm(1);
  header.set_direction_noise(17);
  EXPECT_THAT(MakeUpRelease(corpus, plan, header, topic),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("direction_noise")));
  header.set_direction_noise(5);
  EXPECT_OK(MakeUpRelease(corpus, plan, header, topic));
  AskTopics(kDocumentCompletion, TopicsOf(plan), &plan);
  EXPECT_THAT(MakeUpRelease(corpus, plan, header, topic),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no directions")));
}

TEST(MadeUpReleaseTest, TheNormHistogramCountsTheUnits) {
  const MadeUpCorpus corpus = MakeUpCorpus(Description());
  v1::ReleaseSpec plan = OneTopic(1);
  plan.mutable_gaussian()->set_histogram_noise_multiplier(1e-9);
  const Release release = Made(corpus, plan, 20);
  ASSERT_EQ(release.header.norm_histogram_size(), 48);
  double units = 0;
  for (const float count : release.header.norm_histogram()) units += double{count};
  EXPECT_NEAR(units, 3.0 * kMadeUpUnits, 1);
}

}  // namespace made_up_release_test
}  // namespace topicwall::client
