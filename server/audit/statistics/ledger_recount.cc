#include "server/audit/statistics/ledger_recount.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "accountant/events/dp_event.h"
#include "accountant/pld/pld_accountant.h"
#include "base/status_macros.h"

namespace topicwall::audit {
namespace {

// A plan as the chain shows it.
struct SeenPlan {
  v1::ReleaseSpec reserved;
  int64_t charged = 0;
  bool cancelled = false;
};

double EffectiveMultiplier(const v1::ReleaseSpec& plan) {
  const v1::Gaussian& noise = plan.gaussian();
  double squares = 1 / (noise.noise_multiplier() * noise.noise_multiplier());
  if (noise.has_histogram_noise_multiplier()) {
    squares += 1 / (noise.histogram_noise_multiplier() * noise.histogram_noise_multiplier());
  }
  return 1 / std::sqrt(squares);
}

absl::StatusOr<accountant::SubsampledGaussian> ReleaseOf(double sampling_rate, double sigma) {
  return accountant::SubsampledGaussian::Create(
      {.sampling_rate = sampling_rate, .noise_multipliers = {sigma}});
}

// Rényi divergence of one release, nats.
absl::StatusOr<double> PriceOf(double order, double sampling_rate, double sigma) {
  if (sampling_rate == 1) return order / (2 * sigma * sigma);
  TW_ASSIGN_OR_RETURN(const accountant::SubsampledGaussian release,
                      ReleaseOf(sampling_rate, sigma));
  const bool whole = order >= 2 && order == std::floor(order);
  const double log_moment =
      whole ? accountant::LogMomentIntegerOrder(release, static_cast<int64_t>(order))
            : accountant::LogMomentUpperBound(release, order);
  return log_moment / (order - 1);
}

}  // namespace

absl::Status LedgerRecount::Open(const v1::BudgetOpened& opened) {
  if (!opened.has_filter() || opened.filter().orders_size() == 0 ||
      opened.filter().orders_size() != opened.filter().weights_size()) {
    return absl::InvalidArgumentError("the chain opens no adaptive budget");
  }
  orders_.assign(opened.filter().orders().begin(), opened.filter().orders().end());
  weights_.assign(opened.filter().weights().begin(), opened.filter().weights().end());
  gaussian_weight_ = opened.filter().gaussian_weight();
  delta_ = opened.filter().delta();
  return absl::OkStatus();
}

absl::Status LedgerRecount::CountKinds() {
  prices_.assign(orders_.size(), 0);
  gaussian_price_ = 0;
  releases_ = 0;
  accountant::PldAccountant accountant;
  for (const Kind& kind : kinds_) {
    releases_ += kind.count;
    gaussian_price_ += static_cast<double>(kind.count) /
                       (kind.effective_noise_multiplier * kind.effective_noise_multiplier);
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      TW_ASSIGN_OR_RETURN(const double price,
                          PriceOf(orders_[i], kind.sampling_rate, kind.effective_noise_multiplier));
      prices_[i] += static_cast<double>(kind.count) * price;
    }
    TW_ASSIGN_OR_RETURN(const accountant::SubsampledGaussian release,
                        ReleaseOf(kind.sampling_rate, kind.effective_noise_multiplier));
    TW_RETURN_IF_ERROR(accountant.Compose({.release = release, .count = kind.count}));
  }
  TW_ASSIGN_OR_RETURN(const accountant::EpsilonBracket epsilon, accountant.Epsilon(delta_));
  epsilon_of_accountant_ = epsilon.lower;
  return absl::OkStatus();
}

absl::StatusOr<LedgerRecount> LedgerRecount::Of(absl::Span<const v1::LedgerEvent> events,
                                                const std::string& principal) {
  LedgerRecount recount;
  std::map<std::string, SeenPlan> plans;
  for (const v1::LedgerEvent& event : events) {
    if (event.has_budget_opened()) TW_RETURN_IF_ERROR(recount.Open(event.budget_opened()));
    if (!principal.empty() && event.principal() != principal) continue;
    if (event.has_plan_reserved()) {
      plans[event.plan_reserved().plan_id()].reserved = event.plan_reserved().spec();
    } else if (event.has_plan_cancelled()) {
      plans[event.plan_cancelled().plan_id()].cancelled = true;
    } else if (event.has_iteration_charged()) {
      ++plans[event.iteration_charged().plan_id()].charged;
      ++recount.charged_;
    } else if (event.has_release_published()) {
      ++recount.published_;
    }
  }
  if (recount.orders_.empty()) return absl::InvalidArgumentError("the chain opens no budget");
  for (const auto& [id, plan] : plans) {
    recount.kinds_.push_back(
        {.sampling_rate = plan.reserved.sampling_rate(),
         .effective_noise_multiplier = EffectiveMultiplier(plan.reserved),
         .count = plan.cancelled ? plan.charged : int64_t{plan.reserved.iterations()}});
  }
  TW_RETURN_IF_ERROR(recount.CountKinds());
  return recount;
}

absl::StatusOr<LedgerRecount> LedgerRecount::With(const v1::ReleaseSpec& kind,
                                                  int64_t count) const {
  LedgerRecount more = *this;
  more.kinds_.push_back({.sampling_rate = kind.sampling_rate(),
                         .effective_noise_multiplier = EffectiveMultiplier(kind),
                         .count = count});
  TW_RETURN_IF_ERROR(more.CountKinds());
  return more;
}

double LedgerRecount::weights_sum() const {
  return std::accumulate(weights_.begin(), weights_.end(), gaussian_weight_);
}

double LedgerRecount::EpsilonOfFilter() const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const double a = orders_[i];
    const double conversion =
        std::log((a - 1) / a) - (std::log(weights_[i] * delta_) + std::log(a)) / (a - 1);
    least = std::min(least, prices_[i] + conversion);
  }
  if (releases_ == 0) return 0;
  if (has_gaussian()) {
    least = std::min(least, accountant::GaussianEpsilonLowerBound(gaussian_weight_ * delta_,
                                                                  1 / std::sqrt(gaussian_price_)));
  }
  return least;
}

}  // namespace topicwall::audit
