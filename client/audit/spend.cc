// Under a filter what a plan takes falls as σ grows, so that the least σ is found by bisection. Of
// vouchers it is a step at each kind's σ, and only those are tried.
#include "client/audit/spend.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "client/exit_code.h"
#include "proto/budget_refusal.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

using accountant::CostVector;
using accountant::DpEvent;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostNoise = 1 << 20;  // as PricePlan takes it (proto/wall.proto)
constexpr double kEnough = 0.99;        // of what was to be spent
constexpr double kLeastLeft = 1e-4;     // that is told as more than 0.0000

absl::StatusOr<DpEvent> Releases(double noise_multiplier, const NoiseTarget& target) {
  TW_ASSIGN_OR_RETURN(
      const accountant::SubsampledGaussian release,
      accountant::SubsampledGaussian::Create(
          {.sampling_rate = target.sampling_rate, .noise_multipliers = {noise_multiplier}}));
  return DpEvent{.release = release, .count = target.releases};
}

// What it takes if it is admitted. What has no price is not.
std::optional<double> TakenIfAdmitted(const Account& account, double noise_multiplier,
                                      const NoiseTarget& target) {
  const absl::StatusOr<DpEvent> plan = Releases(noise_multiplier, target);
  if (!plan.ok()) return std::nullopt;
  const auto admission = account.policy.Admit(*plan, account.spent);
  if (!admission.ok() || !admission->has_value()) return std::nullopt;
  if (account.cap.has_value() &&
      !account.policy.AdmitWithin(*account.cap, account.own_spent, (*admission)->plan)
           .has_value()) {
    return std::nullopt;
  }
  // By what it takes of this budget as it stands, not by its price alone.
  return account.policy.EpsilonUpperBound((*admission)->spent_after) - account.epsilon_spent();
}

bool Fits(const Account& account, double most, double noise_multiplier, const NoiseTarget& target) {
  const std::optional<double> taken = TakenIfAdmitted(account, noise_multiplier, target);
  return taken.has_value() && *taken <= most;
}

double AmountOf(const Account& account, const Spend& spend) {
  switch (spend.kind) {
    case Spend::Kind::kEpsilon:
      return spend.amount;
    case Spend::Kind::kShare:
      return spend.amount * account.left();
    case Spend::Kind::kAll:
      break;
  }
  return account.left();
}

// As a quote tells what is left of the same.
std::string AmountText(const Account& account, const Spend& spend, const Taking& taking) {
  if (spend.kind == Spend::Kind::kEpsilon) return proto::EpsilonText(spend.amount);
  if (spend.kind == Spend::Kind::kShare) return proto::LeftText(AmountOf(account, spend));
  return taking.own.has_value() ? proto::LeftText(taking.own->left) : LeftText(taking);
}

// With the plan, beyond the budget as well: a filter's meter goes on, and says by how much a plan
// is too dear. Nothing if vouchers are not left.
absl::StatusOr<std::optional<CostVector>> SpentWith(const accountant::AdmissionPolicy& policy,
                                                    const DpEvent& plan, const CostVector& spent) {
  if (policy.filter() != nullptr) {
    TW_ASSIGN_OR_RETURN(CostVector cost, policy.filter()->CostPerRelease(plan.release));
    return policy.SpentAfter(spent, {.cost = std::move(cost), .iterations = plan.count});
  }
  TW_ASSIGN_OR_RETURN(const auto admission, policy.Admit(plan, spent));
  return admission.has_value() ? std::optional<CostVector>(admission->spent_after) : std::nullopt;
}

// Those that may be tried, with the least first.
std::vector<double> KindsOf(const Account& account, const NoiseTarget& target) {
  std::vector<double> sigmas;
  for (const accountant::VoucherKind& kind : account.policy.inventory()->spec().kinds) {
    // A voucher pays for a release of its own rate or a lower one.
    if (kind.sampling_rate < target.sampling_rate) continue;
    sigmas.push_back(
        RoundUpToSixDigits(std::max(kind.noise_multiplier, target.min_noise_multiplier)));
  }
  std::sort(sigmas.begin(), sigmas.end());
  return sigmas;
}

