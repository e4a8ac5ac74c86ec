// The trace that a data directory has had budgets: a file `budgets-opened` beside the ledger.
//
// The first budget creates the ledger, so a directory whose ledger was lost looks like one
// that never had any. The mark tells them apart: with it and without a ledger, open-budget
// refuses, since a new ledger would have forgotten what was released. It is made durable
// before the first budget is, and never removed. (Somebody who takes away the mark as well
// cannot be seen from inside; the heads that auditors noted are for that.)
#ifndef TOPICWALL_SERVER_ADMIN_OPENED_MARK_H_
#define TOPICWALL_SERVER_ADMIN_OPENED_MARK_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::admin {

// Once it is there: no change. UNAVAILABLE if it cannot be written.
absl::Status MarkOpened(absl::string_view data_directory);

// DATA_LOSS, naming restore, if the mark is there. To be asked where no ledger is.
absl::Status RequireNeverOpened(absl::string_view data_directory);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_OPENED_MARK_H_
