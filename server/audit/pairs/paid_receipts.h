// Receipts from a real ledger: what a release needs before it may touch a document.
//
//   TW_ASSIGN_OR_RETURN(auto paid, PaidReceipts::Open(folder, key));
//   TW_ASSIGN_OR_RETURN(std::vector<ChargeReceipt> receipts, paid->Pay(mechanism, 2));
//
// The receipts of one call have the same release key, request digest and corpus version: the
// ledger lets a charged release be computed again. Two corpora summed under them differ by their
// units alone, since coins, cuts and noise are the same. The ledger is the audit's own, with
// budgets of ε = 2^20, a new one as soon as the last is spent.
//
// Threads: one at a time. Cost: a few ms a receipt.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_PAID_RECEIPTS_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_PAID_RECEIPTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/scratch_folder.h"
#include "server/ledger/charge_receipt.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/ledger_requests.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::audit {

// One charge and all its recomputations.
inline constexpr int kMostReceiptsOfOneKey = 1 + ledger::kMaxRecomputations;

class PaidReceipts {
 public:
  static absl::StatusOr<std::unique_ptr<PaidReceipts>> Open(ScratchFolder& folder,
                                                            const sealing::CustodianKey& key);

  // 1 <= count <= kMostReceiptsOfOneKey. INTERNAL if the ledger gave something else than a
  // receipt; else as of the ledger.
  absl::StatusOr<std::vector<ledger::ChargeReceipt>> Pay(const ledger::PaidMechanism& mechanism,
                                                         int count);

 private:
  explicit PaidReceipts(std::unique_ptr<ledger::FoldedLedger> ledger)
      : ledger_(std::move(ledger)) {}

  absl::Status OpenBudget();
  absl::StatusOr<v1::PlanState> Reserve(const ledger::PaidMechanism& mechanism);

  const std::unique_ptr<ledger::FoldedLedger> ledger_;
  std::string corpus_version_;  // of the last budget
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_PAID_RECEIPTS_H_
