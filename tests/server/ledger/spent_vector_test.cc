#include "server/ledger/spent_vector.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/status_matchers.h"

namespace topicwall::ledger {
namespace {

using accountant::CostVector;
using accountant::kDeadOrder;
using testing::StatusIs;

constexpr uint64_t kMost = uint64_t{1} << 62;

TEST(SpentVectorTest, BytesAreLittleEndianAndComeBack) {
  EXPECT_EQ(BytesOfCost({0x0807060504030201}), std::string("\1\2\3\4\5\6\7\10"));
  const CostVector cost = {0, 1, 0x80, 0xffffffffffff, kMost, kDeadOrder};
  auto back = CostOfBytes(BytesOfCost(cost), cost.size());
  ASSERT_OK(back);
  EXPECT_EQ(*back, cost);
}

TEST(SpentVectorTest, AVectorOfAnotherLengthIsDamage) {
  const std::string bytes = BytesOfCost({1, 2});
  EXPECT_THAT(CostOfBytes(bytes, 3), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(CostOfBytes(bytes.substr(1), 2), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(SpentVectorTest, SumsAreExactUpToTheirLimitAndDeadBeyond) {
  EXPECT_EQ(SpentAfter({5, 7}, {2, 3}, 4), (CostVector{13, 19}));
  EXPECT_EQ(SpentAfter({5}, {2}, 0), CostVector{5});
  EXPECT_EQ(SpentAfter({kMost - 6}, {2}, 3), CostVector{kMost});
  EXPECT_EQ(SpentAfter({kMost - 5}, {2}, 3), CostVector{kDeadOrder});
  EXPECT_EQ(SpentAfter({0}, {kMost}, 2), CostVector{kDeadOrder});
  EXPECT_EQ(SpentAfter({0}, {1}, std::numeric_limits<int64_t>::max()), CostVector{kDeadOrder});
}

TEST(SpentVectorTest, DeadStaysDead) {
  EXPECT_EQ(SpentAfter({kDeadOrder}, {1}, 1), CostVector{kDeadOrder});
  EXPECT_EQ(SpentAfter({3}, {kDeadOrder}, 1), CostVector{kDeadOrder});
  EXPECT_EQ(SpentAfter({kDeadOrder}, {kDeadOrder}, 2), CostVector{kDeadOrder});
}

}  // namespace
}  // namespace topicwall::ledger
