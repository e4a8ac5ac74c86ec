#include "client/fit/model_directory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/fit/checkpoint.h"
#include "client/fit/fit_spec.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/topic_plans.h"

namespace topicwall::client {
namespace model_directory_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

v1::CheckpointFile Checkpoint() {
  v1::CheckpointFile checkpoint;
  checkpoint.set_format_version(kCheckpointFormatVersion);
  checkpoint.mutable_spec()->set_algorithm(kPaper);
  checkpoint.set_vocabulary_size(2);
  v1::FitPlan& plan = *checkpoint.add_stages()->mutable_plan();
  plan.set_request_id(std::string(16, 'r'));
  plan.mutable_plan()->set_iterations(2);
  testing::AskTopics(plan.mutable_plan(), "lda", 1, {1});
  checkpoint.set_state("of the algorithm");
  for (const char* term : {"apple", "pear"}) checkpoint.mutable_model()->add_terms(term);
  return checkpoint;
}

v1::ModelFile Model() {
  v1::ModelFile model;
  model.set_format_version(1);
  model.set_num_topics(1);
  model.set_vocabulary_size(2);
  model.set_topic_parameters(proto::FloatsToLittleEndian({1.0f, 2.0f}));
  model.add_terms("apple");
  model.add_terms("pear");
  return model;
}

class ModelDirectoryTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/m.model"; }
  testing::TemporaryDirectory folder_;
};

TEST_F(ModelDirectoryTest, GoesFromNothingThroughACheckpointToAModel) {
  ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(Path()));
  EXPECT_FALSE(directory->Checkpoint()->has_value());
  EXPECT_FALSE(directory->FinishedModel()->has_value());
  EXPECT_THAT(ReadModel(Path()), StatusIs(absl::StatusCode::kNotFound, HasSubstr("no model")));

  ASSERT_OK(directory->WriteCheckpoint(Checkpoint()));
  EXPECT_EQ((*directory->Checkpoint())->SerializeAsString(), Checkpoint().SerializeAsString());
  EXPECT_THAT(ReadModel(Path()), StatusIs(absl::StatusCode::kNotFound, HasSubstr("not finished")));

  ASSERT_OK(directory->Finish(Model()));
  EXPECT_EQ(ReadModel(Path())->SerializeAsString(), Model().SerializeAsString());
  EXPECT_FALSE(directory->Checkpoint()->has_value());
}

TEST_F(ModelDirectoryTest, ASecondFitInTheSameFolderIsRefusedWhileTheFirstLives) {
  ASSERT_OK_AND_ASSIGN(auto first, ModelDirectory::Open(Path()));
  EXPECT_THAT(ModelDirectory::Open(Path()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("is in use"), Not(HasSubstr("--model")))));
  first.reset();
  EXPECT_OK(ModelDirectory::Open(Path()));
}

TEST_F(ModelDirectoryTest, AHalfWrittenCheckpointDoesNotCountAndIsCleanedUpAtTheEnd) {
  ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(Path()));
  ASSERT_OK(directory->WriteCheckpoint(Checkpoint()));
  testing::WriteWholeFile(CheckpointPath(Path()) + ".partial", "torn");
  EXPECT_EQ((*directory->Checkpoint())->SerializeAsString(), Checkpoint().SerializeAsString());
  ASSERT_OK(directory->Finish(Model()));
  int files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(Path())) ++files;
  EXPECT_EQ(files, 1);
}

// It is the only trace of a fit that is paid for.
TEST_F(ModelDirectoryTest, AModelThatCannotBeWrittenIsAnErrorAndTheCheckpointStays) {
  ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(Path()));
  ASSERT_OK(directory->WriteCheckpoint(Checkpoint()));
  std::filesystem::create_directory(ModelPath(Path()) + ".partial");  // where it is written first
  EXPECT_FALSE(directory->Finish(Model()).ok());
  ASSERT_TRUE(directory->Checkpoint()->has_value());
  EXPECT_EQ((*directory->Checkpoint())->SerializeAsString(), Checkpoint().SerializeAsString());
}

TEST_F(ModelDirectoryTest, ADamagedCheckpointIsAnErrorAndNeverAbsent) {
  ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(Path()));
  testing::WriteWholeFile(CheckpointPath(Path()), "damaged");
  EXPECT_THAT(directory->Checkpoint(), StatusIs(absl::StatusCode::kInvalidArgument));
  testing::WriteWholeFile(ModelPath(Path()), "damaged");
  EXPECT_THAT(directory->FinishedModel(), StatusIs(absl::StatusCode::kInvalidArgument));
  // Nor one that is there and cannot be read.
  std::filesystem::remove(CheckpointPath(Path()));
  std::filesystem::create_directory(CheckpointPath(Path()));
  EXPECT_FALSE(directory->Checkpoint().ok());
}

