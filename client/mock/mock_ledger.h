// The ledger of a mock: a budget of its own, of which nothing is spent, kept as a real one is.
//
//   TW_ASSIGN_OR_RETURN(MockLedger ledger, MockLedger::Open(description, budget));
//   ledger.Reserve(plan); ledger.Charge(header, "kernel"); ledger.Publish(…)
//
// Every act is decided by the rules of the wall's own ledger (accountant/ledger/) under the policy
// that the real budget records, appended to a chain with hashes and signed for with a key that
// anybody can compute. So quotes, refusals, receipts and audits are what they will be, but for what
// others have spent: of a mock the whole budget is left, or the whole of the caller's cap. It
// promises nothing.
//
// Time is made up as well: it begins with the year 2000 and goes on only when a release is waited
// for, which takes no time.
//
// PUBLIC. In memory: it ends with the object. Threads: one. Errors: those of accountant/ledger/.
#ifndef TOPICWALL_CLIENT_MOCK_MOCK_LEDGER_H_
#define TOPICWALL_CLIENT_MOCK_MOCK_LEDGER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/ledger/ledger_state.h"
#include "accountant/ledger/plan_admission.h"
#include "base/ed25519.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

class MockLedger {
 public:
  // A budget of `budget`'s policy for the mock that `description` describes (mock_wall.h).
  // INVALID_ARGUMENT if it states no policy.
  static absl::StatusOr<MockLedger> Open(const v1::CorpusDescription& description,
                                         const v1::BudgetStatus& budget);

  const accountant::ledger::BudgetState& budget() const { return state_.budgets().front(); }
  const std::string& signing_key() const { return key_.public_key(); }
  int64_t releases_reserved() const;

  absl::StatusOr<v1::PlanPrice> Quote(const v1::ReleaseSpec& plan) const;
  v1::BudgetStatus Status() const;
  std::vector<v1::LedgerEntry> Entries(int64_t first_sequence) const;

  // Its id, or the refusal.
  absl::StatusOr<std::string> Reserve(const v1::ReleaseSpec& plan);
  absl::Status Cancel(const std::string& plan_id);
  // The plan with its receipts, without its spec. PERMISSION_DENIED if there is none.
  absl::StatusOr<v1::PlanState> Show(const std::string& plan_id) const;

  // Pays for an iteration that has not been paid for.
  absl::Status Charge(const v1::RunReleaseHeader& request, const std::string& kernel_name);
  // Ends it, an interval later; completes times and receipts of `release`, which has all else.
  absl::Status Publish(v1::ReleaseHeader* release);

 private:
  MockLedger(v1::CorpusDescription description, base::SigningKey key)
      : description_(std::move(description)), key_(std::move(key)) {}

  absl::Status Append(const accountant::ledger::Events& events);
  v1::SignedReceipt ReceiptOf(const accountant::ledger::Plan& plan, int64_t sequence) const;
  v1::SignedHead SignedHead() const;
  accountant::ledger::Purse Purse() const;

  v1::CorpusDescription description_;
  base::SigningKey key_;
  accountant::ledger::LedgerState state_;
  std::vector<v1::LedgerEntry> entries_;
  std::optional<double> cap_;  // of the caller's, below the budget's ε
  int64_t now_ms_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_MOCK_MOCK_LEDGER_H_
