#include "server/admin/budget_events.h"

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "server/ledger/budget_replay.h"

namespace topicwall::admin {

absl::StatusOr<ledger::BudgetPicture> PictureOf(ledger::PrivacyLedger& ledger,
                                                absl::string_view corpus_version) {
  ledger::BudgetReplay replay;
  const auto apply = [&replay](const v1::LedgerEntry& entry) {
    v1::LedgerEvent event;
    if (!event.ParseFromString(entry.event())) {
      return absl::DataLossError("an event of the ledger does not parse.");
    }
    return replay.Apply(event);
  };
  TW_RETURN_IF_ERROR(
      ledger.ReadEvents(corpus_version, {.principal = "", .is_auditor = true}, 1, apply));
  return replay.picture();
}

}  // namespace topicwall::admin