TEST_F(ModelDirectoryTest, OnlyAFolderOfItsOwnMakingThatStayedEmptyGoesAgain) {
  ASSERT_OK(ModelDirectory::Open(Path()));
  EXPECT_FALSE(std::filesystem::exists(Path()));
  {
    ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(Path()));
    ASSERT_OK(directory->WriteCheckpoint(Checkpoint()));
  }
  EXPECT_TRUE(std::filesystem::exists(CheckpointPath(Path())));
  const std::string given = folder_.path() + "/given.model";
  std::filesystem::create_directory(given);
  ASSERT_OK(ModelDirectory::Open(given));
  EXPECT_TRUE(std::filesystem::exists(given));
}

constexpr int kFits = 8;

TEST_F(ModelDirectoryTest, OfFitsThatBeginAtOnceInANewFolderOneHasItAndItStays) {
  constexpr int kRounds = 100;
  std::vector<std::unique_ptr<ModelDirectory>> held(kFits);
  std::barrier together(kFits + 1);
  std::vector<std::thread> fits;
  for (int i = 0; i < kFits; ++i) {
    fits.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        together.arrive_and_wait();
        {
          auto directory = ModelDirectory::Open(Path());
          if (directory.ok()) held[static_cast<size_t>(i)] = *std::move(directory);
        }
        together.arrive_and_wait();
      }
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    together.arrive_and_wait();
    together.arrive_and_wait();  // whoever was refused has let go
    int holders = 0;
    for (auto& directory : held) {
      if (directory == nullptr) continue;
      ++holders;
      EXPECT_OK(directory->WriteCheckpoint(Checkpoint()));
      directory.reset();
    }
    EXPECT_EQ(holders, 1);
    std::filesystem::remove_all(Path());
  }
  for (std::thread& fit : fits) fit.join();
}

TEST_F(ModelDirectoryTest, WhoHasTheFolderHasItAloneAlsoWhileOthersLetItGo) {
  std::atomic<int> holders = 0;
  std::vector<std::thread> fits;
  for (int i = 0; i < kFits; ++i) {
    fits.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        const auto directory = ModelDirectory::Open(Path());
        if (!directory.ok()) continue;
        EXPECT_EQ(++holders, 1);
        EXPECT_TRUE(std::filesystem::is_directory(Path()));
        --holders;
      }
    });
  }
  for (std::thread& fit : fits) fit.join();
}

// As by `mv m.model kept.model` while a fit runs, and a second fit under the old name.
TEST_F(ModelDirectoryTest, OnceItsFolderWasMovedNothingOfTheNextOfThatNameIsTouched) {
  const std::string kept = folder_.path() + "/kept.model";
  {
    ASSERT_OK_AND_ASSIGN(auto first, ModelDirectory::Open(Path()));
    ASSERT_OK(first->WriteCheckpoint(Checkpoint()));
    std::filesystem::rename(Path(), kept);
    const auto is_refused =
        StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("m.model was moved"));
    EXPECT_THAT(first->WriteCheckpoint(Checkpoint()), is_refused);
    EXPECT_FALSE(std::filesystem::exists(Path()));
    ASSERT_OK_AND_ASSIGN(auto second, ModelDirectory::Open(Path()));
    v1::CheckpointFile of_second = Checkpoint();
    of_second.set_state("of the second");
    ASSERT_OK(second->WriteCheckpoint(of_second));
    EXPECT_THAT(first->WriteCheckpoint(Checkpoint()), is_refused);
    EXPECT_THAT(first->RemoveCheckpoint(), is_refused);
    EXPECT_THAT(first->Finish(Model()), is_refused);
    EXPECT_EQ((*second->Checkpoint())->state(), "of the second");
    EXPECT_FALSE(std::filesystem::exists(ModelPath(Path())));
  }
  ASSERT_OK_AND_ASSIGN(auto moved, ModelDirectory::Open(kept));
  EXPECT_EQ((*moved->Checkpoint())->state(), Checkpoint().state());
  EXPECT_OK(moved->Finish(Model()));
}

TEST_F(ModelDirectoryTest, TheEmptyFolderOfAnotherFitStaysWhenTheFirstOfThatNameEnds) {
  ASSERT_OK_AND_ASSIGN(auto first, ModelDirectory::Open(Path()));
  std::filesystem::rename(Path(), folder_.path() + "/kept.model");
  ASSERT_OK_AND_ASSIGN(auto second, ModelDirectory::Open(Path()));
  first.reset();
  EXPECT_OK(second->WriteCheckpoint(Checkpoint()));
}

TEST_F(ModelDirectoryTest, ALinkThatLeadsNowhereIsAnError) {
  std::filesystem::create_symlink(folder_.path() + "/nowhere", Path());
  EXPECT_FALSE(ModelDirectory::Open(Path()).ok());
}

TEST_F(ModelDirectoryTest, AFileInTheFoldersPlaceIsAnError) {
  testing::WriteWholeFile(Path(), "a file");
  EXPECT_FALSE(ModelDirectory::Open(Path()).ok());
  EXPECT_EQ(testing::ReadWholeFile(Path()), "a file");
}

}  // namespace model_directory_test
}  // namespace topicwall::client
