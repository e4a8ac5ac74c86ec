#include "client/fit/receipted_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "client/audit/head_book.h"
#include "client/exit_code.h"
#include "client/fit/model_directory.h"
#include "client/wall/receipt_book.h"
#include "tests/client/chain_builder.h"
#include "tests/client/local_wall.h"
#include "tests/client/receipt_press.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace receipted_folder_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class ReceiptedFolderTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<ReceiptedFolder>> Open(LocalWall** wall) {
    auto own = std::make_unique<LocalWall>();
    *wall = own.get();
    own->description().set_signing_key(std::string(32, 'k'));
    return ReceiptedFolder::Open(std::move(own), folder_.path() + "/notes.model", "");
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(ReceiptedFolderTest, IsLockedAgainstASecondOne) {
  LocalWall* wall = nullptr;
  ASSERT_OK_AND_ASSIGN(const auto first, Open(&wall));
  EXPECT_THAT(Open(&wall), StatusIs(absl::StatusCode::kFailedPrecondition));
}

// What the refusal advises: receipts that were copied along are of another custodian.
TEST_F(ReceiptedFolderTest, AtAnotherWallAModelGoesWithItsModelFileAlone) {
  const std::string from = folder_.path() + "/notes.model", to = folder_.path() + "/copy.model";
  const ReceiptPress press, stranger(2);
  ChainBuilder chain;
  chain.Reserve("alice", "plan", 20, 3);
  {
    ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(from));
    ASSERT_OK(directory->Finish(MadeUpModel(1, 10)));
    ASSERT_OK_AND_ASSIGN(auto book, ReceiptBook::Open(ReceiptsPath(from), press.key()));
    ASSERT_OK(book.Keep({press.Of(chain.entries(), 3)}));
  }
  std::filesystem::copy(from, to);
  const auto open = [&] {
    return ReceiptedFolder::Open(std::make_unique<LocalWall>(), to, stranger.key()).status();
  };
  EXPECT_THAT(open(), StatusIs(absl::StatusCode::kFailedPrecondition,
                               HasSubstr("copy model.pb alone into a new folder")));
  std::filesystem::remove_all(to);
  std::filesystem::create_directory(to);
  std::filesystem::copy(ModelPath(from), ModelPath(to));
  EXPECT_OK(open());
  EXPECT_OK(ReadModel(to).status());
}

TEST_F(ReceiptedFolderTest, ARefusalOfAPausedCorpusSaysThatItIsPaused) {
  LocalWall* wall = nullptr;
  const auto folder = Open(&wall);
  ASSERT_OK(folder);
  const absl::Status refusal = absl::FailedPreconditionError("no");
  EXPECT_EQ((*folder)->Told(refusal, "notes"), refusal);
  wall->description().set_state(v1::CORPUS_STATE_PAUSED);
  const absl::Status told = (*folder)->Told(refusal, "notes");
  EXPECT_THAT(told, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is paused")));
  EXPECT_THAT(ErrorJson(told), HasSubstr(R"("kind":"corpus_state","corpus":"notes")"));
  const absl::Status other = absl::UnavailableError("away");
  EXPECT_EQ((*folder)->Told(other, "notes"), other);
  EXPECT_OK((*folder)->Told(absl::OkStatus(), "notes"));
}

TEST_F(ReceiptedFolderTest, AWallThatWentAwayAtTheEndTakesNothingBack) {
  LocalWall* wall = nullptr;
  ASSERT_OK_AND_ASSIGN(const auto folder, Open(&wall));
  wall->FailBefore(0, absl::UnavailableError("away"));
  ASSERT_OK_AND_ASSIGN(const auto away, folder->NoteEnd("notes"));
  EXPECT_FALSE(away.has_value());
  // Nor do notes that cannot be written: the disk is full.
  const std::string itself = folder_.path() + "/heads-itself.pb";
  std::filesystem::create_symlink(itself, itself);
  const absl::Status of_notes = HeadBook(itself).Read().status();
  ASSERT_TRUE(IsNoFaultOfALedger(of_notes)) << of_notes;
  wall->FailBefore(1, of_notes);
  EXPECT_FALSE(folder->NoteEnd("notes")->has_value());
  wall->FailBefore(2, absl::DataLossError("put back"));
  EXPECT_THAT(folder->NoteEnd("notes"), StatusIs(absl::StatusCode::kDataLoss));
}

// What is told as spent and left after a payment is read by people, and by scripts.
TEST_F(ReceiptedFolderTest, WhatAWallSaysOfTheBudgetAtTheEndIsHeldAgainstItsLedger) {
  class Boasting : public LocalWall {
   public:
    absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override {
      absl::StatusOr<v1::BudgetStatus> budget = LocalWall::GetBudget(corpus);
      if (budget.ok()) budget->set_epsilon_total(budget->epsilon_total() + boast);
      return budget;
    }
    double boast = 0;
  };
  auto own = std::make_unique<Boasting>();
  Boasting* wall = own.get();
  own->description().set_signing_key(std::string(32, 'k'));
  ASSERT_OK_AND_ASSIGN(const auto folder,
                       ReceiptedFolder::Open(std::move(own), folder_.path(), ""));
  ASSERT_OK_AND_ASSIGN(const auto budget, folder->NoteEnd("notes"));
  EXPECT_EQ(budget->epsilon_total(), wall->policy().budget().epsilon);
  wall->boast = 1;
  EXPECT_THAT(folder->NoteEnd("notes"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("the budget was opened with")));
}

}  // namespace receipted_folder_test
}  // namespace topicwall::client
