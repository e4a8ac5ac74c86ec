#include "client/audit/chain_replay.h"

#include "base/status_macros.h"

namespace topicwall::client {

// The hash first: an event is worth reading only once it holds.
absl::Status ChainReplay::Take(const v1::LedgerEntry& entry) {
  TW_RETURN_IF_ERROR(chain_.Add(entry));
  is_seen_ = !entry.event().empty();
  if (!replay_.has_value()) {
    TW_ASSIGN_OR_RETURN(replay_, LedgerReplay::Create(chain_.event()));
    spent_before_ = replay_->spent();
    return absl::OkStatus();
  }
  spent_before_ = replay_->spent();
  if (is_seen_) {
    replay_->Apply(chain_.event());
  } else {
    ++unseen_;
    replay_->ApplyUnseen();
  }
  return absl::OkStatus();
}

}  // namespace topicwall::client
