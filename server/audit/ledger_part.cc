#include "server/audit/ledger_part.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "server/audit/statistics/ledger_recount.h"
#include "server/audit/walls/audited_wall.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "paid";
constexpr accountant::PrivacyParams kBudget = {.epsilon = 3, .delta = 1e-6};
constexpr double kBobsCap = 0.8;
constexpr int kTerms = 4;
constexpr double kRounding = 1e-9;  // relative; the filter rounds up by less
constexpr char kBob[] = "spiffe://topicwall/audit/bob";

ReleaseQuestion Question(float log_weight = -1) {
  return {.log_topics = std::vector<float>(kTerms, log_weight), .clip_norm = 2};
}

// One scripted history. Each method is an act or two and what there is to see of them.
class History {
 public:
  explicit History(std::unique_ptr<AuditedWall> wall) : wall_(std::move(wall)) {}

  absl::StatusOr<std::vector<Finding>> Run() {
    for (const auto act :
         {&History::ChargeThenCancel, &History::OtherContent, &History::SampledPlan,
          &History::RefusedPlan, &History::AtTheCap, &History::ToTheEnd, &History::CountAgain}) {
      TW_RETURN_IF_ERROR((this->*act)());
    }
    return std::move(findings_);
  }

 private:
  struct Shape {
    double noise_multiplier;
    int iterations;
    double sampling_rate = 1;
    double histogram_noise_multiplier = 0;  // 0: none
  };

  absl::StatusOr<v1::ReleaseSpec> PlanOf(const Shape& shape) {
    TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, wall_->PlanOf(kCorpus));
    plan.mutable_gaussian()->set_noise_multiplier(shape.noise_multiplier);
    plan.set_iterations(shape.iterations);
    plan.set_sampling_rate(shape.sampling_rate);
    if (shape.histogram_noise_multiplier > 0) {
      plan.mutable_gaussian()->set_histogram_noise_multiplier(shape.histogram_noise_multiplier);
    }
    return plan;
  }

  absl::Status Release(const std::string& plan_id, int iteration) {
    TW_RETURN_IF_ERROR(wall_->alice().RunRelease(plan_id, iteration, Question()).status());
    ++received_;
    return absl::OkStatus();
  }

  absl::StatusOr<LedgerRecount> Recount(const std::string& principal = "") {
    TW_ASSIGN_OR_RETURN(const auto events, wall_->ann().ReadLedger(kCorpus));
    return LedgerRecount::Of(events, principal);
  }

  // State of the ledger that anybody can see: what an act that changed nothing must leave.
  absl::StatusOr<std::string> Seen() {
    TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, wall_->ann().Budget(kCorpus));
    return budget.SerializeAsString();
  }

  absl::Status ChargeThenCancel();
  absl::Status OtherContent();
  absl::Status SampledPlan();
  absl::Status RefusedPlan();
  absl::Status AtTheCap();
  absl::Status ToTheEnd();
  absl::Status CountAgain();

  const std::unique_ptr<AuditedWall> wall_;
  std::string cancelled_plan_;
  int64_t received_ = 0;
  std::vector<Finding> findings_;
};

// Of four iterations two are released, one waits for its instant while the plan is cancelled.
absl::Status History::ChargeThenCancel() {
  TW_ASSIGN_OR_RETURN(
      const v1::ReleaseSpec plan,
      PlanOf({.noise_multiplier = 8, .iterations = 4, .histogram_noise_multiplier = 8}));
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall_->alice().Reserve(plan));
  cancelled_plan_ = state.plan_id();
  for (const int iteration : {1, 2}) TW_RETURN_IF_ERROR(Release(cancelled_plan_, iteration));
  wall_->clock().HoldSleepers();
  auto waiting = std::async(std::launch::async, [&] { return Release(cancelled_plan_, 3); });
  const bool sleeps = wall_->clock().WaitForSleeper();
  const auto charged = wall_->alice().GetPlan(cancelled_plan_);
  const auto before_cancel = Recount();
  auto cancelling =
      std::async(std::launch::async, [&] { return wall_->alice().Cancel(cancelled_plan_); });
  wall_->clock().WaitForSleeper(/*nth=*/2);  // acts are answered at multiples of 10 ms
  wall_->clock().AdvanceTo(wall_->clock().NowMs() + 10);
  const auto cancelled = cancelling.get();
  const auto budget = wall_->ann().Budget(kCorpus);
  wall_->clock().LetSleepersJump();
  TW_RETURN_IF_ERROR(waiting.get());
  if (!sleeps) return absl::InternalError("a release did not wait for its instant");
  for (const absl::Status& status :
       {charged.status(), before_cancel.status(), cancelled.status(), budget.status()}) {
    TW_RETURN_IF_ERROR(status);
  }
  findings_.push_back(
      Finding{Part::kLedger, "a release is charged before it can be read",
              "looked while one waits for its instant",
              absl::StrFormat("%d iterations charged in the plan, %d in the chain",
                              charged->iterations_size(), before_cancel->charged()),
              "3 and 3", "1 iteration",
              HoldsIf(charged->iterations_size() == 3 && before_cancel->charged() == 3)});

  TW_ASSIGN_OR_RETURN(const LedgerRecount recount, Recount());
  const double must = recount.EpsilonOfFilter();
  const double stated = budget->epsilon_spent();
  Verdict verdict = HoldsIf(stated >= must * (1 - kRounding));
  if (stated > must * (1 + 1e-6)) verdict = Verdict::kUtilityLost;
  findings_.push_back(
      Finding{Part::kLedger, "a cancel gives back what was not charged, and nothing else",
              "3 of 4 iterations charged, then cancelled", absl::StrFormat("ε spent %.9f", stated),
              absl::StrFormat("%.9f of 3 iterations", must), "1e-9 of ε", verdict});
  return absl::OkStatus();
}

