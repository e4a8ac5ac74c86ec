#include "model/lda/topics/sufficient_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "tests/model/lda/full_row.h"
#include "tests/model/lda/synthetic_corpus.h"

namespace topicwall::lda {
namespace sufficient_statistics_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::lda::testing::FullRow;
using ::topicwall::lda::testing::SyntheticCorpus;

constexpr int kTopics = 40;
constexpr int kTerms = 60;

// Topics so different that documents use few of them, each its own.
EStep TestEStep() {
  const auto topics =
      LogTopics::Create(kTopics, kTerms, SyntheticCorpus(1).LogTopicValues(kTopics, kTerms, 6));
  return *EStep::Create(
      *topics, {.document_topic_prior = 0.02, .max_iterations = 50, .mean_change_threshold = 1e-3});
}

// With the statistic that it makes.
struct Unit {
  void Reset(int num_topics) {
    topics_of_all = num_topics;
    maker.Reset({.num_topics = static_cast<size_t>(num_topics), .num_columns = kTerms}, &statistic);
  }
  void Add(DocumentView document, const EStep::Workspace& workspace) {
    maker.Add(document, workspace);
    maker.Finish();
  }

  int num_topics() const { return topics_of_all; }
  const std::vector<uint32_t>& terms() const { return statistic.columns; }
  const std::vector<uint32_t>& topics() const { return statistic.rows; }
  absl::Span<const float> row(size_t i) const {
    return {statistic.values.data() + i * topics().size(), topics().size()};
  }

  UnitStatistic maker;
  model::SparseStatistic statistic;
  int topics_of_all = 0;
};

using Rows = std::map<uint32_t, std::vector<float>>;

Rows RowsOf(const Unit& unit) {
  Rows rows;
  for (size_t i = 0; i < unit.terms().size(); ++i) {
    rows[unit.terms()[i]] = FullRow(unit, i);
  }
  return rows;
}

TEST(UnitStatisticTest, OneDocumentIsItsRowsBitForBit) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  const std::vector<TermCount> document = {{2, 3}, {5, 1}, {59, 2}};
  e_step.Infer(document, workspace);
  Unit unit;
  unit.Reset(kTopics);
  unit.Add(document, workspace);
  EXPECT_EQ(unit.num_topics(), kTopics);
  ASSERT_THAT(unit.terms(), ElementsAre(2u, 5u, 59u));
  EXPECT_THAT(unit.topics(), ::testing::ElementsAreArray(workspace.topics()));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(unit.row(i), ::testing::ElementsAreArray(workspace.row(i)));
  }
}

TEST(UnitStatisticTest, RowsOfATermAddUpOverDocumentsInTheirOrder) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  Unit unit;
  unit.Reset(kTopics);
  Rows expected;
  SyntheticCorpus corpus(5);
  for (int i = 0; i < 30; ++i) {
    const std::vector<TermCount> document = corpus.Document(1 + i, kTerms);
    e_step.Infer(document, workspace);
    unit.Add(document, workspace);
    for (size_t j = 0; j < document.size(); ++j) {
      std::vector<float>& row = expected[document[j].term];
      row.resize(kTopics, 0.0f);
      for (size_t k = 0; k < kTopics; ++k) row[k] += FullRow(workspace, j)[k];
    }
  }
  EXPECT_EQ(RowsOf(unit), expected);
}

// Every Add of the other tests is finished at once; a unit is finished after its last document.
TEST(UnitStatisticTest, FinishedOnceOrAfterEveryDocumentItIsTheSameBits) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  Unit often, once;
  UnitStatistic unfinished;
  for (int round = 0; round < 3; ++round) {
    often.Reset(kTopics);
    unfinished.Reset({.num_topics = kTopics, .num_columns = kTerms}, &once.statistic);
    for (const std::vector<TermCount>& document : {std::vector<TermCount>{{2, 3}, {5, 1}, {59, 2}},
                                                   {{5, 2}},
                                                   {{0, 1}, {5, 2}, {59, 1}},
                                                   {{1, 1}},
                                                   {{0, 7}, {58, 1}}}) {
      e_step.Infer(document, workspace);
      often.Add(document, workspace);
      unfinished.Add(document, workspace);
    }
    unfinished.Finish();
    EXPECT_EQ(once.statistic.columns, often.statistic.columns);
    EXPECT_EQ(once.statistic.rows, often.statistic.rows);
    EXPECT_EQ(once.statistic.values, often.statistic.values);
    EXPECT_THAT(once.terms(), ElementsAre(0u, 1u, 2u, 5u, 58u, 59u));
  }
}

