#include "client/commands/command_ledger_receipts.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/wall/receipt_book.h"

namespace topicwall::client {
namespace {

std::string TextOf(const ReceiptAudit& audit) {
  base::Table table;
  table.AddRow(
      {"receipts", absl::StrCat(audit.receipts, ", signed by ", base::Hex(audit.signing_key))});
  table.AddRow(
      {"last", absl::StrCat("entry ", audit.last_sequence, ", head ", base::Hex(audit.last_head))});
  table.AddRow(
      {"odometer", absl::StrFormat("epsilon %.4f of this budget alone, as the last states it",
                                   audit.odometer_epsilon)});
  if (audit.chain_length < 0) {
    table.AddRow({"", "what other budgets the same people are in, only the ledger tells"});
  }
  AddSumRow(audit.sum, table);
  table.AddRow({"chain", audit.chain_length < 0
                             ? std::string("none given: receipts are compared with each other only")
                             : absl::StrCat(audit.chain_length, " entries")});
  for (const std::string& finding : audit.findings) table.AddRow({"FINDING", finding});
  return table.Text();
}

std::string JsonTextOf(const ReceiptAudit& audit) {
  std::vector<std::string> findings;
  for (const std::string& finding : audit.findings) findings.push_back(base::JsonString(finding));
  base::JsonObject json;
  json.SetBool("verified", audit.findings.empty())
      .SetInteger("receipts", audit.receipts)
      .SetString("custodian_key", base::Hex(audit.signing_key))
      .SetInteger("last_sequence", audit.last_sequence)
      .SetString("last_head", base::Hex(audit.last_head))
      .SetNumber("odometer_epsilon", audit.odometer_epsilon)
      .SetBool("chain_given", audit.chain_length >= 0);
  if (audit.chain_length >= 0) {
    json.SetInteger("chain_length", audit.chain_length).SetRaw("sum", SumJson(audit.sum));
  }
  return json.SetRaw("findings", base::JsonArray(findings)).Text();
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

}  // namespace topicwall::client
