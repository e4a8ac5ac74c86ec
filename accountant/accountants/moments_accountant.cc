#include "accountant/accountants/moments_accountant.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "accountant/accountants/moment_table.h"
#include "accountant/accountants/rdp_to_dp.h"
#include "accountant/events/privacy_params.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr int kLargestMaxOrder = 4096;

// ⌊σ² ln(1/(νσ))⌋, at least 0: the condition of Abadi et al. 2016, Lemma 3.
int PaperCap(const SubsampledGaussian& release) {
  const double sigma = release.noise_multiplier();
  const double cap = sigma * sigma * -std::log(release.sampling_rate() * sigma);
  return static_cast<int>(std::floor(std::clamp(cap, 0.0, double{kLargestMaxOrder})));
}

}  // namespace

absl::StatusOr<std::unique_ptr<MomentsAccountant>> MomentsAccountant::Create(
    const Options& options) {
  if (options.max_order < 1 || options.max_order > kLargestMaxOrder) {
    return absl::InvalidArgumentError(absl::StrCat("max_order must be in [1, ", kLargestMaxOrder,
                                                   "]; got ", options.max_order, "."));
  }
  return std::unique_ptr<MomentsAccountant>(new MomentsAccountant(options));
}

MomentsAccountant::MomentsAccountant(const Options& options)
    : paper_cap_(options.paper_cap),
      highest_order_(options.max_order),
      moments_(static_cast<size_t>(options.max_order), 0.0) {}

absl::Status MomentsAccountant::Compose(const DpEvent& event) {
  TW_RETURN_IF_ERROR(ValidateCount(event.count));
  if (event.count == 0) return absl::OkStatus();
  composed_ = true;
  // The least cap of all releases holds for good: orders above it are not added to from now on, and
  // what was added to them before is no bound of anything.
  if (paper_cap_) highest_order_ = std::min(highest_order_, PaperCap(event.release));
  const double count = static_cast<double>(event.count);
  const MomentTable table(event.release, highest_order_ + 1);
  // α(λ) = log E2 = log A_{λ+1}: the other direction, log E1, is never larger
  // (subsampled_gaussian.h).
  for (int lambda = 1; lambda <= highest_order_; ++lambda) {
    moments_[static_cast<size_t>(lambda - 1)] += count * table.LogMomentUpperBound(lambda + 1);
  }
  return absl::OkStatus();
}

absl::StatusOr<EpsilonBracket> MomentsAccountant::Epsilon(double delta) const {
  TW_RETURN_IF_ERROR(ValidateDelta(delta));
  if (!composed_) return EpsilonBracket{.lower = 0, .upper = 0};
  // Every λ gives a valid ε, and so does the least of them.
  double epsilon = std::numeric_limits<double>::infinity();
  for (int lambda = 1; lambda <= highest_order_; ++lambda) {
    const RenyiPrice price = {.order = lambda + 1.0,
                              .rdp = moments_[static_cast<size_t>(lambda - 1)] / lambda};
    epsilon = std::min(epsilon, ClassicEpsilonUpperBound(price, delta));
  }
  epsilon = std::max(epsilon, 0.0);
  return EpsilonBracket{.lower = epsilon, .upper = epsilon};
}

absl::StatusOr<DeltaBracket> MomentsAccountant::Delta(double epsilon) const {
  TW_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (!composed_) return DeltaBracket{.lower = 0, .upper = 0};
  double log_delta = 0;
  for (int lambda = 1; lambda <= highest_order_; ++lambda) {
    const RenyiPrice price = {.order = lambda + 1.0,
                              .rdp = moments_[static_cast<size_t>(lambda - 1)] / lambda};
    log_delta = std::min(log_delta, ClassicLogDeltaUpperBound(price, epsilon));
  }
  // Positive, also where it is too small for a double.
  const double delta = std::max(std::exp(log_delta), kSmallestDelta);
  return DeltaBracket{.lower = delta, .upper = delta};
}

std::unique_ptr<PrivacyAccountant> MomentsAccountant::Clone() const {
  return std::unique_ptr<PrivacyAccountant>(new MomentsAccountant(*this));
}

}  // namespace topicwall::accountant
