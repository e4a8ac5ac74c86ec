// Two servers as they are deployed, mutual TLS, one database, one budget.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "tests/e2e/shared/shared_world.h"
#include "tests/support/json_page.h"
#include "tests/support/runbook.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace shared_servers_test {

using std::chrono::milliseconds;

TEST_F(SharedServersTest, APlanOfOneIsARunOfTheOtherAndItsReleaseBoths) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  SecondServer second(world_);
  ASSERT_TRUE(second.Start()) << second.Output();
  const auto here = world_.StubOf("alice"), there = second.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       WallWorld::Reserve(*here, world_.Plan(20, 2), RequestId(0, 1)));
  const auto log_topics = WallWorld::LogTopics();
  ASSERT_OK_AND_ASSIGN(
      const auto released,
      WallWorld::RunRelease(*there, WallWorld::Header(plan.plan_id(), 1, log_topics), log_topics));
  ASSERT_OK_AND_ASSIGN(const auto read, WallWorld::GetRelease(*here, plan.plan_id(), 1));
  EXPECT_EQ(read.statistics, released.statistics);
  ASSERT_OK_AND_ASSIGN(const auto one, WallWorld::Budget(*here), other = WallWorld::Budget(*there));
  ASSERT_OK(other);
  EXPECT_EQ(one.SerializeAsString(), other->SerializeAsString()) << "the signed head, too";
}

