// How a budget decides, as the custodian's terminal shows it.
//
// PUBLIC: recorded policies and what is drawn. Pure function, any thread.
#ifndef TOPICWALL_SERVER_ADMIN_POLICY_SUMMARY_H_
#define TOPICWALL_SERVER_ADMIN_POLICY_SUMMARY_H_

#include <string>

#include "accountant/filters/admission_policy.h"
#include "base/json.h"

namespace topicwall::admin {

// Adds a field "policy", "adaptive" or "inventory". For a filter also what it is planned for,
// "full-batch" or "sampled", as a field and a line of text. For an inventory "vouchers", in the
// order in which they are drawn, and a line of text for each kind.
void AddPolicy(const accountant::AdmissionPolicy& policy, const accountant::CostVector& spent,
               std::string* text, base::JsonObject* json);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_POLICY_SUMMARY_H_
