// A wall without a wall, for tests of the fit: real E-steps over documents in this process,
// a real budget filter with a ledger, the protocol's rules about repeated requests, receipts that
// nobody signed, no noise and no clipping.
// Every kind of failure can be put before or behind any call. Held out at share h are the documents
// whose number ends in a digit below 10·h. Documents have two attributes, "year" (two periods) and
// "ward" (two values): of year document d has value d mod 3, of ward (d div 3) mod 3.
#ifndef TOPICWALL_TESTS_CLIENT_LOCAL_WALL_H_
#define TOPICWALL_TESTS_CLIENT_LOCAL_WALL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accountant/filters/admission_policy.h"
#include "client/wall/wall_port.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/log_topics.h"
#include "tests/client/chain_builder.h"

namespace topicwall::client {

class LocalWall : public WallPort {
 public:
  // K planted topics of distinct terms over V terms, documents of mostly one topic each.
  struct Planted {
    int num_topics = 2;
    int terms_per_topic = 6;
    int documents_per_topic = 30;
    // If there are any, the corpus is of these instead: all of one dimension, norms of at most 1.
    std::vector<std::vector<float>> vectors = {};
  };
  LocalWall() : LocalWall(Planted()) {}
  explicit LocalWall(const Planted& planted);

  // Fails call number n (from 0): before it did anything, or with its answer lost.
  void FailBefore(int call, absl::Status status) { fail_before_[call] = std::move(status); }
  void FailAfter(int call, absl::Status status) { fail_after_[call] = std::move(status); }
  void Cut(int call, bool before) {
    (before ? fail_before_ : fail_after_)[call] = absl::UnavailableError("cut");
  }
  void ForgetFailures() {
    fail_before_.clear();
    fail_after_.clear();
  }
  // An iteration that is charged and has no release, ever.
  std::optional<int32_t> voided;
  // What was reserved is cancelled, and nothing more is charged.
  bool cancelled = false;
  // Before the number of a plan, in its id.
  std::string plan_name = "plan-";
  // What a wall of another mind would do; applied to every release before it is sent.
  std::function<void(Release&)> on_release;

  int calls() const { return calls_; }
  int plans_reserved() const { return static_cast<int>(plans_.size()); }
  // How often an E-step was computed rather than read from the store.
  int releases_paid() const { return releases_paid_; }
  const accountant::AdmissionPolicy& policy() const { return policy_; }
  // Before anything is reserved.
  void UsePolicy(const accountant::AdmissionPolicy& policy) {
    policy_ = policy;
    spent_ = policy.NothingSpent();
    description_.set_epsilon(policy.budget().epsilon);
    description_.set_delta(policy.budget().delta);
  }
  v1::CorpusDescription& description() { return description_; }
  std::vector<std::string>& terms() { return terms_; }
  const lda::DocumentList& documents() const { return documents_; }
  static std::vector<uint16_t> AttributesOf(size_t document) {
    return {static_cast<uint16_t>(document % 3), static_cast<uint16_t>(document / 3 % 3)};
  }
  static bool IsHeldOut(size_t document, double share) {
    return static_cast<double>(document % 10) < 10 * share;
  }
  // Of the tokens of an evaluated document, by lda::SplitTokens.
  static constexpr uint64_t kSplitSeed = 5;

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
  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override;
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view corpus,
                                                          int64_t first_sequence) override;

  // What the plan asks for; it was reserved.
  const v1::ReleaseSpec& spec(const std::string& plan_id) const { return plans_.at(plan_id).spec; }

 private:
  struct Plan {
    std::string request_id;
    v1::ReleaseSpec spec;
    accountant::PlanCost cost;
    accountant::CostVector spent_after;  // by everybody
    std::map<int32_t, Release> releases;
  };

  // Runs one call with the failures that were put around it.
  template <typename Answer>
  absl::StatusOr<Answer> Call(const std::function<absl::StatusOr<Answer>()>& call);
  using Admission = accountant::AdmissionPolicy::Admission;
  absl::StatusOr<std::optional<Admission>> Admit(const v1::ReleaseSpec& plan) const;
  absl::Status RefusalOf(v1::ReleaseSpec plan) const;
  // What was reserved, as the ledger of an honest wall.
  ChainBuilder Chain() const;
  v1::SignedReceipt ReceiptOf(const std::string& plan_id) const;
  Release Compute(const Plan& plan, const v1::RunReleaseHeader& header,
                  absl::Span<const float> parameters) const;
  void AddStatistics(const Plan& plan, absl::Span<const float> parameters, Release& release) const;
  lda::TokenSplit HeldOutHalves(const Plan& plan) const;
  std::vector<float> EvaluateMixture(const Plan& plan, absl::Span<const float> parameters) const;
  std::vector<float> Evaluate(const Plan& plan, absl::Span<const float> parameters) const;

  std::vector<std::string> terms_;
  lda::DocumentList documents_;
  std::vector<std::vector<float>> vectors_;
  v1::CorpusDescription description_;
  accountant::AdmissionPolicy policy_;
  accountant::CostVector spent_;
  std::map<std::string, Plan> plans_;
  int calls_ = 0;
  int releases_paid_ = 0;
  std::map<int, absl::Status> fail_before_;
  std::map<int, absl::Status> fail_after_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_LOCAL_WALL_H_
