// Receipts held against each other and against the chain: was the ledger put back, or forked?
//
// Without a chain: every receipt holds by itself (proto/receipt.h); of one entry there is one
// version; neighbours are linked; no iteration was charged for two requests; what was spent
// never fell from one entry to the next but by a cancellation.
// With a chain (from the wall, or an export): the chain itself verifies, names the same signing
// key, and has every receipt's entry at its place, with its commitment and its head. An
// entry that is missing means that the ledger was put back to an older copy, or that an export is
// older than the receipts, and no more than that; another one
// in its place, that it was forked from there. Receipts of other budgets, which a model gets when
// another corpus is asked about it, or keeps when its corpus was replaced, are counted and left to
// that budget's ledger. But a corpus of the chain has no second budget, and without any receipt of
// the chain nothing was verified; nor is anything known against it, if it tells of their budgets.
//
// What this cannot see: acts that nobody who checks has a receipt of; whether noise was drawn as
// stated. PUBLIC. Pure function. Cost: 0.1 ms a receipt.
#ifndef TOPICWALL_CLIENT_AUDIT_RECEIPT_AUDIT_H_
#define TOPICWALL_CLIENT_AUDIT_RECEIPT_AUDIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct ReceiptsToAudit {
  absl::string_view signing_key = {};  // 32 bytes; empty: the one noted in the file
  std::optional<absl::Span<const v1::LedgerEntry>> chain = std::nullopt;
  // Of the export that the chain is from, which may only be older; empty: it is as a wall shows it.
  absl::string_view export_path = {};
};

// Of another budget than the chain's.
struct ReceiptsElsewhere {
  std::string budget_id;
  std::string corpus;  // that the first of them is of
  int64_t receipts = 0;
  bool is_known = false;  // to the chain (TellsOf, budget_sum.h)
};

// "2 receipts of budget …, of corpus mail: verify them with that corpus' ledger. If its budget is
// another one …": a chain does not say of all budgets that its ledger has, or had. Of one that is
// known, where its own ledger is.
std::string DescribeElsewhere(const ReceiptsElsewhere& elsewhere);

struct ReceiptAudit {
  std::string signing_key;  // 32 bytes
  int64_t receipts = 0;
  std::vector<ReceiptsElsewhere> elsewhere = {};  // none without a chain
  bool is_all_elsewhere = false;  // none was held against the chain, which knows all their budgets
  int64_t last_sequence = 0;   // of the receipts that hold, with a chain of those of its budget; 0:
                               // there is none
  std::string last_head = {};  // 32 bytes, behind it
  double odometer_epsilon = 0;  // as the last of them states it
  int64_t chain_length = -1;    // -1: no chain was given
  // What the chain says last of budgets that may concern the same people (budget_sum.h).
  v1::BudgetSum sum = {};
  // What does not fit, in the order of the chain. Empty: all of it does.
  std::vector<std::string> findings;
  // How many of these are receipts that say more than this program knows, and nothing worse.
  int64_t beyond = 0;
  bool is_export_older = false;  // than a receipt: a finding that says nothing of the ledger
};

// INVALID_ARGUMENT if there are no receipts or no key; FAILED_PRECONDITION if the key is not the
// file's, or the chain says more than this program knows (proto::IsWrittenByNewer); DATA_LOSS if it
// does not verify. Everything else is a finding.
absl::StatusOr<ReceiptAudit> AuditReceipts(const v1::ReceiptFile& file,
                                           const ReceiptsToAudit& what);

// OK if all was verified without findings. FAILED_PRECONDITION if all of them only want a newer
// program (proto::IsWrittenByNewer) or a newer export, or there is none and all receipts are of
// other budgets; else DATA_LOSS.
absl::Status VerdictOf(const ReceiptAudit& audit);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_RECEIPT_AUDIT_H_
