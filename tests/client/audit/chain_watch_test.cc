#include "client/audit/chain_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/client/chain_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

class ChainWatchTest : public ::testing::Test {
 protected:
  ChainWatchTest() {
    for (int iteration = 1; iteration <= 3; ++iteration) Grow(iteration);
  }
  // Two more entries.
  void Grow(int number) {
    const std::string plan = "plan-" + std::to_string(number);
    wall_.chain.Reserve("alice", plan, 40, 1);
    wall_.chain.Charge("alice", plan, 1);
  }
  absl::StatusOr<ChainSight> Look() { return LookAtChain({.wall = wall_, .book = book_}, "notes"); }
  const v1::NotedHead Noted() { return *NoteOfCorpus(*book_.Read(), "notes"); }
  static v1::LedgerEvent Restored(absl::Time when) {
    v1::LedgerEvent event;
    event.set_time_ms(absl::ToUnixMillis(when));
    event.mutable_budget_restored()->set_epoch(1);
    return event;
  }
  int64_t Length() { return static_cast<int64_t>(wall_.chain.entries().size()); }

  testing::TemporaryDirectory folder_;
  HeadBook book_{folder_.path() + "/heads.pb"};
  ChainWall wall_;
};

TEST_F(ChainWatchTest, NotesTheNewestHeadAndReadsFromThereOn) {
  ASSERT_OK_AND_ASSIGN(const auto sight, Look());
  EXPECT_EQ(sight.head.sequence(), 8);
  EXPECT_EQ(sight.head.budget_id(), "budget");
  EXPECT_FALSE(sight.replaced.has_value());
  EXPECT_EQ(wall_.first_read, 1);
  EXPECT_EQ(Noted().head(), wall_.chain.entries().back().head());
  Grow(4);
  ASSERT_OK(Look());
  EXPECT_EQ(wall_.first_read, 8);
  EXPECT_EQ(Noted().sequence(), 10);
  ASSERT_OK(Look());  // nothing new
  EXPECT_EQ(Noted().sequence(), 10);
}

// The disk of whoever looks says nothing of the ledger.
TEST_F(ChainWatchTest, NotesThatCannotBeKeptOrReadAreNoFaultOfTheLedgersAndNoOtherTryKeepsThem) {
  const auto cannot = [](const char* what) {
    return StatusIs(absl::StatusCode::kFailedPrecondition,
                    AllOf(HasSubstr("cannot note"), HasSubstr(what),
                          HasSubstr("a folder that can be written to")));
  };
  std::filesystem::create_directory(folder_.path() + "/heads.pb.lock");
  EXPECT_THAT(Look(), cannot("heads.pb.lock"));
  EXPECT_THAT(AcceptChain({.wall = wall_, .book = book_}, "notes"), cannot("heads.pb.lock"));
  std::filesystem::remove(folder_.path() + "/heads.pb.lock");
  std::filesystem::create_directories(folder_.path() + "/heads.pb.partial/in");
  EXPECT_THAT(Look(), cannot("heads.pb"));
  std::filesystem::remove_all(folder_.path() + "/heads.pb.partial");
  std::filesystem::create_symlink("heads.pb", folder_.path() + "/heads.pb");
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("heads.pb")));
  std::filesystem::remove(folder_.path() + "/heads.pb");
  EXPECT_OK(Look());
}

TEST_F(ChainWatchTest, WhereNothingIsNewAProfileThatCannotBeWrittenToWillDo) {
  ASSERT_OK(Look());
  std::filesystem::remove(folder_.path() + "/heads.pb.lock");
  std::filesystem::create_directory(folder_.path() + "/heads.pb.lock");
  EXPECT_OK(Look());
  Grow(4);
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("cannot note")));
  EXPECT_EQ(Noted().sequence(), 8);
}

