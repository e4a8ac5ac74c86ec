#include "server/audit/pairs/paid_receipts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

ledger::PaidMechanism MechanismWith(double noise_multiplier) {
  return {.sampling_rate = 1,
          .noise_multiplier = noise_multiplier,
          .histogram_noise_multiplier = std::nullopt,
          .max_words = 10,
          .weights = {1, 2}};
}

bool SameKey(const ledger::ChargeReceipt& a, const ledger::ChargeReceipt& b) {
  const auto bytes = a.release_key().ExposeBytes();
  return std::equal(bytes.begin(), bytes.end(), b.release_key().ExposeBytes().begin());
}

class PaidReceiptsTest : public ::testing::Test {
 protected:
  PaidReceiptsTest() {
    auto folder = ScratchFolder::Create(parent_.path());
    EXPECT_OK(folder);
    folder_ = *std::move(folder);
    const auto key = sealing::CustodianKey::Generate();
    EXPECT_OK(key);
    auto paid = PaidReceipts::Open(*folder_, *key);
    EXPECT_OK(paid);
    paid_ = *std::move(paid);
  }

  const testing::TemporaryDirectory parent_;
  std::unique_ptr<ScratchFolder> folder_;
  std::unique_ptr<PaidReceipts> paid_;
};

TEST_F(PaidReceiptsTest, ReceiptsOfOneCallAreOfOneChargeAndOfTwoOfTwo) {
  const auto first = paid_->Pay(MechanismWith(1.5), kMostReceiptsOfOneKey);
  ASSERT_OK(first);
  ASSERT_EQ(first->size(), 4u);
  for (const ledger::ChargeReceipt& receipt : *first) {
    EXPECT_TRUE(SameKey(receipt, first->front()));
    EXPECT_EQ(receipt.request_digest(), first->front().request_digest());
    EXPECT_EQ(receipt.mechanism().noise_multiplier, 1.5);
    EXPECT_EQ(receipt.mechanism().weights, (std::vector<float>{1, 2}));
  }
  const auto second = paid_->Pay(MechanismWith(1.5), 1);
  ASSERT_OK(second);
  EXPECT_FALSE(SameKey(second->front(), first->front()));
}

TEST_F(PaidReceiptsTest, DoNotRunOut) {
  ledger::PaidMechanism dear = MechanismWith(0x1p-6);
  dear.histogram_noise_multiplier = 0x1p-6;
  // 5,120 nats at the lowest order: beyond ε = 2^20 after some 200.
  for (int i = 0; i < 250; ++i) ASSERT_OK(paid_->Pay(dear, 1)) << i;
}

}  // namespace
}  // namespace topicwall::audit
