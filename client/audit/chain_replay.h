// A budget's chain, entry by entry: verified, and what of it can be seen added up.
//
//   ChainReplay chain;
//   for (const v1::LedgerEntry& entry : entries) TW_RETURN_IF_ERROR(chain.Take(entry));
//   chain.replay().spent();
//
// The one walk over a ledger, for whoever audits, reports, or lists what was taken. An entry that
// shows its commitment alone is not seen; an event that is seen says something, or it is a finding
// of the replay. PUBLIC. Threads: one. Cost: ledger_chain.h's and ledger_replay.h's.
#ifndef TOPICWALL_CLIENT_AUDIT_CHAIN_REPLAY_H_
#define TOPICWALL_CLIENT_AUDIT_CHAIN_REPLAY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "accountant/filters/admission_policy.h"
#include "client/audit/ledger_replay.h"
#include "proto/ledger_chain.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

class ChainReplay {
 public:
  // DATA_LOSS as of ChainVerifier::Add and LedgerReplay::Create: then nothing behind the entry
  // means anything.
  absl::Status Take(const v1::LedgerEntry& entry);

  const proto::ChainVerifier& chain() const { return chain_; }
  bool empty() const { return !replay_.has_value(); }
  int64_t unseen() const { return unseen_; }  // entries
  // Not if it is empty.
  const LedgerReplay& replay() const { return *replay_; }

  // Of the last entry: what it says, null if that is not seen, and what was spent before it.
  const v1::LedgerEvent* event() const { return is_seen_ ? &chain_.event() : nullptr; }
  const accountant::CostVector& spent_before() const { return spent_before_; }

  // What was told of budgets that may concern the same people when the first of these plans was
  // reserved, and since. Nothing of plans that are not seen, or that no sum was told before.
  std::vector<v1::BudgetSum> SumsSince(const std::vector<std::string>& plan_ids) const;

 private:
  proto::ChainVerifier chain_;
  std::optional<LedgerReplay> replay_;
  accountant::CostVector spent_before_;
  std::vector<v1::BudgetSum> sums_;                 // in order
  std::map<std::string, size_t> sums_before_plan_;  // how many were told when it was reserved
  bool is_seen_ = false;
  int64_t unseen_ = 0;
};

// What a file of the analyst's says that plans cost which were agreed to together, and of the sum
// of budgets then.
struct NotedPrice {
  std::string what;  // "the model"
  std::vector<std::string> plan_ids;
  double epsilon;  // of the plans alone
  double delta;
  std::optional<v1::BudgetSum> sum = {};  // not compared if there is none
};
// What the chain says otherwise, in words; "" if nothing, or if it does not show all of the plans:
// then it is another budget's, or another reader's.
std::string DifferenceOf(const NotedPrice& noted, const ChainReplay& chain);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_CHAIN_REPLAY_H_
