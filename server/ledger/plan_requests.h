// What is asked of the ledger about plans, and what it answers, as plain values: the part of
// ledger_requests.h that says who pays, and what is shown of whose plans. All PUBLIC.
#ifndef TOPICWALL_SERVER_LEDGER_PLAN_REQUESTS_H_
#define TOPICWALL_SERVER_LEDGER_PLAN_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "accountant/filters/epsilon_meter.h"
#include "accountant/ledger/plan_admission.h"
#include "proto/wall.pb.h"

namespace topicwall::ledger {

inline constexpr std::size_t kRequestIdSize = 16;

using accountant::ledger::kDefaultMaxOpenPlans;
using accountant::ledger::kDefaultReservationDays;
using accountant::ledger::Purse;

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

#endif  // TOPICWALL_SERVER_LEDGER_PLAN_REQUESTS_H_
