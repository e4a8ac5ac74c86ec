#include "server/store/event_store.h"

#include "base/status_macros.h"

namespace topicwall::store {

absl::StatusOr<Moment> EventStore::ReadMoment() {
  // The rows between two looks at the chains. A row comes with its charge's event and goes with
  // that of its end, each in one Append: while no chain moves no charge gains or loses its row.
  Moment moment;
  for (;;) {
    TW_ASSIGN_OR_RETURN(moment.chains, Chains());
    TW_ASSIGN_OR_RETURN(moment.open_charges, OpenCharges());
    if (!OthersWrite()) return moment;
    TW_ASSIGN_OR_RETURN(const std::vector<Chain> chains, Chains());
    if (chains == moment.chains) return moment;
  }
}

}  // namespace topicwall::store
