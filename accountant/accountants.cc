#include "accountant/accountants.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "accountant/accountants/renyi_accountant.h"
#include "accountant/pld/pld_accountant.h"
#include "base/status_macros.h"

namespace topicwall::accountant {

// In the order of the reports: the paper's own first, the baselines last.
std::vector<std::string> AccountantNames() {
  return {"moments", "renyi", "pld", "strong", "basic"};
}

absl::StatusOr<std::unique_ptr<PrivacyAccountant>> MakeAccountant(
    absl::string_view name, const AccountantOptions& options) {
  std::unique_ptr<PrivacyAccountant> accountant;
  StrongComposition::Options composition = options.strong;
  if (name == "moments") {
    TW_ASSIGN_OR_RETURN(accountant, MomentsAccountant::Create(options.moments));
  } else if (name == "renyi") {
    accountant = std::make_unique<RenyiAccountant>();
  } else if (name == "pld") {
    accountant = std::make_unique<PldAccountant>();
  } else if (name == "strong") {
    composition.rule = StrongComposition::Rule::kStrong;
    accountant = std::make_unique<StrongComposition>(composition);
  } else if (name == "basic") {
    composition.rule = StrongComposition::Rule::kBasic;
    accountant = std::make_unique<StrongComposition>(composition);
  } else {
    return absl::InvalidArgumentError(absl::StrCat("accountant must be one of ",
                                                   absl::StrJoin(AccountantNames(), ", "),
                                                   "; got \"", name, "\"."));
  }
  return accountant;
}

}  // namespace topicwall::accountant
