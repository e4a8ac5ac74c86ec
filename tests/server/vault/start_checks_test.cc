#include "server/vault/start_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::StatusIs;

class StartChecksTest : public ::testing::Test {
 protected:
  StartChecksTest() {
    config_.set_data_directory(folder_.path() + "/data");
    config_.add_corpora()->set_name("notes");
  }

  const testing::TemporaryDirectory folder_;
  v1::WallConfig config_;
};

TEST_F(StartChecksTest, ADataDirectoryIsAFolder) {
  EXPECT_THAT(CheckDataDirectory(config_),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("data_directory")));
  std::ofstream(config_.data_directory()) << "a file";
  EXPECT_THAT(CheckDataDirectory(config_), StatusIs(absl::StatusCode::kNotFound));
  std::filesystem::remove(config_.data_directory());
  std::filesystem::create_directory(config_.data_directory());
  EXPECT_OK(CheckDataDirectory(config_));
}

TEST_F(StartChecksTest, ADataDirectoryInWhichEverybodyMayWriteIsRefused) {
  const std::string& directory = config_.data_directory();
  std::filesystem::create_directory(directory);
  std::filesystem::permissions(directory, std::filesystem::perms{0777});
  EXPECT_THAT(CheckDataDirectory(config_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("chmod o-w")));
  std::filesystem::permissions(directory, std::filesystem::perms{0775});
  EXPECT_OK(CheckDataDirectory(config_));
}

TEST_F(StartChecksTest, ACorpusThatIsMissingOrDamagedIsItsOwnMatter) {
  std::filesystem::create_directory(config_.data_directory());
  ASSERT_OK_AND_ASSIGN(const auto key, sealing::CustodianKey::Generate());
  const absl::Status missing = OpenToServe(config_, "notes", key, {}).status();
  EXPECT_THAT(missing, StatusIs(absl::StatusCode::kNotFound));
  EXPECT_TRUE(IsOfOneCorpus(missing));
  std::ofstream(config_.data_directory() + "/notes.corpus") << "rubbish";
  const absl::Status damaged = OpenToServe(config_, "notes", key, {}).status();
  EXPECT_THAT(damaged, StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(IsOfOneCorpus(damaged));
  EXPECT_FALSE(IsOfOneCorpus(absl::ResourceExhaustedError("no memory")));
}

TEST_F(StartChecksTest, AVersionWithABudgetIsServedUnderTheNameItGotItBy) {
  ledger::CorpusStatus letters{};
  letters.corpus = "letters";
  letters.corpus_version = "version number 1";
  EXPECT_OK(RequireOwnName({letters}, "version number 1", "letters"));
  EXPECT_OK(RequireOwnName({letters}, "version number 2", "notes")) << "no budget yet";
  const absl::Status others = RequireOwnName({letters}, "version number 1", "notes");
  EXPECT_THAT(others, StatusIs(absl::StatusCode::kFailedPrecondition,
                               AllOf(HasSubstr("letters"), HasSubstr("notes"))));
  EXPECT_TRUE(IsOfOneCorpus(others));
}

}  // namespace
}  // namespace topicwall::server
