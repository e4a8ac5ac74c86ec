// The accountants by name.
//
//   "moments"  MomentsAccountant, the paper's own (λ ≤ 256)
//   "renyi"    RenyiAccountant, real orders
//   "pld"      PldAccountant, the exact curve between two certified bounds
//   "strong"   StrongComposition, the paper's baseline (best split, analytic Gaussian)
//   "basic"    StrongComposition with the basic rule
// All of them bound the same curve, "pld" from both sides; see privacy_accountant.h for what that
// is good for.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/accountants/moments_accountant.h"
#include "accountant/accountants/privacy_accountant.h"
#include "accountant/accountants/strong_composition.h"

namespace topicwall::accountant {

// Read only by the accountants they belong to; the name decides strong.rule.
struct AccountantOptions {
  MomentsAccountant::Options moments;
  StrongComposition::Options strong;
};

// Every name above, in the order of the table.
std::vector<std::string> AccountantNames();

// An accountant with nothing composed. INVALID_ARGUMENT for another name or bad options.
absl::StatusOr<std::unique_ptr<PrivacyAccountant>> MakeAccountant(
    absl::string_view name, const AccountantOptions& options = {});

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_H_
