// What the analyst's side asks of the wall: one method per RPC of proto/wall.proto.
//
// wall_client.h has the implementation that speaks gRPC; everything else in this folder knows
// only this interface, so that a fit can be tested with every kind of failure at every step.
//
// Each call is idempotent on the wall's side (a reservation by its request_id, a release by
// its digest), so an implementation may send it again after UNAVAILABLE or ABORTED.
// Errors are the wall's, as protocol comments there name them; a refusal for lack of budget
// is FAILED_PRECONDITION with a PrivacyBudgetExhausted payload (proto/budget_refusal.h).
// What comes back is the wall's word: release_check.h, corpus_vocabulary.h and
// budget_auditor.h check what can be checked.
// PUBLIC on this side of the wall. Threads: one call at a time.
#ifndef TOPICWALL_CLIENT_WALL_WALL_PORT_H_
#define TOPICWALL_CLIENT_WALL_WALL_PORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/sparse_statistic.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// The shape of a release, known beforehand; another one is an error before it is stored.
using ReleaseShape = model::StatisticShape;

// One noisy sum: as the plan's model says, row by row, signed.
struct Release {
  v1::ReleaseHeader header;
  std::vector<float> statistics;
};

class WallPort {
 public:
  virtual ~WallPort() = default;

  virtual absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) = 0;
  // At most `max_terms` terms, in term order; INVALID_ARGUMENT if more are sent.
  virtual absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view corpus,
                                                                 int64_t max_terms) = 0;

  virtual absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) = 0;
  virtual absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) = 0;
  virtual absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view plan_id) = 0;
  virtual absl::StatusOr<v1::PlanState> GetPlan(absl::string_view plan_id) = 0;
  // All pages of them; of weights the SHA-256 alone.
  virtual absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view corpus) = 0;

  // `parameters`: of the plan's model. Returns when the release is readable, which may take as
  // long as the corpus' release interval and the queue.
  virtual absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header,
                                             absl::Span<const float> parameters,
                                             const ReleaseShape& shape) = 0;
  virtual absl::StatusOr<Release> GetRelease(absl::string_view plan_id, int32_t iteration,
                                             const ReleaseShape& shape) = 0;

  virtual absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) = 0;
  // The entries from number `first_sequence` on (1: all); none if the chain is shorter.
  virtual absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view corpus,
                                                                  int64_t first_sequence) = 0;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_WALL_PORT_H_
