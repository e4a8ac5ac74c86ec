// PrivacyAccountant: adds up releases and says what they cost together.
//
//   TW_ASSIGN_OR_RETURN(auto accountant, MakeAccountant("renyi"));
//   TW_RETURN_IF_ERROR(accountant->Compose({.release = release, .count = 20}));
//   TW_ASSIGN_OR_RETURN(const EpsilonBracket epsilon, accountant->Epsilon(1e-4));
//
// An accountant *explains* a fixed list of releases. It does not decide admissions: taking the
// best order (or the distribution) of what was spent so far, while the analyst picks the next
// release by looking at the last, has no valid proof. Decisions belong to BudgetFilter.
//
// Brackets. `upper` is a valid guarantee: the true curve never lies above it, but for such rounding
// as an accountant's own header names; every decision uses it. `lower` is a value the true curve
// never lies below, where the accountant can certify one; accountants that give one number report
// it in both places (lower == upper), and that number bounds from above only. +infinity means "no
// finite guarantee", never an error.
//
// Adjacency: include/exclude one privacy unit, both directions covered.
// Threads: const methods may run together; Compose needs the object for itself.
// PUBLIC: everything here is a function of public parameters.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_PRIVACY_ACCOUNTANT_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_PRIVACY_ACCOUNTANT_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

struct EpsilonBracket {
  double lower;  // nats, ≥ 0
  double upper;  // nats, ≥ lower, may be +infinity
};

struct DeltaBracket {
  double lower;  // probability, ≥ 0
  double upper;  // probability, in [lower, 1]; > 0 once anything was composed
};

class PrivacyAccountant {
 public:
  virtual ~PrivacyAccountant() = default;

  // The name by which MakeAccountant builds it.
  virtual absl::string_view name() const = 0;

  // Adds event.count releases to what is already there; the order of calls does not matter.
  // INVALID_ARGUMENT for a count out of range; the accountant is then unchanged.
  virtual absl::Status Compose(const DpEvent& event) = 0;

  // Smallest ε for which everything composed is (ε, delta)-private; 0 when nothing was composed.
  // INVALID_ARGUMENT unless delta is in (0, 1).
  virtual absl::StatusOr<EpsilonBracket> Epsilon(double delta) const = 0;

  // Smallest δ for which everything composed is (epsilon, δ)-private; 0 when nothing was composed.
  // INVALID_ARGUMENT unless epsilon is finite and > 0.
  virtual absl::StatusOr<DeltaBracket> Delta(double epsilon) const = 0;

  // An independent copy with the same history.
  virtual std::unique_ptr<PrivacyAccountant> Clone() const = 0;

 protected:
  PrivacyAccountant() = default;
  PrivacyAccountant(const PrivacyAccountant&) = default;
  PrivacyAccountant& operator=(const PrivacyAccountant&) = default;
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_PRIVACY_ACCOUNTANT_H_
