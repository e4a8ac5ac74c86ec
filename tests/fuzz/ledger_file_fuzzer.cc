// A ledger's database that somebody has edited (server/ledger/folded/folded_ledger.h): opening and
// verifying it either fails, or finds the same budget, spent to the same sums, with the same chain.
//
// Input: edits (edited_file.h).
#include "absl/strings/match.h"
#include "proto/ledger_chain.h"
#include "server/store/ledger_files.h"
#include "tests/fuzz/edited_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::fuzz {
namespace {

// What an auditor is told.
struct Told {
  std::string budget;
  std::vector<std::string> entries;
};

absl::StatusOr<Told> Ask(ledger::FoldedLedger& ledger) {
  const ledger::Reader auditor = {.principal = "ann", .is_auditor = true};
  auto budget = ledger.Budget({.corpus_version = testing::kNotesVersion, .reader = auditor});
  if (!budget.ok()) return budget.status();
  budget->clear_signed_head();  // a reader has no key to sign with
  Told told = {.budget = budget->SerializeAsString(), .entries = {}};
  proto::ChainVerifier chain;
  const absl::Status read =
      ledger.ReadEvents(testing::kNotesVersion, auditor, 0, [&](const v1::LedgerEntry& entry) {
        v1::LedgerEntry unsigned_entry = entry;
        unsigned_entry.clear_signed_head();
        told.entries.push_back(unsigned_entry.SerializeAsString());
        return chain.Add(entry);
      });
  if (!read.ok()) return read;
  return told;
}

struct World {
  World() {
    const auto plan =
        ledger->Reserve(testing::ReserveRequestFor("alice", 1, testing::SmallPlan(3)));
    Require(plan.ok(), "a small plan fits");
    testing::Release(*ledger, *plan, 1);
    const auto other = ledger->Reserve(testing::ReserveRequestFor("bob", 2, testing::SmallPlan(2)));
    Require(other.ok() && ledger->Cancel("bob", other->plan_id(), 2500).ok(), "and is cancelled");
    honest = *Ask(*ledger);
    ledger.Close();
    file = std::make_unique<EditedFile>(store::DatabasePath(ledger.directory()));
  }

  testing::LedgerForTests ledger;
  Told honest;
  std::unique_ptr<EditedFile> file;
};

const RefusalRules& Rules() {
  static const RefusalRules& rules = *new RefusalRules{
      .codes = {absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition}};
  return rules;
}

Verdict RefuseFile(const absl::Status& status) {
  // A length in the file may ask for more memory than there is; nothing else is a passing trouble.
  const bool wants_memory =
      absl::IsUnavailable(status) && absl::StrContains(status.message(), "more memory");
  return wants_memory ? Verdict::kRefused : Refuse(status, Rules());
}

Verdict Run(absl::string_view input) {
  static World world;  // destroyed at exit, and its folder removed with it
  world.file->Edit(input);
  const auto opened = ledger::FoldedLedger::OpenReadOnly(world.ledger.directory());
  if (!opened.ok()) return RefuseFile(opened.status());
  const absl::Status whole = (*opened)->VerifyWholeLedger();
  const absl::StatusOr<Told> told = Ask(**opened);
  if (!whole.ok()) {
    if (!told.ok()) RefuseFile(told.status());
    return RefuseFile(whole);
  }
  Require(told.ok(), "a ledger that verifies can be read");
  Require(told->budget == world.honest.budget, "a ledger that verifies has spent what was spent");
  Require(told->entries == world.honest.entries, "a ledger that verifies has its own events");
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() { return {"", BitTurned(9000, 3) + BitTurned(9000, 3)}; }

[[maybe_unused]] const bool registered =
    Register({.name = "ledger_file", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
