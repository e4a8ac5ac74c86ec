#include "model/lda/topics/e_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/model/lda/full_row.h"
#include "tests/model/lda/reference_e_step.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {

// Found by GoogleTest, for the names of tests with a kernel as parameter.
static void PrintTo(const EStepKernel& kernel, std::ostream* out) { *out << kernel.name; }

namespace e_step_test {

using ::testing::HasSubstr;
using ::topicwall::lda::testing::FullRow;
using ::topicwall::lda::testing::ReferenceEStep;
using ::topicwall::lda::testing::ReferenceResult;
using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::testing::StatusIs;

constexpr int kVocabularySize = 200;
const EStepOptions& kOptions = *new EStepOptions{
    .document_topic_prior = 0.1, .max_iterations = 100, .mean_change_threshold = 1e-3};

// Everything that Infer says about a document.
struct Outcome {
  std::vector<float> gamma;
  std::vector<uint32_t> topics;
  std::vector<float> rows;
  int iterations;

  friend bool operator==(const Outcome& a, const Outcome& b) {
    const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
      return x.size() == y.size() && std::memcmp(x.data(), y.data(), 4 * x.size()) == 0;
    };
    return same(a.gamma, b.gamma) && a.topics == b.topics && same(a.rows, b.rows) &&
           a.iterations == b.iterations;
  }
};

Outcome OutcomeOf(const EStep::Workspace& workspace) {
  Outcome outcome = {.gamma = {workspace.gamma().begin(), workspace.gamma().end()},
                     .topics = {workspace.topics().begin(), workspace.topics().end()},
                     .rows = {},
                     .iterations = workspace.iterations()};
  for (size_t j = 0; j < workspace.num_rows(); ++j) {
    outcome.rows.insert(outcome.rows.end(), workspace.row(j).begin(), workspace.row(j).end());
  }
  return outcome;
}

Outcome InferAfresh(const EStep& e_step, DocumentView document) {
  EStep::Workspace workspace;
  e_step.Infer(document, workspace);
  return OutcomeOf(workspace);
}

LogTopics SyntheticTopics(int num_topics, uint64_t seed) {
  return *LogTopics::Create(
      num_topics, kVocabularySize,
      SyntheticCorpus(seed).LogTopicValues(num_topics, kVocabularySize, /*spread=*/4));
}

// Sums of |difference| and of the reference, of x and of γ.
struct Distance {
  double statistic = 0, statistic_size = 0;
  double gamma = 0, gamma_size = 0;

  void Add(const EStep::Workspace& workspace, const ReferenceResult& reference) {
    for (size_t k = 0; k < reference.gamma.size(); ++k) {
      gamma += std::fabs(workspace.gamma()[k] - reference.gamma[k]);
      gamma_size += reference.gamma[k];
    }
    for (size_t j = 0; j < reference.statistic.size(); ++j) {
      const std::vector<float> row = FullRow(workspace, j);
      for (size_t k = 0; k < row.size(); ++k) {
        statistic += std::fabs(row[k] - reference.statistic[j][k]);
        statistic_size += reference.statistic[j][k];
      }
    }
  }
  double RelativeStatistic() const { return statistic / statistic_size; }
  double RelativeGamma() const { return gamma / gamma_size; }
};

// From `low` to `high` in equal ratios, in an order that goes up and down.
DocumentTopicPrior SpreadPrior(int num_topics, double low, double high) {
  std::vector<double> alphas;
  for (int k = 0; k < num_topics; ++k) {
    const double place = static_cast<double>(k * 7 % num_topics) / (num_topics - 1);
    alphas.push_back(low * std::pow(high / low, place));
  }
  return DocumentTopicPrior(std::move(alphas));
}

Distance DistanceOf(const LogTopics& topics, const EStepOptions& options, DocumentView document) {
  const auto e_step = EStep::Create(topics, options);
  EStep::Workspace workspace;
  e_step->Infer(document, workspace);
  EXPECT_EQ(workspace.num_rows(), document.size());
  Distance distance;
  distance.Add(workspace, ReferenceEStep(topics, options).Infer(document));
  return distance;
}

