#include "server/executor/unit_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "model/models.h"
#include "proto/models/lda_options.h"
#include "server/mechanism/keyed_unit_bits.h"
#include "tests/model/summed_vectors/summed_vectors_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::executor {
namespace {

using ::topicwall::testing::StatusIs;

constexpr int kTopics = 20;
constexpr int kTerms = 3000;

UnitBounds Bounds() {
  return {.unit = {.vocabulary_size = kTerms, .max_words = 400, .max_documents = 6},
          .has_weights = true,
          .num_threads = 2};
}

std::unique_ptr<model::StatisticModel> Model(bool evaluates) {
  auto model =
      model::MakeModel(evaluates ? "document_completion" : "lda",
                       proto::LdaOptionBytes(kTopics, {0.3}, 3, 0), {.vocabulary_size = kTerms});
  EXPECT_OK(model);
  return *std::move(model);
}

std::unique_ptr<model::Inference> Bound(const model::StatisticModel& model) {
  auto inference = model.Bind(std::vector<float>(kTopics * kTerms, -3.0F), 1);
  EXPECT_OK(inference);
  return *std::move(inference);
}

size_t InUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(UnitMemoryTest, BytesReservedAreWhatIsTaken) {
  for (const bool evaluates : {false, true}) {
    const auto model = Model(evaluates);
    const auto inference = Bound(*model);
    const UnitBounds bounds = Bounds();
    const size_t before = InUse();
    ASSERT_OK_AND_ASSIGN(const auto memory, UnitMemory::Reserve(*inference, bounds));
    const auto taken = static_cast<int64_t>(InUse() - before);
    const int64_t said = UnitMemory::BytesReserved(model->Worst(bounds.unit), bounds);
    EXPECT_LE(taken, said + said / 20 + (64 << 10));
    EXPECT_GE(taken, said / 2);
    EXPECT_GT(WorstReleaseBytes(*model, bounds), said);
  }
}

// Documents as long as any, of different terms: the whole of the worst unit.
TEST(UnitMemoryTest, TheWorstUnitNeedsNothingMore) {
  const auto model = Model(/*evaluates=*/false);
  const auto inference = Bound(*model);
  ASSERT_OK_AND_ASSIGN(auto memory, UnitMemory::Reserve(*inference, Bounds()));
  UnitBuffers& buffers = memory.buffers(0);
  std::vector<std::vector<lda::TermCount>> documents(6);
  std::vector<model::UnitDocument> unit;
  for (uint32_t d = 0; d < 6; ++d) {
    for (uint32_t i = 0; i < 400; ++i) documents[d].push_back({.term = 6 * i + d, .count = 1});
    unit.push_back({.counts = documents[d], .number = static_cast<int>(d)});
  }
  ASSERT_OK_AND_ASSIGN(const auto clipper,
                       mechanism::UnitClipper::Create({.shape = model->shape(),
                                                       .clip_norm = 4,
                                                       .weights = std::vector<float>(kTerms, 0.5F),
                                                       .noise_multiplier = 5}));
  const random::SecretKey key({});
  mechanism::KeyedUnitBits bits(&key);
  const size_t before = InUse();
  buffers.inference->Infer({.documents = unit}, bits, &buffers.statistic);
  const bool kept = clipper.Clip(buffers.statistic, &buffers.clipped);
  const size_t after = InUse();
  EXPECT_TRUE(kept);
  EXPECT_EQ(buffers.statistic.columns.size(), 2400u);
  EXPECT_EQ(after, before) << "a buffer grew with the unit";
}

TEST(UnitMemoryTest, LimitsThatNobodyReachesTakeNoMoreThanTheVocabulary) {
  const auto model = Model(/*evaluates=*/false);
  UnitBounds bounds = Bounds();
  const auto bytes = [&] { return UnitMemory::BytesReserved(model->Worst(bounds.unit), bounds); };
  bounds.unit.max_documents = 8;
  const int64_t all = bytes();
  bounds.unit.max_documents = std::numeric_limits<int64_t>::max();
  // The documents of one block can be listed and copied, however many a unit may have.
  const int64_t listed = (int64_t{1} << 18) * 2 * int64_t{sizeof(model::UnitDocument) + 8};
  EXPECT_LE(bytes(), all + listed);
  const int64_t most = bytes();
  bounds.unit.max_words = std::numeric_limits<int64_t>::max();
  EXPECT_GT(bytes(), most);
  EXPECT_LT(bytes(), 3 * most);
}

// 3 MiB for each attribute and 1.5 MiB more for each of two threads: all of it is reading.
TEST(UnitMemoryTest, AttributesTakeWhatReadingThemTakes) {
  const auto model = Model(/*evaluates=*/false);
  UnitBounds bounds = Bounds();
  const int64_t plain = UnitMemory::BytesReserved(model->Worst(bounds.unit), bounds);
  bounds.attribute_sizes = {3, 65535};
  const int64_t said = UnitMemory::BytesReserved(model->Worst(bounds.unit), bounds);
  EXPECT_EQ(said - plain, int64_t{2} * (6 << 20));
  const auto inference = Bound(*model);
  const size_t before = InUse();
  ASSERT_OK_AND_ASSIGN(const auto memory, UnitMemory::Reserve(*inference, bounds));
  const auto taken = static_cast<int64_t>(InUse() - before);
  EXPECT_LE(taken, said + said / 20 + (64 << 10));
  EXPECT_GE(taken, said / 2);
}

TEST(UnitMemoryTest, WhatCannotBeHadIsRefused) {
  const auto model = Model(/*evaluates=*/false);
  const auto inference = Bound(*model);
  UnitBounds bounds = Bounds();
  bounds.num_threads = 1;
  bounds.unit.vocabulary_size = int64_t{1} << 55;
  bounds.unit.max_words = bounds.unit.vocabulary_size;
  EXPECT_THAT(UnitMemory::Reserve(*inference, bounds).status(),
              StatusIs(absl::StatusCode::kUnavailable));
}

// Of vectors, which are neither cut nor copied, reading is 1 MiB a block and each of its bytes.
TEST(UnitMemoryTest, VectorsTakeWhatReadingThemTakes) {
  constexpr int kDimension = 64;
  const model::SummedVectors inference(kDimension);
  const UnitBounds bounds = {
      .unit = {.vocabulary_size = kDimension, .max_words = 1, .max_documents = 1'000'000},
      .has_weights = false,
      .num_threads = 2,
      .vector_dimension = kDimension};
  const int64_t said = UnitMemory::BytesReserved(inference.Worst(bounds.unit), bounds);
  // Blocks: 4 ahead and one for each thread; sealed and unsealed bytes of three readers. A block
  // has at most 4,096 vectors.
  EXPECT_GT(said, int64_t{12} << 20);
  EXPECT_LT(said, int64_t{14} << 20);
  const size_t before = InUse();
  ASSERT_OK_AND_ASSIGN(auto memory, UnitMemory::Reserve(inference, bounds));
  const auto taken = static_cast<int64_t>(InUse() - before);
  EXPECT_LE(taken, said + (64 << 10));
  EXPECT_GE(taken, said - (64 << 10));
  EXPECT_EQ(memory.buffers(1).chosen.size(), 4096u);
  EXPECT_EQ(memory.buffers(1).documents.size(), 4096u);
}

}  // namespace
}  // namespace topicwall::executor
