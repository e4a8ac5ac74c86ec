// Folding is verifying: each entry must carry the hash that follows from the entry before, each
// event must be one that can have happened, and the last head must be the one that the store knows.
// What stands beside the chain has no hashes; kept_rows.h holds it to the events instead.
#include "server/ledger/folded/kept_chains.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"
#include "proto/strict_parse.h"
#include "server/ledger/folded/kept_rows.h"

namespace topicwall::ledger {
namespace {

namespace fold = accountant::ledger;

absl::Status WentBack(const std::string& budget_id) {
  return absl::DataLossError(absl::StrCat(
      "the ledger's database contradicts what this server saw of budget ", budget_id,
      " (ledger.seen in the data directory): it went back, or was edited. Stop all servers of the "
      "ledger and bring back the database that has the events; if it is lost, move that file away, "
      "restore a backup and thaw it."));
}

// Storing is no event. Of the same charge the same bits are computed again, by whoever is asked.
absl::Status RowWentBack(const std::string& budget_id) {
  return absl::DataLossError(absl::StrCat(
      "the ledger's database lost a release that this server had stored, of budget ", budget_id,
      ": what it keeps beside the events went back, and no event is missing. Start this server "
      "again: what is not void is computed again, bit for bit. A database that you fail over must "
      "have all that was committed; see the runbook."));
}

absl::Status AnotherRelease() {
  return NotTheCustodians(
      "in the place of a release that this server stored there is another one of the same charge: "
      "the row of before was put back, or edited. Two releases of one charge have the same noise; "
      "see the runbook.");
}

bool HaveOneRelease(const store::OpenCharge& row, const store::OpenCharge& other) {
  return row.release_sha256 == other.release_sha256 && row.header_sha256 == other.header_sha256;
}

// The row of a release that was stored and has none any more: it was that one that was published.
absl::Status CheckEnd(const fold::LedgerState& state, const store::OpenCharge& row) {
  TW_ASSIGN_OR_RETURN(const fold::BudgetState* budget, state.Find(row.budget_id));
  const auto [plan, iteration] = ChargedBy(*budget, row.sequence);
  if (plan == nullptr) return RowsDiffer();
  const fold::Charge& charge = plan->charges.at(iteration);
  if (charge.voided()) return RowWentBack(row.budget_id);
  if (charge.pending()) return NotTheCustodians(RowsDiffer().message());
  const bool is_that = charge.published->release_sha256() == row.release_sha256 &&
                       charge.published->header_sha256() == row.header_sha256;
  return is_that ? absl::OkStatus() : AnotherRelease();
}

// Null if it is not among them.
const store::Chain* SeenOf(const std::vector<store::Chain>& seen, const std::string& budget_id) {
  const auto found = std::find_if(seen.begin(), seen.end(), [&](const store::Chain& chain) {
    return chain.budget_id == budget_id;
  });
  return found == seen.end() ? nullptr : &*found;
}

// Of what was read from the store and cannot be. While a ledger is opened it may be damage; one
// that was sound, and to which servers alone append, somebody edited.
absl::Status CannotBe(bool follows, const absl::Status& what) {
  return follows && absl::IsDataLoss(what) ? NotTheCustodians(what.message()) : what;
}

// An event that this program does not know the whole of is the custodian's all the same, where its
// salt was asked for: nobody edited the ledger, and no backup would have it otherwise.
absl::Status Applied(const std::string& budget_id, const v1::LedgerEntry& entry, bool follows,
                     fold::LedgerState* state) {
  const absl::Status applied = state->Apply(budget_id, entry);
  if (!proto::IsWrittenByNewer(applied)) return CannotBe(follows, applied);
  // Analysts are told it, too, whose program is another one.
  return proto::WrittenByNewer(
      absl::StrCat("ledger entry ", entry.sequence(), " of budget ", budget_id),
      "the server's program");
}

// As far as the chain was long when it was asked for, since beside a server it grows meanwhile.
// `follows`: the state was opened before.
absl::Status FoldChain(store::EventStore& store, const store::Chain& chain,
                       const LedgerSeals* seals, const store::Chain* seen, bool follows,
                       fold::LedgerState* state) {
  const auto known = state->Find(chain.budget_id);
  const int64_t length = known.ok() ? (*known)->length() : 0;
  std::string head = known.ok() ? (*known)->head() : proto::GenesisHead();
  if (chain.length == length && chain.head == head) return absl::OkStatus();
  if (chain.length <= length) return WentBack(chain.budget_id);
  // From the last one that is known on: a chain that went back and then on has another there.
  for (int64_t next = std::max<int64_t>(length, 1); next <= chain.length;) {
    TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                        store.ReadEntries(chain.budget_id, next,
                                          std::min(kEntriesPerRead, chain.length - next + 1)));
    // Fewer than the chain's row promised: the comparison below says so.
    if (entries.empty()) break;
    next += static_cast<int64_t>(entries.size());
    for (const v1::LedgerEntry& entry : entries) {
      if (entry.sequence() <= length) {
        if (entry.head() != head) return WentBack(chain.budget_id);
        continue;
      }
      if (seals != nullptr) TW_RETURN_IF_ERROR(seals->CheckSalt(head, entry));
      TW_RETURN_IF_ERROR(Applied(chain.budget_id, entry, follows, state));
      head = entry.head();
      // What is folded, and not what stands in the store at that place: only that is acted on.
      if (seen != nullptr && entry.sequence() == seen->length && head != seen->head) {
        return WentBack(chain.budget_id);
      }
    }
  }
  if (head == chain.head) return absl::OkStatus();
  return CannotBe(
      follows, absl::DataLossError("the ledger's events end before its head: some are missing."));
}

}  // namespace