absl::Status History::OtherContent() {
  TW_ASSIGN_OR_RETURN(const std::string before, Seen());
  TW_ASSIGN_OR_RETURN(const ReceivedRelease paid, wall_->alice().GetRelease(cancelled_plan_, 1));
  ReleaseQuestion other = Question(/*log_weight=*/-2);
  const absl::Status honest = wall_->alice().RunRelease(cancelled_plan_, 1, other).status();
  // Two sums under one digest would have the same noise.
  other.forged_digest = paid.header.request_digest();
  const absl::Status forged = wall_->alice().RunRelease(cancelled_plan_, 1, other).status();
  const absl::Status beyond = wall_->alice().RunRelease(cancelled_plan_, 4, Question()).status();
  TW_ASSIGN_OR_RETURN(const std::string after, Seen());
  const bool refused =
      absl::IsAlreadyExists(honest) && absl::IsInvalidArgument(forged) && !beyond.ok();
  findings_.push_back(Finding{
      Part::kLedger, "a paid iteration is answered for one content only, a cancelled one for none",
      "other topics for iteration 1, also under its digest; iteration 4 after the cancel",
      absl::StrCat(refused ? "all refused" : "answered", ", the ledger ",
                   before == after ? "as it was" : "changed"),
      "refused, unchanged", "1 answer", HoldsIf(refused && before == after)});
  return absl::OkStatus();
}

absl::Status History::SampledPlan() {
  TW_ASSIGN_OR_RETURN(const v1::ReleaseSpec plan,
                      PlanOf({.noise_multiplier = 2, .iterations = 3, .sampling_rate = 0.05}));
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall_->alice().Reserve(plan));
  return Release(state.plan_id(), 2);
}

absl::Status History::RefusedPlan() {
  TW_ASSIGN_OR_RETURN(const std::string before, Seen());
  int answered = 0;
  for (const Shape& shape : {Shape{.noise_multiplier = 0.3, .iterations = 10},
                             Shape{.noise_multiplier = 0x1p-6, .iterations = 1},
                             Shape{.noise_multiplier = 8, .iterations = 1'000'000}}) {
    TW_ASSIGN_OR_RETURN(const v1::ReleaseSpec plan, PlanOf(shape));
    if (!absl::IsFailedPrecondition(wall_->alice().Reserve(plan).status())) ++answered;
  }
  TW_ASSIGN_OR_RETURN(const std::string after, Seen());
  findings_.push_back(Finding{
      Part::kLedger, "a plan beyond the budget is refused and leaves the ledger as it was",
      "3 plans, each beyond the whole budget",
      absl::StrCat(answered, " let in, the ledger ", before == after ? "as it was" : "changed"),
      "none, unchanged", "1 plan", HoldsIf(answered == 0 && before == after)});
  return absl::OkStatus();
}

// Bob takes plan after plan until the cap stops him, and leaves alice something if it does not.
absl::Status History::AtTheCap() {
  TW_ASSIGN_OR_RETURN(const v1::ReleaseSpec plan,
                      PlanOf({.noise_multiplier = 14, .iterations = 1}));
  constexpr int kMost = 14;
  int admitted = 0;
  while (admitted < kMost && wall_->bob().Reserve(plan).ok()) ++admitted;
  TW_ASSIGN_OR_RETURN(const LedgerRecount recount, Recount(kBob));
  findings_.push_back(
      Finding{Part::kLedger, "an analyst stays within the cap",
              absl::StrFormat("%d plans until the first refusal", admitted),
              absl::StrFormat("ε %.6f by the recount", recount.EpsilonOfFilter()),
              absl::StrFormat("%.6f", kBobsCap), "1 release",
              HoldsIf(admitted > 0 && recount.EpsilonOfFilter() <= kBobsCap * (1 + kRounding))});
  return absl::OkStatus();
}

