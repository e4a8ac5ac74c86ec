// Counting and composing are apart. Whether a plan fits in the budget is counting alone (Draw,
// LeftFor); how that comes to keep (ε, δ) was settled when all vouchers were composed, at the
// opening. What else composes is asked for numbers, or for the cap of one analyst.
#include "accountant/filters/voucher_inventory.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "accountant/accountants/bracketed_search.h"
#include "accountant/accountants/noise_calibration.h"
#include "accountant/events/privacy_params.h"
#include "accountant/pld/pld_accountant.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// Composes the fixed list of dominating pairs; nothing adaptive is left to account for.
using InventoryAccountant = PldAccountant;

}  // namespace

absl::StatusOr<VoucherInventory> VoucherInventory::Create(const InventorySpec& spec) {
  TW_RETURN_IF_ERROR(Validate(spec));
  std::vector<SubsampledGaussian> releases;
  for (const VoucherKind& kind : spec.kinds) {
    TW_ASSIGN_OR_RETURN(const SubsampledGaussian release,
                        SubsampledGaussian::Create({.sampling_rate = kind.sampling_rate,
                                                    .noise_multipliers = {kind.noise_multiplier}}));
    releases.push_back(release);
  }
  return VoucherInventory(spec, std::move(releases));
}

CostVector VoucherInventory::AllDrawn() const {
  CostVector all;
  for (const VoucherKind& kind : spec_.kinds) all.push_back(static_cast<uint64_t>(kind.count));
  return all;
}

// The composition of as many vouchers of each kind; null where there is none, so that whoever asks
// says infinity. A voucher is priced by its own (σ_i, ν_i), however much less the release took that
// drew it.
std::unique_ptr<PrivacyAccountant> VoucherInventory::Composed(const CostVector& vouchers) const {
  if (vouchers.size() != releases_.size()) return nullptr;
  auto accountant = std::make_unique<InventoryAccountant>();
  for (size_t kind = 0; kind < vouchers.size(); ++kind) {
    if (vouchers[kind] == 0) continue;
    if (vouchers[kind] > uint64_t{kMostReleases}) return nullptr;  // gone for ever, too
    const DpEvent event = {.release = releases_[kind],
                           .count = static_cast<int64_t>(vouchers[kind])};
    if (!accountant->Compose(event).ok()) return nullptr;
  }
  return accountant;
}

absl::Status VoucherInventory::RequireWithinBudget() const {
  const double epsilon = EpsilonUpperBound(AllDrawn());
  if (epsilon <= spec_.budget.epsilon) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the vouchers must keep epsilon ", spec_.budget.epsilon, " at delta ", spec_.budget.delta,
      " all together; they come to epsilon ", epsilon, ". Offer fewer, or ask for more noise."));
}

absl::StatusOr<int64_t> VoucherInventory::MostOfKind(size_t kind) const {
  if (kind >= spec_.kinds.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("kind must be below ", spec_.kinds.size(), "; got ", kind, "."));
  }
  // More vouchers never come to less ε, so that the largest number can be searched for.
  return LargestCountWithin(kMostReleases, [&](int64_t count) -> absl::StatusOr<double> {
    CostVector vouchers = AllDrawn();
    vouchers[kind] = static_cast<uint64_t>(count);
    return LogExcess(EpsilonUpperBound(vouchers), spec_.budget.epsilon);
  });
}

int64_t VoucherInventory::LeftOf(size_t kind, const CostVector& drawn) const {
  const auto count = static_cast<uint64_t>(spec_.kinds[kind].count);
  return drawn[kind] >= count ? 0 : static_cast<int64_t>(count - drawn[kind]);
}

int64_t VoucherInventory::LeftFor(const SubsampledGaussian& release,
                                  const CostVector& drawn) const {
  if (drawn.size() != spec_.kinds.size()) return 0;
  int64_t left = 0;  // at most kMostReleases, as all counts together
  for (size_t kind = 0; kind < drawn.size(); ++kind) {
    if (Suffices(spec_.kinds[kind], release)) left += LeftOf(kind, drawn);
  }
  return left;
}