TEST_F(ChainWatchTest, AChainThatWasPutBackIsRefusedAndTheNoteStays) {
  const ChainBuilder older = wall_.chain;
  Grow(4);
  ASSERT_OK(Look());
  const v1::NotedHead noted = Noted();
  wall_.chain = older;
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss,
                               AllOf(HasSubstr("entry 10, head "), HasSubstr("noted on 20"),
                                     HasSubstr("ends at entry 8"), HasSubstr("--accept"))));
  EXPECT_EQ(Noted().SerializeAsString(), noted.SerializeAsString());
  // It goes on and gets longer than it ever was: another history.
  for (int number = 11; number <= 14; ++number) Grow(number);
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another entry 10, head ")));
  EXPECT_EQ(Noted().SerializeAsString(), noted.SerializeAsString());
}

// A plan that the wall lists may be of any corpus. Its name would stand in commands that are there
// to be copied, and in the names of files.
TEST_F(ChainWatchTest, ACorpusThatHasNoNameIsNeitherLookedAtNorNoted) {
  for (const char* foul : {"notes; rm -r ~", "../../notes", "--yes", ""}) {
    const WatchedChain chain = {.wall = wall_, .book = book_};
    EXPECT_THAT(LookAtChain(chain, foul),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("corpus must be")));
    EXPECT_THAT(AcceptChain(chain, foul), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_EQ(book_.Read()->heads_size(), 0);
}

TEST_F(ChainWatchTest, ARestoreIsNoExcuseButIsTold) {
  const ChainBuilder backup = wall_.chain;
  Grow(4);
  Grow(5);
  ASSERT_OK(Look());
  wall_.chain = backup;
  v1::LedgerEvent event = Restored(absl::Now());
  wall_.chain.Append(event);  // 9
  event.mutable_budget_thawed()->set_ground(v1::BudgetThawed::HEAD_CONFIRMED);
  event.mutable_budget_thawed()->set_head_sequence(8);
  wall_.chain.Append(event);
  EXPECT_THAT(Look(),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("a backup was restored at entry 9"),
                             HasSubstr("complete if entry 8"), HasSubstr("Entries 9 to 12"))));
  // The custodian explained it.
  ASSERT_OK_AND_ASSIGN(const auto accepted, AcceptChain({.wall = wall_, .book = book_}, "notes"));
  EXPECT_EQ(accepted.replaced->sequence(), 12);
  EXPECT_EQ(Noted().sequence(), 10);
  Grow(6);
  EXPECT_OK(Look());
}

TEST_F(ChainWatchTest, ARestoreInTheVeryPlaceThatIsNotedIsTold) {
  const ChainBuilder backup = wall_.chain;
  wall_.chain.Reserve("alice", "lost", 40, 1);  // 9
  ASSERT_OK(Look());
  wall_.chain = backup;
  v1::LedgerEvent event = Restored(absl::Now());
  wall_.chain.Append(event);
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss,
                               AllOf(HasSubstr("a backup was restored at entry 9"),
                                     HasSubstr("Entries 9 to 9"))));
}

// It stands in the chain that was noted, too: what is missing since was taken by somebody else.
TEST_F(ChainWatchTest, ARestoreFromBeforeTheNoteExplainsNothing) {
  v1::LedgerEvent event = Restored(absl::UnixEpoch());
  wall_.chain.Append(event);
  const ChainBuilder older = wall_.chain;
  Grow(4);
  ASSERT_OK(Look());
  wall_.chain = older;
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, Not(HasSubstr("backup"))));
}

TEST_F(ChainWatchTest, ARestoreOfTheNewestGoesOn) {
  ASSERT_OK(Look());
  v1::LedgerEvent event = Restored(absl::Now());
  wall_.chain.Append(event);
  EXPECT_OK(Look());
}

