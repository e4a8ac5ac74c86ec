#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "proto/receipt.h"
#include "server/audit/parts.h"
#include "server/audit/statistics/ledger_recount.h"
#include "server/audit/walls/audited_wall.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "paid";
constexpr double kEpsilon = 3;
constexpr double kBobsCap = 0.8;
constexpr int kTerms = 4;
constexpr double kRounding = 1e-9;  // relative; the filter rounds up by less

ReleaseQuestion Question(float log_weight = -1) {
  return {.parameters = std::vector<float>(kTerms, log_weight), .clip_norm = 2};
}

// One scripted history. Each method is an act or two and what there is to see of them.
class History {
 public:
  explicit History(AuditedWall& wall)
      : wall_(wall), alice_(wall.alice()), bob_(wall.bob()), ann_(wall.ann()) {}

  Findings Run() {
    for (const auto act :
         {&History::ChargeThenCancel, &History::OtherContent, &History::SampledPlan,
          &History::RefusedPlan, &History::AtTheCap, &History::ToTheEnd, &History::CountAgain}) {
      TW_RETURN_IF_ERROR((this->*act)());
    }
    return std::move(findings_);
  }

 private:
  v1::ReleaseSpec PlanOf(double noise_multiplier, int iterations) {
    v1::ReleaseSpec plan = wall_.PlanOf(kCorpus);
    plan.mutable_gaussian()->set_noise_multiplier(noise_multiplier);
    plan.set_iterations(iterations);
    return plan;
  }

  absl::Status Release(const v1::PlanState& plan, int iteration) {
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        alice_.RunRelease(plan, iteration, Question()));
    receipts_.push_back(release.header.charge_receipt());
    receipts_.push_back(release.header.release_receipt());
    ++received_;
    return absl::OkStatus();
  }

  absl::StatusOr<LedgerRecount> Recount(const std::string& principal = "") {
    TW_ASSIGN_OR_RETURN(const auto entries, ann_.ReadLedger(kCorpus));
    return LedgerRecount::Of(entries, principal);
  }

  // What anybody can see of the ledger: an act that changed nothing must leave it.
  absl::StatusOr<std::string> Seen() {
    TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, ann_.Budget(kCorpus));
    return budget.SerializeAsString();
  }

  absl::Status ChargeThenCancel();
  absl::Status OtherContent();
  absl::Status SampledPlan();
  absl::Status RefusedPlan();
  absl::Status AtTheCap();
  absl::Status ToTheEnd();
  absl::Status CountAgain();
  absl::Status OpenReceipts(const LedgerRecount& recount);

  AuditedWall& wall_;
  const Principal& alice_;
  const Principal& bob_;
  const Principal& ann_;
  v1::PlanState cancelled_;
  std::vector<v1::SignedReceipt> receipts_;
  int64_t received_ = 0;
  std::vector<Finding> findings_;
};

// Of four iterations two are released when the plan is cancelled.
absl::Status History::ChargeThenCancel() {
  v1::ReleaseSpec plan = PlanOf(8, 4);
  plan.mutable_gaussian()->set_histogram_noise_multiplier(8);
  TW_ASSIGN_OR_RETURN(cancelled_, alice_.Reserve(plan));
  for (const int iteration : {1, 2}) TW_RETURN_IF_ERROR(Release(cancelled_, iteration));
  TW_ASSIGN_OR_RETURN(const v1::PlanState cancelled, alice_.Cancel(cancelled_.plan_id()));
  receipts_.push_back(cancelled.cancellation_receipt());
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, ann_.Budget(kCorpus));
  TW_ASSIGN_OR_RETURN(const LedgerRecount recount, Recount());
  const double must = recount.EpsilonOfFilter();
  const double stated = budget.epsilon_spent();
  // Less than the recount: a cancel gave back what was charged. More: it kept what was not.
  Verdict verdict = HoldsIf(stated >= must * (1 - kRounding));
  if (stated > must * (1 + 1e-6)) verdict = Verdict::kUtilityLost;
  findings_.push_back({"a cancel gives back what was not charged, and nothing else",
                       "2 of 4 iterations charged, then cancelled",
                       absl::StrFormat("ε spent %.9f", stated),
                       absl::StrFormat("%.9f of 2 iterations", must), "1e-9 of ε", verdict});
  return absl::OkStatus();
}