std::optional<CostVector> VoucherInventory::Draw(const DpEvent& plan,
                                                 const CostVector& drawn) const {
  if (drawn.size() != spec_.kinds.size() || plan.count < 1) return std::nullopt;
  // In the order of kinds, which is the custodian's: the same plan draws the same vouchers wherever
  // it is decided again.
  CostVector cost = NothingDrawn();
  int64_t missing = plan.count;
  for (size_t kind = 0; kind < cost.size() && missing > 0; ++kind) {
    if (!Suffices(spec_.kinds[kind], plan.release)) continue;
    const int64_t taken = std::min(missing, LeftOf(kind, drawn));
    cost[kind] = static_cast<uint64_t>(taken);
    missing -= taken;
  }
  if (missing > 0) return std::nullopt;
  return cost;
}

bool VoucherInventory::PaysFor(const DpEvent& plan, const CostVector& cost) const {
  if (cost.size() != spec_.kinds.size() || plan.count < 1) return false;
  auto missing = static_cast<uint64_t>(plan.count);
  for (size_t kind = 0; kind < cost.size(); ++kind) {
    if (cost[kind] == 0) continue;
    if (cost[kind] > missing || !Suffices(spec_.kinds[kind], plan.release)) return false;
    missing -= cost[kind];
  }
  return missing == 0;
}

// Charged releases use a plan's vouchers in recorded order, so what `count` of them used is a
// prefix. That it is known from the count alone is what makes a refund exact (the proof in the
// header).
CostVector VoucherInventory::FirstOf(const CostVector& cost, int64_t count) const {
  CostVector first = NothingDrawn();
  auto missing = static_cast<uint64_t>(std::max<int64_t>(0, count));
  for (size_t kind = 0; kind < std::min(first.size(), cost.size()); ++kind) {
    first[kind] = std::min(missing, cost[kind]);
    missing -= first[kind];
  }
  return first;
}

double VoucherInventory::EpsilonUpperBound(const CostVector& drawn) const {
  const auto accountant = Composed(drawn);
  if (accountant == nullptr) return kInfinity;
  const auto is_zero = [](uint64_t vouchers) { return vouchers == 0; };
  if (std::all_of(drawn.begin(), drawn.end(), is_zero)) return 0;
  const absl::StatusOr<EpsilonBracket> epsilon = accountant->Epsilon(spec_.budget.delta);
  return epsilon.ok() ? epsilon->upper : kInfinity;
}

double VoucherInventory::DeltaUpperBound(double epsilon) const {
  // Not null: the spec's own counts can be composed.
  const absl::StatusOr<DeltaBracket> delta = Composed(AllDrawn())->Delta(epsilon);
  return delta.ok() ? std::min(delta->upper, 1.0) : 1;
}

absl::StatusOr<double> VoucherInventory::SmallestNoiseMultiplier(
    const BudgetFilter::PlanTarget& target) const {
  TW_RETURN_IF_ERROR(ValidateEpsilon(target.epsilon));
  if (!(target.releases >= 1 && target.releases <= kMostReleases)) {
    return absl::InvalidArgumentError(
        absl::StrCat("releases must be in [1, ", kMostReleases, "]; got ", target.releases, "."));
  }
  std::vector<double> multipliers;
  for (const VoucherKind& kind : spec_.kinds) multipliers.push_back(kind.noise_multiplier);
  // A release may have more noise than its voucher, never less: only the kinds' own are of
  // interest.
  std::sort(multipliers.begin(), multipliers.end());
  for (const double noise_multiplier : multipliers) {
    TW_ASSIGN_OR_RETURN(const SubsampledGaussian release,
                        SubsampledGaussian::Create({.sampling_rate = target.sampling_rate,
                                                    .noise_multipliers = {noise_multiplier}}));
    const DpEvent plan = {.release = release, .count = target.releases};
    const std::optional<CostVector> cost = Draw(plan, NothingDrawn());
    if (cost.has_value() && EpsilonUpperBound(*cost) <= target.epsilon) return noise_multiplier;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no kind of voucher lets ", target.releases, " releases at sampling rate ",
                   target.sampling_rate, " cost at most epsilon ", target.epsilon,
                   ". Ask for fewer, for a smaller sampling rate, or for more epsilon."));
}

}  // namespace topicwall::accountant