absl::Status History::ToTheEnd() {
  TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, PlanOf({.noise_multiplier = 12, .iterations = 1}));
  TW_ASSIGN_OR_RETURN(const v1::PlanPrice price, wall_->alice().Price(plan));
  plan.set_iterations(static_cast<int32_t>(price.most_iterations()) + 1);
  const bool more_refused = !wall_->alice().Reserve(plan).ok();
  plan.set_iterations(static_cast<int32_t>(price.most_iterations()));
  TW_ASSIGN_OR_RETURN(const v1::PlanState last, wall_->alice().Reserve(plan));
  TW_RETURN_IF_ERROR(Release(last.plan_id(), 1));
  plan.set_iterations(1);
  int let_in = 0;
  for (int i = 0; i < 3; ++i) let_in += wall_->alice().Reserve(plan).ok() ? 1 : 0;
  TW_ASSIGN_OR_RETURN(const LedgerRecount recount, Recount());
  TW_ASSIGN_OR_RETURN(const LedgerRecount one_more, recount.With(plan, 1));
  const double spent = recount.EpsilonOfFilter();
  Verdict verdict =
      HoldsIf(more_refused && let_in == 0 && spent <= kBudget.epsilon * (1 + kRounding));
  if (verdict == Verdict::kHolds && one_more.EpsilonOfFilter() <= kBudget.epsilon * (1 - 1e-6)) {
    verdict = Verdict::kUtilityLost;
  }
  findings_.push_back(
      Finding{Part::kLedger, "the budget is never exceeded, and is to be had to its last release",
              absl::StrFormat("%d releases set aside, then 1 more three times", recount.releases()),
              absl::StrFormat("ε %.6f by the recount, %.6f with one more; %d let in", spent,
                              one_more.EpsilonOfFilter(), let_in),
              absl::StrFormat("%g", kBudget.epsilon), "1 release", verdict});
  return absl::OkStatus();
}

absl::Status History::CountAgain() {
  TW_ASSIGN_OR_RETURN(const LedgerRecount recount, Recount());
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, wall_->ann().Budget(kCorpus));
  const std::size_t orders = recount.orders().size();
  double least = 1e300;
  const double unit = std::ldexp(1.0, -budget.filter().fixed_point_bits());
  for (std::size_t i = 0; i < orders && static_cast<int>(i) < budget.spent_size(); ++i) {
    const double spent = static_cast<double>(budget.spent(static_cast<int>(i))) * unit;
    least = std::min(least, spent / recount.Price(i));
  }
  const std::size_t witnesses = orders + (recount.has_gaussian() ? 1 : 0);
  const bool complete = static_cast<std::size_t>(budget.spent_size()) == witnesses;
  if (complete && recount.has_gaussian()) {
    const double spent = static_cast<double>(budget.spent(budget.spent_size() - 1)) * unit;
    least = std::min(least, spent / recount.GaussianPrice());
  }
  findings_.push_back(
      Finding{Part::kLedger,
              "every release is priced at no less than its Rényi divergence, σ_eff and ν included",
              absl::StrFormat("%d releases at %d witnesses", recount.releases(), witnesses),
              absl::StrFormat("at least %.9f of it", least), "1", "1e-9 of a price",
              HoldsIf(complete && least >= 1 - kRounding)});
  const double must = recount.EpsilonOfFilter();
  findings_.push_back(Finding{
      Part::kLedger, "the ε stated as spent is what the recorded rule makes of the events, or more",
      "orders and weights of the opening event",
      absl::StrFormat("%.9f stated; weights %.12f", budget.epsilon_spent(), recount.weights_sum()),
      absl::StrFormat("at least %.9f; weights at most 1", must), "1e-9 of ε",
      HoldsIf(budget.epsilon_spent() >= must * (1 - kRounding) &&
              recount.weights_sum() <= 1 + 1e-12)});
  findings_.push_back(Finding{
      Part::kLedger, "and no less than the exact ε of the same list, had it been fixed beforehand",
      "the same events", absl::StrFormat("%.9f stated", budget.epsilon_spent()),
      absl::StrFormat("at least %.9f", recount.EpsilonOfAccountant()), "1e-9 of ε",
      HoldsIf(budget.epsilon_spent() >= recount.EpsilonOfAccountant() * (1 - kRounding))});
  findings_.push_back(
      Finding{Part::kLedger, "every release that came is in the chain: charged, then readable",
              absl::StrCat(received_, " releases received"),
              absl::StrFormat("%d charged, %d readable", recount.charged(), recount.published()),
              absl::StrCat(received_, " each"), "1 release",
              HoldsIf(recount.charged() == received_ && recount.published() == received_)});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Finding>> AuditLedger(ScratchFolder* folder) {
  PlantedCorpus planted = {.vocabulary_size = kTerms, .documents = {}};
  for (uint32_t i = 0; i < 10; ++i) {
    planted.documents.push_back({.id = absl::StrCat("document-", i), .counts = {{i % kTerms, 2}}});
  }
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(folder, {.corpora = {{.name = kCorpus, .planted = planted}},
                                  .budget = kBudget,
                                  .bob_epsilon_cap = kBobsCap}));
  return History(std::move(wall)).Run();
}

}  // namespace topicwall::audit