class EStepReferenceTest : public ::testing::TestWithParam<std::tuple<EStepKernel, int, double>> {
 protected:
  const EStepKernel& kernel() const { return std::get<0>(GetParam()); }
  int num_topics() const { return std::get<1>(GetParam()); }
  EStepOptions options(int max_iterations, double threshold) const {
    return {.document_topic_prior = std::get<2>(GetParam()),
            .max_iterations = max_iterations,
            .mean_change_threshold = threshold};
  }
  DocumentList documents() const {
    DocumentList list;
    for (const int tokens : {1, 2, 5, 20, 60, num_topics() < 1000 ? 600 : 60}) {
      list.Append(SyntheticCorpus(static_cast<uint64_t>(tokens)).Document(tokens, kVocabularySize));
    }
    return list;
  }
};

TEST_P(EStepReferenceTest, SameIterationsGiveTheStatisticsOfFloat64) {
  const LogTopics topics = SyntheticTopics(num_topics(), /*seed=*/1);
  const EStepOptions fixed = options(/*max_iterations=*/20, /*threshold=*/0);
  ASSERT_OK_AND_ASSIGN(const auto e_step, EStep::Create(topics, fixed, kernel()));
  EStep::Workspace workspace;
  Distance distance;
  const DocumentList list = documents();
  for (size_t i = 0; i < list.size(); ++i) {
    e_step.Infer(list[i], workspace);
    ASSERT_EQ(workspace.iterations(), 20);
    distance.Add(workspace, ReferenceEStep(topics, fixed).Infer(list[i]));
  }
  EXPECT_LE(distance.RelativeStatistic(), 1e-5);
  EXPECT_LE(distance.RelativeGamma(), 1e-5);
}

TEST_P(EStepReferenceTest, StopsAtTheIterationWhereFloat64Stops) {
  const LogTopics topics = SyntheticTopics(num_topics(), /*seed=*/2);
  const EStepOptions usual = options(/*max_iterations=*/100, /*threshold=*/1e-3);
  ASSERT_OK_AND_ASSIGN(const auto e_step, EStep::Create(topics, usual, kernel()));
  EStep::Workspace workspace;
  int compared = 0;
  const DocumentList list = documents();
  for (size_t i = 0; i < list.size(); ++i) {
    e_step.Infer(list[i], workspace);
    const ReferenceResult reference = ReferenceEStep(topics, usual).Infer(list[i]);
    // A change within 2 % of the threshold may fall to either side of it.
    if (std::fabs(reference.last_mean_change / 1e-3 - 1) < 0.02) continue;
    EXPECT_NEAR(workspace.iterations(), reference.iterations, 1) << "document " << i;
    if (workspace.iterations() == reference.iterations) ++compared;
  }
  EXPECT_GE(compared, 4);
}

INSTANTIATE_TEST_SUITE_P(TopicsAndPriors, EStepReferenceTest,
                         ::testing::Combine(::testing::ValuesIn(SupportedKernels().begin(),
                                                                SupportedKernels().end()),
                                            ::testing::Values(1, 2, 3, 17, 1000),
                                            ::testing::Values(1e-3, 0.02, 1.0, 10.0)),
                         [](const auto& parameters) {
                           std::string name = std::get<0>(parameters.param).name;
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return absl::StrCat(name, "K", std::get<1>(parameters.param), "Alpha",
                                               std::lround(1000 * std::get<2>(parameters.param)),
                                               "Thousandths");
                         });

// Topics as trained ones are, each with its own block of terms, and documents of three topics: most
// topics are dropped from most documents.
class PeakedTopicsTest : public ::testing::TestWithParam<std::tuple<EStepKernel, int>> {
 protected:
  static constexpr int kBlock = 8;
  const EStepKernel& kernel() const { return std::get<0>(GetParam()); }
  int num_topics() const { return std::get<1>(GetParam()); }
  int vocabulary_size() const { return kBlock * num_topics(); }
  EStepOptions options() const {
    return {.document_topic_prior = 1.0 / num_topics(),
            .max_iterations = 25,
            .mean_change_threshold = 0};
  }
  LogTopics Topics() const {
    SyntheticCorpus corpus(21);
    const auto terms = static_cast<size_t>(vocabulary_size());
    std::vector<float> values = corpus.LogTopicValues(num_topics(), vocabulary_size(), 3);
    for (size_t i = 0; i < values.size(); ++i) {
      if (i % terms / kBlock != i / terms) values[i] -= 5;
    }
    return *LogTopics::Create(num_topics(), vocabulary_size(), std::move(values));
  }
  DocumentList Documents() const {
    SyntheticCorpus corpus(22);
    DocumentList documents;
    for (const int tokens : {1, 3, 10, 36, 36, 36, 100, 1000}) {
      std::vector<TermCount> document =
          corpus.PlantedDocument(tokens, kBlock, static_cast<int>(corpus.Below(num_topics())),
                                 static_cast<int>(corpus.Below(num_topics())));
      // Words of no topic in particular.
      const std::vector<TermCount> noise = corpus.Document(tokens / 3, vocabulary_size());
      std::map<uint32_t, uint32_t> counts;
      for (const TermCount& entry : document) counts[entry.term] += entry.count;
      for (const TermCount& entry : noise) counts[entry.term] += entry.count;
      document.clear();
      for (const auto& [term, count] : counts) document.push_back({.term = term, .count = count});
      documents.Append(document);
    }
    return documents;
  }
};

