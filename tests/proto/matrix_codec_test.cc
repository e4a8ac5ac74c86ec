#include "proto/matrix_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

std::vector<v1::FloatChunk> ChunksOf(const std::vector<float>& values) {
  std::vector<v1::FloatChunk> chunks;
  EXPECT_OK(ForEachChunk(values, [&](const v1::FloatChunk& chunk) {
    chunks.push_back(chunk);
    return absl::OkStatus();
  }));
  return chunks;
}

TEST(MatrixCodecTest, EveryBitArrivesAsItWasSent) {
  std::vector<float> values(2 * (kMaxChunkEntries + 3));
  std::iota(values.begin(), values.end(), -5.0f);
  values[0] = std::numeric_limits<float>::quiet_NaN();
  values[1] = -0.0f;
  values[2] = std::numeric_limits<float>::denorm_min();
  values[3] = -std::numeric_limits<float>::infinity();
  ASSERT_OK_AND_ASSIGN(auto assembler,
                       MatrixAssembler::Create({.rows = 2, .columns = kMaxChunkEntries + 3}));
  std::vector<v1::FloatChunk> chunks = ChunksOf(values);
  EXPECT_EQ(chunks.size(), 3u);
  for (const v1::FloatChunk& chunk : chunks) ASSERT_OK(assembler.Add(chunk));
  ASSERT_OK_AND_ASSIGN(auto received, std::move(assembler).Finish());
  ASSERT_EQ(received.size(), values.size());
  EXPECT_EQ(std::memcmp(received.data(), values.data(), values.size() * sizeof(float)), 0);
}

TEST(MatrixCodecTest, ChunksOutOfOrderRepeatedOrPastTheEndAreRefusedAndChangeNothing) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  ASSERT_OK_AND_ASSIGN(auto assembler, MatrixAssembler::Create({.rows = 2, .columns = 3}));
  v1::FloatChunk half;
  half.set_offset(0);
  half.set_values(FloatsToLittleEndian({1, 2, 3}));
  ASSERT_OK(assembler.Add(half));
  EXPECT_THAT(assembler.Add(half),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected offset 3")));
  v1::FloatChunk rest;
  rest.set_offset(3);
  rest.set_values(FloatsToLittleEndian({4, 5, 6, 7}));
  EXPECT_THAT(assembler.Add(rest),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("past its end")));
  rest.set_values("abc");
  EXPECT_THAT(assembler.Add(rest), StatusIs(absl::StatusCode::kInvalidArgument));
  rest.set_values("");
  EXPECT_THAT(assembler.Add(rest), StatusIs(absl::StatusCode::kInvalidArgument));
  rest.set_values(FloatsToLittleEndian({4, 5, 6}));
  ASSERT_OK(assembler.Add(rest));
  ASSERT_OK_AND_ASSIGN(auto received, std::move(assembler).Finish());
  EXPECT_EQ(received, values);
}

TEST(MatrixCodecTest, AMatrixThatIsNotWholeIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto assembler, MatrixAssembler::Create({.rows = 2, .columns = 3}));
  EXPECT_THAT(std::move(assembler).Finish(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("only 0")));
}

TEST(MatrixCodecTest, ShapesThatAreNotPositiveOrOverflowAreRefusedBeforeMemoryIsTaken) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  for (const MatrixAssembler::Shape& shape :
       {MatrixAssembler::Shape{.rows = 0, .columns = 3},
        {.rows = 3, .columns = -1},
        {.rows = huge, .columns = huge},
        {.rows = int64_t{1} << 17, .columns = int64_t{1} << 16}}) {
    EXPECT_THAT(MatrixAssembler::Create(shape), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(MatrixCodecTest, SendingStopsAtTheFirstError) {
  int sent = 0;
  std::vector<float> values(static_cast<size_t>(kMaxChunkEntries) + 1);
  EXPECT_THAT(ForEachChunk(values,
                           [&](const v1::FloatChunk&) {
                             ++sent;
                             return absl::UnavailableError("gone");
                           }),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(sent, 1);
}

}  // namespace
}  // namespace topicwall::proto
