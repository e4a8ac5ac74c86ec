// The contract of all stores on a real database, and what only a database can do: die, be cut off,
// be asked by two at once, go back.
#include "server/store/postgresql/postgres_store.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "server/store/postgresql/postgres_append.h"
#include "server/store/postgresql/postgres_connection.h"
#include "tests/server/store/event_store_contract.h"
#include "tests/support/postgres/postgres_server.h"

namespace topicwall::store {
namespace {

using testing::PostgresServer;
using testing::StatusIs;

// Of the contract each test has a database for each of its folders.
const std::string& DatabaseOf(const std::string& directory) {
  static auto* const databases = new std::map<std::string, std::string>();
  auto [place, is_new] = databases->try_emplace(directory);
  if (is_new) place->second = PostgresServer::OfTheProgram().NewDatabase();
  return place->second;
}

StoreKind::Opened Open(const std::string& service) {
  return OpenPostgresStore(service, PostgresUse::kReadWrite);
}

INSTANTIATE_TEST_SUITE_P(
    Database, EventStoreContract,
    ::testing::Values(StoreKind{
        .name = "postgresql",
        .create = [](const std::string& directory, const Identity& identity) -> StoreKind::Opened {
          const absl::Status made = MakePostgresStore(DatabaseOf(directory), identity);
          if (!made.ok()) return made;
          return Open(DatabaseOf(directory));
        },
        .open = [](const std::string& directory) { return Open(DatabaseOf(directory)); },
        .open_read_only =
            [](const std::string& directory) {
              return OpenPostgresStore(DatabaseOf(directory), PostgresUse::kReadOnly);
            }}),
    [](const auto& test) { return test.param.name; });

const std::string kGenesis(32, '\0');

std::string HeadOf(int number) {
  std::string head(32, 'h');
  for (int byte = 0; byte < 4; ++byte) head[byte] = static_cast<char>(number >> (8 * byte));
  return head;
}

// Event `sequence` of budget b1, whose head is told by who writes it.
Change Event(int64_t sequence, const std::string& before, const std::string& head) {
  v1::LedgerEntry entry;
  entry.set_sequence(sequence);
  entry.set_event("event");
  entry.set_salt(std::string(16, 's'));
  entry.set_commitment(std::string(32, 'c'));
  entry.set_head(head);
  return {.name = "event",
          .chains = {{.budget_id = "b1", .expected_head = before, .entries = {entry}}}};
}

class PostgresStoreTest : public ::testing::Test {
 protected:
  PostgresStoreTest() : service_(server_.NewDatabase()) {
    EXPECT_OK(MakePostgresStore(service_, {.ledger_id = "l1", .key_check = "check"}));
    auto opened = Open(service_);
    EXPECT_OK(opened);
    store_ = *std::move(opened);
  }