TEST_P(PeakedTopicsTest, DroppingTopicsKeepsTheStatisticsOfFloat64) {
  const LogTopics topics = Topics();
  const auto e_step = EStep::Create(topics, options(), kernel());
  const ReferenceEStep reference(topics, options());
  EStep::Workspace workspace;
  const DocumentList documents = Documents();
  int sparse = 0;
  for (size_t i = 0; i < documents.size(); ++i) {
    e_step->Infer(documents[i], workspace);
    ASSERT_EQ(workspace.iterations(), options().max_iterations);
    Distance distance;
    distance.Add(workspace, reference.Infer(documents[i]));
    EXPECT_LE(distance.RelativeStatistic(), 1e-5) << "document " << i;
    EXPECT_LE(distance.RelativeGamma(), 1e-5) << "document " << i;
    if (workspace.topics().size() * 4 < static_cast<size_t>(num_topics())) ++sparse;
  }
  EXPECT_GE(sparse, 4);
}

TEST_P(PeakedTopicsTest, AnAsymmetricPriorKeepsTheStatisticsOfFloat64) {
  const LogTopics topics = Topics();
  EStepOptions asymmetric = options();
  asymmetric.document_topic_prior = SpreadPrior(num_topics(), 1e-3, 2);
  ASSERT_OK_AND_ASSIGN(const auto e_step, EStep::Create(topics, asymmetric, kernel()));
  const ReferenceEStep reference(topics, asymmetric);
  EStep::Workspace workspace;
  const DocumentList documents = Documents();
  for (size_t i = 0; i < documents.size(); ++i) {
    e_step.Infer(documents[i], workspace);
    Distance distance;
    distance.Add(workspace, reference.Infer(documents[i]));
    EXPECT_LE(distance.RelativeStatistic(), 1e-5) << "document " << i;
    EXPECT_LE(distance.RelativeGamma(), 1e-5) << "document " << i;
  }
}

