// Several servers on one budget, over a real database: as FoldedLedger is opened by each.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/store.pb.h"
#include "server/ledger/folded/charge_owner.h"
#include "server/ledger/folded/durable_slots.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/folded/seen_heads.h"
#include "server/ledger/ledger_backup.h"
#include "server/ledger/ledger_copy.h"
#include "server/store/ledger_files.h"
#include "server/store/postgresql/postgres_store.h"
#include "server/store/stores.h"
#include "tests/server/store/forwarding_store.h"
#include "tests/support/ledger_for_tests.h"
#include "tests/support/postgres/postgres_server.h"

namespace topicwall::ledger {
namespace {

using ::testing::AllOf;
using testing::ChargeRequestFor;
using ::testing::HasSubstr;
using testing::kNotesVersion;
using testing::LedgerKeysForTests;
using ::testing::Not;
using testing::PostgresServer;
using testing::ReserveRequestFor;
using ::testing::StartsWith;

using testing::SmallPlan;
using testing::StatusIs;
using testing::TemporaryDirectory;

std::unique_ptr<store::EventStore> StoreOf(const std::string& service) {
  auto opened = store::OpenPostgresStore(service, store::PostgresUse::kReadWrite);
  EXPECT_OK(opened);
  return *std::move(opened);
}

// One server: a data directory, and the ledger while it runs.
class Server {
 public:
  explicit Server(const std::string& service) : service_(service) {
    EXPECT_OK(
        store::WriteIdentityFile(directory_.path(), StoreOf(service)->ReadIdentity()->ledger_id));
    Start();
  }
  FoldedLedger* operator->() { return ledger_.get(); }
  FoldedLedger& operator*() { return *ledger_; }
  const std::string& directory() const { return directory_.path(); }

  void Stop() { ledger_.reset(); }
  absl::Status TryToStart(const std::string& service) {
    Stop();
    auto opened = FoldedLedger::OpenShared(*store::DataDirectoryLock::Acquire(directory()),
                                           StoreOf(service), LedgerKeysForTests());
    if (!opened.ok()) return opened.status();
    ledger_ = *std::move(opened);
    return absl::OkStatus();
  }
  void Start() { EXPECT_OK(TryToStart(service_)); }

 private:
  const std::string service_;
  TemporaryDirectory directory_;
  std::unique_ptr<FoldedLedger> ledger_;
};

// A ledger with NotesBudget() open, moved from a file into a database.
class SharedLedgerTest : public ::testing::Test {
 protected:
  SharedLedgerTest() : service_(server_.NewDatabase()) {
    home_.Close();
    auto file = store::OpenStore(*store::DataDirectoryLock::Acquire(home_.directory()));
    EXPECT_OK(file);
    EXPECT_OK(store::MakePostgresStore(service_, Unusable(*(*file)->ReadIdentity())));
    const auto database = StoreOf(service_);
    EXPECT_OK(CopyLedger(**file, *database, LedgerKeysForTests()));
    EXPECT_OK(MakeUsable(*database));
  }

  v1::PlanState Reserved(Server& server, const std::string& principal, int number, int iterations) {
    auto reserved = server->Reserve(ReserveRequestFor(principal, number, SmallPlan(iterations)));
    EXPECT_OK(reserved);
    return reserved.ok() ? *reserved : v1::PlanState();
  }
  // What its server refuses, the custodian's program neither shows nor keeps.
  static void ExpectNotRead(const Server& server, const std::string& service) {
    const auto database = StoreOf(service);
    const auto seen = SeenOfShared(server.directory(), *database);
    EXPECT_THAT(seen.ok() ? FoldedLedger::Fold(StoreOf(service), std::nullopt, *seen).status()
                          : seen.status(),
                StatusIs(absl::StatusCode::kDataLoss));
    const TemporaryDirectory backup;
    EXPECT_THAT(BackupShared(server.directory(), *database, backup.path(), LedgerKeysForTests()),
                StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_OK(store::RequireNoStore(backup.path()));
  }
  static int64_t Events(Server& server) { return server->StatusOfCorpus(kNotesVersion)->events; }

  PostgresServer& server_ = PostgresServer::OfTheProgram();
  testing::LedgerForTests home_;
  const std::string service_;
};

TEST_F(SharedLedgerTest, WhatOneServerDidTheOtherKnowsAtOnce) {
  Server first(service_), second(service_);
  const v1::PlanState plan = Reserved(first, "alice", 1, 3);
  ASSERT_OK_AND_ASSIGN(const auto seen, second->GetPlan("alice", plan.plan_id()));
  EXPECT_EQ(seen.SerializeAsString(), plan.SerializeAsString()) << "receipts, too";
  EXPECT_EQ(Reserved(second, "alice", 1, 3).plan_id(), plan.plan_id()) << "the same request";
  testing::Release(*second, plan, 1);
  testing::Release(*first, plan, 2);
  testing::CollectedRelease release;
  EXPECT_OK(first->ReadRelease("alice", plan.plan_id(), 1, release));
  EXPECT_EQ(Events(first), Events(second));
  second.Stop();
  second.Start();
  EXPECT_EQ(second->GetPlan("alice", plan.plan_id())->SerializeAsString(),
            first->GetPlan("alice", plan.plan_id())->SerializeAsString());
  EXPECT_OK(first->VerifyWholeLedger());
}

// Who may write the database, but has no key, adds a plan that costs nothing: also a server that
// runs, and has seen the chain's beginning, spends nothing from it.
TEST_F(SharedLedgerTest, AnEventThatIsNotTheCustodiansEndsWhatIsAnswered) {
  Server server(service_);
  Reserved(server, "alice", 1, 3);
  testing::ForgePlan(*StoreOf(service_), std::string(32, 'f'));
  EXPECT_THAT(server->GetPlan("alice", std::string(32, 'f')),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("custodian's key")));
  EXPECT_THAT(server->Reserve(ReserveRequestFor("alice", 2, SmallPlan(1))),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(server.TryToStart(service_), StatusIs(absl::StatusCode::kDataLoss));
}

// A database that keeps the sealed key of every charge that it is shown, and answers the first of
// them as it likes.
class KeepingStore final : public testing::ForwardingStore {
 public:
  KeepingStore(std::unique_ptr<store::EventStore> store, std::vector<absl::Status> answers,
               std::vector<std::string>* kept)
      : ForwardingStore(std::move(store)), answers_(std::move(answers)), kept_(kept) {}

