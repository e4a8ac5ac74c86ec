#include "client/audit/ledger_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "absl/strings/escaping.h"
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

// Exports of a budget that has a key, as their writer leaves them and as a forger can: all hashes
// computed anew.
class SignedExportTest : public ::testing::Test {
 protected:
  static ChainBuilder Chain(const std::string& key, v1::PrivacyUnit unit) {
    ChainBuilder chain(ChainBuilder().policy(), "budget", key, unit);
    chain.Reserve("alice", "plan", 40, 3);
    return chain;
  }
  // With the end of `signed_chain` signed by `press`; null: unsigned.
  void Write(ChainBuilder& chain, ChainBuilder* signed_chain, const ReceiptPress& press) {
    v1::LedgerExport kept;
    kept.set_corpus("notes");
    kept.mutable_entries()->Assign(chain.entries().begin(), chain.entries().end());
    if (signed_chain != nullptr) {
      *kept.mutable_signed_head() = SignedHeadOf(press, signed_chain->entries().back());
    }
    testing::WriteWholeFile(path_, kept.SerializeAsString());
  }
  absl::StatusOr<OpenedExport> Open(const std::string& known = "") {
    return OpenExport(path_, {std::string(), known});
  }
  static auto IsAtFault(const std::string& why) {
    return StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("the file is at fault: "),
                                                       HasSubstr(".events: "), HasSubstr(why)));
  }

  const ReceiptPress press_, stranger_{2};
  testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.path() + "/notes.events";
  ChainBuilder chain_ = Chain(press_.key(), v1::PRIVACY_UNIT_DOCUMENT);
  ChainBuilder forged_ = Chain(press_.key(), v1::PRIVACY_UNIT_OWNER);
};

TEST_F(SignedExportTest, IsOpenedWithTheKeyOfItsBudgetWhichIsToldWhereNobodyElseKnowsIt) {
  Write(chain_, &chain_, press_);
  ASSERT_OK_AND_ASSIGN(const auto known, Open(press_.key()));
  EXPECT_EQ(known.entries.size(), 3U);
  EXPECT_EQ(known.signed_by, press_.key());
  EXPECT_EQ(known.remark, "");
  ASSERT_OK_AND_ASSIGN(const auto unknown, Open());
  EXPECT_EQ(unknown.signed_by, press_.key());
  EXPECT_THAT(unknown.remark,
              AllOf(HasSubstr(absl::BytesToHexString(press_.key())), HasSubstr("by its own word")));
}

TEST_F(SignedExportTest, OneThatWasEditedOrCutIsAtFaultHoweverWellItsHashesHold) {
  Write(forged_, &chain_, press_);
  EXPECT_THAT(Open(), IsAtFault("it was cut, or edited"));
  ChainBuilder longer = chain_;
  longer.Charge("alice", "plan", 1);
  Write(chain_, &longer, press_);
  EXPECT_THAT(Open(), IsAtFault("it was cut, or edited"));
  Write(chain_, &chain_, stranger_);
  EXPECT_THAT(Open(), IsAtFault("another key"));
  chain_.entries()[1].set_salt(std::string(16, 'x'));
  Write(chain_, &chain_, press_);
  EXPECT_THAT(Open(), IsAtFault("ledger entry 2"));
}

TEST_F(SignedExportTest, AForgersOwnKeyIsNotTheOneThatIsKnown) {
  ChainBuilder theirs = Chain(stranger_.key(), v1::PRIVACY_UNIT_OWNER);
  Write(theirs, &theirs, stranger_);
  EXPECT_THAT(Open(press_.key()), IsAtFault("the custodian's key must be"));
  EXPECT_THAT(Open()->remark, HasSubstr(absl::BytesToHexString(stranger_.key())));
  ChainBuilder without = Chain("", v1::PRIVACY_UNIT_OWNER);
  Write(without, nullptr, press_);
  EXPECT_THAT(Open(press_.key()), IsAtFault("was opened with none"));
}

TEST_F(SignedExportTest, OfOneWithoutASignatureItIsSaidThatNobodyVouchesForIt) {
  Write(forged_, nullptr, press_);
  ASSERT_OK_AND_ASSIGN(const auto opened, Open(press_.key()));
  EXPECT_EQ(opened.signed_by, "");
  EXPECT_THAT(opened.remark, AllOf(HasSubstr("nobody vouches for "), HasSubstr("no signed head")));
}

// Nothing is known against the ledger then.
TEST_F(SignedExportTest, OneThatDiffersFromTheWallAndFromItsOwnSignatureIsAtFaultItself) {
  const auto extend = [this] { return ExtendExport(path_, "notes", chain_.entries()); };
  Write(forged_, &chain_, press_);
  const std::string before = testing::ReadWholeFile(path_);
  EXPECT_THAT(extend(), StatusIs(absl::StatusCode::kInvalidArgument,
                                 AllOf(HasSubstr("does not hold in itself"),
                                       HasSubstr("it was cut, or edited"))));
  EXPECT_EQ(testing::ReadWholeFile(path_), before);
  // A custodian that signed two histories.
  Write(forged_, &forged_, press_);
  EXPECT_THAT(extend(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("or forked")));
  Write(forged_, nullptr, press_);
  EXPECT_THAT(extend(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("or forked")));
}

TEST_F(SignedExportTest, WhatIsNoFileIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("must be a file")));
  EXPECT_THAT(ExtendExport(path_, "notes", chain_.entries()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("must be a file")));
}

}  // namespace
}  // namespace topicwall::client
