#include "accountant/ledger/budget_life.h"

#include <algorithm>

namespace topicwall::accountant::ledger {
namespace {

// A release counts once, however often it was begun so.
void Count(bool& is_counted, int64_t& count) {
  count += is_counted ? 0 : 1;
  is_counted = true;
}

}  // namespace

void BudgetLife::Begin(const v1::Protection* protection, Charge& charge) {
  ++(charge.restarts == 0 ? charges : restarts);
  charge.protection.reset();
  // Absent is not 0: 0 says that there was no protection, absent that nobody wrote down what there
  // was.
  if (protection == nullptr) return Count(charge.unrecorded, unrecorded);
  charge.protection = *protection;
  if (!protection->users_separated()) Count(charge.unseparated, unseparated);
  if (!protection->sandbox_required()) Count(charge.unconfined, unconfined);
  const int free_processors = protection->free_processors();
  fewest_free_processors =
      std::min(fewest_free_processors.value_or(free_processors), free_processors);
  const int64_t interval_ms = charge.interval_ms();
  if (interval_ms <= 0) return Count(charge.unprotected, unprotected);
  shortest_interval_ms =
      shortest_interval_ms == 0 ? interval_ms : std::min(shortest_interval_ms, interval_ms);
  longest_interval_ms = std::max(longest_interval_ms, interval_ms);
}

std::optional<v1::Protection> BudgetLife::Worst() const {
  if (!fewest_free_processors.has_value()) return std::nullopt;
  v1::Protection worst;
  worst.set_release_interval_ms(unprotected > 0 ? 0 : shortest_interval_ms);
  worst.set_free_processors(*fewest_free_processors);
  worst.set_users_separated(unseparated == 0);
  worst.set_sandbox_required(unconfined == 0);
  return worst;
}

}  // namespace topicwall::accountant::ledger