absl::Status History::OtherContent() {
  TW_ASSIGN_OR_RETURN(const std::string before, Seen());
  TW_ASSIGN_OR_RETURN(const ReceivedRelease paid, alice_.GetRelease(cancelled_.plan_id(), 1));
  ReleaseQuestion other = Question(/*log_weight=*/-2);
  // The same iteration with other topics would be two releases at the price of one. Under its own
  // digest the ledger refuses it; under the paid one the vault, which works the digest out itself.
  const absl::Status honest = alice_.RunRelease(cancelled_, 1, other).status();
  // Two sums under one digest would have the same noise.
  other.forged_digest = paid.header.request_digest();
  const absl::Status forged = alice_.RunRelease(cancelled_, 1, other).status();
  const absl::Status beyond = alice_.RunRelease(cancelled_, 4, Question()).status();
  TW_ASSIGN_OR_RETURN(const std::string after, Seen());
  const bool refused =
      absl::IsAlreadyExists(honest) && absl::IsInvalidArgument(forged) && !beyond.ok();
  findings_.push_back(
      {"a paid iteration is answered for one content only, a cancelled one for none",
       "other topics for iteration 1, also under its digest; iteration 4 after the cancel",
       absl::StrCat(refused ? "all refused" : "answered", ", the ledger ",
                    before == after ? "as it was" : "changed"),
       "refused, unchanged", "1 answer", HoldsIf(refused && before == after)});
  return absl::OkStatus();
}

absl::Status History::SampledPlan() {
  v1::ReleaseSpec plan = PlanOf(2, 3);
  plan.set_sampling_rate(0.05);
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, alice_.Reserve(plan));
  receipts_.push_back(state.reservation_receipt());
  return Release(state, 2);
}

absl::Status History::RefusedPlan() {
  TW_ASSIGN_OR_RETURN(const std::string before, Seen());
  int let_in = 0;
  // Little noise some times, hardly any once, much of it far too often.
  for (const auto& [sigma, iterations] : {std::pair(0.3, 10), {0x1p-6, 1}, {8.0, 1'000'000}}) {
    const absl::Status status = alice_.Reserve(PlanOf(sigma, iterations)).status();
    let_in += absl::IsFailedPrecondition(status) ? 0 : 1;
  }
  TW_ASSIGN_OR_RETURN(const std::string after, Seen());
  findings_.push_back(
      {"a plan beyond the budget is refused and leaves the ledger as it was",
       "3 plans, each beyond the whole budget",
       absl::StrCat(let_in, " let in, the ledger ", before == after ? "as it was" : "changed"),
       "none, unchanged", "1 plan", HoldsIf(let_in == 0 && before == after)});
  return absl::OkStatus();
}

// Bob takes plan after plan until the cap stops him, and leaves alice something if it does not.
absl::Status History::AtTheCap() {
  constexpr int kMost = 14;
  int admitted = 0;
  while (admitted < kMost && bob_.Reserve(PlanOf(14, 1)).ok()) ++admitted;
  TW_ASSIGN_OR_RETURN(const LedgerRecount recount, Recount(bob_.name()));
  const double spent = recount.EpsilonOfFilter();
  findings_.push_back({"an analyst stays within the cap",
                       absl::StrFormat("%d plans until the first refusal", admitted),
                       absl::StrFormat("ε %.6f by the recount", spent),
                       absl::StrFormat("%.6f", kBobsCap), "1 release",
                       HoldsIf(admitted > 0 && spent <= kBobsCap * (1 + kRounding))});
  return absl::OkStatus();
}

absl::Status History::ToTheEnd() {
  v1::ReleaseSpec plan = PlanOf(12, 1);
  TW_ASSIGN_OR_RETURN(const v1::PlanPrice price, alice_.Price(plan));
  // One more than the wall says is left, then just that, then one more again.
  plan.set_iterations(static_cast<int32_t>(price.most_iterations()) + 1);
  int let_in = alice_.Reserve(plan).ok() ? 1 : 0;
  plan.set_iterations(static_cast<int32_t>(price.most_iterations()));
  TW_ASSIGN_OR_RETURN(const v1::PlanState last, alice_.Reserve(plan));
  TW_RETURN_IF_ERROR(Release(last, 1));
  plan.set_iterations(1);
  for (int i = 0; i < 3; ++i) let_in += alice_.Reserve(plan).ok() ? 1 : 0;
  TW_ASSIGN_OR_RETURN(const LedgerRecount recount, Recount());
  LedgerRecount one_more = recount;
  TW_RETURN_IF_ERROR(one_more.Add(plan, 1));
  const double spent = recount.EpsilonOfFilter();
  Verdict verdict = HoldsIf(let_in == 0 && spent <= kEpsilon * (1 + kRounding));
  if (verdict == Verdict::kHolds && one_more.EpsilonOfFilter() <= kEpsilon * (1 - 1e-6)) {
    verdict = Verdict::kUtilityLost;
  }
  findings_.push_back(
      {"the budget is never exceeded, and is to be had to its last release",
       absl::StrFormat("%d releases set aside, then 1 more four times", recount.releases),
       absl::StrFormat("ε %.6f by the recount, %.6f with one more; %d let in", spent,
                       one_more.EpsilonOfFilter(), let_in),
       absl::StrFormat("%g", kEpsilon), "1 release", verdict});
  return absl::OkStatus();
}

