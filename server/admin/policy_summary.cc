#include "server/admin/policy_summary.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace topicwall::admin {

void AddPolicy(const accountant::AdmissionPolicy& policy, const accountant::CostVector& spent,
               std::string* text, base::JsonObject* json) {
  json->SetString("policy", policy.inventory() != nullptr ? "inventory" : "adaptive");
  // Of a filter there is nothing to count: what is left of it depends on what is asked for next.
  if (policy.filter() != nullptr) {
    const std::string planned(accountant::NameOf(PlannedUseOf(policy.filter()->spec())));
    absl::StrAppend(text, "  planned for ", planned, " releases\n");
    json->SetString("planned", planned);
    return;
  }
  const std::vector<accountant::VoucherKind>& kinds = policy.inventory()->spec().kinds;
  std::vector<base::JsonObject> vouchers;
  for (size_t i = 0; i < kinds.size(); ++i) {
    // More may count as drawn than there were, after a restore.
    const auto drawn =
        static_cast<int64_t>(std::min<uint64_t>(spent[i], static_cast<uint64_t>(kinds[i].count)));
    absl::StrAppend(text, "  vouchers of noise multiplier ", kinds[i].noise_multiplier,
                    ", sampling rate ", kinds[i].sampling_rate, ": ", kinds[i].count - drawn,
                    " of ", kinds[i].count, " left\n");
    vouchers.push_back(base::JsonObject()
                           .SetNumber("noise_multiplier", kinds[i].noise_multiplier)
                           .SetNumber("sampling_rate", kinds[i].sampling_rate)
                           .SetInteger("count", kinds[i].count)
                           .SetInteger("drawn", drawn));
  }
  json->SetObjects("vouchers", vouchers);
}

}  // namespace topicwall::admin
