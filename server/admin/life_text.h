// What a budget's life tells of its protection, in sentences for statements. Acknowledging an
// overrun, and changing the configuration, take nothing of it away.
//
// PUBLIC. Pure; threads: any.
#ifndef TOPICWALL_SERVER_ADMIN_LIFE_TEXT_H_
#define TOPICWALL_SERVER_ADMIN_LIFE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "accountant/ledger/budget_life.h"

namespace topicwall::admin {

// The worst of all, in one line, for a budget whose next charge would be made under `now`:
// release_interval_ms, 0 without protection, none if the corpus is not served.
std::string TimingText(const accountant::ledger::BudgetLife& life, std::optional<int64_t> now);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_LIFE_TEXT_H_
