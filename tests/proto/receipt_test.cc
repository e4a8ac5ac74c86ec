#include "proto/receipt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "tests/client/receipt_press.h"
#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace receipt_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::LedgerEvent Reserved() {
  v1::LedgerEvent event;
  event.mutable_plan_reserved()->set_plan_id("plan");
  return event;
}
v1::LedgerEvent Charged() {
  v1::LedgerEvent event;
  event.mutable_iteration_charged()->set_plan_id("plan");
  event.mutable_iteration_charged()->set_iteration(2);
  return event;
}

std::vector<v1::LedgerEntry> Chain(const std::vector<v1::LedgerEvent>& events) {
  std::vector<v1::LedgerEntry> chain;
  for (v1::LedgerEvent event : events) {
    event.set_sequence(static_cast<int64_t>(chain.size()) + 1);
    v1::LedgerEntry entry;
    entry.set_sequence(event.sequence());
    entry.set_event(event.SerializeAsString());
    entry.set_salt(std::string(kEventSaltSize, 's'));
    entry.set_commitment(EventCommitment(entry.salt(), entry.event()));
    entry.set_head(
        NextHead(chain.empty() ? GenesisHead() : chain.back().head(), entry.commitment()));
    chain.push_back(entry);
  }
  return chain;
}

class ReceiptTest : public ::testing::Test {
 protected:
  const client::ReceiptPress press_;
  const std::vector<v1::LedgerEntry> chain_ = Chain({Reserved(), Charged()});
};

TEST_F(ReceiptTest, AnHonestOneOpensAndSaysWhatItIsAbout) {
  ASSERT_OK_AND_ASSIGN(const auto opened, OpenReceipt(press_.Of(chain_, 2), press_.key()));
  EXPECT_EQ(opened.event.iteration_charged().iteration(), 2);
  EXPECT_EQ(DescribeAct(opened.event), "iteration 2 of plan plan charged");
  EXPECT_EQ(SubjectOf(opened.event).iteration, 2);
}

TEST_F(ReceiptTest, AFlippedBitAnywhereIsRefused) {
  const std::string intact = press_.Of(chain_, 2).SerializeAsString();
  for (size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    std::string bytes = intact;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    v1::SignedReceipt flipped;
    if (!flipped.ParseFromString(bytes)) continue;
    EXPECT_FALSE(OpenReceipt(flipped, press_.key()).ok()) << "bit " << bit;
  }
}

