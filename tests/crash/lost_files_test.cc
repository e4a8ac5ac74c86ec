// Files that are deleted, replaced or put back to older copies, under a running server and
// between two runs: never a fresh budget, and nothing leaves whose charge is not on the disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_replace.h"
#include "proto/grpc_status.h"
#include "proto/model.pb.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class LostFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Start();
    plan_ = world_.Plan(4, 4);
    ASSERT_OK_AND_ASSIGN(const auto plan, WallWorld::Reserve(*alice_, plan_, std::string(16, 'r')));
    plan_id_ = plan.plan_id();
    ASSERT_OK(Run(1));
  }

  void Start() {
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    alice_ = world_.StubOf("alice");
  }
  absl::StatusOr<Received> Run(int iteration) {
    return WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, iteration, topics_), topics_);
  }
  absl::Status ReserveAnother(char mark) {
    return WallWorld::Reserve(*alice_, plan_, std::string(16, mark)).status();
  }
  double Spent() {
    const auto budget = WallWorld::Budget(*alice_);
    EXPECT_OK(budget);
    return budget.ok() ? budget->epsilon_spent() : -1;
  }
  Finished Admin(const std::string& command, std::vector<std::string> more = {},
                 const std::string& config = "wall.textproto") {
    more.insert(more.begin(), {command, "--config", world_.Path(config)});
    return world_.Admin(more);
  }
  // Whatever is asked of the server, it answers with DATA_LOSS.
  void ExpectNothingIsReleased() {
    EXPECT_THAT(Run(2), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("replaced")));
    EXPECT_THAT(ReserveAnother('x'), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_THAT(WallWorld::Budget(*alice_), StatusIs(absl::StatusCode::kDataLoss));
  }
  void ReplaceInConfig(const std::string& what, const std::string& with,
                       const std::string& name = "wall.textproto") {
    const std::string before = world_.ReadFile("wall.textproto");
    const std::string after = absl::StrReplaceAll(before, {{what, with}});
    ASSERT_NE(before, after);
    world_.WriteFile(name, after);
  }

  WallWorld world_{{.release_interval_ms = 1000}};
  std::unique_ptr<v1::PrivacyWall::Stub> alice_;
  v1::ReleaseSpec plan_;
  std::string plan_id_;
  const std::vector<float> topics_ = WallWorld::LogTopics();
};

TEST_F(LostFilesTest, ALedgerDeletedUnderTheServerReleasesNothingMoreUntilItIsBack) {
  const double spent = Spent();
  fs::rename(world_.Path("data/ledger.db"), world_.Path("kept.db"));
  ExpectNothingIsReleased();
  world_.KillServer();
  EXPECT_FALSE(world_.StartServer());
  EXPECT_THAT(world_.ServerOutput(), HasSubstr("restore"));
  fs::rename(world_.Path("kept.db"), world_.Path("data/ledger.db"));
  Start();
  EXPECT_EQ(Spent(), spent);
  EXPECT_OK(Run(2));
}

TEST_F(LostFilesTest, ALedgerReplacedByACopyUnderTheServerReleasesNothingMore) {
  fs::copy_file(world_.Path("data/ledger.db"), world_.Path("copy.db"));
  fs::rename(world_.Path("copy.db"), world_.Path("data/ledger.db"));
  ExpectNothingIsReleased();
}

TEST_F(LostFilesTest, ALedgerOverwrittenByAnOlderCopyUnderTheServerGivesNothingBack) {
  const std::string older = world_.ReadFile("data/ledger.db");
  ASSERT_OK(Run(2));
  const double spent = Spent();
  world_.WriteFile("data/ledger.db", older);  // into the very file that the server has open
  const bool answered = Run(3).ok();
  world_.KillServer();
  if (!world_.StartServer()) {
    EXPECT_THAT(world_.ServerOutput(), HasSubstr("restore"));
    return;
  }
  alice_ = world_.StubOf("alice");
  EXPECT_GE(Spent(), spent);
  EXPECT_OK(WallWorld::GetRelease(*alice_, plan_id_, 2));
  if (answered) {
    EXPECT_OK(WallWorld::GetRelease(*alice_, plan_id_, 3));
  }
}

TEST_F(LostFilesTest, OfTwoServersOnTwoCopiesOfADataDirectoryOneReleasesNothing) {
  fs::rename(world_.Path("data"), world_.Path("away"));
  fs::copy(world_.Path("away"), world_.Path("data"), fs::copy_options::recursive);
  ReplaceInConfig("events.jsonl", "other.jsonl", "second.textproto");
  Background second({WallWorld::Program("topicwall-server"), "--config",
                     world_.Path("second.textproto"), "--ready-file", world_.Path("second.ready")},
                    world_.Path("second.out"));
  for (int look = 0; look < 12000 && !fs::exists(world_.Path("second.ready")); ++look) {
    ASSERT_TRUE(second.IsRunning()) << world_.ReadFile("second.out");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(fs::exists(world_.Path("second.ready"))) << world_.ReadFile("second.out");
  ExpectNothingIsReleased();
}

TEST_F(LostFilesTest, ASecondServerIsKeptOutWhateverIsDeletedInTheDirectory) {
  fs::remove(world_.Path("data/lock"));
  fs::remove(world_.Path("data/ledger.id"));
  const Finished second =
      RunToEnd({WallWorld::Program("topicwall-server"), "--config", world_.Path("wall.textproto")});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr("another process holds"));
}

