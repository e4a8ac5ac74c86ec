// How much processor time opening a ledger takes: a chain of reservations, charges and publications
// on the disk, folded and verified as at every start, beside hashing the same bytes once.
#include <ctime>
#include <functional>
#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "accountant/ledger/plan_acts.h"
#include "base/sha256.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/plan_spec.h"
#include "server/store/stores.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall {
namespace {

// Of the processor: other work on the machine changes it little.
double SecondsOf(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Plans of ten iterations, all charged and published: 21 events each.
int64_t Fill(const std::string& directory, const std::string& budget_id, int64_t events) {
  auto store = *store::OpenStore(*store::DataDirectoryLock::Acquire(directory));
  const ledger::LedgerSeals seals = testing::SealsForTests(*store);
  ledger::KeptState state;
  if (!state.TakeFrom(*store, &seals).ok()) return 0;
  for (int64_t plan = 0; 21 * plan < events; ++plan) {
    const std::string id = absl::StrCat("plan ", plan);
    const v1::ReleaseSpec spec = testing::SmallPlan(10, 1048576);
    const auto decided = Decide(
        state.ledger,
        accountant::ledger::ReserveAct{
            .purse = testing::PurseOf("alice"), .plan = spec, .plan_id = id, .now_ms = 2000});
    accountant::ledger::Events acts = decided->events;
    v1::LedgerEvent event;
    event.set_time_ms(3000);
    event.set_principal("alice");
    for (int iteration = 1; iteration <= 10; ++iteration) {
      event.mutable_iteration_charged()->set_plan_id(id);
      event.mutable_iteration_charged()->set_iteration(iteration);
      event.mutable_iteration_charged()->set_request_digest(std::string(32, 'd'));
      Add(state.ledger, budget_id, event, &acts);
      event.mutable_release_published()->set_plan_id(id);
      event.mutable_release_published()->set_iteration(iteration);
      event.mutable_release_published()->set_intervals_waited(1);
      event.mutable_release_published()->set_release_sha256(std::string(32, 'r'));
      event.mutable_release_published()->set_header_sha256(std::string(32, 'h'));
      Add(state.ledger, budget_id, event, &acts);
    }
    store::Change of_plan{.name = "fill"};
    if (!ledger::AddEvents(state.ledger, acts, seals, &of_plan).ok()) return 0;
    of_plan.plan = {.plan_id = id, .principal = "alice", .request_id = id};
    if (!store->Append(of_plan).ok() || !state.Apply(of_plan).ok()) return 0;
  }
  return state.ledger.budgets().front().length();
}

void Run(int64_t events) {
  testing::LedgerForTests wall;
  wall.Close();
  const int64_t length = Fill(wall.directory(), wall.budget_id(), events);
  const double opening = SecondsOf([&] { EXPECT_OK(wall.TryToOpen()); });
  std::string bytes;
  for (const v1::LedgerEntry& entry : testing::EntriesSeenBy(*wall, {"ann", true})) {
    absl::StrAppend(&bytes, entry.event(), entry.salt(), entry.commitment(), entry.head());
  }
  const double hashing = SecondsOf([&] { bytes[0] = static_cast<char>(base::Sha256Of(bytes)[0]); });
  std::cout << length << " events: opened in " << opening << " s, "
            << 1e6 * opening / static_cast<double>(length)
            << " microseconds an event; hashing its bytes once takes " << hashing << " s\n";
}

}  // namespace
}  // namespace topicwall

int main(int argc, char** argv) {
  CLI::App app{"How long opening a ledger takes"};
  int64_t events = 100000;
  app.add_option("--events", events, "Length of the chain")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  topicwall::Run(events);
}
