// What a budget stands at: everything about it that both its tables and its events know.
//
// The tables answer requests; the events are hashed and shown to readers. Both are written
// in the same transactions, so a ledger in which the two pictures differ was edited, and
// must not go on spending. PUBLIC values, except that another analyst's part is not shown.
#ifndef TOPICWALL_SERVER_LEDGER_BUDGET_PICTURE_H_
#define TOPICWALL_SERVER_LEDGER_BUDGET_PICTURE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/filters/budget_filter.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

struct ChargePicture {
  std::string request_digest;
  int64_t charged_at_ms = 0;
  bool published = false;
  // Of a published release; empty and 0 before: the events know nothing of storing.
  std::string header_sha256 = {};
  std::string release_sha256 = {};
  int64_t readable_at_ms = 0;
  int intervals_waited = 0;
  // As ChargeRow has them.
  int64_t release_interval_ms = -1;
  std::string kernel_name = {};
  int free_processors = 0;
  int64_t restarted_at_ms = 0;
  int void_ground = 0;

  bool operator==(const ChargePicture&) const = default;
};

struct PlanPicture {
  std::string corpus_version;
  std::string principal;
  std::string plan_sha256;
  accountant::CostVector cost = {};  // as accountant::PlanCost has it
  int64_t reserved_at_ms = 0;
  v1::PlanState::State state = v1::PlanState::ACTIVE;
  int iterations = 0;
  int reserved_iterations = 0;
  bool refundable = true;
  bool expired = false;
  std::map<int, ChargePicture> charges = {};  // by iteration

  bool operator==(const PlanPicture&) const = default;
};

struct CorpusPicture {
  std::string corpus;
  int64_t overruns = 0;
  int64_t acknowledged = 0;
  int64_t restarts = 0;
  int64_t voided = 0;
  int64_t unreadable = 0;

  bool operator==(const CorpusPicture&) const = default;
};

struct BudgetPicture {
  std::string policy;  // a serialized PolicyRecord
  v1::PrivacyUnit privacy_unit = v1::PRIVACY_UNIT_UNSPECIFIED;
  accountant::CostVector spent;
  int64_t restored_at = 0;                                      // 0 unless frozen
  std::vector<int64_t> thaws;                                   // its BudgetThawed events
  std::string signing_key;                                      // public half; empty before
  std::map<std::string, accountant::CostVector> analyst_spent;  // by principal
  std::map<std::string, CorpusPicture> corpora;                 // by version
  std::map<std::string, PlanPicture> plans;                     // by plan id

  bool operator==(const BudgetPicture&) const = default;
};

// The picture by the tables. Callers hold a transaction and the ledger's mutex.
absl::StatusOr<BudgetPicture> PictureOfTables(SqliteConnection& connection,
                                              const BudgetRow& budget);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_BUDGET_PICTURE_H_
