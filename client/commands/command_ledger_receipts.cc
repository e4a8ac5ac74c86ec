#include "client/commands/command_ledger_receipts.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "accountant/status_macros.h"
#include "client/durable_file.h"
#include "client/json.h"
#include "client/receipt_book.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

std::string TextOf(const ReceiptAudit& audit) {
  Table table;
  table.AddRow({"receipts", absl::StrCat(audit.receipts, ", signed by ", Hex(audit.signing_key))});
  table.AddRow(
      {"last", absl::StrCat("entry ", audit.last_sequence, ", head ", Hex(audit.last_head))});
  table.AddRow(
      {"odometer", absl::StrFormat("epsilon %.4f, as the last states it", audit.odometer_epsilon)});
  table.AddRow({"chain", audit.chain_length < 0
                             ? std::string("none given: receipts are compared with each other only")
                             : absl::StrCat(audit.chain_length, " entries")});
  for (const std::string& finding : audit.findings) table.AddRow({"FINDING", finding});
  return table.Text();
}

std::string JsonTextOf(const ReceiptAudit& audit) {
  std::vector<std::string> findings;
  for (const std::string& finding : audit.findings) findings.push_back(JsonString(finding));
  JsonObject json;
  json.SetBool("verified", audit.findings.empty())
      .SetInteger("receipts", audit.receipts)
      .SetString("custodian_key", Hex(audit.signing_key))
      .SetInteger("last_sequence", audit.last_sequence)
      .SetString("last_head", Hex(audit.last_head))
      .SetNumber("odometer_epsilon", audit.odometer_epsilon)
      .SetBool("chain_given", audit.chain_length >= 0);
  if (audit.chain_length >= 0) json.SetInteger("chain_length", audit.chain_length);
  return json.SetRaw("findings", JsonArray(findings)).Text();
}

}  // namespace

absl::Status VerifyReceipts(const std::string& path, const ReceiptsToAudit& what, bool json,
                            Terminal& terminal) {
  std::error_code error;
  const bool is_model = std::filesystem::is_directory(path, error);
  TW_ASSIGN_OR_RETURN(const v1::ReceiptFile file,
                      ReadReceipts(is_model ? ReceiptsPath(path) : path));
  TW_ASSIGN_OR_RETURN(const ReceiptAudit audit, AuditReceipts(file, what));
  terminal.Print(json ? JsonTextOf(audit) : TextOf(audit));
  if (audit.findings.empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the receipts do not fit: ", audit.findings.size(),
                                          " findings. Keep them and ask the custodian."));
}

absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEvents(const std::string& path) {
  TW_ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(path, kMaxFileBytes));
  v1::LedgerExport exported;
  if (!exported.ParseFromString(bytes) || exported.entries_size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " must be what `topicwall ledger --events` wrote."));
  }
  return std::vector<v1::LedgerEntry>(exported.entries().begin(), exported.entries().end());
}

}  // namespace topicwall::client
