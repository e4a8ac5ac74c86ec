// What is asked of the ledger and what it answers, as plain values. All PUBLIC: nothing
// here depends on a document.
//
// A corpus is named by its version, the 16 random bytes drawn at ingestion: a corpus
// ingested again under the same name is another set of units. Times are Unix times in
// milliseconds, given by the caller: the ledger has no clock. ε is in nats, an upper bound
// by the enforced policy.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_REQUESTS_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_REQUESTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accountant/admission_policy.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/charge_requests.h"

namespace topicwall::ledger {

inline constexpr std::size_t kCorpusVersionSize = 16;
inline constexpr std::size_t kRequestIdSize = 16;

struct OpenBudgetParams {
  std::string custodian_id;
  accountant::PolicySpec policy;  // immutable once recorded
  v1::PrivacyUnit privacy_unit;
  std::string corpus;          // its public name
  std::string corpus_version;  // 16 bytes
  // Budgets in this ledger whose corpora share units with this one, if the custodian
  // chose to add them up; the event then states Σ ε and Σ δ.
  std::vector<std::string> added_budget_ids;
  int64_t now_ms;
};

// Who pays, out of what. Without a cap the budget's own ε is the cap.
struct Purse {
  std::string principal;
  std::optional<double> epsilon_cap;  // over this principal's plans of one budget; > 0
  int64_t max_releases = 0;           // of the corpus, all plans and analysts together
};

struct ReserveRequest {
  Purse purse;
  std::string request_id;  // 16 bytes that the client made durable before sending
  v1::PlanSpec plan;
  int64_t now_ms;
};

struct PlanQuote {
  bool fits;  // in the budget, the cap and the releases left
  double epsilon_alone;
  double epsilon_spent;      // of everything charged or reserved, by anybody
  double epsilon_with_plan;  // of all that and this plan; infinite if nothing could hold it
  double epsilon_total;
  double delta;
  int64_t most_iterations;            // of this kind of release that still fit
  double effective_noise_multiplier;  // σ_eff of all statistics of one release
};

struct CorpusStanding {
  std::string corpus;
  std::string corpus_version;
  std::string budget_id;  // 32 hexadecimal digits
  v1::CorpusState state;  // NO_BUDGET: the ledger does not know the version
  std::optional<accountant::AdmissionPolicy> policy;  // none for NO_BUDGET
  accountant::CostVector spent;                       // charged or reserved
  int64_t releases_reserved;        // charged, or set aside by a plan that is not cancelled
  int64_t overruns;                 // all of them
  int64_t unacknowledged_overruns;  // and voided; kOverrunsThatPause of them pause the corpus
  int64_t restarts;                 // of the budget's life, as are the voided
  int64_t voided;
  ChargedSchedules schedules;  // that charges were made under
  int64_t events;              // length of the budget's chain
  std::string head;            // 32 bytes
  std::string signing_key;     // 32 bytes: the public half of what receipts are signed with

  // By the enforced policy. Needs a policy; up to 100 ms for an inventory, so not kept.
  double EpsilonSpent() const { return policy->EpsilonUpperBound(spent); }
};

inline constexpr int64_t kOverrunsThatPause = 3;

struct Reader {
  std::string principal;
  bool is_auditor = false;  // sees every analyst's entries and spending
};

struct BudgetQuery {
  std::string corpus_version;
  Reader reader;
  Purse purse = {};  // of the reader, if an analyst
  std::optional<v1::PlanSpec> reference_plan = std::nullopt;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_REQUESTS_H_