absl::Status Refusal(const Account& account, const Spend& spend, absl::string_view why) {
  const double total = account.cap.value_or(account.policy.budget().epsilon);
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_total(total);
  detail.set_epsilon_left(account.left());
  detail.set_epsilon_spent(total - account.left());
  detail.set_delta(account.policy.budget().delta);
  detail.set_limit(account.cap.has_value() ? "analyst" : "corpus");
  const bool is_spent = account.left() < kLeastLeft;
  const std::string reason =
      absl::StrCat("--spend ", spend.text, ": ", is_spent ? "nothing is left" : why);
  return WithReason(
      WithTaken(proto::BudgetRefusal(absl::StrCat(reason, " (", proto::LeftText(account.left()),
                                                  " of ", proto::EpsilonText(total), " is left)."),
                                     detail),
                AmountOf(account, spend)),
      absl::StrCat(reason, "."));
}

// Of a wish that none of `sigmas` meets, where the largest is the last that is tried.
absl::Status NoneFits(const Account& account, const Spend& spend, absl::Span<const double> sigmas,
                      const NoiseTarget& target) {
  std::optional<double> least;
  for (const double sigma : sigmas) {
    const std::optional<double> taken = TakenIfAdmitted(account, sigma, target);
    if (taken.has_value()) least = std::min(*taken, least.value_or(kInfinity));
  }
  // More noise would not help, and the budget would hold it: it is the wish that is too small.
  if (least.has_value()) {
    // Rounded up, as δ is: who types it is not to be refused again.
    return absl::InvalidArgumentError(absl::StrCat(
        "spend must be at least what these releases take with the most noise there is, ",
        proto::DeltaText(*least), "; got ", spend.text,
        ". Spend more, or ask for fewer releases."));
  }
  return Refusal(account, spend,
                 "no noise makes these releases fit into what is left; ask for fewer");
}

// One text for one number: files of what was paid for are named by it.
std::string Shortest(double amount) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), amount);
  return {digits.data(), end.ptr};
}

}  // namespace

absl::StatusOr<Spend> ParseSpend(absl::string_view text) {
  if (text == "all") return Spend{.kind = Spend::Kind::kAll, .text = "all"};
  absl::string_view number = text;
  const bool is_share = absl::ConsumeSuffix(&number, "%");
  double amount = 0;
  if (!absl::SimpleAtod(number, &amount) || !std::isfinite(amount) || !(amount > 0) ||
      (is_share && !(amount <= 100))) {
    return absl::InvalidArgumentError(
        "must be an epsilon above 0, a share of what is left to you as 90%, or all");
  }
  return Spend{.kind = is_share ? Spend::Kind::kShare : Spend::Kind::kEpsilon,
               .amount = is_share ? amount / 100 : amount,
               .text = absl::StrCat(Shortest(amount), is_share ? "%" : "")};
}

absl::Status CheckFromOne(absl::string_view name, const std::optional<int64_t>& value) {
  if (value.value_or(1) >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " must be at least 1; got ", *value, "."));
}