KeptState::Place KeptState::Seek(const std::string& plan_id, int iteration) const {
  Place place{.budget = ledger.WithPlan(plan_id)};
  if (place.budget == nullptr) return place;
  place.plan = place.budget->FindPlan(plan_id);
  const auto charge = place.plan->charges.find(iteration);
  if (charge == place.plan->charges.end()) return place;
  place.charge = &charge->second;
  const auto row = open.find({place.budget->budget_id(), charge->second.sequence});
  if (row != open.end()) place.open = &row->second;
  return place;
}

std::vector<store::Chain> KeptState::Chains() const {
  std::vector<store::Chain> chains;
  for (const fold::BudgetState& budget : ledger.budgets()) {
    chains.push_back({budget.budget_id(), budget.length(), budget.head()});
  }
  return chains;
}

std::string KeptState::Heads() const {
  std::string heads;
  for (const fold::BudgetState& budget : ledger.budgets()) heads += budget.head();
  return heads;
}

bool KeptState::IsAt(const std::vector<store::Chain>& chains) const {
  if (!whole || chains.size() != ledger.budgets().size()) return false;
  return std::all_of(chains.begin(), chains.end(), [&](const store::Chain& chain) {
    const auto budget = ledger.Find(chain.budget_id);
    return budget.ok() && (*budget)->length() == chain.length && (*budget)->head() == chain.head;
  });
}

// Rows that are older or newer than the chains would look as if they were damaged.
absl::Status KeptState::TakeFrom(store::EventStore& store, const LedgerSeals* seals,
                                 const std::vector<store::Chain>& seen, const ReleaseKeys* keys) {
  const bool follows = !ledger.budgets().empty();
  TW_ASSIGN_OR_RETURN(store::Moment moment, store.ReadMoment());
  const bool moved = !IsAt(moment.chains);
  whole = false;
  for (const store::Chain& chain : moment.chains) {
    TW_RETURN_IF_ERROR(
        FoldChain(store, chain, seals, SeenOf(seen, chain.budget_id), follows, &ledger));
  }
  for (const store::Chain& chain : seen) {
    const auto budget = ledger.Find(chain.budget_id);
    if (!budget.ok() || (*budget)->length() < chain.length) return WentBack(chain.budget_id);
  }
  for (const fold::BudgetState& budget : ledger.budgets()) {
    if (SeenOf(moment.chains, budget.budget_id()) == nullptr) return WentBack(budget.budget_id());
  }
  // All anew, and not what is missing: rows also change without an event.
  decltype(open) now;
  for (store::OpenCharge& row : moment.open_charges) {
    const auto place = std::make_pair(row.budget_id, row.sequence);
    const auto known = open.find(place);
    if (known == open.end() || known->second != row) {
      TW_RETURN_IF_ERROR(CannotBe(follows, CheckRow(ledger, row, seals, keys)));
      // Where a release was stored there is no key any more, be it the charge's own. Whose it is
      // may change: another server takes it over.
      if (known != open.end() && !known->second.release_sha256.empty()) {
        if (row.release_sha256.empty()) return RowWentBack(row.budget_id);
        if (!HaveOneRelease(row, known->second)) return AnotherRelease();
      }
    }
    now[place] = std::move(row);
  }
  for (const auto& [place, row] : open) {
    if (row.release_sha256.empty() || now.count(place) > 0) continue;
    TW_RETURN_IF_ERROR(CheckEnd(ledger, row));
  }
  // Of a new one CheckRows asks, which knows whether it is a backup.
  if (follows && (moved || now != open)) {
    TW_RETURN_IF_ERROR(CannotBe(follows, CheckOpenCharges(ledger, now, /*is_backup=*/false)));
  }
  open = std::move(now);
  whole = true;
  return absl::OkStatus();
}