TEST_F(LostFilesTest, AnotherCustodiansKeyOpensNothing) {
  world_.KillServer();
  fs::remove(world_.Path("corpus.key"));
  ASSERT_EQ(world_.Admin({"keys", "--output", world_.Path("corpus.key")}).exit_code, 0);
  EXPECT_FALSE(world_.StartServer());
  EXPECT_THAT(world_.ServerOutput(), HasSubstr("key"));
}

TEST_F(LostFilesTest, AnotherDataDirectoryInTheConfigurationIsNoFreshBudget) {
  world_.KillServer();
  fs::create_directory(world_.Path("empty"));
  ReplaceInConfig("data_directory: \"data\"", "data_directory: \"empty\"");
  EXPECT_FALSE(world_.StartServer());
  EXPECT_THAT(world_.ServerOutput(), HasSubstr("no ledger"));
  EXPECT_TRUE(fs::is_empty(world_.Path("empty")));
}

TEST_F(LostFilesTest, ACorpusReplacedByAnotherIsServedAtTheNextStartAndHasNoBudget) {
  fs::create_directory(world_.Path("other"));
  ReplaceInConfig("data_directory: \"data\"", "data_directory: \"other\"", "other.textproto");
  const Finished ingested =
      Admin("ingest",
            {"--corpus", "notes", "--documents", world_.Path("notes.jsonl"), "--vocabulary",
             world_.Path("words.txt"), "--privacy-unit", "document"},
            "other.textproto");
  ASSERT_EQ(ingested.exit_code, 0) << ingested.output;
  v1::ReleaseSpec plan = world_.Plan(4, 1);
  fs::rename(world_.Path("other/notes.corpus"), world_.Path("data/notes.corpus"));
  EXPECT_THAT(Run(2), StatusIs(absl::StatusCode::kFailedPrecondition)) << "nothing is charged";

  world_.KillServer();
  Start();
  EXPECT_THAT(Run(3), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no longer")));
  plan.set_corpus_version(world_.Plan(4, 1).corpus_version());
  EXPECT_THAT(WallWorld::Reserve(*alice_, plan, std::string(16, 'n')),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("budget")));
  EXPECT_OK(WallWorld::GetRelease(*alice_, plan_id_, 1)) << "what was paid stays readable";
}

TEST_F(LostFilesTest, ACorpusOverwrittenUnderTheServerIsNotChargedForAndNotServedAgain) {
  world_.KillServer();
  ReplaceInConfig("decoded_cache_mebibytes: 1", "decoded_cache_mebibytes: 0");
  Start();
  const auto size = fs::file_size(world_.Path("data/notes.corpus"));
  world_.WriteFile("data/notes.corpus", std::string(size, '\0'));
  EXPECT_THAT(Run(2), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(WallWorld::GetRelease(*alice_, plan_id_, 2), StatusIs(absl::StatusCode::kNotFound));
  world_.KillServer();
  EXPECT_FALSE(world_.StartServer());
  EXPECT_THAT(world_.ServerOutput(), HasSubstr("notes"));
}

TEST_F(LostFilesTest, ARestoredLedgerOnlyReadsUntilTheLostChargesAreCounted) {
  const Finished made = Admin("backup", {"--output", world_.Path("backup")});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const auto lost = Run(2);  // that the backup knows nothing of
  ASSERT_OK(lost);
  const double spent = Spent();
  const std::string events = world_.Path("notes.events");
  ASSERT_EQ(world_.Analyst("ann", {"ledger", "notes", "--events", events}).exit_code, 0);
  world_.KillServer();
  for (const char* suffix : {".db", ".db-wal", ".db-shm"}) {
    fs::remove(world_.Path("data/ledger") + suffix);
  }
  ASSERT_EQ(Admin("restore", {"--input", world_.Path("backup")}).exit_code, 0);

  Start();
  EXPECT_OK(WallWorld::GetRelease(*alice_, plan_id_, 1));
  EXPECT_OK(Run(1)) << "paid, published and in the backup: free";
  EXPECT_THAT(Run(3), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(WallWorld::Reserve(*alice_, world_.Plan(4, 1), std::string(16, 'f')),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("frozen")));
  world_.KillServer();

  EXPECT_EQ(Admin("thaw", {"--head", std::string(64, '0')}).exit_code, 1);
  EXPECT_EQ(Admin("thaw", {"--events", events}).exit_code, 1) << "alice has shown nothing";
  v1::ReceiptFile receipts;
  receipts.set_format_version(1);
  *receipts.add_receipts() = lost->header.release_receipt();
  world_.WriteFile("alice.receipts", receipts.SerializeAsString());
  const Finished thawed =
      Admin("thaw", {"--events", events, "--receipts", world_.Path("alice.receipts")});
  ASSERT_EQ(thawed.exit_code, 0) << thawed.output;
  Start();
  EXPECT_GE(Spent(), spent);
  EXPECT_THAT(Run(2), AnyOf(StatusIs(absl::StatusCode::kDataLoss),
                            StatusIs(absl::StatusCode::kFailedPrecondition)))
      << "drawn anew for a price that was paid once";
  EXPECT_OK(WallWorld::Reserve(*alice_, world_.Plan(4, 1), std::string(16, 'g')));
}

}  // namespace
}  // namespace topicwall::testing
