// One principal's connection to a wall, as a client has it: what an attacker can ask.
//
//   WallProbe alice(address, authority_pem, pem_of_alice);
//   TW_ASSIGN_OR_RETURN(v1::PlanState plan, alice.Reserve(spec));
//   TW_ASSIGN_OR_RETURN(ReceivedRelease release, alice.RunRelease(plan.plan_id(), 1, request));
//
// Real gRPC over mutual TLS. Errors: as the wall sends them; INTERNAL if what it sends is no
// release. Threads: any number of calls at once.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_WALL_PROBE_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_WALL_PROBE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "proto/ledger.pb.h"
#include "proto/wall.grpc.pb.h"
#include "server/audit/walls/throwaway_certificates.h"

namespace topicwall::audit {

// What is asked of a release, besides plan and iteration.
struct ReleaseQuestion {
  std::vector<float> log_topics;   // K×V, row = topic
  double clip_norm;                // C
  std::string forged_digest = {};  // sent instead of the true one, if given
};

struct ReceivedRelease {
  v1::ReleaseHeader header;
  std::vector<float> statistics;           // K×V
  std::vector<std::size_t> message_sizes;  // of everything that came, in order
};

class WallProbe {
 public:
  WallProbe(const std::string& address, const std::string& authority, const PemPair& pair);

  absl::StatusOr<v1::CorpusDescription> Describe(const std::string& corpus) const;
  // A line a term.
  absl::StatusOr<std::string> Vocabulary(const std::string& corpus) const;
  absl::StatusOr<v1::PlanPrice> Price(const v1::ReleaseSpec& plan) const;
  // Under a fresh request id.
  absl::StatusOr<v1::PlanState> Reserve(const v1::ReleaseSpec& plan) const;
  absl::StatusOr<v1::PlanState> Cancel(const std::string& plan_id) const;
  absl::StatusOr<v1::PlanState> GetPlan(const std::string& plan_id) const;
  // The first page of one's own.
  absl::StatusOr<v1::ListPlansResponse> Plans(const std::string& corpus) const;
  absl::StatusOr<v1::BudgetStatus> Budget(const std::string& corpus) const;
  // The events that this principal may see, in order.
  absl::StatusOr<std::vector<v1::LedgerEvent>> ReadLedger(const std::string& corpus) const;
  // Of a plan that was reserved here.
  absl::StatusOr<ReceivedRelease> RunRelease(const std::string& plan_id, int iteration,
                                             const ReleaseQuestion& question) const;
  absl::StatusOr<ReceivedRelease> GetRelease(const std::string& plan_id, int iteration) const;

 private:
  const std::unique_ptr<v1::PrivacyWall::Stub> stub_;
  mutable absl::Mutex mutex_;
  // Of the plans reserved here: a request's digest covers model and options.
  mutable std::map<std::string, v1::ReleaseSpec> specs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_WALL_PROBE_H_