absl::Status KeptState::RequireWhole() const { return whole ? absl::OkStatus() : RowsDiffer(); }

absl::Status KeptState::Apply(const store::Change& change) {
  for (const store::Change::Growth& growth : change.chains) {
    for (const v1::LedgerEntry& entry : growth.entries) {
      TW_RETURN_IF_ERROR(ledger.Apply(growth.budget_id, entry));
    }
  }
  for (const store::Change::Row& row : change.open_charges) {
    const store::OpenCharge& key = row.before.has_value() ? *row.before : *row.after;
    if (row.after.has_value()) {
      open[{key.budget_id, key.sequence}] = *row.after;
    } else {
      open.erase({key.budget_id, key.sequence});
    }
  }
  return absl::OkStatus();
}

// In the Append of the events themselves. A row that outlived its charge would be taken for damage
// at the next start (CheckRows), and a voided charge's key would be kept for nothing.
void KeptState::EndOpenCharges(const fold::Events& events, store::Change* change) const {
  for (const v1::LedgerEvent& event : events) {
    Place place;
    if (event.has_release_published()) {
      place = Seek(event.release_published().plan_id(), event.release_published().iteration());
    } else if (event.has_release_voided()) {
      place = Seek(event.release_voided().plan_id(), event.release_voided().iteration());
    }
    if (place.open == nullptr) continue;
    change->open_charges.push_back({.before = *place.open, .after = std::nullopt});
  }
}

void KeptState::RequireAllChains(const fold::Events& events, store::Change* change) const {
  if (std::none_of(events.begin(), events.end(), [](const v1::LedgerEvent& event) {
        return event.has_budget_opened() || event.has_corpus_joined();
      })) {
    return;
  }
  // Heads alone would not tell of a budget that another server opens meanwhile.
  change->num_chains = static_cast<int64_t>(ledger.budgets().size());
  for (const fold::BudgetState& budget : ledger.budgets()) {
    if (std::none_of(change->chains.begin(), change->chains.end(),
                     [&](const auto& growth) { return growth.budget_id == budget.budget_id(); })) {
      change->chains.push_back(
          {.budget_id = budget.budget_id(), .expected_head = budget.head(), .entries = {}});
    }
  }
}

// Several events of one budget make one growth, each linked to the one before; the first links to
// the head that the act was decided on, and Append refuses if that has moved.
absl::Status AddEvents(const fold::LedgerState& state, const fold::Events& events,
                       const LedgerSeals& seals, store::Change* change) {
  std::map<std::string, std::size_t> places;  // by budget: where in change->chains
  for (const v1::LedgerEvent& event : events) {
    const auto [place, first] = places.try_emplace(event.budget_id(), change->chains.size());
    if (first) {
      const auto budget = state.Find(event.budget_id());
      change->chains.push_back(
          {.budget_id = event.budget_id(),
           .expected_head = budget.ok() ? (*budget)->head() : proto::GenesisHead(),
           .entries = {}});
    }
    store::Change::Growth& growth = change->chains[place->second];
    const std::string head =
        growth.entries.empty() ? growth.expected_head : growth.entries.back().head();
    // Others see a commitment instead of the event. What an event says is quickly guessed, and a
    // guess could be hashed and compared, but for the salt.
    TW_ASSIGN_OR_RETURN(const std::string salt, seals.SaltOf(head, event.SerializeAsString()));
    growth.entries.push_back(fold::EntryOf(event, salt, head));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