// Clients of both until neither admits any more: as much as fits, and not a plan more.
TEST_F(SharedServersTest, ManyClientsOfTwoServersNeverOverspend) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  SecondServer second(world_);
  ASSERT_TRUE(second.Start()) << second.Output();
  const v1::ReleaseSpec spec = world_.Plan(1.5, 1);
  std::atomic<int> admitted{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      const std::string name = client % 4 < 2 ? "alice" : "bob";
      const auto stub = client % 2 == 0 ? world_.StubOf(name) : second.StubOf(name);
      for (int number = 0;; ++number) {
        const auto plan = WallWorld::Reserve(*stub, spec, RequestId(client, number));
        if (plan.ok()) ++admitted;
        if (plan.ok() || absl::IsUnavailable(plan.status())) continue;
        EXPECT_THAT(plan.status(), StatusIs(absl::StatusCode::kFailedPrecondition));
        return;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  ASSERT_OK_AND_ASSIGN(const auto budget, WallWorld::Budget(*world_.StubOf("ann")));
  EXPECT_GT(admitted, 1);
  EXPECT_LE(budget.epsilon_spent(), 10);
  const auto one_more = WallWorld::Reserve(*second.StubOf("alice"), spec, RequestId(9, 1)).status();
  EXPECT_FALSE(one_more.ok());
  const Finished verified = world_.Analyst("ann", {"ledger", "notes", "--verify"});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

// -9 of the store's process, of a vault, of the database and of a whole server, between and in
// acts: clients that ask again get what they paid for, once. Always of the same server, which
// begins anew each time: one whose processes die again and again starts them after ever longer
// pauses.
TEST_F(SharedServersTest, NothingIsLostOrDoubleWhateverIsKilled) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  SecondServer second(world_);
  ASSERT_TRUE(second.Start()) << second.Output();
  const v1::ReleaseSpec spec = world_.Plan(1000, 1);
  std::atomic<bool> over{false};
  std::atomic<int> answered{0};
  std::vector<std::set<std::string>> plans(2);
  std::vector<std::thread> clients;
  for (int client = 0; client < 2; ++client) {
    clients.emplace_back([&, client] {
      for (int number = 0; !over; ++number) {
        absl::StatusOr<v1::PlanState> plan;
        do {  // Each time anew: the second server's address changes with its start.
          const auto stub = client == 0 ? world_.StubOf("alice") : second.StubOf("bob");
          plan = WallWorld::Reserve(*stub, spec, RequestId(client, number));
          if (!plan.ok()) std::this_thread::sleep_for(milliseconds(50));
        } while (!plan.ok() && !over);
        if (plan.ok()) plans[client].insert(plan->plan_id());
        ++answered;
      }
    });
  }
  const char* const more = std::getenv("TOPICWALL_KILLS");
  const int kills = more == nullptr ? 8 : atoi(more);
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    const int before = answered;
    for (int waited = 0; waited < 120000 && answered < before + 6; ++waited) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    EXPECT_GE(answered, before + 6) << kill_number;
    switch (kill_number % 4) {
      case 0:
        EXPECT_TRUE(second.process().KillChild("topicwall-store")) << second.Output();
        break;
      case 1:
        EXPECT_TRUE(second.process().KillChild("topicwall-vault")) << second.Output();
        break;
      case 2:
        database_.Kill();
        database_.Start();
        break;
      default:
        second.process().Signal(SIGKILL);
        second.process().Wait();
        ASSERT_TRUE(second.Start()) << second.Output();
    }
  }
  over = true;
  for (std::thread& client : clients) client.join();
  // Every answered plan is in the chain, and no request made two.
  v1::ListPlansRequest request;
  for (int client = 0; client < 2; ++client) {
    std::set<std::string> listed;
    do {
      grpc::ClientContext context;
      v1::ListPlansResponse page;
      const auto stub = world_.StubOf(client == 0 ? "alice" : "bob");
      const grpc::Status status = stub->ListPlans(&context, request, &page);
      ASSERT_TRUE(status.ok()) << status.error_message();
      for (const v1::PlanState& plan : page.plans()) listed.insert(plan.plan_id());
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    for (const std::string& plan : plans[client]) EXPECT_EQ(listed.count(plan), 1);
    EXPECT_LE(listed.size(), plans[client].size() + 1) << "the last request may be unanswered";
  }
  const Finished verified = world_.Analyst("ann", {"ledger", "notes", "--verify"});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

// libpq takes what the service leaves out from some thirty of them.
TEST_F(SharedServersTest, NoVariableOfTheEnvironmentLeadsToAnotherDatabase) {
  ASSERT_TRUE(world_.StartServer({{"PGHOSTADDR", "192.0.2.1"}, {"PGOPTIONS", "-c no_such=1"}}))
      << world_.ServerOutput();
  EXPECT_OK(WallWorld::Budget(*world_.StubOf("alice")));
}

TEST_F(SharedServersTest, AServerDoesNotStartOnADatabaseThatWentBack) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  ASSERT_OK(WallWorld::Reserve(*world_.StubOf("alice"), world_.Plan(20, 2), RequestId(0, 1)));
  world_.StopServer();
  database_.Run(Connection(),
                "DELETE FROM topicwall.plan; DELETE FROM topicwall.event e USING topicwall.chain c "
                "WHERE e.budget_id = c.budget_id AND e.sequence = c.length;"
                "UPDATE topicwall.chain SET length = length - 1, head = (SELECT head FROM "
                "topicwall.event e WHERE e.budget_id = chain.budget_id AND e.sequence = "
                "chain.length - 1)");
  EXPECT_FALSE(world_.StartServer());
  EXPECT_THAT(world_.ServerOutput(), ::testing::HasSubstr("went back"));
}

// A server was forgotten when the ledger was to come home. The copy is held up behind what it has
// seen of the chain, where it reads the release, until the chain has grown.
TEST_F(SharedServersTest, WhatIsReservedWhileTheLedgerComesHomeIsNotLost) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  const v1::ReleaseSpec spec = world_.Plan(1000, 1);
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       WallWorld::Reserve(*world_.StubOf("alice"), spec, RequestId(0, 1)));
  const auto log_topics = WallWorld::LogTopics();
  ASSERT_OK(WallWorld::RunRelease(*world_.StubOf("alice"),
                                  WallWorld::Header(plan.plan_id(), 1, log_topics), log_topics));
  world_.StopServer();
  SecondServer second(world_);
  ASSERT_TRUE(second.Start()) << second.Output();
  std::thread holding_up([this] {
    database_.Run(Connection(),
                  "DO $$ DECLARE seen bigint; BEGIN "
                  "LOCK TABLE topicwall.blob IN ACCESS EXCLUSIVE MODE; "
                  "WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP "
                  "PERFORM pg_sleep(0.01); END LOOP; "
                  "SELECT sum(length) INTO seen FROM topicwall.chain; "
                  "WHILE (SELECT sum(length) FROM topicwall.chain) = seen LOOP "
                  "PERFORM pg_sleep(0.01); END LOOP; END $$");
  });
  std::atomic<bool> over{false};
  std::thread client([&] {
    const auto stub = second.StubOf("alice");
    for (int number = 0; !over; ++number) {
      WallWorld::Reserve(*stub, spec, RequestId(1, number)).status().IgnoreError();
    }
  });
  const Finished home = Admin({"migrate-ledger", "--to", "file"});
  over = true;
  client.join();
  holding_up.join();
  EXPECT_EQ(home.exit_code, 1) << home.output;
  EXPECT_THAT(home.output, ::testing::HasSubstr("stop all its servers"));
  // Everything is as it was: the server spends from the database, and the ledger may come home.
  EXPECT_OK(WallWorld::Budget(*second.StubOf("alice")));
  second.process().Signal(SIGTERM);
  second.process().Wait();
  const Finished again = Admin({"migrate-ledger", "--to", "file"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
}

// As the runbook has it, on a server that moved its ledger there and has seen more than the backup.
TEST_F(SharedServersTest, AfterTheDatabaseIsLostABackupTakesItsPlace) {
  const RunbookIn runbook(world_.Path("."), TOPICWALL_BINARY_DIR, TOPICWALL_SOURCE_DIR);
  const auto paste = [&](const std::string& part) {
    world_.WriteFile("script", runbook.Script(part, "2027"));
    const Finished pasted = RunToEnd({"/bin/bash", world_.Path("script")});
    EXPECT_EQ(pasted.exit_code, 0) << part << ": " << pasted.output;
  };
  std::filesystem::create_directory(world_.Path("backup"));
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  paste("--output /backup/wall-$(date");
  ASSERT_OK(WallWorld::Reserve(*world_.StubOf("alice"), world_.Plan(20, 2), RequestId(0, 1)));
  world_.StopServer();
  database_.Run(Connection(), "ALTER SCHEMA topicwall RENAME TO lost");
  paste("admin restore --config $config --input");
  paste("admin migrate-ledger --config $config --to postgresql");
  const Finished thawed = Admin({"thaw", "--corpus", "notes", "--forfeit"});
  EXPECT_EQ(thawed.exit_code, 0) << thawed.output;
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  EXPECT_OK(WallWorld::Budget(*world_.StubOf("alice")));
  EXPECT_TRUE(std::filesystem::exists(world_.Path("data/damaged-2027/ledger.seen")));
}

TEST_F(SharedServersTest, TheCustodiansCommandsWorkOnTheDatabaseAndBringItHome) {
  const Finished status = Admin({"status"});
  EXPECT_EQ(status.exit_code, 0) << status.output;
  const Finished backup = Admin({"backup", "--output", world_.Path("backup")});
  EXPECT_EQ(backup.exit_code, 0) << backup.output;
  const Finished rekey = Admin({"rekey", "--output", world_.Path("new.key")});
  EXPECT_NE(rekey.exit_code, 0) << rekey.output;
  const std::string key = world_.Path("corpus.key");
  std::filesystem::rename(key, key + ".own");
  ASSERT_EQ(world_.Admin({"keys", "--output", key}).exit_code, 0);
  const Finished another = Admin({"check-config"});
  EXPECT_EQ(another.exit_code, 1) << another.output;
  EXPECT_THAT(another.output, ::testing::HasSubstr("sealed under another custodian key"));
  std::filesystem::rename(key + ".own", key);
  const Finished home = Admin({"migrate-ledger", "--to", "file", "--json"});
  EXPECT_EQ(home.exit_code, 0) << home.output;
  EXPECT_EQ(JsonPage("server/admin/JSON.md").Mismatch("migrate-ledger", home.output), "");
  std::filesystem::remove(world_.Path("data/ledger.db.moved"));
  const Finished again = Admin({"migrate-ledger", "--to", "postgresql"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  EXPECT_OK(WallWorld::Budget(*world_.StubOf("alice")));
}

// A pg_dump of before was put in.
TEST_F(SharedServersTest, WhatTheServerRefusesNoCommandOfTheCustodiansBelieves) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  ASSERT_OK(WallWorld::Reserve(*world_.StubOf("alice"), world_.Plan(20, 1), RequestId(0, 1)));
  world_.StopServer();
  database_.Run(
      Connection(),
      "DELETE FROM topicwall.plan; DELETE FROM topicwall.event USING topicwall.chain AS c "
      "WHERE event.budget_id = c.budget_id AND event.sequence = c.length; "
      "UPDATE topicwall.chain SET length = length - 1, head = (SELECT head FROM "
      "topicwall.event e WHERE e.budget_id = chain.budget_id AND e.sequence = "
      "chain.length - 1)");
  const std::string statement = world_.Path("statement"), backup = world_.Path("backup");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"status"},
        {"verify-ledger"},
        {"check-config"},
        {"statement", "--corpus", "notes", "--out", statement},
        {"backup", "--output", backup}}) {
    const Finished refused = Admin(command);
    EXPECT_EQ(refused.exit_code, 1) << command[0];
    EXPECT_THAT(refused.output, ::testing::HasSubstr("it went back")) << command[0];
  }
  EXPECT_FALSE(std::filesystem::exists(statement));
  EXPECT_FALSE(std::filesystem::exists(backup));
}

