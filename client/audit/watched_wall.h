// A wall whose ledger must go on from what was noted of it, before anything else is asked.
//
//   WatchedWall wall(std::move(connection), HeadBook(HeadBookPath(profile)),
//                    {.signing_key = key, .on_new_budget = tell});
//   wall.DescribeCorpus("notes");   // refused if the ledger of notes was put back
//
// Passes every call on. The chain of a corpus is looked at (chain_watch.h) before the first call
// that concerns it, and again before each that spends: ReservePlan, RunRelease, CancelPlan. The
// head that a GetBudget states, and a chain that a ReadLedger brings, must hold the note as well; a
// signed head that comes with a budget must hold.
//
// So every command that talks to a wall keeps the notes, and a fit stops before it pays for a
// release to a wall whose ledger was put back under it.
//
// Errors: those of chain_watch.h, and of the call itself. PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_AUDIT_WATCHED_WALL_H_
#define TOPICWALL_CLIENT_AUDIT_WATCHED_WALL_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/audit/chain_watch.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

class WatchedWall : public WallPort {
 public:
  struct Options {
    std::string signing_key = {};  // as WatchedChain
    // Told once that a corpus has another budget than the one that was noted of it.
    std::function<void(const ChainSight& sight)> on_new_budget = {};
  };
  WatchedWall(std::unique_ptr<WallPort> wall, HeadBook book, Options options)
      : wall_(std::move(wall)), book_(std::move(book)), options_(std::move(options)) {}

  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override;
  absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view corpus,
                                                         int64_t max_terms) override;
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override;
  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) override;
  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view plan_id) override;
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view corpus) override;
  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header,
                                     absl::Span<const float> log_topics,
                                     const ReleaseShape& shape) override;
  absl::StatusOr<Release> GetRelease(absl::string_view plan_id, int32_t iteration,
                                     const ReleaseShape& shape) override;
  absl::StatusOr<v1::BudgetStatus> GetBudget(const v1::GetBudgetRequest& request) override;
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view corpus,
                                                          int64_t first_sequence) override;

 private:
  // Looks now; LookOnce only if this object never did.
  absl::Status Look(const std::string& corpus);
  absl::Status LookOnce(absl::string_view corpus);
  absl::StatusOr<std::string> CorpusOf(const std::string& plan_id);
  // What was noted of the corpus at its last look.
  const v1::NotedHead& NoteOf(absl::string_view corpus) const;

  const std::unique_ptr<WallPort> wall_;
  HeadBook book_;
  const Options options_;
  std::map<std::string, v1::NotedHead, std::less<>> notes_;  // by corpus
  std::map<std::string, std::string> corpora_;               // by plan
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_WATCHED_WALL_H_
