#include "client/audit/head_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <string>

#include "proto/strict_parse.h"
#include "tests/client/receipt_press.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::NotedHead Head(const std::string& corpus, const std::string& budget_id, int64_t sequence) {
  v1::NotedHead head;
  head.set_corpus(corpus);
  head.set_budget_id(budget_id);
  head.set_sequence(sequence);
  head.set_head("head " + std::to_string(sequence));
  head.mutable_head()->resize(32, '.');
  head.set_noted_at_ms(sequence);
  return head;
}

class HeadBookTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/heads-alice.pb"; }

  testing::TemporaryDirectory folder_;
  HeadBook book_{Path()};
};

TEST_F(HeadBookTest, StandsBesideItsProfile) {
  EXPECT_EQ(HeadBookPath("/home/a/profiles/alice.textproto"), "/home/a/profiles/heads-alice.pb");
  EXPECT_EQ(HeadBookPath("alice.textproto"), "heads-alice.pb");
  EXPECT_EQ(HeadBookPath("./alice"), "./heads-alice.pb");
}

TEST_F(HeadBookTest, KeepsOneNoteOfEachBudgetForItsOwnerAlone) {
  ASSERT_OK(book_.Note(nullptr, Head("notes", "b1", 5)));
  ASSERT_OK(book_.Note(nullptr, Head("letters", "b2", 7)));
  const v1::NotedHead five = Head("notes", "b1", 5);
  ASSERT_OK(book_.Note(&five, Head("notes", "b1", 9)));
  ASSERT_OK_AND_ASSIGN(const auto notes, HeadBook(Path()).Read());
  EXPECT_EQ(notes.heads_size(), 2);
  EXPECT_EQ(NoteOfBudget(notes, "b1")->sequence(), 9);
  EXPECT_EQ(NoteOfCorpus(notes, "letters")->sequence(), 7);
  EXPECT_EQ(NoteOfCorpus(notes, "others"), nullptr);
  struct stat status;
  ASSERT_EQ(::stat(Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(HeadBookTest, CorporaThatSpendFromOneBudgetEachKeepTheirNoteOfIt) {
  v1::NotedHead notes = Head("notes", "b1", 5), letters = Head("letters", "b1", 9);
  notes.set_corpus_version("version of notes");
  letters.set_corpus_version("version of letters");
  ASSERT_OK(book_.Note(nullptr, notes));
  ASSERT_OK(book_.Note(&notes, letters));
  const v1::NotedHead kept = *NoteOfCorpus(*book_.Read(), "notes");
  EXPECT_EQ(kept.corpus_version(), "version of notes");
  EXPECT_EQ(kept.sequence(), 9) << "no corpus of the budget may be shown less";
  EXPECT_EQ(kept.noted_at_ms(), 5);
  EXPECT_EQ(NoteOfCorpus(*book_.Read(), "letters")->corpus_version(), "version of letters");
  ASSERT_OK(book_.Accept(Head("letters", "b1", 3)));
  EXPECT_EQ(NoteOfCorpus(*book_.Read(), "notes")->sequence(), 3);
  ASSERT_OK(book_.Accept(Head("letters", "b2", 1)));
  EXPECT_EQ(NoteOfCorpus(*book_.Read(), "notes")->budget_id(), "b1");
  EXPECT_EQ(book_.Read()->heads_size(), 2);
}

// Also where the clock was ahead when the others were noted.
TEST_F(HeadBookTest, OfSeveralBudgetsOfACorpusTheOneNotedLastCounts) {
  ASSERT_OK(book_.Note(nullptr, Head("notes", "first", 30)));
  ASSERT_OK(book_.Note(nullptr, Head("notes", "second", 20)));
  EXPECT_EQ(NoteOfCorpus(*book_.Read(), "notes")->budget_id(), "second");
  ASSERT_OK(book_.Note(nullptr, Head("notes", "third", 10)));
  EXPECT_EQ(NoteOfCorpus(*book_.Read(), "notes")->budget_id(), "third");
}

TEST_F(HeadBookTest, ANoteThatWasChangedMeanwhileIsNotReplaced) {
  ASSERT_OK(book_.Note(nullptr, Head("notes", "b1", 5)));
  const v1::NotedHead five = Head("notes", "b1", 5);
  ASSERT_OK(book_.Note(&five, Head("notes", "b1", 25)));
  EXPECT_THAT(book_.Note(&five, Head("notes", "b1", 9)), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(book_.Note(nullptr, Head("notes", "b1", 9)), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(NoteOfBudget(*book_.Read(), "b1")->sequence(), 25);
}

// Every process raises the note by one as often as it can: none of them is lost.
TEST_F(HeadBookTest, OfManyProcessesNoneLosesAnothersHead) {
  ASSERT_OK(book_.Note(nullptr, Head("notes", "b1", 1)));
  constexpr int kProcesses = 6;
  constexpr int kTimes = 15;
  for (int i = 0; i < kProcesses; ++i) {
    if (fork() != 0) continue;
    for (int done = 0; done < kTimes;) {
      HeadBook book(Path());
      const auto notes = book.Read();
      if (!notes.ok()) ::_exit(1);
      const v1::NotedHead* note = NoteOfBudget(*notes, "b1");
      const absl::Status noted = book.Note(note, Head("notes", "b1", note->sequence() + 1));
      if (!noted.ok() && !absl::IsAborted(noted)) ::_exit(1);
      done += noted.ok() ? 1 : 0;
    }
    ::_exit(0);
  }
  for (int i = 0; i < kProcesses; ++i) {
    int status = 1;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(NoteOfBudget(*book_.Read(), "b1")->sequence(), 1 + kProcesses * kTimes);
}

TEST_F(HeadBookTest, AcceptingForgetsWhatElseWasNotedOfTheCorpusAndTheBudget) {
  ASSERT_OK(book_.Note(nullptr, Head("notes", "b1", 5)));
  ASSERT_OK(book_.Note(nullptr, Head("letters", "b2", 7)));
  ASSERT_OK(book_.Note(nullptr, Head("diaries", "b3", 8)));
  ASSERT_OK(book_.Accept(Head("notes", "b2", 3)));
  ASSERT_OK_AND_ASSIGN(const auto notes, book_.Read());
  EXPECT_EQ(notes.heads_size(), 3);
  EXPECT_EQ(NoteOfBudget(notes, "b1"), nullptr);
  EXPECT_EQ(NoteOfCorpus(notes, "notes")->sequence(), 3);
  EXPECT_EQ(NoteOfCorpus(notes, "letters")->sequence(), 3) << "it spends from that budget, too";
  EXPECT_EQ(NoteOfCorpus(notes, "diaries")->sequence(), 8);
}

TEST_F(HeadBookTest, ForgettingACorpusLeavesTheNotesOfOthersAlsoOfTheSameBudget) {
  ASSERT_OK(book_.Note(nullptr, Head("notes", "b1", 5)));
  ASSERT_OK(book_.Note(nullptr, Head("notes", "b2", 7)));
  const v1::NotedHead noted = *NoteOfBudget(*book_.Read(), "b2");
  ASSERT_OK(book_.Note(&noted, Head("letters", "b2", 8)));
  ASSERT_OK(book_.Forget("notes"));
  ASSERT_OK_AND_ASSIGN(const auto notes, book_.Read());
  EXPECT_EQ(notes.heads_size(), 1);
  EXPECT_EQ(NoteOfCorpus(notes, "letters")->sequence(), 8);
}

TEST_F(HeadBookTest, ADamagedBookIsAnErrorAndNeverNoBook) {
  for (const std::string bytes : {"x", "", "\x08\x02"}) {
    testing::WriteWholeFile(Path(), bytes);
    EXPECT_THAT(book_.Read(), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(book_.Note(nullptr, Head("notes", "b1", 5)),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_EQ(testing::ReadWholeFile(Path()), bytes);
  }
}

// Whoever looks for a note looks at its place, and tells its signature as proof.
TEST_F(HeadBookTest, ANoteThatNoLedgerCanHaveShownMakesItADamagedBook) {
  const ReceiptPress press;
  v1::NotedHead sound = Head("notes", "b1", 5);
  sound.set_signing_key(press.key());
  v1::HeadStatement statement;
  statement.set_custodian_id("custodian");
  statement.set_budget_id("b1");
  statement.set_sequence(5);
  statement.set_head(sound.head());
  *sound.mutable_signed_head() = press.SignHead(statement);
  const auto read = [this](const v1::NotedHead& note) {
    v1::HeadBook book;
    book.set_format_version(kHeadBookFormatVersion);
    *book.add_heads() = note;
    testing::WriteWholeFile(Path(), book.SerializeAsString());
    return book_.Read().status();
  };
  EXPECT_OK(read(sound));
  const auto is_damaged = StatusIs(absl::StatusCode::kInvalidArgument,
                                   AllOf(HasSubstr("heads-alice.pb"), HasSubstr("is damaged")));
  for (const int64_t nowhere : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    v1::NotedHead note = Head("notes", "b1", 5);
    note.set_sequence(nowhere);
    EXPECT_THAT(read(note), is_damaged) << nowhere;
  }
  v1::NotedHead short_one = Head("notes", "b1", 5);
  short_one.mutable_head()->resize(31);
  EXPECT_THAT(read(short_one), is_damaged);
  v1::NotedHead contradicted = sound;
  contradicted.set_sequence(6);
  EXPECT_THAT(read(contradicted), is_damaged);
  v1::NotedHead forged = sound;
  forged.mutable_signed_head()->mutable_signature()->front() ^= 1;
  EXPECT_THAT(read(forged), is_damaged);
}

TEST_F(HeadBookTest, WhatANewerProgramNotedIsRefusedAndNotLost) {
  ASSERT_OK(book_.Note(nullptr, Head("notes", "b1", 5)));
  // A field that this program does not know: number 2000, a varint.
  const std::string newer = testing::ReadWholeFile(Path()) + "\x80\x7d\x01";
  testing::WriteWholeFile(Path(), newer);
  const v1::NotedHead five = Head("notes", "b1", 5);
  for (const absl::Status& status :
       {book_.Read().status(), book_.Note(&five, Head("notes", "b1", 9)),
        book_.Accept(Head("notes", "b1", 9))}) {
    EXPECT_TRUE(proto::IsWrittenByNewer(status)) << status;
  }
  EXPECT_EQ(testing::ReadWholeFile(Path()), newer);
}

}  // namespace
}  // namespace topicwall::client