  absl::Status Append(const store::Change& change) override {
    if (change.name != std::string("charge")) return ForwardingStore::Append(change);
    kept_->push_back(change.open_charges.front().after->sealed_key);
    const absl::Status answer =
        kept_->size() <= answers_.size() ? answers_[kept_->size() - 1] : absl::OkStatus();
    return answer.ok() ? ForwardingStore::Append(change) : answer;
  }

 private:
  const std::vector<absl::Status> answers_;
  std::vector<std::string>* const kept_;
};

// Whoever runs the database has several good keys of one charge shown to him, and puts each of them
// in the place of the release that was stored: other noise for the same sum, at the price of one.
TEST_F(SharedLedgerTest, HoweverOftenTheDatabaseRefusesAChargeItHasOneNoise) {
  const TemporaryDirectory directory;
  ASSERT_OK(
      store::WriteIdentityFile(directory.path(), StoreOf(service_)->ReadIdentity()->ledger_id));
  std::vector<std::string> kept;
  const auto open = [&](std::vector<absl::Status> answers) {
    return FoldedLedger::OpenShared(
        *store::DataDirectoryLock::Acquire(directory.path()),
        std::make_unique<KeepingStore>(StoreOf(service_), std::move(answers), &kept),
        LedgerKeysForTests());
  };
  std::set<std::string> draws;
  const auto draw = [&draws](const absl::StatusOr<ChargeOutcome>& outcome) {
    const auto key = std::get<ChargeReceipt>(*outcome).release_key().ExposeBytes();
    draws.emplace(key.begin(), key.end());
  };
  {
    const absl::Status lost = absl::UnavailableError("away"), second = absl::AbortedError("second");
    ASSERT_OK_AND_ASSIGN(const auto server, open({lost, second, second}));
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         server->Reserve(ReserveRequestFor("alice", 1, SmallPlan(1))));
    const ChargeRequest request = ChargeRequestFor(plan, 1);
    EXPECT_THAT(server->Charge(request), StatusIs(absl::StatusCode::kUnavailable));
    auto charged = server->Charge(request);
    ASSERT_OK(charged);
    draw(charged);
    ASSERT_EQ(kept.size(), 4);
    ASSERT_OK(server->Store(testing::Noised(std::move(charged)), testing::SmallHeader(),
                            std::vector<float>{1, 2, 3, 4, 5, 6}));
    const auto sent_again = [&](int which) {
      server_.Run(service_, absl::StrCat("UPDATE topicwall.open_charge SET release_sha256 = '', "
                                         "header_sha256 = '', sealed_key = '\\x",
                                         absl::BytesToHexString(kept[which]), "'"));
      return server->Charge(request);
    };
    EXPECT_THAT(sent_again(0),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not its custodian's")));
    for (int which = 1; which < 4; ++which) {
      // Of a release that it has stored the server that runs computes none again.
      EXPECT_THAT(sent_again(which), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("went back")));
    }
  }
  for (const std::string& sealed : kept) {
    server_.Run(service_, absl::StrCat("UPDATE topicwall.open_charge SET sealed_key = '\\x",
                                       absl::BytesToHexString(sealed), "'"));
    const auto server = open({});
    if (!server.ok()) {
      EXPECT_THAT(server, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("custodian's")));
      continue;
    }
    ASSERT_OK_AND_ASSIGN(const auto plans, (*server)->ListPlans({.principal = "alice"}));
    const auto again = (*server)->Charge(ChargeRequestFor(plans.plans.front(), 1));
    ASSERT_OK(again);
    draw(again);
  }
  EXPECT_EQ(draws.size(), 1);
}

// As many plans as one ledger alone admits, whoever asks whom.
TEST_F(SharedLedgerTest, TwoServersNeverOverspendOneBudget) {
  int alone = 0;
  {
    testing::LedgerForTests one;
    while (one->Reserve(ReserveRequestFor("alice", alone, SmallPlan(1, 6.3))).ok()) ++alone;
  }
  ASSERT_GT(alone, 3);
  Server servers[] = {Server(service_), Server(service_)};
  std::atomic<int> admitted{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      for (int number = 0;; ++number) {
        const auto plan = servers[client % 2]->Reserve(
            ReserveRequestFor(absl::StrCat("analyst ", client), number, SmallPlan(1, 6.3)));
        if (plan.ok()) ++admitted;
        if (plan.ok() || absl::IsUnavailable(plan.status())) continue;
        EXPECT_THAT(plan.status(), StatusIs(absl::StatusCode::kFailedPrecondition));
        return;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(admitted, alone);
  EXPECT_EQ(Events(servers[0]), Events(servers[1]));
  EXPECT_OK(servers[0]->VerifyWholeLedger());
}

// The same request sent to both at once is one plan; the same iteration is charged once.
TEST_F(SharedLedgerTest, TheSameRequestAtBothServersIsPaidOnce) {
  Server servers[] = {Server(service_), Server(service_)};
  for (int round = 1; round <= 10; ++round) {
    std::string ids[2];
    int receipts[2] = {0, 0};
    std::vector<std::thread> clients;
    for (int side = 0; side < 2; ++side) {
      clients.emplace_back([&, side] {
        ASSERT_OK_AND_ASSIGN(const auto plan, servers[side]->Reserve(ReserveRequestFor(
                                                  "alice", round, SmallPlan(1, 1000))));
        ids[side] = plan.plan_id();
        const auto charged = servers[side]->Charge(ChargeRequestFor(plan, 1));
        if (charged.ok()) {
          receipts[side] = static_cast<int>(std::holds_alternative<ChargeReceipt>(*charged));
        } else {
          EXPECT_THAT(charged.status(), StatusIs(absl::StatusCode::kUnavailable));
        }
      });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(ids[0], ids[1]);
    EXPECT_EQ(receipts[0] + receipts[1], 1);
    EXPECT_EQ(servers[0]->GetPlan("alice", ids[0])->iterations_size(), 1);
  }
}

TEST_F(SharedLedgerTest, AChargeIsItsServersUntilAfterItsLastInstant) {
  Server first(service_), second(service_);
  const v1::PlanState plan = Reserved(first, "alice", 1, 2);
  ChargeRequest request = ChargeRequestFor(plan, 1);
  ASSERT_OK_AND_ASSIGN(auto mine, first->Charge(request));
  auto& receipt = std::get<ChargeReceipt>(mine);
  const int64_t last_ms = receipt.begun_at_ms() + 16 * request.protection.release_interval_ms();
  request.now_ms = last_ms + kTakeoverMs - 1;
  EXPECT_THAT(second->Charge(request).status(), StatusIs(absl::StatusCode::kUnavailable));
  const Voiding voiding{.plan_id = plan.plan_id(),
                        .iteration = 1,
                        .charge_id = receipt.charge_id(),
                        .ground = v1::ReleaseVoided::FAILED,
                        .at_ms = last_ms};
  EXPECT_FALSE(second->Void(voiding).ok());
  second.Stop();
  second.Start();
  EXPECT_TRUE(second->RestartUnfinished(request.now_ms)->empty());
  request.now_ms = last_ms + kTakeoverMs;
  auto theirs = second->Charge(request);
  ASSERT_OK(theirs);
  ASSERT_TRUE(std::holds_alternative<ChargeReceipt>(*theirs));
  // The first one comes back too late.
  const std::vector<float> statistics = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(first->Store(ChargeReceiptTestPeer::Noised(std::move(receipt)),
                           testing::SmallHeader(), statistics),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_OK(second->Store(testing::Noised(std::move(theirs)), testing::SmallHeader(), statistics));
  EXPECT_TRUE(first->RestartUnfinished(request.now_ms)->empty()) << "not its own";
  // What is stored is its server's, too: by the clock of another one its instants would come too
  // early, or too late.
  const int64_t lasts_ms = 16 * request.protection.release_interval_ms() + kTakeoverMs;
  request.now_ms += lasts_ms - 1;
  EXPECT_THAT(first->Charge(request).status(), StatusIs(absl::StatusCode::kUnavailable));
  const int64_t events = Events(first);
  request.now_ms += 1;
  ASSERT_OK_AND_ASSIGN(const auto awaited, first->Charge(request));
  ASSERT_TRUE(std::holds_alternative<AwaitingPublication>(awaited));
  EXPECT_EQ(std::get<AwaitingPublication>(awaited).begun_at_ms, request.now_ms);
  EXPECT_EQ(Events(first), events + 1) << "it is told that they were counted anew";
  EXPECT_THAT(second->Charge(request).status(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_OK(first->Charge(request)) << "its own now";
  EXPECT_EQ(Events(first), events + 1);
  EXPECT_OK(first->Publish(testing::PublicationOf(plan, 1)));
  EXPECT_OK(second->Publish(testing::PublicationOf(plan, 1))) << "again: no change";
}

// While servers are upgraded one after the other, say: the one that charged it goes on with it.
TEST_F(SharedLedgerTest, WhatAnotherServerComputesIsNotRefusedForWhatThisOneHas) {
  Server first(service_), second(service_);
  const v1::PlanState plan = Reserved(first, "alice", 1, 2);
  ChargeRequest request = ChargeRequestFor(plan, 1);
  ASSERT_OK(first->Charge(request));
  const int64_t last_ms = request.now_ms + 16 * request.protection.release_interval_ms();
  request.computed_with.set_build("another build");
  request.now_ms = last_ms + kTakeoverMs - 1;
  EXPECT_THAT(second->Charge(request), StatusIs(absl::StatusCode::kUnavailable));
  request.now_ms = last_ms + kTakeoverMs;
  EXPECT_THAT(second->Charge(request),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another build")));
}

// Of the budget, on a server's own disk; a copy is looked at, as a start would find it. One of
// which both slots were being written is taken again.
int64_t EventsSeenBy(const Server& server, const std::string& copy) {
  for (;;) {
    testing::WriteWholeFile(copy, testing::ReadWholeFile(SeenHeadsPath(server.directory())));
    const auto slots = ledger::DurableSlots::Open(copy);
    if (absl::IsDataLoss(slots.status())) continue;
    EXPECT_OK(slots);
    v1::SeenHeads seen;
    EXPECT_TRUE(seen.ParseFromString(slots->value()));
    return seen.heads_size() == 0 ? 0 : seen.heads(0).length();
  }
}

// What a client knows of, be it by another one's act, this server knows after a power cut, too.
TEST_F(SharedLedgerTest, NoAnswerTellsOfAnEventThatTheServerHasNotNoted) {
  Server servers[] = {Server(service_), Server(service_)};
  TemporaryDirectory copies;
  std::vector<std::thread> clients;
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      Server& server = servers[client % 2];
      const std::string copy = absl::StrCat(copies.path(), "/", client);
      if (client >= 6) {
        for (int question = 0; question < 60; ++question) {
          ASSERT_OK_AND_ASSIGN(const auto status, server->StatusOfCorpus(kNotesVersion));
          EXPECT_GE(EventsSeenBy(server, copy), status.events);
        }
        return;
      }
      ASSERT_OK_AND_ASSIGN(const auto plan, server->Reserve(ReserveRequestFor(
                                                "alice", client, SmallPlan(10, 1000))));
      for (int iteration = 1; iteration <= 10;) {
        const auto charged = server->Charge(ChargeRequestFor(plan, iteration));
        if (absl::IsUnavailable(charged.status())) continue;
        ASSERT_OK(charged);
        const auto* receipt = std::get_if<ChargeReceipt>(&*charged);
        if (receipt != nullptr) {
          EXPECT_GE(EventsSeenBy(server, copy), receipt->charge_id());
        }
        ++iteration;
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST_F(SharedLedgerTest, AGateIsToldOfWhatTheOtherServerDid) {
  Server first(service_), second(service_);
  const std::string before = first->AwaitMove("", absl::Seconds(60));
  EXPECT_EQ(first->AwaitMove(before, absl::ZeroDuration()), before);
  Reserved(second, "alice", 1, 1);
  EXPECT_NE(first->AwaitMove(before, absl::Minutes(5)), before);
}

// What each of these does to the database a server notices that has seen it before, while it runs
// and when it is started.
TEST_F(SharedLedgerTest, ADatabaseThatWentBackOrWasEditedIsNoticed) {
  const std::string tail =
      "(SELECT budget_id, length FROM topicwall.chain) AS c WHERE event.budget_id = c.budget_id "
      "AND event.sequence = c.length";
  const std::string back_to_2 =
      "DELETE FROM topicwall.plan; UPDATE topicwall.chain SET length = 2, head = (SELECT head FROM "
      "topicwall.event e WHERE e.budget_id = chain.budget_id AND e.sequence = 2); ";
  const std::string drop_between =
      "DELETE FROM topicwall.event WHERE sequence > 2 AND sequence < (SELECT MAX(sequence) FROM "
      "topicwall.event)";
  const std::vector<std::pair<std::string, std::string>> attacks = {
      {"a standby that misses the last event",
       absl::StrCat("DELETE FROM topicwall.event USING ", tail,
                    "; UPDATE topicwall.chain SET length = length - 1, head = (SELECT head FROM "
                    "topicwall.event e WHERE e.budget_id = chain.budget_id AND e.sequence = "
                    "chain.length - 1)")},
      {"the last event is dropped", absl::StrCat("DELETE FROM topicwall.event USING ", tail)},
      {"the last event is another",
       absl::StrCat("UPDATE topicwall.event SET head = sha256('x') FROM ", tail,
                    "; UPDATE topicwall.chain SET head = sha256('x')")},
      {"the budget is gone", "DELETE FROM topicwall.event; DELETE FROM topicwall.chain"},
      // The row that was seen last still stands where it was; the chain ends long before it.
      {"what was spent is cut out", absl::StrCat(back_to_2, drop_between)},
      // The same, but for whoever asks how long the chains are.
      {"two answers",
       absl::StrCat(back_to_2,
                    "ALTER TABLE topicwall.event RENAME TO all_events; CREATE VIEW topicwall.event "
                    "AS SELECT * FROM topicwall.all_events WHERE sequence <= 2 OR current_query() "
                    "NOT LIKE '%open_charge%'")},
  };
  for (const auto& [name, sql] : attacks) {
    SCOPED_TRACE(name);
    const std::string database = server_.NewDatabase();
    const auto copy = [&] {
      EXPECT_OK(store::MakePostgresStore(database, Unusable(*StoreOf(service_)->ReadIdentity())));
      const auto from = StoreOf(service_), to = StoreOf(database);
      EXPECT_OK(CopyLedger(*from, *to, LedgerKeysForTests()));
      EXPECT_OK(MakeUsable(*to));
    };
    copy();
    Server running(database), stopped(database);
    for (int number = 1; number <= 3; ++number) Reserved(running, "alice", number, 1);
    EXPECT_EQ(Events(stopped), Events(running));
    stopped.Stop();
    server_.Run(database, sql);
    const bool tells_nothing_false = name == "the last event is dropped";
    if (!tells_nothing_false) {
      EXPECT_THAT(running->StatusOfCorpus(kNotesVersion),
                  StatusIs(absl::StatusCode::kDataLoss, StartsWith("the ledger's database")));
      EXPECT_THAT(running->Reserve(ReserveRequestFor("alice", 2, SmallPlan(1))),
                  StatusIs(absl::StatusCode::kDataLoss));
    }
    ExpectNotRead(stopped, database);
    EXPECT_THAT(stopped.TryToStart(database), StatusIs(absl::StatusCode::kDataLoss));
  }
}

// A failover that lost events, after which servers that saw fewer went on: no intruder's doing.
TEST_F(SharedLedgerTest, ADatabaseThatWentBackAndThenOnIsToldToHaveGoneBack) {
  Server running(service_), other(service_);
  Reserved(running, "alice", 1, 1);
  const auto database = StoreOf(service_);
  ASSERT_OK_AND_ASSIGN(const auto known, database->Chains());
  Reserved(running, "alice", 2, 1);
  other.Stop();
  server_.Run(service_,
              absl::StrCat("DELETE FROM topicwall.event WHERE sequence > ", known.front().length,
                           "; UPDATE topicwall.chain SET length = ", known.front().length,
                           ", head = '\\x", absl::BytesToHexString(known.front().head), "'"));
  other.Start();
  for (const int number : {3, 4}) Reserved(other, "alice", number, 1);
  EXPECT_THAT(running->Reserve(ReserveRequestFor("alice", 5, SmallPlan(1))),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("went back"), StartsWith("the ledger's database"))));
}

// Nor is what the database itself cannot read.
TEST_F(SharedLedgerTest, ADatabaseThatIsDamagedIsNotToldToBeEdited) {
  Server running(service_);
  server_.Run(service_, "ALTER TABLE topicwall.chain RENAME TO away");
  EXPECT_THAT(running->Reserve(ReserveRequestFor("alice", 1, SmallPlan(1))),
              StatusIs(absl::StatusCode::kDataLoss, Not(HasSubstr("custodian"))));
}

// Rows beside the chain have no hashes; the chain tells which there may be.
TEST_F(SharedLedgerTest, ARowThatIsBroughtBackOrDroppedIsNoticed) {
  Server server(service_);
  const v1::PlanState plan = Reserved(server, "alice", 1, 3);
  ASSERT_OK_AND_ASSIGN(const auto charged, server->Charge(ChargeRequestFor(plan, 1)));
  server_.Run(service_, "CREATE TABLE kept AS SELECT * FROM topicwall.open_charge");
  const auto restore =
      "INSERT INTO topicwall.open_charge OVERRIDING SYSTEM VALUE SELECT * FROM kept";
  server_.Run(service_, "DELETE FROM topicwall.open_charge");
  const auto edited = StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not its custodian's"));
  EXPECT_THAT(server->Charge(ChargeRequestFor(plan, 1)), edited) << "not that it is void";
  EXPECT_THAT(server->Charge(ChargeRequestFor(plan, 1)), edited);
  EXPECT_THAT(server.TryToStart(service_), StatusIs(absl::StatusCode::kDataLoss));
  server_.Run(service_, restore);
  server.Start();
  ASSERT_OK(server->Void({.plan_id = plan.plan_id(),
                          .iteration = 1,
                          .charge_id = std::get<ChargeReceipt>(charged).charge_id(),
                          .ground = v1::ReleaseVoided::UNREADABLE_DATA,
                          .at_ms = 70000}));
  server_.Run(service_, restore);
  EXPECT_THAT(server->Reserve(ReserveRequestFor("alice", 2, SmallPlan(1))), edited);
  EXPECT_THAT(server.TryToStart(service_), StatusIs(absl::StatusCode::kDataLoss));
}

// A disk that takes nothing more while there is one.
class FullDisk {
 public:
  FullDisk() {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = 0;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  const sighandler_t handler_ = signal(SIGXFSZ, SIG_IGN);
};

// What is answered UNAVAILABLE is asked again and again: each time it would have been one attempt.
TEST_F(SharedLedgerTest, AServerThatCannotNoteWhatItSawActsNoMore) {
  Server server(service_);
  const v1::PlanState plan = Reserved(server, "alice", 1, 3);
  const auto events = [&] { return StoreOf(service_)->Chains()->front().length; };
  const int64_t before = events();
  {
    const FullDisk full;
    for (int time = 0; time < 5; ++time) {
      EXPECT_THAT(server->Charge(ChargeRequestFor(plan, 1)),
                  StatusIs(absl::StatusCode::kUnavailable));
    }
  }
  EXPECT_EQ(events(), before + 1) << "the first one stands";
  const auto again = server->Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(again);
  EXPECT_TRUE(std::holds_alternative<ChargeReceipt>(*again));
}

// A release that the first of two servers has stored, and its row as it was before that.
class RowOfBeforeTest : public SharedLedgerTest {
 protected:
  RowOfBeforeTest() : plan_(Reserved(first_, "alice", 1, 3)) {
    auto charged = first_->Charge(ChargeRequestFor(plan_, 1));
    EXPECT_OK(charged);
    key_ = KeyIn(charged);
    server_.Run(service_, "CREATE TABLE kept AS SELECT * FROM topicwall.open_charge");
    EXPECT_OK(
        first_->Store(testing::Noised(std::move(charged)), testing::SmallHeader(), kStatistics));
  }
  static std::string KeyIn(const absl::StatusOr<ChargeOutcome>& outcome) {
    const auto key = std::get<ChargeReceipt>(*outcome).release_key().ExposeBytes();
    return std::string(key.begin(), key.end());
  }
  // Whose charge it is, no seal says: it may be everybody's.
  void PutBackForEverybody() {
    server_.Run(service_, "UPDATE kept SET owner = ''");
    PutBack();
  }
  void PutBack() {
    server_.Run(service_,
                "DELETE FROM topicwall.open_charge; INSERT INTO topicwall.open_charge OVERRIDING "
                "SYSTEM VALUE SELECT * FROM kept");
  }

  const std::vector<float> kStatistics = {1, 2, 3, 4, 5, 6};
  Server first_{service_}, second_{service_};
  const v1::PlanState plan_;
  std::string key_;
};

// A failover that lost the storing, which is no event: from the same charge come the same bits.
TEST_F(RowOfBeforeTest, ALostStoringIsToldAsThatAndIsMendedByAStart) {
  PutBack();
  EXPECT_THAT(first_->Charge(ChargeRequestFor(plan_, 1)),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(StartsWith("the ledger's database"), HasSubstr("went back"),
                             HasSubstr("no event is missing"), Not(HasSubstr("restore")))));
  first_.Stop();
  first_.Start();
  auto again = first_->Charge(ChargeRequestFor(plan_, 1));
  ASSERT_OK(again);
  EXPECT_EQ(KeyIn(again), key_);
  EXPECT_OK(first_->Store(testing::Noised(std::move(again)), testing::SmallHeader(), kStatistics));
  EXPECT_OK(first_->Publish(testing::PublicationOf(plan_, 1)));
}

// Until it is started again: with the chains of one moment and the rows of another it would tell
// that what others compute is void.
TEST_F(RowOfBeforeTest, AServerThatWasShownSuchRowsTellsNothing) {
  PutBack();
  const v1::PlanState other = Reserved(second_, "alice", 2, 3);
  ASSERT_OK(second_->Charge(ChargeRequestFor(other, 1)));
  const auto refused = StatusIs(absl::StatusCode::kDataLoss, HasSubstr("went back"));
  for (int time = 0; time < 2; ++time) {
    testing::CollectedRelease sink;
    EXPECT_THAT(first_->Charge(ChargeRequestFor(plan_, 1)), refused);
    EXPECT_THAT(first_->GetPlan("alice", other.plan_id()), refused);
    EXPECT_THAT(first_->ListPlans({.principal = "alice"}), refused);
    EXPECT_THAT(first_->ReadRelease("alice", other.plan_id(), 1, sink), refused);
    EXPECT_THAT(first_->StatusOfCorpus(kNotesVersion), refused);
  }
  EXPECT_FALSE(second_->GetPlan("alice", other.plan_id())->iterations(0).voided());
}

// The same of rows that are wrong for the chains alone, which another look does not compare anew.
TEST_F(RowOfBeforeTest, ARowThatIsMissingIsMissedAtEveryLook) {
  const v1::PlanState other = Reserved(second_, "alice", 2, 3);
  ASSERT_OK(second_->Charge(ChargeRequestFor(other, 1)));
  server_.Run(service_, "DELETE FROM topicwall.open_charge WHERE release_sha256 = ''");
  for (int time = 0; time < 3; ++time) {
    EXPECT_THAT(first_->GetPlan("alice", other.plan_id()),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not its custodian's")));
  }
}

// One charge, two releases under the same noise: whoever put the row back has both.
TEST_F(RowOfBeforeTest, AnotherReleaseThanTheOneThatWasStoredIsAnAlarm) {
  PutBackForEverybody();
  auto theirs = second_->Charge(ChargeRequestFor(plan_, 1));
  ASSERT_OK(theirs);
  EXPECT_EQ(KeyIn(theirs), key_);
  ASSERT_OK(second_->Store(testing::Noised(std::move(theirs)), testing::SmallHeader(),
                           std::vector<float>{7, 2, 3, 4, 5, 6}));
  ASSERT_OK(second_->Publish(testing::PublicationOf(plan_, 1)));
  const auto alarm = StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not its custodian's"));
  EXPECT_THAT(first_->StatusOfCorpus(kNotesVersion), alarm);
  EXPECT_THAT(first_->Reserve(ReserveRequestFor("alice", 2, SmallPlan(1))), alarm);
}

// The release that was stored is then the only one, and whoever runs the database may have it.
TEST_F(RowOfBeforeTest, AStoredReleaseThatIsVoidIsNoticed) {
  PutBackForEverybody();
  absl::StatusOr<ChargeOutcome> outcome;
  do {
    outcome = second_->Charge(ChargeRequestFor(plan_, 1));
    ASSERT_OK(outcome);
  } while (!std::holds_alternative<GivenUp>(*outcome));
  ASSERT_OK(second_->Void({.plan_id = plan_.plan_id(),
                           .iteration = 1,
                           .charge_id = std::get<GivenUp>(*outcome).charge_id,
                           .ground = v1::ReleaseVoided::FAILED,
                           .at_ms = 960000}));
  EXPECT_THAT(first_->StatusOfCorpus(kNotesVersion),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("went back")));
}

// What another server stored and published is what this one knew as stored.
TEST_F(RowOfBeforeTest, AStoredReleaseThatAnotherServerPublishesIsAsItWas) {
  EXPECT_OK(second_->Publish(testing::PublicationOf(plan_, 1)));
  testing::CollectedRelease release;
  EXPECT_OK(first_->ReadRelease("alice", plan_.plan_id(), 1, release));
  EXPECT_EQ(release.bytes.size(), 24);
}

// A running server writes what it saw, while a command of the custodian's looks at it.
TEST_F(SharedLedgerTest, WhatAServerSawIsReadBesideIt) {
  Server server(service_);
  std::atomic<bool> over{false};
  std::thread client([&] {
    for (int number = 1; number <= 60; ++number) {  // no more may be cancelled unused
      auto plan = server->Reserve(ReserveRequestFor("alice", number, SmallPlan(1, 1000)));
      EXPECT_OK(plan);
      if (plan.ok()) EXPECT_OK(server->Cancel("alice", plan->plan_id(), 60000));
    }
    over = true;
  });
  const auto database = StoreOf(service_);
  while (!over) {
    const auto seen = SeenOfShared(server.directory(), *database);
    EXPECT_OK(seen.status());
    EXPECT_OK(KeptState().TakeFrom(*database, nullptr, seen.value_or(std::vector<store::Chain>())));
  }
  client.join();
}

TEST_F(SharedLedgerTest, AServerIsOpenedOnItsOwnLedgerOnly) {
  Server server(service_);
  server.Stop();
  std::filesystem::remove(store::IdentityPath(server.directory()));
  EXPECT_THAT(server.TryToStart(service_), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_OK(store::WriteIdentityFile(server.directory(), std::string(32, '0')));
  EXPECT_THAT(server.TryToStart(service_), StatusIs(absl::StatusCode::kDataLoss));
  ExpectNotRead(server, service_);
}

// -9 at any moment, while two servers reserve and charge: what was answered is there, once.
TEST_F(SharedLedgerTest, NothingIsLostOrDoubleWhenTheDatabaseIsKilled) {
  Server servers[] = {Server(service_), Server(service_)};
  std::atomic<bool> over{false};
  std::atomic<int> answered{0};
  std::mutex mutex;
  std::set<std::string> charged;  // plans whose charge was answered
  std::vector<std::thread> clients;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&, client] {
      const std::string name = absl::StrCat("analyst ", client);
      for (int number = 0; !over; ++number) {
        absl::StatusOr<v1::PlanState> plan;
        do {  // the same request until it is answered
          plan = servers[client % 2]->Reserve(ReserveRequestFor(name, number, SmallPlan(1, 1000)));
        } while (absl::IsUnavailable(plan.status()) && !over);
        if (over) return;
        ASSERT_OK(plan);
        absl::StatusOr<ChargeOutcome> outcome;
        do {
          outcome = servers[client % 2]->Charge(ChargeRequestFor(*plan, 1));
        } while (absl::IsUnavailable(outcome.status()) && !over);
        if (over) return;
        ASSERT_OK(outcome);
        const std::lock_guard<std::mutex> lock(mutex);
        EXPECT_TRUE(charged.insert(plan->plan_id()).second);
        ++answered;
      }
    });
  }
  const int kills =
      std::getenv("TOPICWALL_KILLS") == nullptr ? 10 : atoi(std::getenv("TOPICWALL_KILLS"));
  for (int kill = 0; kill < kills; ++kill) {
    const int before = answered;
    for (int waited = 0; waited < 120000 && answered < before + 3 + kill % 7; ++waited) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GT(answered, before);
    server_.Kill();
    server_.Start();
  }
  over = true;
  for (std::thread& client : clients) client.join();
  servers[0].Stop();
  servers[0].Start();
  EXPECT_OK(servers[0]->VerifyWholeLedger());
  EXPECT_EQ(Events(servers[0]), Events(servers[1]));
  std::set<std::string> found;
  for (int client = 0; client < 4; ++client) {
    PlanQuery query{.principal = absl::StrCat("analyst ", client)};
    do {
      ASSERT_OK_AND_ASSIGN(const auto page, servers[0]->ListPlans(query));
      for (const v1::PlanState& plan : page.plans) {
        EXPECT_LE(plan.iterations_size(), 1);
        if (plan.iterations_size() == 1) found.insert(plan.plan_id());
      }
      query.page_token = page.next_page_token;
    } while (!query.page_token.empty());
  }
  for (const std::string& plan : charged) EXPECT_EQ(found.count(plan), 1);
}

TEST_F(SharedLedgerTest, AKeyIsNotChangedWhileOthersHaveIt) {
  Server server(service_);
  EXPECT_THAT(server->ReplaceSealingKey(testing::SealingKeyForTests(2)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

// There and back: heads, plans, releases and open charges.
TEST_F(SharedLedgerTest, ALedgerMovesBackAsItIs) {
  Server server(service_);
  const v1::PlanState plan = Reserved(server, "alice", 1, 3);
  testing::Release(*server, plan, 1);
  ASSERT_OK(server->Charge(ChargeRequestFor(plan, 2)));
  const std::string shown = server->GetPlan("alice", plan.plan_id())->SerializeAsString();
  const std::string head = server->StatusOfCorpus(kNotesVersion)->head;
  server.Stop();
  TemporaryDirectory directory;
  const auto database = StoreOf(service_);
  {
    ASSERT_OK_AND_ASSIGN(auto file,
                         store::CreateStore(*store::DataDirectoryLock::Acquire(directory.path()),
                                            Unusable(*database->ReadIdentity())));
    ASSERT_OK(CopyLedger(*database, *file, LedgerKeysForTests()));
    ASSERT_OK(MakeUsable(*file));
  }
  ASSERT_OK_AND_ASSIGN(auto ledger,
                       FoldedLedger::Open(*store::DataDirectoryLock::Acquire(directory.path()),
                                          LedgerKeysForTests()));
  EXPECT_EQ(ledger->StatusOfCorpus(kNotesVersion)->head, head);
  EXPECT_EQ(ledger->GetPlan("alice", plan.plan_id())->SerializeAsString(), shown);
  EXPECT_OK(ledger->VerifyWholeLedger());
  EXPECT_OK(ledger->Charge(ChargeRequestFor(plan, 2))) << "its key came along";
}

// It lies where nothing can be written beside it: on a disk that was mounted to be read.
TEST_F(SharedLedgerTest, ABackupIsOneFileThatNeedsNoLog) {
  const Server server(service_);
  const TemporaryDirectory backup;
  ASSERT_OK(
      BackupShared(server.directory(), *StoreOf(service_), backup.path(), LedgerKeysForTests()));
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(backup.path())) {
    names.insert(entry.path().filename());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("ledger.db", "ledger.id"));
  // SQLite's file format: how it is written and read; 2 is with a log.
  const std::string file = testing::ReadWholeFile(store::DatabasePath(backup.path()));
  EXPECT_EQ(file.substr(18, 2), "\x01\x01");
}

}  // namespace
}  // namespace topicwall::ledger
