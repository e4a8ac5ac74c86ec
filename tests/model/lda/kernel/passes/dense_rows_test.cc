#include "model/lda/kernel/passes/dense_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace {

using ::topicwall::lda::testing::TaskForTests;

// Nine topics (two vectors and a tail); b of word j and topic k is j + k + 1.
class DenseRowsTest : public ::testing::Test {
 protected:
  static std::vector<std::vector<float>> Rows() {
    std::vector<std::vector<float>> rows(12, std::vector<float>(9));
    for (size_t j = 0; j < 12; ++j) {
      for (size_t k = 0; k < 9; ++k) rows[j][k] = static_cast<float>(j + k + 1);
    }
    return rows;
  }
  DenseRowsTest() : made_(Rows(), std::vector<float>(12, 45.0f), 0.1) {}

  TaskForTests made_;
};

TEST_F(DenseRowsTest, NormalisesTheRowsThatItIsToldAndNoOthers) {
  for (size_t k = 0; k < 9; ++k) made_.task.weight[k] = 1;
  Normalise<SimdPortable, 8>(made_.task, 4);
  for (size_t j = 0; j < 4; ++j) EXPECT_EQ(made_.task.ratios[j], 0.0f);
  // Σ_k (j + k + 1) = 9j + 45.
  for (size_t j = 4; j < 12; ++j) {
    EXPECT_FLOAT_EQ(made_.task.ratios[j], 45.0f / static_cast<float>(9 * j + 45));
  }
  Normalise<SimdPortable, 4>(made_.task, 0);
  for (size_t j = 0; j < 4; ++j) {
    EXPECT_FLOAT_EQ(made_.task.ratios[j], 45.0f / static_cast<float>(9 * j + 45));
  }
}

TEST_F(DenseRowsTest, AddsTheRowsToWhatIsThere) {
  ClearSum<SimdPortable>(made_.task, made_.task.sum);
  AddRows<SimdPortable, 8>(made_.task, made_.task.counts, 0, made_.task.sum);
  AddRows<SimdPortable, 4>(made_.task, made_.task.counts, 8, made_.task.sum);
  // Σ_j 45 (j + k + 1) over j = 0 … 11.
  for (size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(made_.task.sum[k], 45.0f * static_cast<float>(12 * k + 78));
  }
}

TEST_F(DenseRowsTest, SumsBeginJustAboveZero) {
  ClearSum<SimdPortable>(made_.task, made_.task.sum);
  for (size_t k = 0; k < 9; ++k) EXPECT_EQ(made_.task.sum[k], kSumFloor);
}

}  // namespace
}  // namespace topicwall::lda