// It has the budget as it was on the day of the migration.
TEST_F(SharedServersTest, TheFileThatWasLeftBehindIsNotSpentFrom) {
  const std::string shared = world_.ReadFile("wall.textproto");
  world_.WriteFile("wall.textproto", shared.substr(0, shared.find("ledger {")));
  EXPECT_FALSE(world_.StartServer());
  EXPECT_THAT(world_.ServerOutput(), ::testing::HasSubstr("moved to PostgreSQL"));
  std::filesystem::rename(world_.Path("data/ledger.db.moved"), world_.Path("data/ledger.db"));
  EXPECT_FALSE(world_.StartServer());
  EXPECT_THAT(world_.ServerOutput(), ::testing::HasSubstr("is a backup"));
}

TEST_F(SharedServersTest, AMigrationThatWasStoppedGoesOnWithTheSameCopyAlone) {
  const std::vector<std::string> migrate = {"migrate-ledger", "--to", "postgresql"};
  // As it stands until the last step; the file has its name back.
  database_.Run(Connection(), "UPDATE topicwall.ledger SET is_backup = 1");
  std::filesystem::rename(world_.Path("data/ledger.db.moved"), world_.Path("data/ledger.db"));
  EXPECT_FALSE(world_.StartServer());
  const Finished again = Admin(migrate);
  EXPECT_EQ(again.exit_code, 0) << again.output;
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  ASSERT_OK(WallWorld::Reserve(*world_.StubOf("alice"), world_.Plan(20, 1), RequestId(0, 1)));
  world_.StopServer();
  std::filesystem::rename(world_.Path("data/ledger.db.moved"), world_.Path("data/ledger.db"));
  database_.Run(Connection(), "UPDATE topicwall.ledger SET is_backup = 1");
  EXPECT_THAT(Admin(migrate).output, ::testing::HasSubstr("a backup is to be restored first"))
      << "the copy has gone on";
}

}  // namespace shared_servers_test
}  // namespace topicwall::testing