absl::Status CheckAboveZero(absl::string_view name, const std::optional<double>& value) {
  if (!value.has_value() || (*value > 0 && std::isfinite(*value))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be above 0 and finite; got ", *value, "."));
}

absl::Status CheckSamplingRate(double rate) {
  if (rate > 0 && rate <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("sampling-rate must be in (0, 1]; got ", rate, ". 1 takes every unit."));
}

double Account::left() const {
  const double of_budget = policy.budget().epsilon - epsilon_spent();
  const double of_cap = cap.has_value() ? *cap - policy.EpsilonUpperBound(own_spent) : of_budget;
  return std::max(0.0, std::min(of_budget, of_cap));
}

int64_t Account::vouchers_left() const {
  const std::vector<accountant::VoucherKind>& kinds = policy.inventory()->spec().kinds;
  int64_t left = 0;
  for (size_t i = 0; i < kinds.size(); ++i) {
    // After a restore more may count as drawn than there were.
    const auto count = static_cast<uint64_t>(kinds[i].count);
    if (!(kinds[i].sampling_rate >= 1)) continue;
    left += static_cast<int64_t>(count - std::min(count, spent[i]));
  }
  return left;
}

absl::StatusOr<Taking> TakingOf(const Account& account, absl::Span<const v1::ReleaseSpec> plans) {
  const accountant::AdmissionPolicy& policy = account.policy;
  Taking taking = {.total = policy.budget().epsilon,
                   .before = account.epsilon_spent(),
                   .of_vouchers = policy.inventory() != nullptr};
  if (account.cap.has_value() && account.left() < taking.total - taking.before) {
    taking.own = {.left = account.left(), .cap = *account.cap};
  }
  CostVector spent = account.spent;
  for (const v1::ReleaseSpec& plan : plans) {
    TW_ASSIGN_OR_RETURN(const DpEvent event, EventOf(plan));
    TW_ASSIGN_OR_RETURN(std::optional<CostVector> after, SpentWith(policy, event, spent));
    if (!after.has_value()) {
      taking.after = kInfinity;
      return taking;
    }
    spent = *std::move(after);
  }
  taking.after = policy.EpsilonUpperBound(spent);
  return taking;
}

absl::StatusOr<double> NoiseToSpend(const Account& account, const Spend& spend,
                                    const NoiseTarget& target) {
  // Once, before anything is tried: what is no event would else be told as a full budget.
  TW_RETURN_IF_ERROR(CheckSamplingRate(target.sampling_rate));
  TW_RETURN_IF_ERROR(Releases(kMostNoise, target).status());
  const double most = spend.kind == Spend::Kind::kAll ? kInfinity : AmountOf(account, spend);
  if (spend.kind == Spend::Kind::kEpsilon && !(spend.amount <= account.left())) {
    return Refusal(account, spend, "that is more than is left; spend all, or less");
  }
  if (account.policy.inventory() != nullptr) {
    const std::vector<double> kinds = KindsOf(account, target);
    for (const double sigma : kinds) {
      if (Fits(account, most, sigma, target)) return sigma;
    }
    return NoneFits(account, spend, kinds, target);
  }
  const double least = RoundUpToSixDigits(target.min_noise_multiplier);
  double enough = least;
  while (!Fits(account, most, enough, target)) {
    if (!(enough < kMostNoise)) return NoneFits(account, spend, {kMostNoise}, target);
    enough = std::min(2 * enough, kMostNoise);
  }
  double too_little = enough > least ? std::max(least, enough / 2) : enough;
  // Closer than the six digits that are kept, so that only their rounding is given away.
  while (enough > too_little * (1 + 1e-8)) {
    const double middle = std::sqrt(enough * too_little);
    (Fits(account, most, middle, target) ? enough : too_little) = middle;
  }
  return RoundUpToSixDigits(enough);
}

std::string WhyLess(const Account& account, const Spend& spend, const Taking& taking,
                    bool has_least_noise) {
  if (taking.taken() >= kEnough * AmountOf(account, spend)) return "";
  const char* const why =
      account.policy.inventory() != nullptr ? "vouchers come in these kinds only"
      : has_least_noise                     ? "with less noise the wall answers nothing"
      : account.cap.has_value()             ? "your own cap admits no more"
                                            : "the epsilon of so small a budget comes in steps";
  return absl::StrCat("less than the ", AmountText(account, spend, taking),
                      " that was to be spent: ", why);
}

absl::StatusOr<double> NoiseFor(const Account& account, const PlanNoise& noise,
                                const NoiseTarget& target) {
  if (noise.spend.has_value()) return NoiseToSpend(account, *noise.spend, target);
  if (noise.epsilon.has_value()) {
    return ChooseNoiseMultiplier(account.policy, *noise.epsilon, target);
  }
  return *noise.noise_multiplier;
}

absl::Status AddTaking(const Account& account, const PlanNoise& noise,
                       absl::Span<const v1::ReleaseSpec> plans, double noise_multiplier,
                       PaidQuote& quote) {
  TW_ASSIGN_OR_RETURN(quote.taking, TakingOf(account, plans));
  if (!noise.spend.has_value()) return absl::OkStatus();
  // As NoiseToSpend rounds it: otherwise the wall's least would not be known again.
  const double least = RoundUpToSixDigits(quote.description.limits().min_noise_multiplier());
  quote.less = WhyLess(account, *noise.spend, quote.taking, noise_multiplier <= least);
  return absl::OkStatus();
}

std::string TakenText(const Taking& taking) {
  return proto::TakenText(taking.before, taking.after);
}
std::string LeftText(const Taking& taking) { return proto::LeftText(taking.total, taking.before); }
std::string LeftAfterText(const Taking& taking) {
  return proto::LeftText(taking.total, taking.after);
}
std::string OwnText(const Taking::Own& own) {
  return absl::StrCat("of it yours: ", proto::LeftText(own.left), " (your cap is ",
                      proto::LeftText(own.cap), ")");
}

}  // namespace topicwall::client
