// Events that were lost with a ledger and come back from a reader's export
// (FoldedLedger::ThawByEvents): a restored ledger takes them all over or none, never has more to
// spend afterwards, and verifies.
//
// Input: a byte, then pieces, each a serialized v1::LedgerEvent behind those of the backup, with
// hashes that are right. If the byte is odd, numbers and budget are made right, too. kPlan stands
// for the id of the one plan in the backup.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "proto/ledger_chain.h"
#include "server/ledger/ledger_backup.h"
#include "server/store/ledger_files.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::fuzz {
namespace {

constexpr char kPlan[] = "the-only-plan-that-was-backed-up";

// A restored ledger that waits to be thawed.
class World {
 public:
  World() {
    const auto plan =
        ledger->Reserve(testing::ReserveRequestFor("alice", 1, testing::SmallPlan(3)));
    Require(plan.ok(), "a small plan fits");
    plan_id = plan->plan_id();
    testing::Release(*ledger, *plan, 1);
    const v1::LedgerExport seen = testing::ExportOf(*ledger);
    events.assign(seen.entries().begin(), seen.entries().end());
    head = seen.signed_head();
    Require(ledger::BackupLedger(ledger.directory(), backup_.path(), testing::LedgerKeysForTests())
                .ok(),
            "it is backed up");
    Restore();
  }

  void Restore() {
    ledger.Close();
    for (const auto& file : std::filesystem::directory_iterator(ledger.directory())) {
      std::filesystem::remove(file);
    }
    const auto lock = store::DataDirectoryLock::Acquire(ledger.directory());
    Require(
        lock.ok() &&
            ledger::InstallBackup(backup_.path(), *lock, testing::LedgerKeysForTests(), 50000).ok(),
        "the backup comes back");
  }

  testing::LedgerForTests ledger;
  std::string plan_id;
  std::vector<v1::LedgerEntry> events;
  v1::SignedHead head;

 private:
  testing::TemporaryDirectory backup_;
};

v1::BudgetStatus BudgetOf(World& world) {
  auto budget = world.ledger->Budget({.corpus_version = testing::kNotesVersion,
                                      .reader = {.principal = "ann", .is_auditor = true}});
  Require(budget.ok(), "the budget can be read");
  return *std::move(budget);
}

v1::LedgerExport ExportOf(absl::string_view input, const World& world) {
  v1::LedgerExport lost;
  lost.mutable_entries()->Assign(world.events.begin(), world.events.end());
  InputCursor cursor(input);
  const bool mend = cursor.Take<uint8_t>() % 2 == 1;
  while (!cursor.at_end()) {
    const std::string bytes =
        absl::StrReplaceAll(std::string(cursor.Piece()), {{kPlan, world.plan_id}});
    v1::LedgerEvent event;
    if (!event.ParseFromString(bytes)) continue;
    const int64_t sequence = lost.entries_size() + 1;
    if (mend) {
      event.set_sequence(sequence);
      event.set_budget_id(world.ledger.budget_id());
    }
    const std::string head = lost.entries(lost.entries_size() - 1).head();
    v1::LedgerEntry& entry = *lost.add_entries();
    entry.set_sequence(sequence);
    entry.set_event(event.SerializeAsString());
    entry.set_salt(std::string(proto::kEventSaltSize, 's'));
    entry.set_commitment(proto::EventCommitment(entry.salt(), entry.event()));
    entry.set_head(proto::NextHead(head, entry.commitment()));
  }
  *lost.mutable_signed_head() = world.head;
  testing::SignEnd(lost);
  return lost;
}

Verdict Run(absl::string_view input) {
  static const RefusalRules& rules = *new RefusalRules{
      .codes = {absl::StatusCode::kInvalidArgument, absl::StatusCode::kFailedPrecondition}};
  static World world;  // destroyed at exit, and its folders removed with it
  static bool frozen = false;
  if (!frozen) {
    world.Restore();
    world.ledger.Reopen();
    frozen = true;
  }
  const v1::BudgetStatus before = BudgetOf(world);
  const absl::Status thawed = world.ledger->ThawByEvents(
      ExportOf(input, world), {.receipts = {}, .forfeit_unseen = true}, 60000);
  const v1::BudgetStatus after = BudgetOf(world);
  if (!thawed.ok()) {
    Require(after.SerializeAsString() == before.SerializeAsString(), "a refusal changes nothing");
    return Refuse(thawed, rules);
  }
  frozen = false;
  Require(after.state() != v1::CORPUS_STATE_FROZEN, "what is thawed is not frozen");
  Require(after.events() > before.events(), "a thaw is an event");
  for (int i = 0; i < after.spent_size(); ++i) {
    Require(after.spent(i) >= before.spent(i), "events bring nothing back to spend");
  }
  const absl::Status whole = world.ledger->VerifyWholeLedger();
  Require(whole.ok(), absl::StrCat("a thawed ledger verifies: ", whole.message()));
  return Verdict::kAccepted;
}

// As the ledger itself writes them: a reservation, a charge and a publication of another plan.
std::vector<v1::LedgerEvent> EventsOfAnotherPlan() {
  testing::LedgerForTests other;
  const auto plan = other->Reserve(testing::ReserveRequestFor("bob", 1, testing::SmallPlan(2)));
  Require(plan.ok(), "a small plan fits");
  testing::Release(*other, *plan, 1);
  Require(other->Cancel("bob", plan->plan_id(), 2500).ok(), "and can be cancelled");
  std::vector<v1::LedgerEvent> events;
  for (const auto& entry :
       testing::EntriesSeenBy(*other, {.principal = "ann", .is_auditor = true})) {
    v1::LedgerEvent event;
    Require(event.ParseFromString(entry.event()), "an honest event parses");
    if (!event.principal().empty()) events.push_back(event);
  }
  return events;
}

std::vector<std::string> Seeds() {
  v1::LedgerEvent charged;
  charged.set_principal("alice");
  charged.mutable_iteration_charged()->set_plan_id(kPlan);
  charged.mutable_iteration_charged()->set_iteration(2);
  charged.mutable_iteration_charged()->set_request_digest(std::string(32, 'd'));
  std::string another = NumberOf<uint8_t>(1);
  for (const v1::LedgerEvent& event : EventsOfAnotherPlan()) {
    another.append(PieceOf(event.SerializeAsString()));
  }
  return {NumberOf<uint8_t>(0),
          absl::StrCat(NumberOf<uint8_t>(1), PieceOf(charged.SerializeAsString())), another};
}

[[maybe_unused]] const bool registered =
    Register({.name = "ledger_thaw", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
