// Receipts and statements through real servers: what they prove, and what they find out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/model.pb.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ReceiptsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  Finished Alice(std::vector<std::string> arguments) {
    return world_.Analyst("alice", std::move(arguments));
  }
  Finished Fit(const std::string& model, std::vector<std::string> more = {}) {
    std::vector<std::string> command =
        Words(absl::StrCat("fit notes --topics 3 --algorithm paper --noise-multiplier 10 "
                           "--sampling-rate 1 --iterations 2 --yes --model ",
                           world_.Path(model)));
    command.insert(command.end(), more.begin(), more.end());
    return Alice(command);
  }
  Finished Verify(const std::string& model) {
    return Alice({"ledger", "notes", "--verify", world_.Path(model)});
  }

  void ForgetHeads() {
    std::filesystem::remove(world_.Path("config/topicwall/profiles/heads-alice.pb"));
  }

  WallWorld world_;
};

TEST_F(ReceiptsTest, AFitLeavesItsReceiptsAndTheyAreInTheChain) {
  ASSERT_EQ(Fit("a.model").exit_code, 0);
  v1::ReceiptFile file;
  ASSERT_TRUE(file.ParseFromString(world_.ReadFile("a.model/receipts.pb")));
  EXPECT_EQ(file.receipts_size(), 5);  // the plan, and two of each iteration
  Finished verified = Verify("a.model");
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("5, signed by"));

  const std::string events = world_.Path("notes.events");
  ASSERT_EQ(world_.Analyst("ann", {"ledger", "notes", "--events", events}).exit_code, 0);
  world_.StopServer();
  const std::string receipts = world_.Path("a.model/receipts.pb");
  verified = Alice({"ledger", "--verify", receipts, "--events", events, "--json"});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("\"verified\":true"));
  verified = Alice({"ledger", "--verify", receipts});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

TEST_F(ReceiptsTest, ALedgerPutBackToAnOlderCopyIsFoundByThoseWhoHoldReceipts) {
  ASSERT_EQ(Fit("a.model").exit_code, 0);
  world_.StopServer();
  world_.CopyFolder("data", "older");
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  ASSERT_EQ(Fit("b.model").exit_code, 0);
  ASSERT_EQ(Verify("b.model").exit_code, 0);
  world_.StopServer();

  world_.CopyFolder("older", "data");
  ASSERT_TRUE(world_.StartServer()) << "an old copy cannot be told from inside";
  // As one who kept receipts, and no notes.
  ForgetHeads();
  EXPECT_EQ(Verify("a.model").exit_code, 0);
  Finished found = Verify("b.model");
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.output, AllOf(HasSubstr("reserved) is missing"), HasSubstr("older copy")));

  // And when the old copy goes on, it is a fork.
  ForgetHeads();
  ASSERT_EQ(Fit("c.model").exit_code, 0);
  found = Verify("b.model");
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.output, AllOf(HasSubstr("another one in its place"), HasSubstr("forked")));
}

TEST_F(ReceiptsTest, RestartAndRekeyKeepTheCustodiansKeyAndEveryReceipt) {
  auto alice = world_.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world_.Reserve(*alice, world_.Plan(4, 1), std::string(16, 'r')));
  ASSERT_EQ(plan.reservation_receipt().public_key().size(), 32);
  world_.StopServer();
  const Finished rekey = world_.Admin(
      {"rekey", "--config", world_.Path("wall.textproto"), "--output", world_.Path("new.key")});
  ASSERT_EQ(rekey.exit_code, 0) << rekey.output;
  // The configuration still names the old file.
  std::filesystem::rename(world_.Path("new.key"), world_.Path("corpus.key"));
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  alice = world_.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto again, world_.Reserve(*alice, plan.plan(), std::string(16, 'r')));
  EXPECT_EQ(again.reservation_receipt().SerializeAsString(),
            plan.reservation_receipt().SerializeAsString());
}

TEST_F(ReceiptsTest, ACancelledPlanLeavesAReceiptThatIsInTheChain) {
  auto alice = world_.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       WallWorld::Reserve(*alice, world_.Plan(4, 2), std::string(16, 'r')));
  // With another custodian's key nothing is ended.
  Finished cancelled = Alice({"cancel", plan.plan_id(), "--custodian-key", std::string(64, 'a')});
  EXPECT_EQ(cancelled.exit_code, 1) << cancelled.output;
  EXPECT_GT(WallWorld::Budget(*alice)->epsilon_spent(), 0);

  cancelled = Alice({"cancel", plan.plan_id()});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.output;
  EXPECT_EQ(WallWorld::Budget(*alice)->epsilon_spent(), 0);
  const std::string kept = "config/topicwall/profiles/alice.receipts";
  EXPECT_THAT(cancelled.output, HasSubstr(kept + "/receipts.pb"));
  v1::ReceiptFile file;
  ASSERT_TRUE(file.ParseFromString(world_.ReadFile(kept + "/receipts.pb")));
  EXPECT_EQ(file.receipts_size(), 2);  // reserved, cancelled
  const Finished verified = Verify(kept);
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("2, signed by"));
  // Given again: no change; and with a model's folder, it is kept there.
  EXPECT_EQ(Alice({"cancel", plan.plan_id()}).exit_code, 0);
  EXPECT_EQ(Alice({"cancel", plan.plan_id(), "--model", world_.Path("m.model")}).exit_code, 0);
  EXPECT_EQ(world_.ReadFile("m.model/receipts.pb"), world_.ReadFile(kept + "/receipts.pb"));
}

TEST_F(ReceiptsTest, AnotherCustodiansKeyStopsAFitBeforeAnythingIsPaid) {
  const Finished refused = Fit("a.model", {"--custodian-key", std::string(64, 'a')});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr("custodian's key must be"));
  EXPECT_EQ(WallWorld::Budget(*world_.StubOf("alice"))->epsilon_spent(), 0);
}

TEST_F(ReceiptsTest, TheStatementIsCheckedAnywhereAndAnEditedOneIsRefused) {
  const std::string path = world_.Path("notes.statement");
  const Finished made = world_.Admin(
      {"statement", "--config", world_.Path("wall.textproto"), "--corpus", "notes", "--out", path});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  Finished checked = Alice({"statement", "--verify", path});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr("epsilon: 10"));
  checked = Alice({"statement", "--verify", path, "--custodian-key", std::string(64, 'a')});
  EXPECT_EQ(checked.exit_code, 1);
  std::string edited = world_.ReadFile("notes.statement");
  edited.replace(edited.find("\nepsilon: 10\n"), 13, "\nepsilon: 1\n");
  std::ofstream(path, std::ios::binary) << edited;
  checked = Alice({"statement", "--verify", path});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.output, HasSubstr("signature does not hold"));
}

}  // namespace
}  // namespace topicwall::testing
