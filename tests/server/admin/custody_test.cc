#include "server/admin/custody.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "server/admin/commands/command_open_budget.h"
#include "server/wall_config.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::StatusIs;

TEST(Custody, NeedsConfigurationAndKey) {
  const CustodianWorld world;
  EXPECT_OK(OpenCustody(world.config()));
  EXPECT_THAT(OpenCustody(world.Path("none")), StatusIs(absl::StatusCode::kNotFound));
  std::filesystem::remove(world.Path("corpus.key"));
  EXPECT_THAT(OpenCustody(world.config()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("corpus.key")));
}

TEST(Custody, OneWriterHoldsTheDirectory) {
  const CustodianWorld world;
  ASSERT_OK_AND_ASSIGN(const auto custody, OpenCustody(world.config()));
  ASSERT_OK_AND_ASSIGN(const auto first, Lock(custody.config));
  EXPECT_THAT(Lock(custody.config),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("stop the server")));
}

TEST(Custody, ADirectoryWithoutLedgerIsNotFoundAndOneThatLostItIsDataLoss) {
  const CustodianWorld world;
  ASSERT_OK_AND_ASSIGN(const auto custody, OpenCustody(world.config()));
  EXPECT_THAT(OpenLedgerToRead(custody.config), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  std::filesystem::remove(world.Path("data/ledger.db"));
  std::filesystem::remove(world.Path("data/ledger.id"));
  EXPECT_THAT(OpenLedgerToRead(custody.config), StatusIs(absl::StatusCode::kDataLoss));
  ASSERT_OK_AND_ASSIGN(auto lock, Lock(custody.config));
  EXPECT_THAT(OpenLedgerToWrite(custody, std::move(lock)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("restore")));
}

TEST(Custody, AVersionIsReadWithoutTheKey) {
  const CustodianWorld world;
  auto version = VersionOfFile(world.CorpusPath("notes"));
  ASSERT_OK(version);
  EXPECT_EQ(*version, std::nullopt);
  ASSERT_OK_AND_ASSIGN(const auto ingested, world.Ingest("notes", {"ann"}));
  version = VersionOfFile(world.CorpusPath("notes"));
  ASSERT_OK(version);
  ASSERT_TRUE(version->has_value());
  EXPECT_THAT(ingested.json.Text(), HasSubstr(base::Hex(**version)));
}

TEST(Custody, CorpusFilesAreListedByNameAndNothingElseIs) {
  const CustodianWorld world;
  for (const char* name : {"data/b.corpus", "data/a.corpus", "data/lock", "data/a.corpus.part"}) {
    world.Write(name, "");
  }
  ASSERT_OK_AND_ASSIGN(const auto files, CorpusFilesIn(world.Path("data")));
  EXPECT_THAT(files, ElementsAre(world.CorpusPath("a"), world.CorpusPath("b")));
  EXPECT_THAT(CorpusFilesIn(world.Path("none")), StatusIs(absl::StatusCode::kNotFound));
}

// Two versions of "notes", all budgeted.
class FindBudgetedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(auto config, server::ReadWallConfig(world_.config()));
    config_ = std::move(config);
    for (const char* version : {"version number 1", "version number 2"}) {
      ledger::CorpusStatus corpus_status{};
      corpus_status.corpus = "notes";
      corpus_status.corpus_version = version;
      statuses_.push_back(corpus_status);
    }
  }

  const CustodianWorld world_;
  v1::WallConfig config_;
  std::vector<ledger::CorpusStatus> statuses_;
};

TEST_F(FindBudgetedTest, AVersionInDigitsIsThatVersion) {
  ASSERT_OK_AND_ASSIGN(const auto found,
                       FindBudgeted(config_, statuses_, base::Hex("version number 2")));
  EXPECT_EQ(found.corpus_version, "version number 2");
}

TEST_F(FindBudgetedTest, ANameOfOneVersionIsThatVersion) {
  statuses_.pop_back();
  ASSERT_OK_AND_ASSIGN(const auto found, FindBudgeted(config_, statuses_, "notes"));
  EXPECT_EQ(found.corpus_version, "version number 1");
}

TEST_F(FindBudgetedTest, AnUnknownNameSaysHowToGoOn) {
  EXPECT_THAT(FindBudgeted(config_, statuses_, "other"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("topicwall-admin status")));
}

TEST_F(FindBudgetedTest, OfSeveralVersionsItIsTheServedOne) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto served, VersionOfFile(world_.CorpusPath("notes")));
  statuses_[1].corpus_version = *served;
  ASSERT_OK_AND_ASSIGN(const auto found, FindBudgeted(config_, statuses_, "notes"));
  EXPECT_EQ(found.corpus_version, *served);
}

TEST_F(FindBudgetedTest, OfSeveralVersionsNoneOfWhichIsServedOneMustBeNamed) {
  EXPECT_THAT(
      FindBudgeted(config_, statuses_, "notes"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(base::Hex("version number 1"))));
}

}  // namespace
}  // namespace topicwall::admin
