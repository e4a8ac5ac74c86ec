// How many iterations two servers charge in a second, each with a session to one PostgreSQL whose
// commits reach the disk: on one budget, and over four.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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

constexpr int kServers = 2;
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

// A ledger of so many budgets, each of a corpus of its own.
std::string Shared(testing::PostgresServer& database, int budgets) {
  testing::LedgerForTests home;
  for (int budget = 1; budget < budgets; ++budget) {
    ledger::OpenBudgetParams params = testing::NotesBudget();
    params.corpus = absl::StrCat("notes", budget);
    params.corpus_version = VersionOf(budget);
    EXPECT_OK(home->OpenBudget(params));
  }
  home.Close();
  const std::string service = database.NewDatabase();
  auto file = store::OpenStore(*store::DataDirectoryLock::Acquire(home.directory()));
  EXPECT_OK(store::MakePostgresStore(service, ledger::Unusable(*(*file)->ReadIdentity())));
  const auto shared = *store::OpenPostgresStore(service, store::PostgresUse::kReadWrite);
  EXPECT_OK(ledger::CopyLedger(**file, *shared));
  EXPECT_OK(ledger::MakeUsable(*shared));
  return service;
}

void Run(testing::PostgresServer& database, int budgets) {
  const std::string service = Shared(database, budgets);
  std::vector<std::unique_ptr<Server>> servers;
  for (int i = 0; i < kServers; ++i) servers.push_back(std::make_unique<Server>(service));
  constexpr int kClients = kServers * kClientsOfAServer;
  std::vector<v1::PlanState> plans;
  for (int client = 0; client < kClients; ++client) {
    v1::ReleaseSpec plan = testing::SmallPlan(kChargesOfAClient, 100000);
    const int budget = client / kServers % budgets;
    if (budget > 0) plan.set_corpus(absl::StrCat("notes", budget));
    plan.set_corpus_version(VersionOf(budget));
    const auto reserved =
        servers[0]->ledger->Reserve(testing::ReserveRequestFor("alice", client, plan));
    EXPECT_OK(reserved);
    plans.push_back(*reserved);
  }
  std::atomic<int> refused{0};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      for (int iteration = 1; iteration <= kChargesOfAClient;) {
        const auto charged = servers[client % kServers]->ledger->Charge(
            testing::ChargeRequestFor(plans[client], iteration));
        if (charged.ok()) ++iteration;
        if (!charged.ok()) ++refused;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::cout << kServers << " servers, " << kClients << " clients, " << budgets
            << " budgets: " << kClients * kChargesOfAClient / seconds << " charges a second, "
            << refused << " asked again\n";
}

}  // namespace
}  // namespace topicwall

int main() {
  topicwall::testing::PostgresServer database(topicwall::testing::PostgresServer::Sync::kOn);
  for (const int budgets : {1, 4}) topicwall::Run(database, budgets);
  return 0;
}
