#include "server/ledger/folded/kept_rows.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "base/status_macros.h"
#include "server/ledger/folded/release_blobs.h"
#include "server/ledger/plan_spec.h"

namespace topicwall::ledger {
namespace {

namespace fold = accountant::ledger;

// Stops at the first error.
absl::Status ForEachCharge(
    const fold::LedgerState& state,
    absl::FunctionRef<absl::Status(const fold::BudgetState&, const fold::Charge&)> look) {
  for (const fold::BudgetState& budget : state.budgets()) {
    for (const auto& [id, plan] : budget.plans()) {
      for (const auto& [iteration, charge] : plan.charges) {
        TW_RETURN_IF_ERROR(look(budget, charge));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RowsDiffer() {
  return absl::DataLossError("the ledger's open charges differ from its events.");
}

std::pair<const fold::Plan*, int> ChargedBy(const fold::BudgetState& budget, int64_t sequence) {
  for (const auto& [id, plan] : budget.plans()) {
    for (const auto& [iteration, charge] : plan.charges) {
      if (charge.sequence == sequence) return {&plan, iteration};
    }
  }
  return {nullptr, 0};
}

absl::Status CheckRow(const fold::LedgerState& state, const store::OpenCharge& row,
                      const LedgerSeals* seals, const ReleaseKeys* keys) {
  const bool stored = !row.release_sha256.empty();
  if (stored ? seals == nullptr : keys == nullptr) return absl::OkStatus();
  const auto budget = state.Find(row.budget_id);
  if (!budget.ok()) return RowsDiffer();
  const auto [plan, iteration] = ChargedBy(**budget, row.sequence);
  if (plan == nullptr) return RowsDiffer();
  const v1::IterationCharged& charge = plan->charges.at(iteration).terms;
  return stored ? seals->CheckSeal(charge, row) : keys->Unseal(row.sealed_key, charge).status();
}

bool MayLackRow(const fold::BudgetState& budget, const fold::Charge& charge) {
  return charge.sequence <= budget.restored_at() || charge.taken_over;
}

// Both directions count. A pending charge without its row has lost its key or its release; a row
// without a pending charge is a key that should be gone, or one that somebody brought back.
absl::Status CheckOpenCharges(const fold::LedgerState& state, const decltype(KeptState::open)& open,
                              bool is_backup) {
  std::size_t found = 0;
  TW_RETURN_IF_ERROR(ForEachCharge(state, [&](const auto& budget, const auto& charge) {
    if (!charge.pending()) return absl::OkStatus();
    const bool there = open.count({budget.budget_id(), charge.sequence}) != 0;
    if (!there && !is_backup && !MayLackRow(budget, charge)) return RowsDiffer();
    found += there ? 1 : 0;
    return absl::OkStatus();
  }));
  return found == open.size() ? absl::OkStatus() : RowsDiffer();
}

absl::Status CheckRows(store::EventStore& store, const KeptState& state) {
  TW_ASSIGN_OR_RETURN(const store::Identity identity, store.ReadIdentity());
  for (const fold::BudgetState& budget : state.ledger.budgets()) {
    if (budget.epoch() > identity.epoch) {
      return absl::DataLossError("the ledger's epoch was set back: its events know a later one.");
    }
  }
  TW_RETURN_IF_ERROR(CheckOpenCharges(state.ledger, state.open, identity.is_backup));
  for (const fold::BudgetState& budget : state.ledger.budgets()) {
    for (const auto& [id, plan] : budget.plans()) {
      TW_RETURN_IF_ERROR(SpecOf(store, plan).status());
    }
  }
  return absl::OkStatus();
}

// The rows of the same moment as the chains: beside a server, others come meanwhile.
absl::Status CheckReleases(store::EventStore& store, const KeptState& state) {
  for (const auto& [place, row] : state.open) {
    if (row.release_sha256.empty()) continue;
    TW_RETURN_IF_ERROR(CheckRelease(store, row.header_sha256, row.release_sha256));
  }
  return ForEachCharge(state.ledger, [&](const auto&, const fold::Charge& charge) {
    // What a lost ledger published need not be here.
    if (!charge.published.has_value() || charge.taken_over) return absl::OkStatus();
    return CheckRelease(store, charge.published->header_sha256(),
                        charge.published->release_sha256());
  });
}

}  // namespace topicwall::ledger
