// What is asked of the ledger about plans, and what it answers, as plain values: the part of
// ledger_requests.h that says who pays, and what is shown of whose plans. All PUBLIC.
#ifndef TOPICWALL_SERVER_LEDGER_PLAN_REQUESTS_H_
#define TOPICWALL_SERVER_LEDGER_PLAN_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/topicwall.pb.h"

namespace topicwall::ledger {

inline constexpr std::size_t kRequestIdSize = 16;
inline constexpr int kDefaultMaxOpenPlans = 16;
inline constexpr int kDefaultReservationDays = 7;

// Who pays, out of what. Without a cap the budget's own ε is the cap; without a share of the
// releases all of them are.
struct Purse {
  std::string principal;
  std::optional<double> epsilon_cap;               // over this principal's plans of one budget; > 0
  int64_t max_releases = 0;                        // of the budget, all plans and analysts together
  std::optional<int64_t> own_max_releases = {};    // of those, this principal's
  int max_open_plans = kDefaultMaxOpenPlans;       // of this principal, on this budget
  int reservation_days = kDefaultReservationDays;  // see plan_limits.h
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
