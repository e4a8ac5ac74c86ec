// What the ledger signs of acts on plans: receipts, each time anew.
//
// Everything in a receipt follows from the chain up to its act, and signing is deterministic, so
// the same act has the same receipt to the byte, after restarts, too, and there is none before its
// event: a release's receipt appears with the release. No clock, no request and no document
// goes in: its event, the head before, the plan as it was reserved, the budget's (ε, δ), what
// was spent and the odometer of that. (The meter of what is spent is no guarantee, and so not
// signed.) PUBLIC to the plan's analyst. Pure but for reading two entries, which are verified here:
// since they were folded somebody may have written others. Cost: about 100 µs.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_RECEIPT_SIGNER_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_RECEIPT_SIGNER_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "accountant/filters/admission_policy.h"
#include "accountant/ledger/plan_record.h"
#include "base/ed25519.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"
#include "server/ledger/ledger_seals.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// What a receipt says beside its entry, taken from the state.
struct ReceiptSubject {
  std::string budget_id;
  std::string custodian_id;
  int64_t sequence;  // of the act's event
  v1::LedgerEvent::ActCase act;
  int iteration;  // that it is about; 0: the whole plan
  v1::PlanReserved plan;
  accountant::AdmissionPolicy policy;
  accountant::CostVector spent;  // right after the act
};

// What the plan's event of this number says, and of which iteration.
std::pair<v1::LedgerEvent::ActCase, int> ActAt(const accountant::ledger::Plan& plan, int64_t event);

// DATA_LOSS if the entries are not there, or the act's is not the custodian's, in this place, or
// not this act on this plan.
absl::StatusOr<v1::SignedReceipt> SignReceipt(store::EventStore& store, const LedgerSeals& seals,
                                              const base::SigningKey& key,
                                              const ReceiptSubject& subject);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_RECEIPT_SIGNER_H_
