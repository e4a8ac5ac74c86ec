// What is asked of the ledger and what it answers, as plain values. All PUBLIC: nothing
// here depends on a document.
//
// A corpus is named by its version, the 16 random bytes drawn at ingestion: a corpus
// ingested again under the same name is another set of units. Times are Unix times in
// milliseconds, given by the caller: the ledger has no clock. ε is in nats, an upper bound
// by the enforced policy.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_REQUESTS_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "accountant/filters/admission_policy.h"
#include "accountant/filters/epsilon_meter.h"
#include "accountant/ledger/budget_state.h"
#include "accountant/ledger/custodian_acts.h"
#include "accountant/ledger/plan_admission.h"
#include "accountant/ledger/thaw_acts.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"
#include "server/ledger/charge_requests.h"

namespace topicwall::ledger {

using accountant::ledger::kCorpusVersionSize;
using accountant::ledger::kDefaultMaxOpenPlans;
using accountant::ledger::kDefaultReservationDays;
using accountant::ledger::kOverrunsThatPause;
using accountant::ledger::OpenBudgetParams;
using accountant::ledger::Purse;
using accountant::ledger::Restoration;
using accountant::ledger::ThawEvidence;

struct CorpusStatus {
  std::string corpus;
  std::string corpus_version;
  std::string budget_id;  // 32 hexadecimal digits
  v1::CorpusState state;  // NO_BUDGET: the ledger does not know the version
  std::optional<accountant::AdmissionPolicy> policy;  // none for NO_BUDGET
  accountant::CostVector spent;                       // charged or reserved
  // Of the budget: charged, or set aside by a plan that is not cancelled; and whose they are.
  int64_t releases_reserved;
  std::map<std::string, int64_t> releases_by_analyst;
  // Of the budget's life, all versions of its corpora together.
  int64_t overruns;
  int64_t restarts;
  int64_t voided;
  std::optional<v1::Protection> worst_protection;
  // Overruns and voided, of this version; kOverrunsThatPause of them pause the corpus.
  int64_t unacknowledged_overruns;
  int64_t events;           // length of the budget's chain
  std::string head;         // 32 bytes
  std::string signing_key;  // 32 bytes: the public half of what receipts are signed with
  v1::BudgetSum sum;        // of the budget and all that may concern the same people
  std::vector<Restoration> restorations;  // of the budget's life, oldest first
  // The ledger was restored before the budget was opened (NO_BUDGET: before now): one that these
  // documents had after the backup it would not know.
  bool after_restore;

  // By the enforced policy. Needs a policy; a composition for an inventory, so not kept.
  double EpsilonSpent() const { return policy->EpsilonSpent(spent); }
};

struct Reader {
  std::string principal;
  bool is_auditor = false;  // sees every analyst's entries and spending
};

struct BudgetQuery {
  std::string corpus_version;
  Reader reader;
  Purse purse = {};  // of the reader, if an analyst
  std::optional<v1::ReleaseSpec> reference_plan = std::nullopt;
  // For auditors: the configured caps, by principal; the budget's ε for whom none is given.
  std::map<std::string, double> epsilon_caps = {};
  accountant::StillWanted still_wanted = nullptr;  // asked between compositions
};

inline constexpr std::size_t kRequestIdSize = 16;

// Under vouchers a cap and what a refusal says compose; no other act waits for that. UNAVAILABLE if
// what was composed for the cap is outdated each time.
struct ReserveRequest {
  Purse purse;
  std::string request_id;  // 16 bytes that the client made durable before sending
  v1::ReleaseSpec plan;
  int64_t now_ms;
  accountant::StillWanted still_wanted = nullptr;  // asked between compositions
  // What a plan that is new under its id is refused with; a repeated one is what it was.
  absl::Status validity = absl::OkStatus();
};

// Some of a principal's plans, oldest first, without their term weights.
struct PlanPage {
  std::vector<v1::PlanState> plans;
  std::string next_page_token;  // empty: these were the last
};

struct PlanQuery {
  std::string principal;
  std::string corpus = "";      // its name; empty: all
  int page_size = 0;            // 1 … kMaxPlansPerPage; 0 = that many
  std::string page_token = "";  // empty: from the oldest; else a next_page_token
};
inline constexpr int kMaxPlansPerPage = 100;

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_REQUESTS_H_
