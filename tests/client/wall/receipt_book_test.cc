#include "client/wall/receipt_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/durable_file.h"
#include "proto/strict_parse.h"
#include "tests/client/chain_builder.h"
#include "tests/client/receipt_press.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class ReceiptBookTest : public ::testing::Test {
 protected:
  ReceiptBookTest() {
    chain_.Reserve("alice", "plan", 20, 3);  // entry 3
    chain_.Charge("alice", "plan", 1);       // entry 4
  }
  std::string Path() const { return ReceiptsPath(folder_.path()); }
  ReceiptBook Open() {
    auto book = ReceiptBook::Open(Path(), press_.key());
    EXPECT_OK(book);
    return *std::move(book);
  }

  testing::TemporaryDirectory folder_;
  ChainBuilder chain_;
  ReceiptPress press_;
};

TEST_F(ReceiptBookTest, WhatWasKeptIsThereWhenTheBookIsOpenedAgainAndNoneTwice) {
  {
    ReceiptBook book = Open();
    EXPECT_EQ(book.TermsOf("plan"), nullptr);
    ASSERT_OK(book.Keep({press_.Of(chain_.entries(), 3)}));
    ASSERT_OK(book.Keep({press_.Of(chain_.entries(), 3), press_.Of(chain_.entries(), 4)}));
  }
  ReceiptBook again = Open();
  ASSERT_OK(again.Keep({press_.Of(chain_.entries(), 4)}));
  EXPECT_EQ(again.file().receipts_size(), 2);
  ASSERT_NE(again.TermsOf("plan"), nullptr);
  EXPECT_EQ(again.TermsOf("plan")->spec().gaussian().noise_multiplier(), 20);
  EXPECT_EQ(ReadReceipts(Path())->receipts_size(), 2);
}

// One commitment must open in one way only, whoever signed it.
TEST_F(ReceiptBookTest, AReceiptThatCouldBeReadInTwoWaysIsNotKept) {
  ReceiptBook book = Open();
  const auto sign = [this](const std::string& salt, const std::string& event) {
    v1::Receipt receipt;
    receipt.ParseFromString(press_.Of(chain_.entries(), 4).receipt());
    v1::LedgerEntry& entry = *receipt.mutable_entry();
    entry.set_salt(salt);
    entry.set_event(event);
    entry.set_commitment(proto::EventCommitment(salt, event));
    entry.set_head(proto::NextHead(receipt.previous_head(), entry.commitment()));
    return press_.Sign(receipt);
  };
  const v1::LedgerEntry& entry = chain_.entries()[3];
  EXPECT_THAT(book.Keep({sign("", entry.event())}), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(book.Keep({sign(entry.salt() + "s", entry.event())}),
              StatusIs(absl::StatusCode::kDataLoss));
  // A field that this program does not know: number 2000, a varint.
  EXPECT_THAT(book.Keep({sign(entry.salt(), entry.event() + "\x80\x7d\x01")}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(book.file().receipts_size(), 0);
  EXPECT_OK(book.Keep({sign(entry.salt(), entry.event())}));
}

TEST_F(ReceiptBookTest, TheFirstKeyMetIsNotedAndAnotherIsRefused) {
  {
    ASSERT_OK_AND_ASSIGN(auto book, ReceiptBook::Open(Path(), ""));
    ASSERT_OK(book.Meet(press_.key()));
    ASSERT_OK(book.Keep({press_.Of(chain_.entries(), 3)}));
  }
  const ReceiptPress stranger(2);
  ASSERT_OK_AND_ASSIGN(auto book, ReceiptBook::Open(Path(), ""));
  EXPECT_THAT(book.Meet(stranger.key()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("never changes")));
  EXPECT_THAT(book.Keep({stranger.Of(chain_.entries(), 4)}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another key")));
  EXPECT_THAT(ReceiptBook::Open(Path(), stranger.key()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(ReadReceipts(Path())->receipts_size(), 1);
}

TEST_F(ReceiptBookTest, AWallWithoutAKeyIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto book, ReceiptBook::Open(Path(), ""));
  EXPECT_THAT(book.Meet(""), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(ReceiptBookTest, ASecondVersionOfAnEntryIsAForkAndNothingIsKept) {
  ReceiptBook book = Open();
  ASSERT_OK(book.Keep({press_.Of(chain_.entries(), 3), press_.Of(chain_.entries(), 4)}));
  ChainBuilder fork;
  fork.Reserve("alice", "plan", 20, 3);
  fork.Charge("alice", "plan", 2);  // entry 4, otherwise
  EXPECT_THAT(book.Keep({press_.Of(fork.entries(), 3), press_.Of(fork.entries(), 4)}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two histories")));
  EXPECT_EQ(book.file().receipts_size(), 2);
  EXPECT_EQ(ReadReceipts(Path())->receipts_size(), 2);
}

TEST_F(ReceiptBookTest, OneEntryBehindTwoHistoriesIsAFork) {
  ChainBuilder fork = chain_;
  chain_.Reserve("bob", "other", 20, 1);
  fork.Reserve("bob", "other", 30, 1);
  for (ChainBuilder* chain : {&chain_, &fork}) chain->Charge("alice", "plan", 2);  // entry 6
  ReceiptBook book = Open();
  ASSERT_OK(book.Keep({press_.Of(chain_.entries(), 6)}));
  EXPECT_THAT(book.Keep({press_.Of(fork.entries(), 6)}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two histories")));
}

TEST_F(ReceiptBookTest, ADamagedFileIsAnErrorAndNeverAnEmptyBook) {
  ReceiptBook book = Open();
  ASSERT_OK(book.Keep({press_.Of(chain_.entries(), 3)}));
  const std::string intact = *base::ReadWholeFile(Path(), 1 << 20);
  int refused = 0;
  for (size_t i = 0; i < intact.size(); i += 7) {
    std::string damaged = intact;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    ASSERT_OK(base::ReplaceFileDurably(Path(), damaged));
    const auto opened = ReceiptBook::Open(Path(), press_.key());
    refused += opened.ok() ? 0 : 1;
    if (opened.ok()) {
      // A damaged tag makes a field unknown: then the receipt is gone, and never changed.
      EXPECT_EQ(opened->file().receipts_size(), 0) << "byte " << i;
    }
  }
  EXPECT_GT(refused, static_cast<int>(intact.size() / 7) - 4);
}

TEST_F(ReceiptBookTest, WhatANewerProgramKeptIsRefusedAndNotLost) {
  ASSERT_OK(Open().Keep({press_.Of(chain_.entries(), 3)}));
  // A field that this program does not know: number 2000, a varint.
  const std::string newer = *base::ReadWholeFile(Path(), 1 << 20) + "\x80\x7d\x01";
  ASSERT_OK(base::ReplaceFileDurably(Path(), newer));
  const absl::Status opened = ReceiptBook::Open(Path(), press_.key()).status();
  EXPECT_TRUE(proto::IsWrittenByNewer(opened)) << opened;
  EXPECT_THAT(opened.message(), HasSubstr(Path()));
  EXPECT_EQ(*base::ReadWholeFile(Path(), 1 << 20), newer);
}

TEST(SigningKeyOfHexTest, TakesSixtyFourDigitsOrNothing) {
  EXPECT_EQ(*SigningKeyOfHex(""), "");
  EXPECT_EQ(*SigningKeyOfHex(std::string(64, 'a')), std::string(32, '\xaa'));
  EXPECT_THAT(SigningKeyOfHex("aa"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(SigningKeyOfHex(std::string(64, 'g')), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::client