  PostgresServer& server_ = PostgresServer::OfTheProgram();
  const std::string service_;
  std::unique_ptr<EventStore> store_;
};

TEST_F(PostgresStoreTest, OneDatabaseHasOneLedger) {
  EXPECT_THAT(MakePostgresStore(service_, {.ledger_id = "l2"}),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(store_->ReadIdentity()->ledger_id, "l1");
  EXPECT_THAT(Open(server_.NewDatabase()).status(), StatusIs(absl::StatusCode::kNotFound));
  server_.Run(service_, "UPDATE topicwall.ledger SET format = 2");
  EXPECT_THAT(
      Open(service_).status(),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               ::testing::AllOf(::testing::HasSubstr("of format 2, written by a newer version"),
                                ::testing::HasSubstr("and restore nothing"))));
}

TEST_F(PostgresStoreTest, ADatabaseThatCannotBeReachedIsUnavailableAndSaysWhatToCheck) {
  EXPECT_THAT(Open("host=/nonexistent dbname=none").status(),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("pg_service.conf")));
  EXPECT_THAT(Open("service=none-of-this-name").status(), StatusIs(absl::StatusCode::kUnavailable));
}

// Every round each of four adds an event to the head that it read: exactly one of them may.
TEST_F(PostgresStoreTest, OfManyWhoAppendToOneHeadExactlyOneDoes) {
  constexpr int kServers = 4;
  constexpr int kRounds = 25;
  ASSERT_OK(store_->Append(Event(1, kGenesis, HeadOf(0))));
  std::atomic<int> written{0};
  std::vector<std::thread> servers;
  for (int server = 0; server < kServers; ++server) {
    servers.emplace_back([&, server] {
      ASSERT_OK_AND_ASSIGN(auto own, Open(service_));
      for (int round = 0; round < kRounds;) {
        const std::vector<Chain> chains = *own->Chains();
        const Chain& chain = chains.front();
        const std::string head = HeadOf(1 + server * kRounds + round);
        const absl::Status appended = own->Append(Event(chain.length + 1, chain.head, head));
        if (absl::IsAborted(appended)) continue;
        ASSERT_OK(appended);
        ++written;
        ++round;
      }
    });
  }
  for (std::thread& server : servers) server.join();
  EXPECT_EQ(written, kServers * kRounds);
  EXPECT_EQ((*store_->Chains())[0].length, 1 + kServers * kRounds);
  EXPECT_EQ(store_->ReadEntries("b1", 1, 1000)->size(), 1 + kServers * kRounds);
  EXPECT_OK(store_->CheckStructure());
}

TEST_F(PostgresStoreTest, ASessionThatIsCutIsOpenedAgain) {
  ASSERT_OK(store_->Append(Event(1, kGenesis, HeadOf(1))));
  const std::string cut =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'topicwall'";
  server_.Run(service_, cut);
  EXPECT_EQ(store_->Chains()->size(), 1) << "a question";
  server_.Run(service_, cut);
  EXPECT_OK(store_->Append(Event(2, HeadOf(1), HeadOf(2)))) << "an act";
  server_.Kill();
  EXPECT_THAT(store_->Chains(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store_->Append(Event(3, HeadOf(2), HeadOf(3))),
              StatusIs(absl::StatusCode::kUnavailable));
  server_.Start();
  EXPECT_EQ((*store_->Chains())[0].length, 2);
  EXPECT_OK(store_->Append(Event(3, HeadOf(2), HeadOf(3))));
}

int64_t NumberOf(const PostgresRow& row) { return row.Int64(0); }

// As a proxy or a database's machine that hangs: the other end acknowledges everything, and says
// nothing more.
TEST_F(PostgresStoreTest, ASessionThatStandsStillIsLeftForAnother) {
  ASSERT_OK(store_->Append(Event(1, kGenesis, HeadOf(1))));
  ASSERT_OK_AND_ASSIGN(auto connection,
                       PostgresConnection::Open(service_, PostgresConnection::Mode::kReadWrite,
                                                absl::Milliseconds(500)));
  constexpr char kProcess[] = "SELECT pg_backend_pid()::bigint";
  const auto stand_still = [&]() -> absl::StatusOr<pid_t> {
    TW_ASSIGN_OR_RETURN(const auto process, connection.First(NumberOf, kProcess));
    kill(static_cast<pid_t>(*process), SIGSTOP);
    return static_cast<pid_t>(*process);
  };
  ASSERT_OK_AND_ASSIGN(const pid_t asked, stand_still());
  ASSERT_OK_AND_ASSIGN(const auto another, connection.First(NumberOf, kProcess));
  EXPECT_NE(another, asked) << "a question is asked again, over another session";
  kill(asked, SIGCONT);
  // It holds the row, so nobody knows whether it will commit.
  pid_t committing = 0;
  const Change change = Event(2, HeadOf(1), HeadOf(2));
  const absl::Status written = connection.Write(
      [&]() -> absl::Status {
        TW_RETURN_IF_ERROR(WriteChange(connection, change));
        TW_ASSIGN_OR_RETURN(committing, stand_still());
        return absl::OkStatus();
      },
      [&] { return IsWritten(connection, change); });
  EXPECT_THAT(written, StatusIs(absl::StatusCode::kUnavailable));
  kill(committing, SIGCONT);
  // Made, or taken back with its session, perhaps in between: in either case the chain goes on.
  absl::Status goes_on = absl::AbortedError("");
  for (int again = 0; again < 3 && absl::IsAborted(goes_on); ++again) {
    const Chain chain = store_->Chains()->front();
    goes_on = store_->Append(Event(chain.length + 1, chain.head, HeadOf(3)));
  }
  EXPECT_OK(goes_on);
  EXPECT_OK(store_->CheckStructure());
}

// Killed at any moment, and started again: what was answered OK is there, once; and what was
// answered otherwise is there or not, but never in part.
TEST_F(PostgresStoreTest, WhatWasAnsweredSurvivesAKilledDatabase) {
  ASSERT_OK(store_->Append(Event(1, kGenesis, HeadOf(1))));
  std::atomic<bool> over{false};
  std::atomic<int> answered{1};
  std::thread writer([&] {
    int next = 2;
    while (!over) {
      const auto chains = store_->Chains();
      if (!chains.ok()) continue;
      const Chain& chain = chains->front();
      ASSERT_GE(chain.length, answered) << "an answered event was lost";
      if (store_->Append(Event(chain.length + 1, chain.head, HeadOf(next++))).ok()) {
        answered = static_cast<int>(chain.length) + 1;
      }
    }
  });
  for (int kill = 0; kill < 10; ++kill) {
    const int before = answered;
    for (int waited = 0; waited < 120000 && answered < before + 3 + 2 * kill; ++waited) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GT(answered, before);
    server_.Kill();
    server_.Start();
  }
  over = true;
  writer.join();
  EXPECT_GE((*store_->Chains())[0].length, answered);
  EXPECT_OK(store_->CheckStructure());
}

// A trigger that runs at the commit cuts its own session: the events are gone. One that is cut
// after the commit, by the operator: they are there.
TEST_F(PostgresStoreTest, ACommitWhoseAnswerIsLostIsLookedFor) {
  ASSERT_OK(store_->Append(Event(1, kGenesis, HeadOf(1))));
  server_.Run(service_,
              "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS "
              "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';"
              "CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON topicwall.event DEFERRABLE INITIALLY "
              "DEFERRED FOR EACH ROW EXECUTE FUNCTION cut();");
  EXPECT_THAT(store_->Append(Event(2, HeadOf(1), HeadOf(2))),
              StatusIs(absl::StatusCode::kUnavailable));
  server_.Run(service_, "DROP TRIGGER cut ON topicwall.event");
  EXPECT_EQ((*store_->Chains())[0].length, 1);
  EXPECT_OK(store_->Append(Event(2, HeadOf(1), HeadOf(2))));
  // Waiting for a standby comes after the commit's own record: a session that is ended there has
  // committed, and cannot say so.
  server_.Run(service_, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  server_.Run(service_, "SELECT pg_reload_conf()");
  const std::string waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  // What the database is told it does a little later: until then nothing holds up an append.
  bool was_held_up = false;
  int length = 2;
  while (!was_held_up && length < 1000) {
    std::atomic<bool> is_answered{false};
    std::thread operator_of_it([&] {
      while (!is_answered && !was_held_up) {
        was_held_up = server_.Run(service_, "SELECT COUNT(*) " + waiting) != "0";
      }
      if (!was_held_up) return;
      server_.Run(service_, "SELECT pg_terminate_backend(pid) " + waiting);
      // Looking for the commit must not be held up as well.
      server_.Run(service_, "ALTER SYSTEM RESET synchronous_standby_names");
      server_.Run(service_, "SELECT pg_reload_conf()");
    });
    EXPECT_OK(store_->Append(Event(length + 1, HeadOf(length), HeadOf(length + 1))));
    ++length;
    is_answered = true;
    operator_of_it.join();
  }
  EXPECT_TRUE(was_held_up);
  EXPECT_EQ((*store_->Chains())[0].length, length);
}

TEST_F(PostgresStoreTest, AChainThatIsNotAsLongAsItSaysIsDamage) {
  ASSERT_OK(store_->Append(Event(1, kGenesis, HeadOf(1))));
  ASSERT_OK(store_->Append(Event(2, HeadOf(1), HeadOf(2))));
  EXPECT_OK(store_->CheckStructure());
  server_.Run(service_, "DELETE FROM topicwall.event WHERE sequence = 2");
  EXPECT_THAT(store_->CheckStructure(), StatusIs(absl::StatusCode::kDataLoss));
  server_.Run(service_, "DROP TABLE topicwall.event");
  EXPECT_THAT(store_->ReadEntries("b1", 1, 1), StatusIs(absl::StatusCode::kDataLoss));
}

// Nobody waits for ever for whoever holds the rows and does not let go.
TEST_F(PostgresStoreTest, ALockThatIsHeldTooLongIsUnavailable) {
  ASSERT_OK(store_->Append(Event(1, kGenesis, HeadOf(1))));
  std::thread holder([&] {
    server_.Run(service_,
                "DO $$ BEGIN UPDATE topicwall.chain SET length = 1; "
                "WHILE NOT EXISTS (SELECT FROM pg_class WHERE relname = 'let_go') LOOP "
                "PERFORM pg_sleep(0.1); END LOOP; END $$");
  });
  for (int waited = 0; waited < 30000; ++waited) {
    if (server_.Run(service_,
                    "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") != "0") {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_THAT(store_->Append(Event(2, HeadOf(1), HeadOf(2))),
              StatusIs(absl::StatusCode::kUnavailable));
  server_.Run(service_, "CREATE TABLE let_go ()");
  holder.join();
  EXPECT_OK(store_->Append(Event(2, HeadOf(1), HeadOf(2))));
}

}  // namespace
}  // namespace topicwall::store
