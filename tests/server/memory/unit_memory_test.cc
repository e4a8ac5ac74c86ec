#include "server/vault/unit_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::topicwall::testing::StatusIs;

constexpr int kTopics = 20;
constexpr int kTerms = 3000;

UnitBounds Bounds() {
  return {.vocabulary_size = kTerms,
          .num_topics = kTopics,
          .max_words = 400,
          .max_documents_per_unit = 6,
          .has_weights = true,
          .is_evaluation = false,
          .num_threads = 2};
}

lda::EStep MakeEStep() {
  const auto topics =
      lda::LogTopics::Create(kTopics, kTerms, std::vector<float>(kTopics * kTerms, -3.0F));
  EXPECT_OK(topics);
  auto e_step = lda::EStep::Create(
      *topics, {.document_topic_prior = 0.3, .max_iterations = 3, .mean_change_threshold = 0});
  EXPECT_OK(e_step);
  return *std::move(e_step);
}

size_t InUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(UnitMemoryTest, BytesReservedAreWhatIsTaken) {
  const lda::EStep e_step = MakeEStep();
  for (const bool is_evaluation : {false, true}) {
    UnitBounds bounds = Bounds();
    bounds.is_evaluation = is_evaluation;
    const size_t before = InUse();
    const auto memory = UnitMemory::Reserve(e_step, bounds);
    ASSERT_OK(memory);
    const auto taken = static_cast<int64_t>(InUse() - before);
    const int64_t said = UnitMemory::BytesReserved(bounds);
    EXPECT_LE(taken, said + said / 20 + (64 << 10));
    EXPECT_GE(taken, said / 2);
    EXPECT_GT(WorstReleaseBytes(bounds), said);
  }
}

// Documents as long as any, of different terms: the whole of the worst unit.
TEST(UnitMemoryTest, TheWorstUnitNeedsNothingMore) {
  const lda::EStep e_step = MakeEStep();
  auto memory = UnitMemory::Reserve(e_step, Bounds());
  ASSERT_OK(memory);
  UnitBuffers& buffers = memory->buffers(0);
  std::vector<std::vector<lda::TermCount>> documents(6);
  for (uint32_t d = 0; d < 6; ++d) {
    for (uint32_t i = 0; i < 400; ++i) documents[d].push_back({.term = 6 * i + d, .count = 1});
  }
  const auto clipper = mechanism::UnitClipper::Create({.shape = model::GridOf(kTopics, kTerms),
                                                       .clip_norm = 4,
                                                       .weights = std::vector<float>(kTerms, 0.5F),
                                                       .noise_multiplier = 5});
  ASSERT_OK(clipper);
  const size_t before = InUse();
  buffers.rows.Reset(kTopics, &buffers.statistic);
  for (const auto& document : documents) {
    e_step.Infer(document, buffers.workspace);
    buffers.rows.Add(document, buffers.workspace);
  }
  buffers.rows.Finish();
  const bool kept = clipper->Clip(buffers.statistic, &buffers.clipped);
  const size_t after = InUse();
  EXPECT_TRUE(kept);
  EXPECT_EQ(buffers.statistic.columns.size(), 2400u);
  EXPECT_EQ(after, before) << "a buffer grew with the unit";
}

TEST(UnitMemoryTest, LimitsThatNobodyReachesTakeNoMoreThanTheVocabulary) {
  UnitBounds bounds = Bounds();
  bounds.max_documents_per_unit = 8;
  const int64_t all = UnitMemory::BytesReserved(bounds);
  bounds.max_documents_per_unit = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(UnitMemory::BytesReserved(bounds), all);
  bounds.max_words = std::numeric_limits<int64_t>::max();
  EXPECT_GT(UnitMemory::BytesReserved(bounds), all);
  EXPECT_LT(UnitMemory::BytesReserved(bounds), 3 * all);
}

TEST(UnitMemoryTest, WhatCannotBeHadIsRefused) {
  const lda::EStep e_step = MakeEStep();
  UnitBounds bounds = Bounds();
  bounds.num_threads = 1;
  bounds.vocabulary_size = int64_t{1} << 55;
  bounds.max_words = bounds.vocabulary_size;
  EXPECT_THAT(UnitMemory::Reserve(e_step, bounds).status(),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::server
