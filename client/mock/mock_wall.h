// A wall with nothing behind it: the whole protocol over made-up documents, in this process, for
// whoever writes a script before they spend a budget on it.
//
//   TW_ASSIGN_OR_RETURN(const MockWall mock, MockWall::Of(wall, "notes"));
//   mock.PricePlan(plan), mock.ReservePlan(…), mock.RunRelease(…)     // `wall` is asked no more
//
// It has the public description of a real corpus (its words, attributes, unit, limits and the
// policy of its budget), and otherwise nothing of it: documents are made up (made_up_corpus.h),
// noise is ordinary (made_up_release.h), the ledger begins empty (mock_ledger.h), releases are
// there at once. NOTHING IS PROTECTED, nothing needs to be, and nothing is spent. Prices are those
// of an untouched budget; other accountants' prices are left out.
//
// What it says of itself: its custodian is kMockCustodian, which stands in every model, ledger and
// report that is made of it; its version of the corpus is another than the real one's, and so is
// its key, so that neither wall takes a folder of the other's for its own.
//
// Errors: as WallPort; FAILED_PRECONDITION for a corpus without a budget, whose prices nobody
// knows. PUBLIC. A handle: copies are the same mock. Threads: any, one at a time.
#ifndef TOPICWALL_CLIENT_MOCK_MOCK_WALL_H_
#define TOPICWALL_CLIENT_MOCK_MOCK_WALL_H_

#include <memory>
#include <string>
#include <vector>

#include "client/wall/wall_port.h"

namespace topicwall::client {

class MockWall : public WallPort {
 public:
  static absl::StatusOr<MockWall> Of(WallPort& wall, const std::string& corpus);

  const std::string& corpus() const;
  const std::string& signing_key() const;  // 32 bytes

  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override;
  absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view corpus,
                                                         int64_t max_terms) override;
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override;
  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) override;
  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view plan_id) override;
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view corpus) override;
  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header,
                                     absl::Span<const float> parameters,
                                     const ReleaseShape& shape) override;
  absl::StatusOr<Release> GetRelease(absl::string_view plan_id, int32_t iteration,
                                     const ReleaseShape& shape) override;
  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override;
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view corpus,
                                                          int64_t first_sequence) override;

 private:
  class World;
  explicit MockWall(std::shared_ptr<World> world) : world_(std::move(world)) {}

  std::shared_ptr<World> world_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_MOCK_MOCK_WALL_H_
