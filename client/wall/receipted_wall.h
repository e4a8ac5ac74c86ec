// A wall whose every paid answer comes with a receipt that was checked and kept.
//
//   ReceiptedWall receipted(*wall, *book);
//   Fit(receipted, *directory, settings, hooks);
//
// Passes every call on. What comes back is given to the caller only after its receipts
//  · are signed by the key that the book belongs to (DescribeCorpus is where it is met),
//  · say what was asked: the plan, number for number; the iteration and the digest of the request;
//    the digests and times of the very release that came with them,
//  · are durable in the book, and contradict none in it.
// So whatever a model is made of, there is proof of it. Errors: those of the wall; DATA_LOSS,
// saying what differs, for an answer whose receipts do not hold: nothing is lost then, the same
// call may be made again. FAILED_PRECONDITION for a wall with another key, or without.
// PUBLIC. Threads: one. `wall` and `book` must outlive it.
#ifndef TOPICWALL_CLIENT_WALL_RECEIPTED_WALL_H_
#define TOPICWALL_CLIENT_WALL_RECEIPTED_WALL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/wall/receipt_book.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

class ReceiptedWall : public WallPort {
 public:
  ReceiptedWall(WallPort& wall, ReceiptBook& book) : wall_(wall), book_(book) {}

  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override;
  absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view corpus,
                                                         int64_t max_terms) override {
    return wall_.GetVocabulary(corpus, max_terms);
  }
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override {
    return wall_.PricePlan(plan);
  }
  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) override;
  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view plan_id) override;
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view corpus) override {
    return wall_.ListPlans(corpus);
  }
  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header,
                                     absl::Span<const float> log_topics,
                                     const ReleaseShape& shape) override;
  absl::StatusOr<Release> GetRelease(absl::string_view plan_id, int32_t iteration,
                                     const ReleaseShape& shape) override;
  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override {
    return wall_.GetBudget(corpus);
  }
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view corpus,
                                                          int64_t first_sequence) override {
    return wall_.ReadLedger(corpus, first_sequence);
  }

 private:
  // `asked`: the plan that was asked for; empty if it is new.
  absl::StatusOr<v1::PlanState> KeepPlan(absl::StatusOr<v1::PlanState> plan,
                                         absl::string_view asked = {});
  absl::Status KeepRelease(const Release& release);

  WallPort& wall_;
  ReceiptBook& book_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_RECEIPTED_WALL_H_
