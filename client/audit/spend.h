// What a plan takes of a budget, and the least noise that takes no more than was said.
//
//   TW_ASSIGN_OR_RETURN(const Account account, AccountOf(…));            // wall_audit.h
//   TW_ASSIGN_OR_RETURN(const Spend spend, ParseSpend("90%"));           // "0.2", "90%", "all"
//   TW_ASSIGN_OR_RETURN(const double sigma, NoiseToSpend(account, spend, {.sampling_rate = 1, …}));
//   TW_ASSIGN_OR_RETURN(const Taking taking, TakingOf(account, plan));
//   TakenText(taking), LeftText(taking)                                  // "0.0193", "1.2436"
//
// A budget's ε is no sum: what a plan takes is ε spent after it less ε spent before it, both as
// GetBudget tells them, and is less than the plan's ε alone wherever something was spent before.
// Both come from the vector that GetBudget states, by the function that the wall tells ε with
// (AdmissionPolicy::EpsilonUpperBound), so that what is said beforehand is what `budget` shows
// afterwards, unless somebody else has spent meanwhile.
//
// "all" is what the budget and the caller's own cap admit, a share is of what is left under both.
// Under a filter the noise takes at least 99 % of what was said, or it is the wall's least, or the
// cap binds, or ε is so small that the witness's own comes in steps (WhyLess; of 0.001, not of
// 0.01). Vouchers come in kinds: the noise is that of the kind that takes the most of
// what does not exceed it, which may be far less.
//
// In words ε has four digits, and what is spent is never told as less than it is. What is taken is
// then the difference of the two numbers told, not the number told of the difference: sums over
// plans are right to the last digit.
//
// ε in nats at the budget's δ; σ = noise standard deviation ÷ clip norm. PUBLIC. Pure functions.
// Cost: some 100 prices, 20 ms; of vouchers a composition a kind (pld_accountant.h).
#ifndef TOPICWALL_CLIENT_AUDIT_SPEND_H_
#define TOPICWALL_CLIENT_AUDIT_SPEND_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "accountant/filters/admission_policy.h"
#include "client/audit/enforced_price.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct Spend {
  enum class Kind { kEpsilon, kShare, kAll };
  Kind kind;
  double amount = 0;  // ε, or a share in (0, 1]
  std::string text;   // what was typed, at its shortest: 2 of 2.0
};
// INVALID_ARGUMENT unless it is a number above 0, a percentage in (0, 100] or "all".
absl::StatusOr<Spend> ParseSpend(absl::string_view text);

// Exactly one of the three: what to take of the budget, ε of the plan alone, or σ of each release.
struct PlanNoise {
  std::optional<Spend> spend = {};
  std::optional<double> epsilon = {};
  std::optional<double> noise_multiplier = {};

  bool SaysWhatToSpend() const {
    return spend.has_value() || epsilon.has_value() || noise_multiplier.has_value();
  }
};
inline absl::Status CheckNoise(const PlanNoise& noise) {  // INVALID_ARGUMENT
  if (int{noise.spend.has_value()} + int{noise.epsilon.has_value()} +
          int{noise.noise_multiplier.has_value()} ==
      1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("give one of spend, epsilon-alone and noise-multiplier.");
}

// INVALID_ARGUMENT for a number out of its domain. Asked before a price is: of −1 releases a budget
// would be told not to hold them, and the wall calls other names.
absl::Status CheckFromOne(absl::string_view name, const std::optional<int64_t>& value);
absl::Status CheckAboveZero(absl::string_view name, const std::optional<double>& value);
absl::Status CheckSamplingRate(double rate);

// What is spent of a budget now.
struct Account {
  accountant::AdmissionPolicy policy;
  accountant::CostVector spent;  // by everybody
  // The caller's own, where it is below the total.
  std::optional<double> cap = {};
  accountant::CostVector own_spent = {};

  double epsilon_spent() const { return policy.EpsilonSpent(spent); }
  double left() const;  // under both, at least 0
  // Of a budget of vouchers, those that pay for a release of every unit.
  int64_t vouchers_left() const;
};

// ε spent of a budget, by everybody.
struct Taking {
  double total = 0;
  double before = 0;
  // Also beyond the total; infinity if too few vouchers are left, or all is spent.
  double after = 0;
  // Of what is left before, what the caller's own cap admits; nothing where it admits all of it.
  struct Own {
    double left;
    double cap;
  };
  std::optional<Own> own = {};
  bool of_vouchers = false;

  double taken() const { return after - before; }
};
// INVALID_ARGUMENT for a release without a price.
// Of plans that are reserved one after the other.
absl::StatusOr<Taking> TakingOf(const Account& account, absl::Span<const v1::ReleaseSpec> plans);

// σ with six significant digits. FAILED_PRECONDITION, a budget's refusal, if more is to be spent
// than is left, or no σ fits; INVALID_ARGUMENT for a rate that is none, and if what some σ would
// take is more than was to be spent.
absl::StatusOr<double> NoiseToSpend(const Account& account, const Spend& spend,
                                    const NoiseTarget& target);
// Why a plan takes less than 99 % of what was to be spent, in words; "" if it does not.
std::string WhyLess(const Account& account, const Spend& spend, const Taking& taking,
                    bool has_least_noise);

// σ: what the plan is to take, by whichever of the three was given. Errors: NoiseToSpend's and
// ChooseNoiseMultiplier's.
absl::StatusOr<double> NoiseFor(const Account& account, const PlanNoise& noise,
                                const NoiseTarget& target);

// What is about to be reserved. Description and budget are held against the budget's chain once
// there is a price (wall_audit.h), and what the price says beside whether it fits is this side's
// own (enforced_price.h).
struct PaidQuote {
  v1::CorpusDescription description;
  v1::BudgetStatus budget;
  v1::PlanPrice price;  // of all releases together
  Taking taking;        // this side's own, of the same
  std::string less;     // why it takes less than was to be spent; "" if it does not
};
// What `plans` take, whose noise is `noise_multiplier`, and why it is less than was said.
absl::Status AddTaking(const Account& account, const PlanNoise& noise,
                       absl::Span<const v1::ReleaseSpec> plans, double noise_multiplier,
                       PaidQuote& quote);

// As everything in words tells it (proto/told_numbers.h).
std::string TakenText(const Taking& taking);
std::string LeftText(const Taking& taking);       // before the plan
std::string LeftAfterText(const Taking& taking);  // with it; "0.0000" beyond the total
std::string OwnText(const Taking::Own& own);      // "of it yours: 0.2974 (your cap is 7.9000)"

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_SPEND_H_
