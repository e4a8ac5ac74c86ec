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

// Σ_k (j + k + 1) = 9j + 45.
float RatioOf(size_t word) { return 45.0f / static_cast<float>(9 * word + 45); }

TEST_F(DenseRowsTest, NormalisesTheWordsThatItIsToldAndAddsTheOthersToWhatIsThere) {
  const KernelTask& task = made_.task;
  for (size_t k = 0; k < 9; ++k) task.weight[k] = task.sum[k] = 1;
  FourWords<SimdPortable, RowsOfTerms<SimdPortable>, 0, true, true>(task, task.counts, 4, 8,
                                                                    task.sum);
  for (size_t j = 0; j < 12; ++j) {
    EXPECT_FLOAT_EQ(task.ratios[j], j >= 4 && j < 8 ? RatioOf(j) : 0);
  }
  // Σ_j 45 (j + k + 1) over j = 8 … 11.
  for (size_t k = 0; k < 9; ++k) EXPECT_EQ(task.sum[k], 1 + 45.0f * static_cast<float>(4 * k + 42));
}

TEST_F(DenseRowsTest, RowsThatWereAddedAndPackedAreThereAgain) {
  const KernelTask& task = made_.task;
  ClearSums<SimdPortable>(9, task.sum);
  AddRows<SimdPortable, 8, true>(task, task.counts, 0, task.sum);
  AddRows<SimdPortable, 4, true>(task, task.counts, 8, task.sum);
  // Σ_j 45 (j + k + 1) over j = 0 … 11.
  for (size_t k = 0; k < 9; ++k) EXPECT_EQ(task.sum[k], 45.0f * static_cast<float>(12 * k + 78));
  for (size_t j = 0; j < 12; ++j) {
    const PackedRows<SimdPortable> packed(task, j / 4 * 4);
    for (size_t k = 0; k < 9; ++k) {
      EXPECT_EQ(packed.at(j % 4, k / 4 * 4)[k % 4], static_cast<float>(j + k + 1));
    }
  }
}

TEST_F(DenseRowsTest, SumsBeginJustAboveZero) {
  ClearSums<SimdPortable>(9, made_.task.sum);
  for (size_t k = 0; k < 9; ++k) EXPECT_EQ(made_.task.sum[k], kSumFloor);
}

}  // namespace
}  // namespace topicwall::lda
