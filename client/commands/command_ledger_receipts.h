// `topicwall ledger --verify RECEIPTS`: receipts held against each other and against a chain.
#ifndef TOPICWALL_CLIENT_COMMANDS_COMMAND_LEDGER_RECEIPTS_H_
#define TOPICWALL_CLIENT_COMMANDS_COMMAND_LEDGER_RECEIPTS_H_

#include <string>

#include "absl/status/status.h"
#include "client/audit/receipt_audit.h"
#include "client/terminal.h"

namespace topicwall::client {

// Reads `path`, a receipts.pb or the folder of a model, audits and prints. DATA_LOSS if anything
// does not fit, as for a ledger that does not add up.
absl::Status VerifyReceipts(const std::string& path, const ReceiptsToAudit& what, bool json,
                            Terminal& terminal);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_COMMAND_LEDGER_RECEIPTS_H_