TEST(UnitStatisticTest, TermsAreStrictlyAscendingAfterEveryAdd) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  Unit unit;
  unit.Reset(kTopics);
  for (const std::vector<TermCount>& document : {std::vector<TermCount>{{30, 1}},
                                                 {{10, 1}, {50, 1}},
                                                 {{0, 1}, {59, 1}},
                                                 {{10, 1}, {30, 1}},
                                                 {{29, 1}, {30, 1}, {31, 1}}}) {
    e_step.Infer(document, workspace);
    unit.Add(document, workspace);
    for (size_t i = 1; i < unit.terms().size(); ++i) {
      ASSERT_LT(unit.terms()[i - 1], unit.terms()[i]);
    }
  }
  EXPECT_THAT(unit.terms(), ElementsAre(0u, 10u, 29u, 30u, 31u, 50u, 59u));
}

TEST(UnitStatisticTest, TopicsAreThoseOfAllDocumentsStrictlyAscending) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  Unit unit;
  unit.Reset(kTopics);
  std::set<uint32_t> expected;
  SyntheticCorpus corpus(7);
  int documents_with_new_topics = 0;
  for (int i = 0; i < 10; ++i) {
    const std::vector<TermCount> document = corpus.Document(5, kTerms);
    e_step.Infer(document, workspace);
    unit.Add(document, workspace);
    const size_t before = expected.size();
    expected.insert(workspace.topics().begin(), workspace.topics().end());
    if (expected.size() > before) ++documents_with_new_topics;
    ASSERT_THAT(unit.topics(), ::testing::ElementsAreArray(expected));
  }
  EXPECT_GE(documents_with_new_topics, 3);
}

TEST(UnitStatisticTest, ADocumentThatIsNotCanonicalLeavesTheUnitAsItWas) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  Unit unit;
  unit.Reset(kTopics);
  const std::vector<TermCount> good = {{4, 1}};
  e_step.Infer(good, workspace);
  unit.Add(good, workspace);
  const Rows before = RowsOf(unit);
  for (const std::vector<TermCount>& bad :
       {std::vector<TermCount>{{4, 1}, {4, 1}}, {{5, 1}, {4, 1}}, {{kTerms, 1}}, {}}) {
    e_step.Infer(bad, workspace);
    unit.Add(bad, workspace);
    EXPECT_EQ(RowsOf(unit), before);
  }
}

TEST(UnitStatisticTest, AWorkspaceOfAnotherShapeAddsNothing) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  e_step.Infer({{4, 1}, {5, 1}}, workspace);
  Unit unit;
  unit.Reset(kTopics + 1);
  unit.Add({{4, 1}, {5, 1}}, workspace);
  EXPECT_THAT(unit.terms(), IsEmpty());
  unit.Reset(kTopics);
  unit.Add({{4, 1}}, workspace);
  EXPECT_THAT(unit.terms(), IsEmpty());
  // Of the right length, yet not what was inferred: the terms would not be distinct.
  unit.Add({{4, 1}, {4, 1}}, workspace);
  EXPECT_THAT(unit.terms(), IsEmpty());
}

TEST(UnitStatisticTest, AUnitThatWasNeverFinishedLeavesNothingInTheNext) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  const std::vector<TermCount> first = {{2, 3}, {5, 1}}, second = {{0, 1}, {5, 2}};
  const auto add = [&](const std::vector<TermCount>& document, UnitStatistic* maker) {
    e_step.Infer(document, workspace);
    maker->Add(document, workspace);
  };
  UnitStatistic reused;
  model::SparseStatistic abandoned;
  reused.Reset({.num_topics = kTopics, .num_columns = kTerms}, &abandoned);
  for (uint32_t term = 0; term < kTerms; ++term) add({{term, 1}}, &reused);
  Unit fresh, next;
  fresh.Reset(kTopics);
  reused.Reset({.num_topics = kTopics, .num_columns = kTerms}, &next.statistic);
  for (const auto& document : {first, second}) {
    add(document, &fresh.maker);
    add(document, &reused);
  }
  fresh.maker.Finish();
  reused.Finish();
  EXPECT_EQ(next.statistic.columns, fresh.statistic.columns);
  EXPECT_EQ(next.statistic.rows, fresh.statistic.rows);
  EXPECT_EQ(next.statistic.values, fresh.statistic.values);
}

TEST(UnitStatisticTest, ResetForgetsEverything) {
  const EStep e_step = TestEStep();
  EStep::Workspace workspace;
  Unit reused, fresh;
  SyntheticCorpus corpus(6);
  for (int i = 0; i < 5; ++i) {
    const std::vector<TermCount> document = corpus.Document(20, kTerms);
    e_step.Infer(document, workspace);
    reused.Reset(kTopics);
    EXPECT_THAT(reused.terms(), IsEmpty());
    reused.Add(document, workspace);
    fresh = Unit();
    fresh.Reset(kTopics);
    fresh.Add(document, workspace);
    EXPECT_EQ(RowsOf(reused), RowsOf(fresh));
  }
}

}  // namespace sufficient_statistics_test
}  // namespace topicwall::lda
