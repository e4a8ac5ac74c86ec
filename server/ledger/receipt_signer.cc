#include "server/ledger/receipt_signer.h"

#include <string>
#include <vector>

#include "accountant/filters/admission_policy.h"
#include "proto/ledger.pb.h"
#include "proto/signature.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/spent_vector.h"

namespace topicwall::ledger {
namespace {

absl::StatusOr<v1::PlanReserved> ReservationOf(SqliteConnection& connection,
                                               absl::string_view plan_id) {
  TW_ASSIGN_OR_RETURN(
      const ReceiptRow row,
      FindReceipt(connection, {.plan_id = plan_id, .act = v1::LedgerEvent::kPlanReserved}));
  TW_ASSIGN_OR_RETURN(const v1::LedgerEvent event,
                      EventAt(connection, row.budget_id, row.sequence));
  return event.plan_reserved();
}

}  // namespace

absl::StatusOr<v1::SignedReceipt> SignReceipt(SqliteConnection& connection,
                                              const base::SigningKey& key,
                                              const ReceiptSubjectKey& subject) {
  TW_ASSIGN_OR_RETURN(const ReceiptRow row, FindReceipt(connection, subject));
  // The entry before is there: a chain begins with the budget's opening.
  TW_ASSIGN_OR_RETURN(std::vector<v1::LedgerEntry> entries,
                      ReadEntries(connection, row.budget_id, row.sequence - 1, 2));
  if (entries.size() != 2) return absl::DataLossError("the ledger has lost events.");
  TW_ASSIGN_OR_RETURN(const v1::LedgerEvent opening, EventAt(connection, row.budget_id, 1));
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection, row.budget_id));
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, budget.Policy());
  TW_ASSIGN_OR_RETURN(const accountant::CostVector spent,
                      CostOfBytes(row.spent, budget.spent.size()));
  v1::Receipt receipt;
  TW_ASSIGN_OR_RETURN(*receipt.mutable_plan(), ReservationOf(connection, subject.plan_id));
  receipt.set_custodian_id(opening.budget_opened().custodian_id());
  receipt.set_previous_head(entries.front().head());
  *receipt.mutable_entry() = std::move(entries.back());
  receipt.set_epsilon(policy.budget().epsilon);
  receipt.set_delta(policy.budget().delta);
  receipt.mutable_spent()->Assign(spent.begin(), spent.end());
  receipt.set_odometer_epsilon(policy.OdometerUpperBound(spent));

  TOPICWALL_KILL_POINT("while-signing");
  v1::SignedReceipt signed_receipt;
  signed_receipt.set_receipt(receipt.SerializeAsString());
  TW_ASSIGN_OR_RETURN(
      *signed_receipt.mutable_signature(),
      key.Sign(proto::TextToSign(proto::SignedMatter::kReceipt, signed_receipt.receipt())));
  signed_receipt.set_public_key(key.public_key());
  return signed_receipt;
}

absl::Status AddReceipts(SqliteConnection& connection, const std::optional<base::SigningKey>& key,
                         v1::PlanState* plan) {
  if (!key.has_value()) return absl::OkStatus();
  const std::string id = plan->plan_id();
  TW_ASSIGN_OR_RETURN(
      *plan->mutable_reservation_receipt(),
      SignReceipt(connection, *key, {.plan_id = id, .act = v1::LedgerEvent::kPlanReserved}));
  if (plan->state() != v1::PlanState::CANCELLED) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(
      *plan->mutable_cancellation_receipt(),
      SignReceipt(connection, *key, {.plan_id = id, .act = v1::LedgerEvent::kPlanCancelled}));
  return absl::OkStatus();
}

absl::Status AddReceipts(SqliteConnection& connection, const std::optional<base::SigningKey>& key,
                         v1::ReleaseHeader* release) {
  if (!key.has_value()) return absl::OkStatus();
  ReceiptSubjectKey subject = {.plan_id = release->plan_id(),
                               .act = v1::LedgerEvent::kIterationCharged,
                               .iteration = release->iteration()};
  TW_ASSIGN_OR_RETURN(*release->mutable_charge_receipt(), SignReceipt(connection, *key, subject));
  subject.act = v1::LedgerEvent::kReleasePublished;
  TW_ASSIGN_OR_RETURN(*release->mutable_release_receipt(), SignReceipt(connection, *key, subject));
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