TEST_F(ChainWatchTest, ANewVersionWithANewBudgetIsToldOnceAndTheSameVersionIsRefused) {
  ASSERT_OK(Look());
  wall_.chain = ChainBuilder(wall_.chain.policy(), "budget 2");
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss,
                               HasSubstr("another budget of the same documents, budget 2")));
  wall_.description.set_corpus_version("version 2");
  wall_.chain.TellSum(wall_.chain.SumWith(2.44, 1e-6, "budget"));
  ASSERT_OK_AND_ASSIGN(const auto sight, Look());
  ASSERT_TRUE(sight.replaced.has_value());
  EXPECT_EQ(sight.replaced->budget_id(), "budget");
  EXPECT_EQ(sight.head.budget_id(), "budget 2");
  EXPECT_FALSE(Look()->replaced.has_value());
  EXPECT_EQ(book_.Read()->heads_size(), 2) << "the old note stays";
}

// The documents were ingested again after a restore of a backup that is older than their budget.
TEST_F(ChainWatchTest, ANewVersionWhoseLedgerHasForgottenTheEarlierBudgetIsRefused) {
  ASSERT_OK(Look());
  wall_.chain = ChainBuilder(wall_.chain.policy(), "budget 2");
  wall_.description.set_corpus_version("version 2");
  wall_.chain.TellSum(wall_.chain.SumWith(2.44, 1e-6));  // with another one
  const absl::Status refused = Look().status();
  EXPECT_THAT(refused,
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("entry 8, head "), HasSubstr("budget 2"),
                             HasSubstr("a backup was restored that is older, the same people"))));
  EXPECT_EQ(Noted().budget_id(), "budget");
  ASSERT_OK(AcceptChain({.wall = wall_, .book = book_}, "notes"));
  EXPECT_OK(Look());
}

// The other corpus was looked at last, and the budget is known by its name as well.
TEST_F(ChainWatchTest, ASecondBudgetIsRefusedToEachOfTheCorporaThatShareOne) {
  ASSERT_OK(Look());
  wall_.description.set_corpus("letters");
  wall_.description.set_corpus_version("of letters");
  ASSERT_OK(LookAtChain({.wall = wall_, .book = book_}, "letters"));
  wall_.description.set_corpus("notes");
  wall_.description.set_corpus_version("version 1");
  wall_.description.set_state(v1::CORPUS_STATE_NO_BUDGET);
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no budget at all")));
  wall_.description.set_state(v1::CORPUS_STATE_OPEN);
  wall_.chain = ChainBuilder(wall_.chain.policy(), "budget 2");
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss,
                               HasSubstr("another budget of the same documents, budget 2")));
}

TEST_F(ChainWatchTest, AWallThatNumbersItsEntriesOutOfRangeIsRefused) {
  ASSERT_OK(Look());
  wall_.spoil = [](std::vector<v1::LedgerEntry>& entries) {
    entries.front().set_sequence(std::numeric_limits<int64_t>::min());
  };
  EXPECT_FALSE(Look().ok());
}

TEST_F(ChainWatchTest, AWallWithoutTheBudgetThatWasNotedIsRefused) {
  wall_.description.set_state(v1::CORPUS_STATE_NO_BUDGET);
  ASSERT_OK_AND_ASSIGN(const auto none, Look());
  EXPECT_EQ(none.head.budget_id(), "");
  wall_.description.set_state(v1::CORPUS_STATE_OPEN);
  ASSERT_OK(Look());
  wall_.description.set_state(v1::CORPUS_STATE_NO_BUDGET);
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no budget at all")));
}

