// One principal's seat at a wall: what an analyst or auditor can ask of it, as acts.
//
//   Principal alice(&vault, "spiffe://topicwall/audit/alice");
//   TW_ASSIGN_OR_RETURN(v1::PlanState plan, alice.Reserve(spec));
//   TW_ASSIGN_OR_RETURN(ReceivedRelease release, alice.RunRelease(plan, 1, question));
//
// Errors: as the wall answers them; INTERNAL if what it answers cannot be read. Threads: any number
// of calls at once.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_PRINCIPAL_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_PRINCIPAL_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/ledger.pb.h"
#include "proto/vault.pb.h"
#include "proto/wall.pb.h"
#include "server/acts/act_handler.h"

namespace topicwall::audit {

// What is asked of a release, besides plan and iteration.
struct ReleaseQuestion {
  std::vector<float> parameters;   // log topics: K×V, row = topic
  double clip_norm;                // C
  double direction_noise = 0;      // r
  std::string forged_digest = {};  // sent instead of the true one, if given
};

struct ReceivedRelease {
  v1::ReleaseHeader header;
  std::vector<float> statistics;           // K×V
  std::vector<std::size_t> message_sizes;  // of everything that came, in order

  friend bool operator==(const ReceivedRelease& a, const ReceivedRelease& b) {
    return a.header.SerializeAsString() == b.header.SerializeAsString() &&
           a.statistics == b.statistics && a.message_sizes == b.message_sizes;
  }
};

class Principal {
 public:
  // `vault` must outlive it.
  Principal(acts::ActHandler* vault, std::string name) : vault_(vault), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  // All messages of the answer. The act's principal is filled in; `more` follows the act.
  absl::StatusOr<std::vector<std::string>> Ask(v1::Act act,
                                               std::vector<std::string> more = {}) const;

  absl::StatusOr<v1::CorpusDescription> Describe(const std::string& corpus) const;
  absl::StatusOr<v1::PlanPrice> Price(const v1::ReleaseSpec& plan) const;
  // Under a fresh request id.
  absl::StatusOr<v1::PlanState> Reserve(const v1::ReleaseSpec& plan) const;
  absl::StatusOr<v1::PlanState> Cancel(const std::string& plan_id) const;
  absl::StatusOr<v1::PlanState> GetPlan(const std::string& plan_id) const;
  absl::StatusOr<v1::BudgetStatus> Budget(const std::string& corpus) const;
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(const std::string& corpus) const;
  absl::StatusOr<ReceivedRelease> RunRelease(const v1::PlanState& plan, int iteration,
                                             const ReleaseQuestion& question) const;
  absl::StatusOr<ReceivedRelease> GetRelease(const std::string& plan_id, int iteration) const;

 private:
  template <typename Reply>
  absl::StatusOr<Reply> AskForOne(v1::Act act) const;
  absl::StatusOr<ReceivedRelease> AskForRelease(v1::Act act, std::vector<std::string> more) const;

  acts::ActHandler* const vault_;
  const std::string name_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_PRINCIPAL_H_
