#include "server/ledger/folded/receipt_signer.h"

#include <utility>
#include <vector>

#include "base/kill_point.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "proto/strict_parse.h"

namespace topicwall::ledger {
namespace {

absl::Status CheckEntry(const LedgerSeals& seals, const ReceiptSubject& subject,
                        const std::string& previous_head, const v1::LedgerEntry& entry) {
  TW_RETURN_IF_ERROR(seals.CheckSalt(previous_head, entry));
  v1::LedgerEvent event;
  const absl::Status verified =
      proto::VerifyEntry(entry, subject.sequence - 1, previous_head, &event);
  // What this server folded at that place it knew the whole of.
  const bool is_known = !proto::IsWrittenByNewer(verified);
  if (is_known) TW_RETURN_IF_ERROR(verified);
  const proto::ReceiptSubject about = proto::SubjectOf(event);
  if (is_known && event.budget_id() == subject.budget_id && event.act_case() == subject.act &&
      about.plan_id == subject.plan.plan_id() && about.iteration == subject.iteration) {
    return absl::OkStatus();
  }
  // Its own event, that it was once about to append, or of another chain after the same events.
  return NotTheCustodians("it shows another act than the one that a receipt was asked for.");
}

}  // namespace

std::pair<v1::LedgerEvent::ActCase, int> ActAt(const accountant::ledger::Plan& plan,
                                               int64_t event) {
  if (event == plan.sequence) return {v1::LedgerEvent::kPlanReserved, 0};
  if (event == plan.cancelled_sequence) return {v1::LedgerEvent::kPlanCancelled, 0};
  for (const auto& [iteration, charge] : plan.charges) {
    if (event == charge.sequence) return {v1::LedgerEvent::kIterationCharged, iteration};
    if (event == charge.published_sequence) return {v1::LedgerEvent::kReleasePublished, iteration};
  }
  return {v1::LedgerEvent::ACT_NOT_SET, 0};
}

// With the head before, the entry's own head can be recomputed from the receipt alone; whoever has
// the chain sees where it belongs. `spent` is as of the act, not of today, or the bytes would
// change.
absl::StatusOr<v1::SignedReceipt> SignReceipt(store::EventStore& store, const LedgerSeals& seals,
                                              const base::SigningKey& key,
                                              const ReceiptSubject& subject) {
  // The entry before is there: a chain begins with the budget's opening.
  TW_ASSIGN_OR_RETURN(std::vector<v1::LedgerEntry> entries,
                      store.ReadEntries(subject.budget_id, subject.sequence - 1, 2));
  if (entries.size() != 2) return absl::DataLossError("the ledger has lost events.");
  TW_RETURN_IF_ERROR(CheckEntry(seals, subject, entries.front().head(), entries.back()));
  v1::Receipt receipt;
  *receipt.mutable_plan() = subject.plan;
  receipt.set_custodian_id(subject.custodian_id);
  receipt.set_previous_head(entries.front().head());
  *receipt.mutable_entry() = std::move(entries.back());
  receipt.set_epsilon(subject.policy.budget().epsilon);
  receipt.set_delta(subject.policy.budget().delta);
  receipt.mutable_spent()->Assign(subject.spent.begin(), subject.spent.end());
  receipt.set_odometer_epsilon(subject.policy.OdometerUpperBound(subject.spent));

  TOPICWALL_KILL_POINT("while-signing");
  return proto::SignReceipt(key, receipt);
}

}  // namespace topicwall::ledger
