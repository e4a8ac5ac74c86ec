#include "server/log/line_budget.h"

#include <algorithm>
#include <utility>

namespace topicwall::server {

LineBudget::Verdict LineBudget::Take(absl::string_view name, absl::Duration now) {
  auto found = accounts_.find(name);
  if (found == accounts_.end()) {
    // Names stay for ever: to forget some would give whoever comes back a new burst.
    const bool room = accounts_.size() < kNames;
    found = accounts_.try_emplace(room ? std::string(name) : "").first;
    if (found->second.since == absl::Duration()) found->second.since = now;
  }
  Account& account = found->second;
  // A clock that was set back takes nothing away.
  const double seconds = std::max(0.0, absl::ToDoubleSeconds(now - account.since));
  account.lines = std::min(kBurst, account.lines + seconds * kLinesASecond);
  account.since = now;
  if (!(account.lines >= 1)) {
    ++account.left_out;
    return {.write = false, .left_out = 0};
  }
  account.lines -= 1;
  return {.write = true, .left_out = std::exchange(account.left_out, 0)};
}

}  // namespace topicwall::server