TEST_F(ReceiptTest, AnotherCustodiansReceiptIsRefusedThoughItsSignatureHolds) {
  const client::ReceiptPress stranger(2);
  EXPECT_THAT(OpenReceipt(stranger.Of(chain_, 2), press_.key()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another key")));
  v1::SignedReceipt relabelled = stranger.Of(chain_, 2);
  relabelled.set_public_key(press_.key());
  EXPECT_THAT(OpenReceipt(relabelled, press_.key()), StatusIs(absl::StatusCode::kDataLoss));
}

// Even a custodian's own signature does not make sense of what makes none.
TEST_F(ReceiptTest, SignedNonsenseIsRefused) {
  v1::Receipt honest;
  ASSERT_TRUE(honest.ParseFromString(press_.Of(chain_, 2).receipt()));
  const std::vector<std::function<void(v1::Receipt&)>> changes = {
      [](v1::Receipt& receipt) { receipt.mutable_entry()->set_salt("other"); },
      [](v1::Receipt& receipt) { receipt.mutable_entry()->set_commitment("other"); },
      [](v1::Receipt& receipt) { receipt.mutable_entry()->set_head("other"); },
      [](v1::Receipt& receipt) { receipt.mutable_entry()->set_sequence(3); },
      [](v1::Receipt& receipt) { receipt.mutable_entry()->clear_event(); },
      [](v1::Receipt& receipt) { receipt.set_previous_head(std::string(32, 'x')); },
      [](v1::Receipt& receipt) { receipt.clear_previous_head(); },
      [](v1::Receipt& receipt) { receipt.mutable_plan()->set_plan_id("another"); },
      [](v1::Receipt& receipt) { receipt.clear_plan(); }};
  for (size_t i = 0; i < changes.size(); ++i) {
    v1::Receipt changed = honest;
    changes[i](changed);
    EXPECT_THAT(OpenReceipt(press_.Sign(changed), press_.key()),
                StatusIs(absl::StatusCode::kDataLoss))
        << "change " << i;
  }
  EXPECT_OK(OpenReceipt(press_.Sign(honest), press_.key()));
}

// Whoever signs could show the same place in the chain as one act to one reader and as another to
// the next, if bytes may move between salt and event.
TEST_F(ReceiptTest, OneCommitmentOpensInOneWayOnly) {
  v1::LedgerEvent named;
  named.set_principal("anna");
  v1::LedgerEvent charged = Charged();
  charged.set_sequence(2);
  const std::string salt(kEventSaltSize, 's');
  const std::string first = named.SerializeAsString();
  const std::string rest = charged.SerializeAsString();
  v1::Receipt receipt;
  ASSERT_TRUE(receipt.ParseFromString(press_.Of(chain_, 2).receipt()));
  v1::LedgerEntry& entry = *receipt.mutable_entry();
  entry.set_commitment(EventCommitment(salt, first + rest));
  entry.set_head(NextHead(receipt.previous_head(), entry.commitment()));
  entry.set_salt(salt);
  entry.set_event(first + rest);
  EXPECT_OK(OpenReceipt(press_.Sign(receipt), press_.key()));
  entry.set_salt(salt + first);  // anna's charge is now somebody else's
  entry.set_event(rest);
  ASSERT_EQ(entry.commitment(), EventCommitment(entry.salt(), entry.event()));
  EXPECT_THAT(OpenReceipt(press_.Sign(receipt), press_.key()),
              StatusIs(absl::StatusCode::kDataLoss));
}

// Whoever holds receipts against a chain looks their entries up by number. Nobody's key is needed
// to sign one: a file of receipts that pins none is opened with its own.
TEST_F(ReceiptTest, AnEntryBeforeTheFirstIsRefused) {
  for (const int64_t sequence : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    v1::LedgerEvent event = Reserved();
    event.set_sequence(sequence);
    v1::Receipt receipt;
    ASSERT_TRUE(receipt.ParseFromString(press_.Of(chain_, 1).receipt()));
    v1::LedgerEntry& entry = *receipt.mutable_entry();
    entry.set_sequence(sequence);
    entry.set_event(event.SerializeAsString());
    entry.set_commitment(EventCommitment(entry.salt(), entry.event()));
    entry.set_head(NextHead(receipt.previous_head(), entry.commitment()));
    EXPECT_THAT(OpenReceipt(press_.Sign(receipt), press_.key()),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("does not recompute")))
        << sequence;
  }
}

TEST_F(ReceiptTest, WhatSaysMoreThanIsUnderstoodIsRefusedAndAccusesNobody) {
  v1::Receipt receipt;
  ASSERT_TRUE(receipt.ParseFromString(press_.Of(chain_, 2).receipt()));
  v1::Receipt more = receipt;
  more.GetReflection()->MutableUnknownFields(&more)->AddVarint(1000, 1);
  const auto newer = StatusIs(
      absl::StatusCode::kFailedPrecondition,
      ::testing::AllOf(HasSubstr("the receipt says more"), HasSubstr("upgrade this program")));
  EXPECT_THAT(OpenReceipt(press_.Sign(more), press_.key()), newer);
  more.mutable_entry()->set_head(std::string(kHashSize, 'h'));
  EXPECT_THAT(OpenReceipt(press_.Sign(more), press_.key()), StatusIs(absl::StatusCode::kDataLoss))
      << "what it says of the chain is held against itself first";

  v1::LedgerEvent event = Charged();
  auto* act = event.mutable_iteration_charged();
  act->GetReflection()->MutableUnknownFields(act)->AddVarint(1000, 1);
  EXPECT_THAT(OpenReceipt(press_.Of(Chain({Reserved(), event}), 2), press_.key()), newer);
  v1::LedgerEvent of_an_unknown_act;
  of_an_unknown_act.GetReflection()->MutableUnknownFields(&of_an_unknown_act)->AddVarint(1000, 1);
  EXPECT_THAT(OpenReceipt(press_.Of(Chain({of_an_unknown_act}), 1), press_.key()), newer);
  receipt.mutable_entry()->set_event("\x08");
  EXPECT_THAT(OpenReceipt(press_.Sign(receipt), press_.key()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cannot be read")));
}

TEST_F(ReceiptTest, OfTheCustodiansActsThereIsNone) {
  v1::LedgerEvent joined;
  joined.mutable_corpus_joined()->set_corpus("notes");
  EXPECT_EQ(SubjectOf(joined).plan_id, "");
  EXPECT_THAT(OpenReceipt(press_.Of(Chain({joined}), 1), press_.key()),
              StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace receipt_test
}  // namespace topicwall::proto