absl::Status History::CountAgain() {
  TW_ASSIGN_OR_RETURN(const LedgerRecount recount, Recount());
  TW_ASSIGN_OR_RETURN(const double exact, recount.EpsilonOfAccountant());
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, ann_.Budget(kCorpus));
  std::vector<double> prices = recount.prices;
  if (recount.gaussian_weight > 0) prices.push_back(recount.gaussian_price);
  const bool complete = static_cast<std::size_t>(budget.spent_size()) == prices.size();
  double least = 1e300;
  // At every witness, not at the one that decides today: another may decide after the next plan.
  for (std::size_t i = 0; complete && i < prices.size(); ++i) {
    const auto units = static_cast<double>(budget.spent(static_cast<int>(i)));
    least = std::min(least, std::ldexp(units, -budget.filter().fixed_point_bits()) / prices[i]);
  }
  findings_.push_back(
      {"every release is priced at no less than its Rényi divergence, σ_eff and ν included",
       absl::StrFormat("%d releases at %d witnesses", recount.releases, prices.size()),
       absl::StrFormat("at least %.9f of it", least), "1", "1e-9 of a price",
       HoldsIf(complete && least >= 1 - kRounding)});
  const double must = recount.EpsilonOfFilter();
  const double stated = budget.epsilon_spent();
  findings_.push_back(
      {"the ε stated as spent is what the recorded rule makes of the events, or more; and "
       "no less than the exact ε of the same list, had it been fixed beforehand",
       "orders and weights of the opening event",
       absl::StrFormat("%.9f stated; weights %.12f", stated, recount.WeightsSum()),
       absl::StrFormat("at least %.9f and %.9f; weights at most 1", must, exact), "1e-9 of ε",
       HoldsIf(stated >= must * (1 - kRounding) && stated >= exact * (1 - kRounding) &&
               recount.WeightsSum() <= 1 + 1e-12)});
  return OpenReceipts(recount);
}

// The recount has verified the chain's hashes.
absl::Status History::OpenReceipts(const LedgerRecount& recount) {
  TW_ASSIGN_OR_RETURN(const auto entries, ann_.ReadLedger(kCorpus));
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, ann_.Describe(kCorpus));
  int opened = 0;
  for (const v1::SignedReceipt& receipt : receipts_) {
    const auto open = proto::OpenReceipt(receipt, description.signing_key());
    if (!open.ok()) continue;
    const v1::LedgerEntry& entry = open->receipt.entry();
    const auto place = static_cast<std::size_t>(entry.sequence()) - 1;
    // By the head: it stands for the entry and all before it, so the receipt is of this chain.
    opened += place < entries.size() && entries[place].head() == entry.head() ? 1 : 0;
  }
  const auto published = static_cast<int64_t>(recount.published_at_ms.size());
  const bool all = opened == static_cast<int>(receipts_.size());
  findings_.push_back(
      {"every release that came is in the chain: charged, with its key named, then readable; as "
       "are receipts",
       absl::StrFormat("%d releases and %d receipts received; a chain of %d entries", received_,
                       receipts_.size(), entries.size()),
       absl::StrFormat("%d charged, %d readable, %d receipts of entries in it", recount.charged,
                       published, opened),
       "all", "1 release, 1 receipt",
       HoldsIf(all && recount.charged == received_ && published == received_ &&
               recount.charged_first && recount.keys_named)});
  return absl::OkStatus();
}

}  // namespace

Findings AttackLedger(Attack& attack) {
  PlantedCorpus planted = {.vocabulary_size = kTerms, .documents = {}};
  for (uint32_t i = 0; i < 10; ++i) {
    planted.documents.push_back({.id = absl::StrCat("document-", i), .counts = {{i % kTerms, 2}}});
  }
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(attack.NewPath("wall"), {.corpora = {{kCorpus, std::move(planted)}},
                                                  .epsilon = kEpsilon,
                                                  .bob_epsilon_cap = kBobsCap}));
  return History(*wall).Run();
}

}  // namespace topicwall::audit
