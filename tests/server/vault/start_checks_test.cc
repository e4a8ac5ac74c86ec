#include "server/vault/start_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "model/models.h"
#include "server/executor/build.h"
#include "server/vault/release_computation.h"
#include "server/wall_config.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
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

// A corpus of 1000 terms: a number for each of them needs 4000 bytes.
class ThousandTermsTest : public StartChecksTest {
 protected:
  ThousandTermsTest() {
    std::filesystem::create_directory(config_.data_directory());
    std::vector<std::string> terms;
    for (const char a : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'}) {
      for (int length = 1; length <= 100; ++length) terms.emplace_back(length, a);
    }
    corpus::CorpusParams params = corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
    params.vocabulary = corpus::Words(std::move(terms));
    EXPECT_OK(
        corpus::WriteCorpus(CorpusFile(config_, "notes"), params, corpus::PlainDocuments(3), key_));
  }
  absl::Status Serve() { return OpenToServe(config_, "notes", key_, {}).status(); }
  v1::Limits& limits() { return *config_.mutable_corpora(0)->mutable_limits(); }

 private:
  const sealing::CustodianKey key_ = corpus::NewKey();
};

// A release is one message to the process that has the database, and is paid before it is stored.
TEST_F(ThousandTermsTest, ACorpusWhoseReleasesASharedLedgerDoesNotTakeIsNotServed) {
  // 2^30 - 2^24 bytes are 264,241.152 of them.
  limits().set_max_parameters_per_term(264'242);
  EXPECT_OK(Serve()) << "a file takes them";
  config_.mutable_ledger()->mutable_postgresql()->set_service("topicwall");
  const absl::Status refused = Serve();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition,
                                AllOf(HasSubstr("max_parameters_per_term"),
                                      HasSubstr("at most 264241 "), HasSubstr("is 264242"))));
  EXPECT_TRUE(IsOfOneCorpus(refused));
  limits().set_max_parameters_per_term(264'241);
  EXPECT_OK(Serve());
}

// The job would take an order of 2 GiB for a farewell, and no release of that size ever begin.
TEST_F(ThousandTermsTest, ACorpusWithParametersThatNoOrderToAJobHoldsIsNotServed) {
  limits().set_max_parameters_per_term(1'000'000);
  config_.set_max_matrix_bytes(int64_t{1} << 32);
  EXPECT_OK(Serve()) << "threads take them";
  config_.mutable_executor()->mutable_mpi()->set_launch("/usr/bin/mpirun");
  const absl::Status refused = Serve();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition,
                                AllOf(HasSubstr("max_matrix_bytes must be at most 2146431071 "),
                                      HasSubstr("is 4294967296"), HasSubstr("at most 536607."))));
  EXPECT_TRUE(IsOfOneCorpus(refused));
  config_.set_max_matrix_bytes(2'146'431'071);
  EXPECT_OK(Serve());
  config_.set_max_matrix_bytes(int64_t{1} << 32);
  limits().set_max_parameters_per_term(536'607);
  EXPECT_OK(Serve()) << "as many as there can be";
}

// What is to be put back is named, each with what it was and what it is.
TEST_F(StartChecksTest, AChargeForAnotherProgramOrLimitIsNamedWithAllThatIsOtherwise) {
  v1::CorpusConfig corpus;
  corpus.set_name("notes");
  corpus.mutable_limits()->set_max_documents_per_unit(3);
  v1::IterationCharged charge;
  charge.set_plan_id("p");
  charge.set_iteration(7);
  *charge.mutable_computed_with() = ComputedWithOf(corpus.limits(), model::ChosenKernelName());
  EXPECT_OK(RequireComputable({}, corpus));
  EXPECT_OK(RequireComputable({charge}, corpus));
  EXPECT_EQ(charge.computed_with().build(), executor::Build());
  charge.mutable_computed_with()->set_build("0123456789");
  charge.mutable_computed_with()->set_max_documents_per_unit(1);
  EXPECT_THAT(RequireComputable({charge}, corpus),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("iteration 7 of plan p"),
                             HasSubstr("limits.max_documents_per_unit 1 (now 3), build of the "
                                       "server 0123456789 (now "),
                             Not(HasSubstr("--kernel")))));
}

}  // namespace
}  // namespace topicwall::server