TEST_P(PeakedTopicsTest, KernelsAgree) {
  const LogTopics topics = Topics();
  const auto e_step = EStep::Create(topics, options(), kernel());
  const auto portable = EStep::Create(topics, options(), SupportedKernels().back());
  EStep::Workspace workspace, expected;
  const DocumentList documents = Documents();
  for (size_t i = 0; i < documents.size(); ++i) {
    e_step->Infer(documents[i], workspace);
    portable->Infer(documents[i], expected);
    EXPECT_THAT(workspace.topics(), ::testing::ElementsAreArray(expected.topics()));
    double difference = 0;
    for (size_t j = 0; j < documents[i].size(); ++j) {
      for (size_t a = 0; a < expected.topics().size(); ++a) {
        difference += std::fabs(workspace.row(j)[a] - expected.row(j)[a]);
      }
    }
    EXPECT_LE(difference, 1e-5 * static_cast<double>(TokenCount(documents[i]))) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PeakedTopicsTest,
                         ::testing::Combine(::testing::ValuesIn(SupportedKernels().begin(),
                                                                SupportedKernels().end()),
                                            ::testing::Values(25, 50, 100, 200)),
                         [](const auto& parameters) {
                           std::string name = std::get<0>(parameters.param).name;
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return absl::StrCat(name, "K", std::get<1>(parameters.param));
                         });

// Around the prior where dropped topics keep just too much weight to stay away.
TEST(EStepTest, PriorsAtTheEdgeOfDroppingMatchTheReference) {
  const LogTopics topics = SyntheticTopics(50, 31);
  DocumentList documents;
  for (const int tokens : {3, 20, 60}) {
    documents.Append(SyntheticCorpus(32).Document(tokens, kVocabularySize));
  }
  for (const double prior : {0.03, 0.04, 0.045, 0.05, 0.052, 0.054, 0.06, 0.08}) {
    const EStepOptions options = {
        .document_topic_prior = prior, .max_iterations = 60, .mean_change_threshold = 0};
    for (size_t i = 0; i < documents.size(); ++i) {
      const Distance distance = DistanceOf(topics, options, documents[i]);
      EXPECT_LE(distance.RelativeStatistic(), 1e-5) << prior << " " << i;
      EXPECT_LE(distance.RelativeGamma(), 1e-5) << prior << " " << i;
    }
  }
}

TEST(EStepTest, APriorFromOneSideOfThatEdgeToTheOtherMatchesTheReference) {
  const LogTopics topics = SyntheticTopics(50, 33);
  const EStepOptions options = {.document_topic_prior = SpreadPrior(50, 0.02, 0.1),
                                .max_iterations = 60,
                                .mean_change_threshold = 0};
  for (const int tokens : {3, 20, 60}) {
    const auto document = SyntheticCorpus(34).Document(tokens, kVocabularySize);
    const Distance distance = DistanceOf(topics, options, document);
    EXPECT_LE(distance.RelativeStatistic(), 1e-5) << tokens;
    EXPECT_LE(distance.RelativeGamma(), 1e-5) << tokens;
  }
}

TEST(EStepTest, EqualNumbersAreTheSymmetricPriorBitByBit) {
  const LogTopics topics = SyntheticTopics(20, 35);
  EStepOptions options = kOptions;
  const auto one = EStep::Create(topics, options);
  options.document_topic_prior = DocumentTopicPrior(std::vector<double>(20, 0.1));
  const auto many = EStep::Create(topics, options);
  EStep::Workspace from_one, from_many;
  for (const int tokens : {2, 30}) {
    const auto document = SyntheticCorpus(36).Document(tokens, kVocabularySize);
    one->Infer(document, from_one);
    many->Infer(document, from_many);
    EXPECT_EQ(from_one.gamma(), from_many.gamma());
    for (size_t j = 0; j < document.size(); ++j) EXPECT_EQ(from_one.row(j), from_many.row(j));
  }
}

TEST(EStepTest, AnEmptyDocumentHasThePriorItself) {
  EStepOptions options = kOptions;
  options.document_topic_prior = DocumentTopicPrior({0.5, 0.25, 2});
  const auto e_step = EStep::Create(SyntheticTopics(3, 1), options);
  EStep::Workspace workspace;
  e_step->Infer({}, workspace);
  EXPECT_THAT(workspace.gamma(), ::testing::ElementsAre(0.5F, 0.25F, 2.0F));
}

TEST(EStepTest, AnEmptyDocumentGivesNothing) {
  const auto e_step = EStep::Create(SyntheticTopics(5, 1), kOptions);
  EStep::Workspace workspace;
  e_step->Infer({{3, 2}}, workspace);
  e_step->Infer({}, workspace);
  EXPECT_EQ(workspace.num_rows(), 0u);
  EXPECT_EQ(workspace.iterations(), 0);
  EXPECT_THAT(workspace.gamma(), ::testing::Each(0.1f));
}

TEST(EStepTest, ADocumentThatIsNotCanonicalGivesNothing) {
  const auto e_step = EStep::Create(SyntheticTopics(5, 1), kOptions);
  EStep::Workspace workspace;
  for (const std::vector<TermCount>& document :
       {std::vector<TermCount>{{kVocabularySize, 1}},
        {{0, 1}, {std::numeric_limits<uint32_t>::max(), 1}},
        {{4, 1}, {4, 1}},
        {{4, 1}, {3, 1}},
        {{4, 0}}}) {
    e_step->Infer(document, workspace);
    EXPECT_EQ(workspace.num_rows(), 0u);
  }
}

TEST(EStepTest, ADocumentWithEveryWordMatchesTheReference) {
  const LogTopics topics = SyntheticTopics(17, 3);
  std::vector<TermCount> document;
  for (uint32_t v = 0; v < kVocabularySize; ++v) document.push_back({v, 1 + v % 7});
  const Distance distance = DistanceOf(topics, kOptions, document);
  EXPECT_LE(distance.RelativeStatistic(), 1e-5);
  EXPECT_LE(distance.RelativeGamma(), 1e-5);
}

TEST(EStepTest, CountsOfAMillionAndOfAllThatFitsMatchTheReference) {
  const LogTopics topics = SyntheticTopics(17, 3);
  for (const uint32_t count : {1000000u, std::numeric_limits<uint32_t>::max()}) {
    const EStepOptions options = {
        .document_topic_prior = 0.1, .max_iterations = 30, .mean_change_threshold = 0};
    const Distance distance = DistanceOf(topics, options, {{3, count}, {50, 1}, {120, count}});
    EXPECT_LE(distance.RelativeStatistic(), 1e-5) << count;
    EXPECT_LE(distance.RelativeGamma(), 1e-5) << count;
  }
}

TEST(EStepTest, EachWordsCountIsSharedOutAmongItsTopics) {
  const auto e_step = EStep::Create(SyntheticTopics(50, 4), kOptions);
  const std::vector<TermCount> document = SyntheticCorpus(9).Document(80, kVocabularySize);
  EStep::Workspace workspace;
  e_step->Infer(document, workspace);
  ASSERT_EQ(workspace.num_rows(), document.size());
  for (size_t j = 0; j < document.size(); ++j) {
    double sum = 0;
    for (const float x : workspace.row(j)) {
      ASSERT_GE(x, 0.0f);
      sum += x;
    }
    EXPECT_NEAR(sum, document[j].count, 1e-5 * document[j].count);
  }
}

TEST(EStepTest, AWordOfOneTopicOnlyGoesThereWhole) {
  // Term 0 exists in topic 0 only: log weights of -10^4 are weight 0 beside another of 0.
  const auto topics = LogTopics::Create(3, 2, {0, -1, -1e4f, -1, -1e4f, -1});
  const auto e_step = EStep::Create(*topics, kOptions);
  EStep::Workspace workspace;
  e_step->Infer({{0, 7}, {1, 5}}, workspace);
  EXPECT_THAT(FullRow(workspace, 0), ::testing::ElementsAre(7.0f, 0.0f, 0.0f));
}

TEST(EStepTest, AWordThatIsTinyInAllTopicsIsInformativeAllTheSame) {
  // Only differences between topics count: -9999 against -10000 is e to 1, as 0 against -1 is.
  const auto low = LogTopics::Create(2, 2, {-9999, -1, -10000, -2});
  const auto high = LogTopics::Create(2, 2, {0, -1, -1, -2});
  const std::vector<TermCount> document = {{0, 4}, {1, 3}};
  EXPECT_EQ(InferAfresh(*EStep::Create(*low, kOptions), document),
            InferAfresh(*EStep::Create(*high, kOptions), document));
}

TEST(EStepTest, TopicsThatAreAllAlikeShareEqually) {
  const auto topics = LogTopics::Create(4, 1, {-1e4f, -1e4f, -1e4f, -1e4f});
  const auto e_step = EStep::Create(*topics, kOptions);
  EStep::Workspace workspace;
  e_step->Infer({{0, 8}}, workspace);
  for (const float x : workspace.row(0)) EXPECT_FLOAT_EQ(x, 2.0f);
}

TEST(EStepTest, UnderflowInFloatIsDoneAgainInDouble) {
  // One word over 1000 equal topics: γ = 0.0011, and exp(ψ(0.0011)) is e^-910.
  const LogTopics flat = *LogTopics::Create(1000, 1, std::vector<float>(1000, -1.0f));
  const EStepOptions options = {
      .document_topic_prior = 1e-4, .max_iterations = 100, .mean_change_threshold = 1e-6};
  const auto e_step = EStep::Create(flat, options);
  EStep::Workspace workspace;
  e_step->Infer({{0, 1}}, workspace);
  EXPECT_TRUE(workspace.used_double());
  for (const float x : workspace.row(0)) EXPECT_NEAR(x, 1e-3, 1e-9);
  e_step->Infer({{0, 1000}}, workspace);
  EXPECT_FALSE(workspace.used_double()) << "must not stick to the workspace";
}

TEST(EStepTest, UnderflowOfOneWordInDoubleIsScaledByItself) {
  // Term 0 makes topic 0 huge; term 1 has weight in the 999 others only, all near e^-900 of it.
  std::vector<float> values(2000);
  for (size_t k = 0; k < 1000; ++k) {
    values[2 * k] = k == 0 ? 0.0f : -1e4f;
    values[2 * k + 1] = k == 0 ? -1e4f : -1.0f;
  }
  const LogTopics topics = *LogTopics::Create(1000, 2, values);
  const EStepOptions options = {
      .document_topic_prior = 1e-4, .max_iterations = 20, .mean_change_threshold = 0};
  const std::vector<TermCount> document = {{0, 1000000}, {1, 1}};
  const auto e_step = EStep::Create(topics, options);
  EStep::Workspace workspace;
  e_step->Infer(document, workspace);
  EXPECT_TRUE(workspace.used_double());
  EXPECT_EQ(FullRow(workspace, 0)[0], 1e6f);
  EXPECT_EQ(FullRow(workspace, 1)[0], 0.0f);
  for (size_t k = 1; k < 1000; ++k) ASSERT_NEAR(FullRow(workspace, 1)[k], 1.0 / 999, 1e-9);
  EXPECT_LE(DistanceOf(topics, options, document).RelativeStatistic(), 1e-6);
}

// Word 0 puts next to nothing of topic 1 into a document that lists it for the sake of word 1: for
// c = 1 some 1e-37 · exp(-step) words.
struct TinyShares {
  LogTopics topics;
  std::vector<TermCount> document;
};
TinyShares MakeTinyShares() {
  std::vector<float> values = {0, -1};
  std::vector<TermCount> document = {{0, 3}, {1, 1}};
  for (uint32_t step = 0; step < 24; ++step) {
    values.push_back(0);
    document.push_back({2 + step, 1});
  }
  std::vector<float> second = {-75, -1};
  for (int step = 0; step < 24; ++step) second.push_back(-68.0f - 0.5f * static_cast<float>(step));
  values.insert(values.end(), second.begin(), second.end());
  return {.topics = *LogTopics::Create(2, 26, values), .document = document};
}

TEST(EStepTest, NoSubnormalNumberReachesTheStatistic) {
  const TinyShares tiny = MakeTinyShares();
  for (const EStepKernel& kernel : SupportedKernels()) {
    const auto e_step = EStep::Create(tiny.topics, kOptions, kernel);
    const Outcome outcome = InferAfresh(*e_step, tiny.document);
    ASSERT_EQ(outcome.topics.size(), 2u) << "the case is what it says";
    int zeros = 0, normal = 0;
    for (const float x : outcome.rows) {
      EXPECT_NE(std::fpclassify(x), FP_SUBNORMAL) << kernel.name;
      (x == 0 ? zeros : normal) += 1;
    }
    EXPECT_GT(zeros, 0) << kernel.name;
    EXPECT_GT(normal, 26) << kernel.name << ": some of the tiny ones are normal";
  }
}

#ifdef __SSE__
constexpr unsigned kFlushResults = 0x8000, kFlushOperands = 0x0040;

// A kernel that finds out whether a product that is too small for a normal number is 0 in it.
bool product_was_flushed;
bool SolveAndTryAProduct(KernelTask& task) {
  volatile float small = 1e-30f;
  small = small * 1e-10f;
  product_was_flushed = small == 0;
  return SupportedKernels().back().solve(task);
}

TEST(EStepTest, AKernelRunsWithResultsFlushedAndNothingAfterIt) {
  const TinyShares tiny = MakeTinyShares();
  const EStepKernel probe = {.name = "probe", .solve = SolveAndTryAProduct};
  const auto e_step = EStep::Create(tiny.topics, kOptions, probe);
  const unsigned before = _mm_getcsr();
  InferAfresh(*e_step, tiny.document);
  EXPECT_TRUE(product_was_flushed);
  EXPECT_EQ(_mm_getcsr(), before);
  volatile float small = 1e-30f;
  small = small * 1e-10f;
  EXPECT_NE(small, 0);
}

TEST(EStepTest, TheCallersFloatingPointModeChangesNoBitAndIsKept) {
  const TinyShares tiny = MakeTinyShares();
  const LogTopics flat = *LogTopics::Create(1000, 1, std::vector<float>(1000, -1.0f));
  const unsigned plain = _mm_getcsr();
  for (const EStepKernel& kernel : SupportedKernels()) {
    const auto e_step = EStep::Create(tiny.topics, kOptions, kernel);
    const auto in_double = EStep::Create(
        flat, {.document_topic_prior = 1e-4, .max_iterations = 5, .mean_change_threshold = 0},
        kernel);
    const Outcome expected = InferAfresh(*e_step, tiny.document);
    const Outcome expected_in_double = InferAfresh(*in_double, {{0, 1}});
    for (const unsigned mode : {kFlushResults, kFlushOperands, kFlushResults | kFlushOperands}) {
      _mm_setcsr(plain | mode);
      const Outcome outcome = InferAfresh(*e_step, tiny.document);
      const Outcome outcome_in_double = InferAfresh(*in_double, {{0, 1}});
      const unsigned after = _mm_getcsr();
      _mm_setcsr(plain);
      EXPECT_EQ(outcome, expected) << kernel.name << " " << mode;
      EXPECT_EQ(outcome_in_double, expected_in_double) << kernel.name << " " << mode;
      EXPECT_EQ(after & (kFlushResults | kFlushOperands), mode);
    }
  }
}
#endif

TEST(EStepTest, SameBitsWhateverTheWorkspaceHasSeen) {
  const auto e_step = EStep::Create(SyntheticTopics(17, 5), kOptions);
  const auto other = EStep::Create(SyntheticTopics(50, 6), kOptions);
  const std::vector<TermCount> document = SyntheticCorpus(2).Document(40, kVocabularySize);
  const Outcome expected = InferAfresh(*e_step, document);
  EStep::Workspace workspace;
  SyntheticCorpus neighbours(3);
  for (int i = 0; i < 20; ++i) {
    other->Infer(neighbours.Document(10 * i, kVocabularySize), workspace);
    e_step->Infer(neighbours.Document(200 - 10 * i, kVocabularySize), workspace);
    e_step->Infer(document, workspace);
    ASSERT_EQ(OutcomeOf(workspace), expected);
  }
}

TEST(EStepTest, SameBitsFromManyThreadsAtOnce) {
  const auto e_step = EStep::Create(SyntheticTopics(17, 5), kOptions);
  const DocumentList documents = SyntheticCorpus(4).Documents(40, 30, kVocabularySize);
  std::vector<std::vector<Outcome>> outcomes(4);
  std::vector<std::thread> threads;
  for (std::vector<Outcome>& mine : outcomes) {
    threads.emplace_back([&e_step, &documents, &mine] {
      EStep::Workspace workspace;
      for (size_t i = 0; i < documents.size(); ++i) {
        e_step->Infer(documents[i], workspace);
        mine.push_back(OutcomeOf(workspace));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Outcome>& theirs : outcomes) EXPECT_EQ(theirs, outcomes[0]);
}

TEST(EStepTest, AWordsScaleChangesNoBit) {
  // ℓ on a grid of 2^-7, so that taking 3 from all topics of a term is exact.
  SyntheticCorpus corpus(8);
  std::vector<float> values, shifted;
  for (int i = 0; i < 3 * kVocabularySize; ++i) {
    values.push_back(-static_cast<float>(corpus.Below(1000)) / 128);
    shifted.push_back(values.back() - static_cast<float>(3 * (i % kVocabularySize % 2)));
  }
  const auto plain = EStep::Create(*LogTopics::Create(3, kVocabularySize, values), kOptions);
  const auto scaled = EStep::Create(*LogTopics::Create(3, kVocabularySize, shifted), kOptions);
  const std::vector<TermCount> document = corpus.Document(50, kVocabularySize);
  EXPECT_EQ(InferAfresh(*plain, document), InferAfresh(*scaled, document));
}

TEST(EStepTest, AWarmWorkspaceKeepsItsBuffers) {
  const auto e_step = EStep::Create(SyntheticTopics(17, 5), kOptions);
  EStep::Workspace workspace;
  SyntheticCorpus corpus(11);
  e_step->Infer(corpus.Document(1000, kVocabularySize), workspace);
  const float* gamma = workspace.gamma().data();
  const float* rows = workspace.row(0).data();
  for (int i = 0; i < 50; ++i) {
    e_step->Infer(corpus.Document(20, kVocabularySize), workspace);
    ASSERT_EQ(workspace.gamma().data(), gamma);
    ASSERT_EQ(workspace.row(0).data(), rows);
  }
}

TEST(EStepTest, StopsAtTheCap) {
  EStepOptions options = kOptions;
  options.max_iterations = 3;
  options.mean_change_threshold = 0;
  const auto e_step = EStep::Create(SyntheticTopics(5, 1), options);
  EStep::Workspace workspace;
  e_step->Infer({{3, 2}, {9, 1}}, workspace);
  EXPECT_EQ(workspace.iterations(), 3);
}

TEST(EStepTest, RefusesOptionsOutOfRangeByName) {
  const LogTopics topics = SyntheticTopics(2, 1);
  const auto create = [&topics](double prior, int iterations, double threshold) {
    return EStep::Create(topics, {.document_topic_prior = prior,
                                  .max_iterations = iterations,
                                  .mean_change_threshold = threshold});
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  for (const double bad : {0.0, -1.0, 1e-300, 1e308, HUGE_VAL, std::nan("")}) {
    EXPECT_THAT(create(bad, 1, 0), StatusIs(kInvalid, HasSubstr("document_topic_prior"))) << bad;
  }
  EXPECT_THAT(create(1, 0, 0), StatusIs(kInvalid, HasSubstr("max_iterations")));
  for (const double bad : {-1e-9, HUGE_VAL, std::nan("")}) {
    EXPECT_THAT(create(1, 1, bad), StatusIs(kInvalid, HasSubstr("mean_change_threshold"))) << bad;
  }
  EXPECT_OK(create(kMinPrior, 1, 0));
  EXPECT_OK(create(kMaxPrior, 1, 1e-300));
}

// FNV-1a over the bits of floats.
uint64_t Fingerprint(const std::vector<float>& floats, uint64_t hash) {
  for (const float value : floats) hash = (hash ^ std::bit_cast<uint32_t>(value)) * 0x100000001b3u;
  return hash;
}

// Bits of the kernels that could be run where they were written. Pins, not goldens of correctness
// (the reference above is): the numbers are our own output. GCC and clang, optimised or not, must
// all give them; if one has to change, so has its kernel's name.
uint64_t PinnedFingerprint(absl::string_view kernel_name) {
  if (kernel_name == "avx2-f32-4") return 14170471557655139675u;
  if (kernel_name == "portable-f32-4") return 13767490437959190749u;
  return 0;
}

TEST(EStepTest, AKernelNameStandsForTheSameBitsUnderEveryCompiler) {
  SyntheticCorpus corpus(12);
  std::vector<float> values;
  for (int i = 0; i < 37 * kVocabularySize; ++i) {
    values.push_back(-static_cast<float>(corpus.Below(2000)) / 128);
  }
  const LogTopics topics = *LogTopics::Create(37, kVocabularySize, values);
  DocumentList documents;
  for (const int tokens : {1, 10, 100, 1000}) {
    documents.Append(corpus.Document(tokens, kVocabularySize));
  }
  const LogTopics flat = *LogTopics::Create(1000, 1, std::vector<float>(1000, -1.0f));
  int pinned = 0;
  for (const EStepKernel& kernel : SupportedKernels()) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const double prior : {0.02, 0.1}) {  // with active topics and without
      EStepOptions options = kOptions;
      options.document_topic_prior = prior;
      const auto e_step = EStep::Create(topics, options, kernel);
      EXPECT_EQ(e_step->kernel_name(), kernel.name);
      for (size_t i = 0; i < documents.size(); ++i) {
        const Outcome outcome = InferAfresh(*e_step, documents[i]);
        hash = Fingerprint(outcome.rows, Fingerprint(outcome.gamma, hash));
      }
    }
    const auto in_double = EStep::Create(
        flat, {.document_topic_prior = 1e-4, .max_iterations = 5, .mean_change_threshold = 0},
        kernel);
    hash = Fingerprint(InferAfresh(*in_double, {{0, 1}}).rows, hash);
    const uint64_t expected = PinnedFingerprint(kernel.name);
    if (expected == 0) continue;
    EXPECT_EQ(hash, expected) << kernel.name;
    ++pinned;
  }
  EXPECT_GE(pinned, 1);
}

}  // namespace e_step_test
}  // namespace topicwall::lda
