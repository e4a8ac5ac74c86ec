#include "server/ledger/ledger_copy.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "proto/ledger_chain.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/folded/kept_rows.h"

namespace topicwall::ledger {
namespace {

// Appended in one transaction each: few enough to be held, enough that a long chain is copied in
// minutes.
constexpr int64_t kEntriesAtOnce = 256;

absl::Status CopyChain(store::EventStore& from, const store::Chain& chain, store::EventStore& to) {
  // Only as far as the chain was long when it was folded: `from` may go on meanwhile.
  std::string head = proto::GenesisHead();
  for (int64_t next = 1; next <= chain.length;) {
    TW_ASSIGN_OR_RETURN(
        std::vector<v1::LedgerEntry> entries,
        from.ReadEntries(chain.budget_id, next, std::min(kEntriesAtOnce, chain.length - next + 1)));
    if (entries.empty()) return absl::DataLossError("the ledger has lost events.");
    next += static_cast<int64_t>(entries.size());
    const std::string last = entries.back().head();
    store::Change change{.name = "copy"};
    // By the same compare-and-append as every act, so that a copy into a store that is not empty is
    // refused at the first entry.
    change.chains = {
        {.budget_id = chain.budget_id, .expected_head = head, .entries = std::move(entries)}};
    TW_RETURN_IF_ERROR(to.Append(change));
    head = last;
  }
  return absl::OkStatus();
}

// As many parts as there are, each by itself.
absl::Status CopyBlob(store::EventStore& from, const std::string& sha256, store::EventStore& to) {
  for (int64_t part = 0;; ++part) {
    TW_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, from.ReadBlob(sha256, part));
    // How many parts a blob has is not written down; whether any is missing CheckCopy finds by
    // digests.
    if (!bytes.has_value()) return absl::OkStatus();
    store::Change change{.name = "copy"};
    change.blobs = {{.sha256 = sha256, .part = part, .bytes = *bytes}};
    TW_RETURN_IF_ERROR(to.Append(change));
  }
}

// Of all that the chains and the rows name: weights of plans, releases with their headers.
std::set<std::string> BlobsOf(const KeptState& state) {
  std::set<std::string> blobs;
  for (const accountant::ledger::BudgetState& budget : state.ledger.budgets()) {
    for (const auto& [id, plan] : budget.plans()) {
      blobs.insert(plan.terms.spec().weights_sha256());
      for (const auto& [iteration, charge] : plan.charges) {
        if (!charge.published.has_value()) continue;
        blobs.insert(charge.published->header_sha256());
        blobs.insert(charge.published->release_sha256());
      }
    }
  }
  for (const auto& [place, row] : state.open) {
    blobs.insert(row.header_sha256);
    blobs.insert(row.release_sha256);
  }
  // Of what has no weights, and of charges that hold no release yet.
  blobs.erase("");
  return blobs;
}

absl::Status CopyBesideChains(store::EventStore& from, const KeptState& state,
                              store::EventStore& to) {
  for (const accountant::ledger::BudgetState& budget : state.ledger.budgets()) {
    for (const auto& [id, plan] : budget.plans()) {
      store::Change change{.name = "copy"};
      TW_ASSIGN_OR_RETURN(change.plan, from.FindPlan(id));
      if (change.plan.has_value()) TW_RETURN_IF_ERROR(to.Append(change));
    }
  }
  for (const std::string& sha256 : BlobsOf(state)) {
    TW_RETURN_IF_ERROR(CopyBlob(from, sha256, to));
  }
  for (const auto& [place, row] : state.open) {
    store::Change change{.name = "copy"};
    change.open_charges = {{.before = std::nullopt, .after = row}};
    // Whoever computed it has no part in the copy: there nobody is at work.
    change.open_charges[0].after->owner.clear();
    TW_RETURN_IF_ERROR(to.Append(change));
  }
  return absl::OkStatus();
}

// Checked as what was kept, not as what was read.
absl::Status CheckCopy(store::EventStore& copy, const std::vector<store::Chain>& chains,
                       const LedgerSeals& seals) {
  KeptState state;
  TW_RETURN_IF_ERROR(state.TakeFrom(copy, &seals));
  if (!state.IsAt(chains)) return absl::DataLossError("the copy has other chains.");
  TW_RETURN_IF_ERROR(CheckRows(copy, state));
  TW_RETURN_IF_ERROR(copy.CheckStructure());
  return CheckReleases(copy, state);
}

}  // namespace

store::Identity Unusable(store::Identity identity) {
  identity.is_backup = true;
  return identity;
}

absl::Status CopyLedger(store::EventStore& from, store::EventStore& to, const LedgerKeys& keys,
                        const std::vector<store::Chain>& seen) {
  TW_ASSIGN_OR_RETURN(const store::Identity identity, from.ReadIdentity());
  TW_ASSIGN_OR_RETURN(const LedgerSeals seals, LedgerSeals::Of(keys.seals, identity.ledger_id));
  KeptState state;
  TW_RETURN_IF_ERROR(state.TakeFrom(from, &seals, seen));
  TW_RETURN_IF_ERROR(CheckRows(from, state));
  const std::vector<store::Chain> chains = state.Chains();
  // Chains before rows: rows belong to plans and charges that are there.
  for (const store::Chain& chain : chains) TW_RETURN_IF_ERROR(CopyChain(from, chain, to));
  TW_RETURN_IF_ERROR(CopyBesideChains(from, state, to));
  return CheckCopy(to, chains, seals);
}

// What was being computed cannot be computed again from it.
absl::Status MakeUnusable(store::EventStore& store) {
  TW_ASSIGN_OR_RETURN(const store::Identity identity, store.ReadIdentity());
  store::Change change{.name = "mark"};
  change.identity = Unusable(identity);
  TW_ASSIGN_OR_RETURN(const std::vector<store::OpenCharge> rows, store.OpenCharges());
  for (const store::OpenCharge& row : rows) {
    if (row.release_sha256.empty()) {
      change.open_charges.push_back({.before = row, .after = std::nullopt});
    }
  }
  return store.Append(change);
}

absl::Status MakeUsable(store::EventStore& store) {
  TW_ASSIGN_OR_RETURN(store::Identity identity, store.ReadIdentity());
  if (!identity.is_backup) return absl::FailedPreconditionError("the ledger is in use.");
  identity.is_backup = false;
  store::Change change{.name = "use"};
  change.identity = std::move(identity);
  return store.Append(change);
}

}  // namespace topicwall::ledger
