#include "proto/signed_head.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/client/receipt_press.h"
#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::HeadStatement Statement() {
  v1::HeadStatement statement;
  statement.set_custodian_id("library");
  statement.set_budget_id("b");
  statement.set_sequence(7);
  statement.set_head(std::string(kHashSize, 'h'));
  return statement;
}

class SignedHeadTest : public ::testing::Test {
 protected:
  const client::ReceiptPress press_;
};

TEST_F(SignedHeadTest, AnHonestOneSaysWhereTheChainWas) {
  ASSERT_OK_AND_ASSIGN(const auto opened,
                       OpenSignedHead(press_.SignHead(Statement()), press_.key()));
  EXPECT_EQ(opened.SerializeAsString(), Statement().SerializeAsString());
  EXPECT_EQ(BytesOf(Statement()), BytesOf(opened));
}

TEST_F(SignedHeadTest, AFlippedBitAnywhereIsRefused) {
  const std::string intact = press_.SignHead(Statement()).SerializeAsString();
  for (size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    std::string bytes = intact;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    v1::SignedHead flipped;
    if (!flipped.ParseFromString(bytes)) continue;
    EXPECT_FALSE(OpenSignedHead(flipped, press_.key()).ok()) << "bit " << bit;
  }
}

TEST_F(SignedHeadTest, AnotherCustodiansIsRefusedThoughItsSignatureHolds) {
  const client::ReceiptPress stranger(2);
  EXPECT_THAT(OpenSignedHead(stranger.SignHead(Statement()), press_.key()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another key")));
}

TEST_F(SignedHeadTest, ASignatureUnderAReceiptIsNoneUnderAHead) {
  v1::Receipt receipt;
  receipt.set_custodian_id("library");
  v1::SignedHead relabelled = press_.SignHead(Statement());
  relabelled.set_statement(receipt.SerializeAsString());
  relabelled.set_signature(press_.Sign(receipt).signature());
  EXPECT_THAT(OpenSignedHead(relabelled, press_.key()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("signature")));
}

TEST_F(SignedHeadTest, WhatSaysMoreThanIsUnderstoodIsRefusedAndAccusesNobody) {
  v1::HeadStatement more = Statement();
  more.GetReflection()->MutableUnknownFields(&more)->AddVarint(1000, 1);
  EXPECT_THAT(OpenSignedHead(press_.SignHead(more), press_.key()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("upgrade this program")));
}

// Even a custodian's own signature does not make sense of what makes none.
TEST_F(SignedHeadTest, SignedNonsenseIsRefused) {
  const std::vector<std::function<void(v1::HeadStatement&)>> changes = {
      [](v1::HeadStatement& head) { head.clear_budget_id(); },
      [](v1::HeadStatement& head) { head.set_sequence(0); },
      [](v1::HeadStatement& head) { head.set_sequence(-1); },
      [](v1::HeadStatement& head) { head.set_head("short"); }};
  for (size_t i = 0; i < changes.size(); ++i) {
    v1::HeadStatement changed = Statement();
    changes[i](changed);
    EXPECT_THAT(OpenSignedHead(press_.SignHead(changed), press_.key()),
                StatusIs(absl::StatusCode::kDataLoss))
        << "change " << i;
  }
}

}  // namespace
}  // namespace topicwall::proto
