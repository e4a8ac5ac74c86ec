// A plan of a budget with its charged iterations, as the budget's events tell them.
//
// PUBLIC to the plan's analyst and the auditors. Plain values.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_PLAN_RECORD_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_PLAN_RECORD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "accountant/filters/admission_policy.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

struct Charge {
  int64_t sequence = 0;  // of its event: with the budget's id it names the charge
  int64_t charged_at_ms = 0;
  v1::IterationCharged terms;
  int64_t restarted_at_ms = 0;  // of the last restart; 0: none
  int restarts = 0;
  std::optional<v1::Protection> protection = {};  // since it was begun last; none: not recorded
  bool unrecorded = false;                        // one of the times that it was begun
  bool unprotected = false;                       // likewise, and so on: of BudgetLife
  bool unseparated = false;
  bool unconfined = false;
  std::optional<v1::ReleasePublished> published = {};
  int64_t readable_at_ms = 0;      // if published
  int64_t published_sequence = 0;  // of that event; 0: none
  // It, or its publication, happened in a lost ledger: the release may not be in this one.
  bool taken_over = false;
  v1::ReleaseVoided::Ground void_ground = v1::ReleaseVoided::GROUND_UNSPECIFIED;  // if voided

  bool voided() const { return void_ground != v1::ReleaseVoided::GROUND_UNSPECIFIED; }
  bool pending() const { return !published.has_value() && !voided(); }
  // What its instants are counted from.
  int64_t begun_at_ms() const { return restarted_at_ms != 0 ? restarted_at_ms : charged_at_ms; }
  // T of these instants; 0 without protection, or if it was not recorded.
  int64_t interval_ms() const { return protection ? protection->release_interval_ms() : 0; }
};

struct Plan {
  int64_t sequence = 0;  // of its event: the order of reservation
  std::string principal;
  int64_t reserved_at_ms = 0;
  v1::PlanReserved terms;
  v1::PlanState::State state = v1::PlanState::ACTIVE;
  int reserved_iterations = 0;         // J, less what a cancel gave back
  bool refundable = true;              // false once a restore took what was left for charged
  bool expired = false;                // cancelled by the wall
  int64_t cancelled_sequence = 0;      // of that event; 0: none
  bool taken_over = false;             // from a lost ledger: its weights may not be in this one
  std::map<int, Charge> charges = {};  // by iteration

  PlanCost SetAside() const {
    return {.cost = {terms.cost().begin(), terms.cost().end()},
            .iterations = terms.spec().iterations()};
  }
  // Iterations that a cancel gives back now.
  int Returnable() const {
    return refundable ? terms.spec().iterations() - static_cast<int>(charges.size()) : 0;
  }
};

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_PLAN_RECORD_H_
