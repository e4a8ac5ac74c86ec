#include "server/audit/statistics/ledger_recount.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>

#include "absl/status/status.h"
#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "accountant/events/dp_event.h"
#include "accountant/pld/pld_accountant.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"

namespace topicwall::audit {
namespace {

// A plan as the chain shows it.
struct SeenPlan {
  v1::ReleaseSpec reserved;
  int64_t charged = 0;
  bool cancelled = false;
};

absl::StatusOr<accountant::SubsampledGaussian> ReleaseOf(double sampling_rate, double sigma) {
  return accountant::SubsampledGaussian::Create(
      {.sampling_rate = sampling_rate, .noise_multipliers = {sigma}});
}

// Rényi divergence of one release, nats.
absl::StatusOr<double> PriceOf(double order, double sampling_rate, double sigma) {
  if (sampling_rate == 1) return order / (2 * sigma * sigma);
  TW_ASSIGN_OR_RETURN(const accountant::SubsampledGaussian release,
                      ReleaseOf(sampling_rate, sigma));
  // There the moment is a finite sum, which shares nothing with the quadrature that the filter
  // prices by.
  const bool whole = order >= 2 && order == std::floor(order);
  const double log_moment =
      whole ? accountant::LogMomentIntegerOrder(release, static_cast<int64_t>(order))
            : accountant::LogMomentUpperBound(release, order);
  return log_moment / (order - 1);
}

}  // namespace

absl::StatusOr<LedgerRecount> LedgerRecount::Of(absl::Span<const v1::LedgerEntry> entries,
                                                const std::string& principal) {
  LedgerRecount recount;
  std::map<std::string, SeenPlan> plans;
  proto::ChainVerifier chain;
  for (const v1::LedgerEntry& entry : entries) {
    TW_RETURN_IF_ERROR(chain.Add(entry));
    const v1::LedgerEvent& event = chain.event();
    if (event.has_budget_opened()) {
      const v1::FilterRecord& filter = event.budget_opened().filter();
      recount.orders = {filter.orders().begin(), filter.orders().end()};
      recount.weights = {filter.weights().begin(), filter.weights().end()};
      recount.gaussian_weight = filter.gaussian_weight();
      recount.delta = filter.delta();
    }
    // Behind the opening: how the budget counts concerns everybody.
    if (!principal.empty() && event.principal() != principal) continue;
    if (event.has_plan_reserved()) {
      plans[event.plan_reserved().plan_id()].reserved = event.plan_reserved().spec();
    } else if (event.has_plan_cancelled()) {
      plans[event.plan_cancelled().plan_id()].cancelled = true;
    } else if (event.has_iteration_charged()) {
      ++plans[event.iteration_charged().plan_id()].charged;
      ++recount.charged;
      recount.keys_named &=
          event.iteration_charged().release_key_sha256().size() == proto::kHashSize;
    } else if (event.has_release_published()) {
      recount.published_at_ms.push_back(event.time_ms());
      // Event by event: a total alone would not show a release that was published and charged
      // later.
      recount.charged_first &=
          static_cast<int64_t>(recount.published_at_ms.size()) <= recount.charged;
      recount.intervals_waited.push_back(event.release_published().intervals_waited());
    }
  }
  if (recount.orders.empty() || recount.orders.size() != recount.weights.size()) {
    return absl::InvalidArgumentError("the chain opens no adaptive budget");
  }
  recount.prices.assign(recount.orders.size(), 0);
  for (const auto& [id, plan] : plans) {
    // By what was charged, not by what the cancelling event says came back.
    const int64_t count = plan.cancelled ? plan.charged : int64_t{plan.reserved.iterations()};
    TW_RETURN_IF_ERROR(recount.Add(plan.reserved, count));
  }
  return recount;
}

absl::Status LedgerRecount::Add(const v1::ReleaseSpec& plan, int64_t count) {
  const v1::Gaussian& noise = plan.gaussian();
  double squares = std::pow(noise.noise_multiplier(), -2);
  if (noise.has_histogram_noise_multiplier()) {
    squares += std::pow(noise.histogram_noise_multiplier(), -2);
  }
  const double sigma = 1 / std::sqrt(squares);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    TW_ASSIGN_OR_RETURN(const double price, PriceOf(orders[i], plan.sampling_rate(), sigma));
    prices[i] += static_cast<double>(count) * price;
  }
  gaussian_price += static_cast<double>(count) * squares;
  releases += count;
  kinds_.push_back({.sampling_rate = plan.sampling_rate(), .sigma = sigma, .count = count});
  return absl::OkStatus();
}

double LedgerRecount::WeightsSum() const {
  return std::accumulate(weights.begin(), weights.end(), gaussian_weight);
}

double LedgerRecount::EpsilonOfFilter() const {
  if (releases == 0) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const double a = orders[i];
    // Every order is a proof by itself: the least holds.
    least = std::min(least, prices[i] + std::log((a - 1) / a) -
                                (std::log(weights[i] * delta) + std::log(a)) / (a - 1));
  }
  if (gaussian_weight == 0) return least;
  return std::min(least, accountant::GaussianEpsilonLowerBound(gaussian_weight * delta,
                                                               1 / std::sqrt(gaussian_price)));
}

absl::StatusOr<double> LedgerRecount::EpsilonOfAccountant() const {
  accountant::PldAccountant accountant;
  for (const Kind& kind : kinds_) {
    TW_ASSIGN_OR_RETURN(const accountant::SubsampledGaussian release,
                        ReleaseOf(kind.sampling_rate, kind.sigma));
    TW_RETURN_IF_ERROR(accountant.Compose({.release = release, .count = kind.count}));
  }
  TW_ASSIGN_OR_RETURN(const accountant::EpsilonBracket epsilon, accountant.Epsilon(delta));
  // What the filter states may not be below the exact ε; its lower bound is below for certain.
  return epsilon.lower;
}

}  // namespace topicwall::audit
