#include "server/ledger/spent_vector.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace topicwall::ledger
