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
#include "proto/wall_config.pb.h"

namespace topicwall::admin {

// The worst of all, in one line, for a budget whose next charge would be made under `now`:
// release_interval_ms, 0 without protection, none if the corpus is not served.
std::string TimingText(const accountant::ledger::BudgetLife& life, std::optional<int64_t> now);

// As whom gate and vault ran, for all releases so far and for the next, if it is charged by a
// server of this configuration.
std::string ProcessesText(const accountant::ledger::BudgetLife& life, const v1::WallConfig& now);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_LIFE_TEXT_H_
