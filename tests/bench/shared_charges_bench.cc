// How many iterations servers charge in a second, of four clients each: one server with its ledger
// in a file, and one, two and four on one PostgreSQL whose commits reach the disk; on one budget,
// and over four. What a sync costs here: /usr/lib/postgresql/15/bin/pg_test_fsync.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/ledger/ledger_copy.h"
#include "server/store/ledger_files.h"
#include "server/store/postgresql/postgres_store.h"
#include "server/store/stores.h"
#include "tests/support/ledger_for_tests.h"
#include "tests/support/postgres/postgres_server.h"

namespace topicwall {
namespace {

constexpr int kClientsOfAServer = 4;
constexpr int kChargesOfAClient = 50;

struct Server {
  explicit Server(const std::string& service) {
    auto store = store::OpenPostgresStore(service, store::PostgresUse::kReadWrite);
    EXPECT_OK(store::WriteIdentityFile(directory.path(), (*store)->ReadIdentity()->ledger_id));
    auto opened =
        ledger::FoldedLedger::OpenShared(*store::DataDirectoryLock::Acquire(directory.path()),
                                         *std::move(store), testing::LedgerKeysForTests());
    EXPECT_OK(opened);
    ledger = *std::move(opened);
  }

  testing::TemporaryDirectory directory;
  std::unique_ptr<ledger::FoldedLedger> ledger;
};

std::string VersionOf(int budget) { return absl::StrCat("notes, version ", 1 + budget); }

// Each of a corpus of its own.
void OpenBudgets(ledger::FoldedLedger& ledger, int budgets) {
  for (int budget = 1; budget < budgets; ++budget) {
    ledger::OpenBudgetParams params = testing::NotesBudget();
    params.corpus = absl::StrCat("notes", budget);
    params.corpus_version = VersionOf(budget);
    EXPECT_OK(ledger.OpenBudget(params));
  }
}

std::string Shared(testing::PostgresServer& database, int budgets) {
  testing::LedgerForTests home;
  OpenBudgets(*home, budgets);
  home.Close();
  const std::string service = database.NewDatabase();
  auto file = store::OpenStore(*store::DataDirectoryLock::Acquire(home.directory()));
  EXPECT_OK(store::MakePostgresStore(service, ledger::Unusable(*(*file)->ReadIdentity())));
  const auto shared = *store::OpenPostgresStore(service, store::PostgresUse::kReadWrite);
  EXPECT_OK(ledger::CopyLedger(**file, *shared, testing::LedgerKeysForTests()));
  EXPECT_OK(ledger::MakeUsable(*shared));
  return service;
}

// Charges a second, of clients who each have a plan of one of the budgets, at one of the servers.
double ChargesASecond(const std::vector<ledger::FoldedLedger*>& servers, int budgets) {
  const int clients = static_cast<int>(servers.size()) * kClientsOfAServer;
  std::vector<v1::PlanState> plans;
  for (int client = 0; client < clients; ++client) {
    v1::ReleaseSpec plan = testing::SmallPlan(kChargesOfAClient, 100000);
    const int budget = client / static_cast<int>(servers.size()) % budgets;
    if (budget > 0) plan.set_corpus(absl::StrCat("notes", budget));
    plan.set_corpus_version(VersionOf(budget));
    const auto reserved = servers[0]->Reserve(testing::ReserveRequestFor("alice", client, plan));
    EXPECT_OK(reserved);
    plans.push_back(*reserved);
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      for (int iteration = 1; iteration <= kChargesOfAClient;) {
        const auto charged = servers[client % servers.size()]->Charge(
            testing::ChargeRequestFor(plans[client], iteration));
        if (charged.ok()) ++iteration;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return clients * kChargesOfAClient /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void RunEmbedded(int budgets) {
  testing::LedgerForTests home;
  OpenBudgets(*home, budgets);
  std::cout << "ledger.db, 1 server, " << budgets << " budgets: " << std::flush
            << ChargesASecond({&*home}, budgets) << " charges a second\n";
}

void RunShared(testing::PostgresServer& database, int num_servers, int budgets) {
  const std::string service = Shared(database, budgets);
  std::vector<std::unique_ptr<Server>> servers;
  std::vector<ledger::FoldedLedger*> ledgers;
  for (int i = 0; i < num_servers; ++i) {
    ledgers.push_back(servers.emplace_back(std::make_unique<Server>(service))->ledger.get());
  }
  const auto syncs = [&] {
    return atoll(database.Run(service, "SELECT wal_sync FROM pg_stat_wal").c_str());
  };
  const int64_t before = syncs();
  std::cout << "PostgreSQL, " << num_servers << " servers, " << budgets
            << " budgets: " << std::flush << ChargesASecond(ledgers, budgets)
            << " charges a second, ";
  servers.clear();  // sessions tell what they did when they end
  std::this_thread::sleep_for(std::chrono::seconds(1));
  std::cout << static_cast<double>(syncs() - before) /
                   (num_servers * kClientsOfAServer * kChargesOfAClient)
            << " syncs of its log each\n";
}

}  // namespace
}  // namespace topicwall

int main() {
  for (const int budgets : {1, 4}) topicwall::RunEmbedded(budgets);
  topicwall::testing::PostgresServer database(topicwall::testing::PostgresServer::Sync::kOn);
  for (const int budgets : {1, 4}) {
    for (const int servers : {1, 2, 4}) topicwall::RunShared(database, servers, budgets);
  }
  return 0;
}
