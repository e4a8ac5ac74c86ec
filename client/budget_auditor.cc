#include "client/budget_auditor.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/accountants.h"
#include "accountant/status_macros.h"
#include "client/enforced_price.h"
#include "proto/ledger_chain.h"

namespace topicwall::client {
namespace {

using accountant::CostVector;

bool IsClose(double a, double b) {
  return a == b || std::abs(a - b) <= kPriceTolerance * std::max(std::abs(a), std::abs(b));
}

bool IsSpent(const CostVector& recomputed, const v1::BudgetStatus& status) {
  return std::equal(recomputed.begin(), recomputed.end(), status.spent().begin(),
                    status.spent().end(), IsSamePrice);
}

bool IsSameFilter(const v1::FilterRecord& a, const accountant::FilterSpec& b) {
  const auto same = [](const auto& repeated, const std::vector<double>& values) {
    return std::equal(repeated.begin(), repeated.end(), values.begin(), values.end());
  };
  return a.epsilon() == b.budget.epsilon && a.delta() == b.budget.delta &&
         a.fixed_point_bits() == b.fixed_point_bits && same(a.orders(), b.orders) &&
         same(a.weights(), b.weights);
}

// A principal's ε as the wall states it, against the visible events.
void ComparePrincipal(const v1::PrincipalBudget& stated, const LedgerReplay& replay,
                      std::vector<std::string>& findings) {
  const double own = replay.filter().EpsilonUpperBound(replay.SpentBy(stated.principal()));
  if (!IsClose(own, stated.epsilon_spent())) {
    findings.push_back(absl::StrCat("GetBudget says that ", stated.principal(), " spent epsilon ",
                                    stated.epsilon_spent(), "; its events add up to ", own, "."));
  }
}

// `replay` stands behind as many entries as GetBudget counted.
void Compare(const v1::BudgetStatus& status, const proto::ChainVerifier& chain,
             const LedgerReplay& replay, int64_t unseen, std::vector<std::string>& findings) {
  if (chain.head() != status.chain_head()) {
    findings.push_back(absl::StrCat("GetBudget states another head behind entry ", chain.length(),
                                    ": two histories are being shown."));
  }
  if (!IsSameFilter(status.filter(), replay.filter().spec())) {
    findings.push_back("GetBudget states another filter than the one the budget was opened with.");
  }
  if (unseen == 0 && !IsSpent(replay.spent(), status)) {
    findings.push_back(absl::StrCat("GetBudget says that epsilon ", status.epsilon_spent(),
                                    " is spent; the events add up to ",
                                    replay.filter().EpsilonUpperBound(replay.spent()), "."));
  }
  if (status.has_own()) ComparePrincipal(status.own(), replay, findings);
  for (const v1::PrincipalBudget& principal : status.principals()) {
    ComparePrincipal(principal, replay, findings);
  }
}

std::vector<NamedEpsilon> OtherAccountants(const std::vector<AuditedPlan>& plans, double delta) {
  std::vector<NamedEpsilon> results;
  for (const std::string& name : accountant::AccountantNames()) {
    auto accountant = accountant::MakeAccountant(name);
    absl::Status composed = accountant.status();
    for (const AuditedPlan& plan : plans) {
      if (!composed.ok()) break;
      std::optional<double> histogram;
      if (plan.terms.has_histogram_noise_multiplier()) {
        histogram = plan.terms.histogram_noise_multiplier();
      }
      const auto release =
          ReleaseOf(plan.terms.sampling_rate(), plan.terms.noise_multiplier(), histogram);
      composed = release.ok() ? (*accountant)
                                    ->Compose({.release = *release,
                                               .count = plan.terms.iterations() - plan.returned})
                              : release.status();
    }
    if (!composed.ok()) continue;
    const auto epsilon = (*accountant)->Epsilon(delta);
    if (epsilon.ok()) results.push_back({.accountant = name, .epsilon = *epsilon});
  }
  return results;
}

// A chain, its sums and what is wrong with them, entry by entry.
class Auditor {
 public:
  explicit Auditor(const v1::BudgetStatus& status) : status_(status) {}

  absl::Status Add(const v1::LedgerEntry& entry) {
    TW_RETURN_IF_ERROR(chain_.Add(entry));
    if (!replay_.has_value()) {
      TW_ASSIGN_OR_RETURN(replay_, LedgerReplay::Create(chain_.event()));
    } else if (entry.event().empty()) {
      ++unseen_;
      replay_->ApplyUnseen();
    } else {
      replay_->Apply(chain_.event());
    }
    if (chain_.length() == status_.events()) {
      Compare(status_, chain_, *replay_, unseen_, comparison_);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<LedgerAudit> Finish() && {
    if (!replay_.has_value()) return absl::DataLossError("the ledger is empty.");
    LedgerAudit audit;
    audit.budget_id = chain_.budget_id();
    audit.budget = replay_->filter().spec().budget;
    audit.entries = chain_.length();
    audit.unseen_entries = unseen_;
    audit.head = chain_.head();
    audit.plans = replay_->Plans();
    audit.forfeited = replay_->forfeited();
    audit.epsilon_upper_bound = audit.forfeited
                                    ? audit.budget.epsilon
                                    : replay_->filter().EpsilonUpperBound(replay_->spent());
    audit.odometer_upper_bound = replay_->filter().OdometerUpperBound(replay_->spent());
    audit.information = OtherAccountants(audit.plans, audit.budget.delta);
    audit.findings = replay_->findings();
    audit.findings.insert(audit.findings.end(), comparison_.begin(), comparison_.end());
    if (chain_.length() < status_.events()) {
      audit.findings.push_back(absl::StrCat("GetBudget counts ", status_.events(),
                                            " entries; only ", chain_.length(), " were sent."));
    }
    return audit;
  }

 private:
  const v1::BudgetStatus& status_;
  proto::ChainVerifier chain_;
  std::optional<LedgerReplay> replay_;
  int64_t unseen_ = 0;
  std::vector<std::string> comparison_;
};

}  // namespace

absl::StatusOr<LedgerAudit> AuditLedger(absl::Span<const v1::LedgerEntry> entries,
                                        const v1::BudgetStatus& status) {
  Auditor auditor(status);
  for (const v1::LedgerEntry& entry : entries) TW_RETURN_IF_ERROR(auditor.Add(entry));
  return std::move(auditor).Finish();
}

}  // namespace topicwall::client