// A corpus that was taken out of the configuration is never shown again.
TEST_F(ChainWatchTest, AcceptingWhatIsNotShownForgetsWhatWasNotedOfIt) {
  ASSERT_OK(Look());
  const v1::NotedHead noted = Noted();
  const auto accept = [this] { return AcceptChain({.wall = wall_, .book = book_}, "notes"); };
  wall_.refusal = absl::PermissionDeniedError("no such corpus");
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_EQ(Noted().head(), noted.head());
  ASSERT_OK_AND_ASSIGN(const auto forgotten, accept());
  EXPECT_EQ(forgotten.replaced->head(), noted.head());
  EXPECT_EQ(forgotten.head.budget_id(), "");
  EXPECT_EQ(book_.Read()->heads_size(), 0);
  EXPECT_THAT(accept(), StatusIs(absl::StatusCode::kPermissionDenied)) << "nothing to forget";
  wall_.refusal = absl::OkStatus();
  ASSERT_OK(Look());
  wall_.description.set_state(v1::CORPUS_STATE_NO_BUDGET);
  ASSERT_OK(accept());
  EXPECT_EQ(book_.Read()->heads_size(), 0);
  EXPECT_THAT(accept(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(ChainWatchTest, AWallThatCannotBeAskedMakesNobodyForget) {
  ASSERT_OK(Look());
  wall_.refusal = absl::UnavailableError("down");
  EXPECT_THAT(AcceptChain({.wall = wall_, .book = book_}, "notes"),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(book_.Read()->heads_size(), 1);
}

TEST_F(ChainWatchTest, AChainThatDoesNotVerifyIsRefusedAtFirstSightAndLater) {
  wall_.chain.entries()[4].set_head(std::string(32, 'x'));
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("entry 5")));
  EXPECT_EQ(book_.Read()->heads_size(), 0);
  wall_.chain = ChainBuilder();
  ASSERT_OK(Look());
  Grow(9);
  wall_.chain.entries()[3].set_head(std::string(32, 'x'));
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("entry 4")));
  EXPECT_EQ(Noted().sequence(), 2);
}

TEST_F(ChainWatchTest, AnotherSigningKeyIsRefused) {
  const ReceiptPress press, stranger(2);
  wall_.description.set_signing_key(press.key());
  EXPECT_THAT(
      LookAtChain({.wall = wall_, .book = book_, .signing_key = stranger.key()}, "notes"),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("custodian's key must be")));
  ASSERT_OK(Look());
  wall_.description.set_signing_key(stranger.key());
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kFailedPrecondition));
  wall_.description.set_signing_key("");
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(ChainWatchTest, TheSignedHeadIsKeptWithTheNoteAndAFalseOneIsRefused) {
  const ReceiptPress press, stranger(2);
  wall_.description.set_signing_key(press.key());
  wall_.press = &press;
  ASSERT_OK(Look());
  EXPECT_OK(CheckSignedHead(Noted().signed_head(), Noted()));
  v1::NotedHead longer = Noted();
  longer.set_sequence(9);
  EXPECT_THAT(CheckSignedHead(Noted().signed_head(), longer),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("entry 8")));
  Grow(4);
  wall_.press = &stranger;
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another key")));
  EXPECT_EQ(Noted().sequence(), 8);
}

// Between a look and its note, another process of the profile notes a head of its own.
TEST_F(ChainWatchTest, TwoProcessesMustHaveSeenOneHistory) {
  ASSERT_OK(Look());
  const ChainBuilder eight = wall_.chain;
  Grow(4);
  const ChainBuilder mine = wall_.chain;
  wall_.before_read = [&] {
    wall_.before_read = nullptr;
    Grow(5);
    ASSERT_OK(Look());   // the other: up to 12
    wall_.chain = mine;  // shown to this one: up to 10
    wall_.before_read = [&] { wall_.before_read = nullptr; };
  };
  // The wall shows 10 entries, and has shown 12.
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ends at entry 10")));
  EXPECT_EQ(Noted().sequence(), 12);
  // Two histories of which both are long enough.
  wall_.chain = eight;
  EXPECT_OK(AcceptChain({.wall = wall_, .book = book_}, "notes"));
  wall_.before_read = [&] {
    wall_.before_read = nullptr;
    Grow(21);
    Grow(22);
    ASSERT_OK(Look());
    const ChainBuilder others = wall_.chain;
    wall_.chain = mine;
    wall_.before_read = [this, others, reads = 0]() mutable {
      if (++reads == 2) wall_.chain = others;
    };
  };
  EXPECT_THAT(Look(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another entry 10")));
}

}  // namespace
}  // namespace topicwall::client
