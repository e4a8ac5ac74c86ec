// What a budget's own events say of it: its privacy unit and its plans with their state.
//
//   TW_ASSIGN_OR_RETURN(const ledger::BudgetPicture picture, PictureOf(*ledger, version));
//   for (const auto& [plan_id, plan] : picture.plans) ...
//
// The ledger's interface lists plans to the analyst who made them; the custodian reads them
// off the chain, as an auditor does. PUBLIC: nothing in a ledger depends on a document.
// DATA_LOSS if the events do not fit together. Cost: about 1 µs an event.
#ifndef TOPICWALL_SERVER_ADMIN_BUDGET_EVENTS_H_
#define TOPICWALL_SERVER_ADMIN_BUDGET_EVENTS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/ledger/budget_picture.h"
#include "server/ledger/privacy_ledger.h"

namespace topicwall::admin {

// Of the budget that `corpus_version` spends from. NOT_FOUND if it has none.
absl::StatusOr<ledger::BudgetPicture> PictureOf(ledger::PrivacyLedger& ledger,
                                                absl::string_view corpus_version);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_BUDGET_EVENTS_H_
