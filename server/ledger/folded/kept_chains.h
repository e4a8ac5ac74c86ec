// The chains of a store and the fold of accountant/ledger: what is kept, folded; what was decided,
// made ready to be kept.
//
//   KeptState state;
//   TW_RETURN_IF_ERROR(state.TakeFrom(store, &seals));
//   TW_RETURN_IF_ERROR(CheckRows(store, state));      // kept_rows.h
//   … const Events events = Decide(state.ledger, act) …
//   TW_RETURN_IF_ERROR(AddEvents(state.ledger, events, seals, &change));
//   TW_RETURN_IF_ERROR(store.Append(change));
//   TW_RETURN_IF_ERROR(state.Apply(change));
//
// Errors: the store's, and as below. Threads: any.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_KEPT_CHAINS_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_KEPT_CHAINS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "accountant/ledger/ledger_state.h"
#include "server/ledger/folded/release_keys.h"
#include "server/ledger/ledger_seals.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// Of a chain that is folded.
inline constexpr int64_t kEntriesPerRead = 512;

// What is in a store, in memory: a value; const methods from any thread.
struct KeptState {
  // A plan and one of its charges, with that one's row; null where there is none.
  struct Place {
    const accountant::ledger::BudgetState* budget = nullptr;
    const accountant::ledger::Plan* plan = nullptr;
    const accountant::ledger::Charge* charge = nullptr;
    const store::OpenCharge* open = nullptr;
  };
  // Pointers into the state, as long as that does not change.
  Place Seek(const std::string& plan_id, int iteration) const;

  // Oldest budget first.
  std::vector<store::Chain> Chains() const;
  // Their heads, 32 bytes each: others after every event.
  std::string Heads() const;

  // Whether the state has these chains, and no others, and is whole.
  bool IsAt(const std::vector<store::Chain>& chains) const;
  // The chains as far as they are, and the rows beside them, of one moment: what this does not have
  // yet, of a new one all chains from their beginning. DATA_LOSS if one does not verify, says what
  // cannot have happened, is cut, or has an event that is not the custodian's; `ledger` then has
  // what came before. Whose events and stored releases they are is asked if there are seals, whose
  // release keys if there are `keys`. A new one is held to what was `seen` of the chains before
  // (seen_heads.h), a later one to what it has: DATA_LOSS, "it went back", if a chain does not go
  // on from there, or a release that it has as stored is not there any more, or is void. What else
  // does not follow from what it has is nobody's but an intruder's (NotTheCustodians): another
  // release in the place of such a one, also a published. FAILED_PRECONDITION
  // (proto::IsWrittenByNewer) at an event of the custodian's that says more than this program
  // knows: `ledger` ends before it, and is not whole. Cost: about 10 µs an event.
  absl::Status TakeFrom(store::EventStore& store, const LedgerSeals* seals,
                        const std::vector<store::Chain>& seen = {},
                        const ReleaseKeys* keys = nullptr);
  // DATA_LOSS if it is not whole: then what is without a row has lost nothing.
  absl::Status RequireWhole() const;
  // What was appended. DATA_LOSS if it cannot follow, which what was decided on this state can.
  absl::Status Apply(const store::Change& change);
  // Adds to the change that what its events publish or void is open no more.
  void EndOpenCharges(const accountant::ledger::Events& events, store::Change* change) const;
  // Adds that all chains must be where they are, if the events open a budget or join one: these are
  // decided on all budgets that there are.
  void RequireAllChains(const accountant::ledger::Events& events, store::Change* change) const;

  accountant::ledger::LedgerState ledger;
  // By budget and number of the charge's event.
  std::map<std::pair<std::string, int64_t>, store::OpenCharge> open;
  // Whether the rows are those of the chains: not after a TakeFrom that was refused.
  bool whole = true;
};

// The events that were decided on this state, salted and chained.
absl::Status AddEvents(const accountant::ledger::LedgerState& state,
                       const accountant::ledger::Events& events, const LedgerSeals& seals,
                       store::Change* change);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_KEPT_CHAINS_H_
