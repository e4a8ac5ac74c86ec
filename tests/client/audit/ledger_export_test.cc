#include "client/audit/ledger_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/client/chain_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class LedgerExportTest : public ::testing::Test {
 protected:
  LedgerExportTest() { chain_.Reserve("alice", "plan", 40, 3); }

  absl::Status Extend() { return ExtendExport(path_, "notes", chain_.entries()); }
  std::string File() const { return testing::ReadWholeFile(path_); }

  testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.path() + "/notes.events";
  ChainBuilder chain_;
};

TEST_F(LedgerExportTest, GrowsByWhatIsNew) {
  ASSERT_OK(Extend());
  EXPECT_EQ(ReadExport(path_)->entries_size(), 3);
  chain_.Charge("alice", "plan", 1);
  ASSERT_OK(Extend());
  ASSERT_OK_AND_ASSIGN(const auto kept, ReadExport(path_));
  EXPECT_EQ(kept.corpus(), "notes");
  ASSERT_EQ(kept.entries_size(), 4);
  EXPECT_EQ(kept.entries(3).SerializeAsString(), chain_.entries()[3].SerializeAsString());
  const std::string before = File();
  ASSERT_OK(Extend());
  EXPECT_EQ(File(), before);
}

TEST_F(LedgerExportTest, AChainThatWasPutBackNeverOverwritesALongerOne) {
  const ChainBuilder older = chain_;
  chain_.Charge("alice", "plan", 1);
  ASSERT_OK(Extend());
  const std::string before = File();
  chain_ = older;
  EXPECT_THAT(Extend(), StatusIs(absl::StatusCode::kDataLoss,
                                 AllOf(HasSubstr("holds entry 4"), HasSubstr("ends at entry 3"))));
  EXPECT_EQ(File(), before);
  // And goes on, past what the file holds.
  for (const int iteration : {2, 3}) chain_.Charge("alice", "plan", iteration);
  EXPECT_THAT(Extend(), StatusIs(absl::StatusCode::kDataLoss,
                                 AllOf(HasSubstr("holds entry 4"), HasSubstr("in its place"))));
  EXPECT_EQ(File(), before);
}

TEST_F(LedgerExportTest, WhatWasSeenOnceStaysSeen) {
  ASSERT_OK(Extend());
  chain_.Charge("alice", "plan", 1);
  const std::vector<v1::LedgerEntry> of_bob = chain_.SeenBy("bob");
  ASSERT_OK(ExtendExport(path_, "notes", of_bob));
  ASSERT_OK_AND_ASSIGN(const auto kept, ReadExport(path_));
  EXPECT_NE(kept.entries(2).event(), "");
  EXPECT_EQ(kept.entries(3).event(), "");
}

// Else a thaw refuses an auditor's file for good that was begun by an analyst.
TEST_F(LedgerExportTest, WhatCameAsACommitmentIsTakenWithItsEventWhenThatIsShown) {
  chain_.Charge("alice", "plan", 1);
  ASSERT_OK(ExtendExport(path_, "notes", chain_.SeenBy("bob")));
  ASSERT_EQ(ReadExport(path_)->entries(3).event(), "");
  ASSERT_OK(Extend());
  ASSERT_OK_AND_ASSIGN(const auto kept, ReadExport(path_));
  ASSERT_EQ(kept.entries_size(), 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(kept.entries(i).SerializeAsString(),
              chain_.entries()[static_cast<size_t>(i)].SerializeAsString());
  }
}

TEST_F(LedgerExportTest, EndsInTheSignedHeadOfItsLastEntry) {
  ASSERT_OK(Extend());
  EXPECT_FALSE(ReadExport(path_)->has_signed_head());
  const ReceiptPress press;
  std::vector<v1::LedgerEntry> entries = chain_.entries();
  *entries.back().mutable_signed_head() = SignedHeadOf(press, entries.back());
  ASSERT_OK(ExtendExport(path_, "notes", entries));
  auto kept = ReadExport(path_);
  EXPECT_EQ(kept->signed_head().SerializeAsString(),
            entries.back().signed_head().SerializeAsString());
  EXPECT_FALSE(kept->entries(2).has_signed_head());
  chain_.Charge("alice", "plan", 1);
  ASSERT_OK(Extend());
  EXPECT_FALSE(ReadExport(path_)->has_signed_head()) << "the old one is of another entry";
}

TEST_F(LedgerExportTest, WhatIsNoExportOfTheCorpusIsLeftUntouched) {
  for (const std::string bytes : {"", "not an export"}) {
    testing::WriteWholeFile(path_, bytes);
    EXPECT_THAT(Extend(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("notes.events")));
    EXPECT_EQ(File(), bytes);
  }
  v1::LedgerExport damaged;
  damaged.set_corpus("notes");
  *damaged.add_entries() = chain_.entries()[0];
  damaged.mutable_entries(0)->set_salt(std::string(16, 'x'));
  testing::WriteWholeFile(path_, damaged.SerializeAsString());
  EXPECT_THAT(Extend(), StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("does not hold in itself: ledger entry 1")));
  EXPECT_EQ(File(), damaged.SerializeAsString());
  ASSERT_OK(ExtendExport(path_ + "2", "letters", chain_.entries()));
  EXPECT_THAT(ExtendExport(path_ + "2", "notes", chain_.entries()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("corpus letters")));
}

}  // namespace
}  // namespace topicwall::client
