// `topicwall ledger`, in four ways that share what they print and how they end:
//   CORPUS                           recompute the ledger and hold GetBudget against it
//   CORPUS --verify RECEIPTS         and then hold the receipts of a fit against the ledger
//   --verify RECEIPTS --events FILE  the receipts against an export, without a wall
//   --verify RECEIPTS                the receipts against each other, without a wall
// What does not fit is a finding, printed with the rest, and DATA_LOSS at the end, so that a script
// sees by the exit code what a person reads in the table.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/audit/ledger_export.h"
#include "client/audit/receipt_audit.h"
#include "client/audit/wall_audit.h"
#include "client/commands/audit/noted_prices.h"
#include "client/commands/command.h"
#include "client/exit_code.h"
#include "client/json.h"
#include "client/wall/receipt_book.h"
#include "proto/ledger.pb.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

struct LedgerFlags {
  std::string corpus;
  std::string events;    // file; empty: none
  std::string receipts;  // receipts.pb, or a model's folder; empty: none
  std::string custodian_key;
};

// "", or how it ended.
std::string EndOf(const AuditedPlan& plan) {
  std::string text;
  if (plan.voided > 0) absl::StrAppend(&text, ", ", plan.voided, " voided");
  if (plan.cancelled) absl::StrAppend(&text, ", ", plan.returned, " given back");
  if (plan.expired) absl::StrAppend(&text, " unused");
  return text;
}

std::string PlanRow(const AuditedPlan& plan) {
  std::string noise =
      absl::StrCat("noise multiplier ", plan.terms.spec().gaussian().noise_multiplier());
  if (plan.terms.spec().gaussian().has_histogram_noise_multiplier()) {
    absl::StrAppend(&noise, " and ", plan.terms.spec().gaussian().histogram_noise_multiplier());
  }
  return absl::StrFormat("%d of %d %s charged%s, %s, sampling rate %g: epsilon %s alone",
                         plan.charged, plan.terms.spec().iterations(),
                         plan.terms.spec().held_out_only() ? "evaluations" : "iterations",
                         EndOf(plan), noise, plan.terms.spec().sampling_rate(),
                         proto::EpsilonText(plan.epsilon_upper_bound));
}

// What decides nothing.
void AddInformation(const LedgerAudit& audit, base::Table& table) {
  table.AddRow({"odometer", proto::EpsilonText(audit.odometer_upper_bound)});
  for (const NamedEpsilon& other : audit.information) {
    table.AddRow(
        {absl::StrCat("by ", other.accountant),
         absl::StrCat("epsilon ", proto::EpsilonText(other.epsilon.upper), ", for information")});
  }
}

void AddInformation(const LedgerAudit& audit, base::JsonObject& object) {
  std::vector<base::JsonObject> information;
  for (const NamedEpsilon& other : audit.information) {
    information.push_back(base::JsonObject()
                              .SetString("accountant", other.accountant)
                              .SetNumber("epsilon_lower", other.epsilon.lower)
                              .SetNumber("epsilon_upper", other.epsilon.upper));
  }
  object.SetNumber("odometer_epsilon", audit.odometer_upper_bound)
      .SetObjects("information", information);
}

std::string TextOf(const LedgerAudit& audit, bool explain) {
  base::Table table;
  table.AddRow({"chain", absl::StrCat(audit.entries, " entries verified, ", audit.unseen_entries,
                                      " of them only as commitments")});
  table.AddRow({"head", base::Hex(audit.head)});
  table.AddRow(
      {"recomputed", absl::StrCat("epsilon ", proto::EpsilonText(audit.epsilon_upper_bound), " of ",
                                  proto::EpsilonText(audit.budget.epsilon), " at delta ",
                                  proto::DeltaText(audit.budget.delta),
                                  audit.unseen_entries > 0 ? ", of the visible plans" : "")});
  if (explain) AddInformation(audit, table);
  if (audit.forfeited) table.AddRow({"", "after a restore everything was declared spent"});
  AddSumRow(audit.sum, table);
  table.AddRow({"timing", absl::StrCat(audit.timing.overruns, " releases missed their instant, ",
                                       audit.timing.restarts, " waited for a restarted server, ",
                                       audit.timing.voided, " were voided")});
  for (const Restore& one : audit.restores) table.AddRow({"restored", DescribeRestore(one)});
  for (const AuditedPlan& plan : audit.plans) {
    table.AddRow({absl::StrCat("plan ", plan.terms.plan_id()), PlanRow(plan)});
  }
  for (const std::string& finding : audit.findings) table.AddRow({"FINDING", finding});
  return table.Text();
}

// What a reader may see of each entry, in the order of the chain.
std::vector<base::JsonObject> EventsJson(const std::vector<v1::LedgerEntry>& entries) {
  std::vector<base::JsonObject> items;
  for (const v1::LedgerEntry& entry : entries) {
    base::JsonObject item;
    item.SetInteger("sequence", entry.sequence());
    item.SetString("commitment", base::Hex(entry.commitment()))
        .SetString("head", base::Hex(entry.head()));
    v1::LedgerEvent event;
    // With the salt whoever reads this can recompute the commitment.
    if (!entry.event().empty() && event.ParseFromString(entry.event())) {
      item.SetString("salt", base::Hex(entry.salt())).SetRaw("event", JsonOf(event));
    }
    items.push_back(item);
  }
  return items;
}

std::string JsonTextOf(const LedgerAudit& audit, const std::vector<v1::LedgerEntry>& entries,
                       bool explain) {
  std::vector<std::string> restores;
  for (const Restore& restore : audit.restores) restores.push_back(DescribeRestore(restore));
  base::JsonObject object;
  object.SetBool("verified", audit.findings.empty())
      .SetString("budget_id", audit.budget_id)
      .SetInteger("entries", audit.entries)
      .SetInteger("unseen_entries", audit.unseen_entries)
      .SetString("head", base::Hex(audit.head))
      .SetNumber("epsilon_total", audit.budget.epsilon)
      .SetNumber("delta", audit.budget.delta)
      .SetNumber("epsilon_recomputed", audit.epsilon_upper_bound);
  if (explain) AddInformation(audit, object);
  return object.SetBool("forfeited", audit.forfeited)
      .SetRaw("sum", SumJson(audit.sum))
      .SetInteger("overruns", audit.timing.overruns)
      .SetInteger("restarts", audit.timing.restarts)
      .SetInteger("voided", audit.timing.voided)
      .SetStrings("restores", restores)
      .SetStrings("findings", audit.findings)
      .SetObjects("events", EventsJson(entries))
      .Text();
}

std::string TextOf(const ReceiptAudit& audit, bool explain) {
  base::Table table;
  table.AddRow(
      {"receipts", absl::StrCat(audit.receipts, ", signed by ", base::Hex(audit.signing_key))});
  // None where all are of other budgets.
  if (audit.last_sequence > 0) {
    table.AddRow({"last", absl::StrCat("entry ", audit.last_sequence, ", head ",
                                       base::Hex(audit.last_head))});
    if (explain) {
      table.AddRow({"odometer", absl::StrCat("epsilon ", proto::EpsilonText(audit.odometer_epsilon),
                                             " of this budget alone, as the last states it")});
    }
  }
  if (audit.chain_length < 0) {
    table.AddRow({"", "what other budgets the same people are in, only the ledger tells"});
  }
  AddSumRow(audit.sum, table);
  table.AddRow({"chain", audit.chain_length < 0
                             ? std::string("none given: receipts are compared with each other only")
                             : absl::StrCat(audit.chain_length, " entries")});
  for (const ReceiptsElsewhere& other : audit.elsewhere) {
    table.AddRow({"not of it", DescribeElsewhere(other)});
  }
  for (const std::string& finding : audit.findings) table.AddRow({"FINDING", finding});
  return table.Text();
}

std::string JsonTextOf(const ReceiptAudit& audit, bool explain) {
  base::JsonObject json;
  json.SetBool("verified", VerdictOf(audit).ok())
      .SetInteger("receipts", audit.receipts)
      .SetString("custodian_key", base::Hex(audit.signing_key));
  if (audit.last_sequence > 0) {
    json.SetInteger("last_sequence", audit.last_sequence)
        .SetString("last_head", base::Hex(audit.last_head));
    if (explain) json.SetNumber("odometer_epsilon", audit.odometer_epsilon);
  }
  json.SetBool("chain_given", audit.chain_length >= 0);
  if (audit.chain_length >= 0) {
    json.SetInteger("chain_length", audit.chain_length).SetRaw("sum", SumJson(audit.sum));
  }
  std::vector<base::JsonObject> elsewhere;
  for (const ReceiptsElsewhere& other : audit.elsewhere) {
    elsewhere.push_back(base::JsonObject()
                            .SetString("budget_id", other.budget_id)
                            .SetString("corpus", other.corpus)
                            .SetInteger("receipts", other.receipts)
                            .SetBool("known", other.is_known));
  }
  return json.SetObjects("elsewhere", elsewhere).SetStrings("findings", audit.findings).Text();
}

// `path`: a receipts.pb or the folder of a model. DATA_LOSS if anything does not fit, as for a
// ledger that does not add up.
absl::Status VerifyReceipts(const std::string& path, const ReceiptsToAudit& what,
                            const Invocation& invocation, Terminal& terminal) {
  std::error_code error;
  // A path that leads nowhere is taken for a file, and its error says so.
  const bool is_model = std::filesystem::is_directory(path, error);
  TW_ASSIGN_OR_RETURN(const v1::ReceiptFile file,
                      ReadReceipts(is_model ? ReceiptsPath(path) : path));
  TW_ASSIGN_OR_RETURN(ReceiptAudit audit, AuditReceipts(file, what));
  if (is_model && what.chain.has_value()) {
    TW_ASSIGN_OR_RETURN(const std::vector<std::string> prices, PriceFindings(path, *what.chain));
    audit.findings.insert(audit.findings.end(), prices.begin(), prices.end());
  }
  terminal.Print(invocation.json ? JsonTextOf(audit, invocation.explain)
                                 : TextOf(audit, invocation.explain));
  return VerdictOf(audit);
}

// Without a wall: against an export, or against each other alone.
absl::Status VerifyOffline(const LedgerFlags& flags, const Invocation& invocation,
                           Terminal& terminal) {
  if (flags.receipts.empty()) {
    return UsageError("name a corpus, or give --verify the receipts of a model.");
  }
  TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey(invocation, flags.custodian_key));
  if (flags.events.empty()) {
    return VerifyReceipts(flags.receipts, {.signing_key = key}, invocation, terminal);
  }
  // Another key than the receipts' is a finding (receipt_audit.h).
  TW_ASSIGN_OR_RETURN(const OpenedExport opened, OpenExport(flags.events, {key}));
  if (opened.signed_by.empty()) terminal.Remark(opened.remark);
  return VerifyReceipts(flags.receipts,
                        {.signing_key = key,
                         .chain = absl::MakeConstSpan(opened.entries),
                         .export_path = flags.events},
                        invocation, terminal);
}

absl::Status ShowLedger(const LedgerFlags& flags, const Invocation& invocation,
                        Terminal& terminal) {
  if (flags.corpus.empty()) return VerifyOffline(flags, invocation, terminal);
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const WallAudit found, AuditWall(*wall, flags.corpus));
  const std::vector<v1::LedgerEntry>& entries = found.entries;
  const LedgerAudit& audit = found.audit;
  // Also with findings: what was shown is worth most where it does not add up.
  if (!flags.events.empty()) {
    TW_RETURN_IF_ERROR(ExtendExport(flags.events, flags.corpus, entries));
  }
  // Receipts are worth comparing only with a ledger that holds in itself; one that does not comes
  // first.
  if (!flags.receipts.empty() && audit.findings.empty()) {
    TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey(invocation, flags.custodian_key));
    return VerifyReceipts(flags.receipts,
                          {.signing_key = key, .chain = absl::MakeConstSpan(entries)}, invocation,
                          terminal);
  }
  terminal.Print(invocation.json ? JsonTextOf(audit, entries, invocation.explain)
                                 : TextOf(audit, invocation.explain));
  if (audit.findings.empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the ledger does not add up: ", audit.findings.size(),
                                          " findings. Keep this output and ask the custodian."));
}

}  // namespace

void AddLedger(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "ledger",
       .description = "Verify the ledger's hash chain and recompute what was spent from its "
                      "events; or hold the receipts of a fit against it",
       .example = "topicwall ledger notes --verify --events notes.events\n"
                  "  topicwall ledger notes --verify notes.model\n"
                  "  topicwall ledger --verify notes.model/receipts.pb --events notes.events"},
      ShowLedger);
  command.Add("corpus", flags->corpus,
              "Name of the corpus; without one nothing is asked of a wall");
  command
      .Add("--verify", flags->receipts,
           "Verify the chain, which is always done; with RECEIPTS, the receipts.pb or the "
           "folder of a model, also that every one of them is in the chain; of a folder, too, that "
           "its plans cost what its files say")
      .Called("RECEIPTS")
      .ValueOptional();
  command.Add("--events", flags->events,
              "With a corpus: append the entries to this file, which must hold the beginning "
              "of the same ledger or not exist yet, for `topicwall-admin thaw --events` and "
              "for later. Without, and with --verify RECEIPTS: read them from it");
  AddExplain(command, invocation);
  AddCustodianKey(command, &flags->custodian_key);
}

}  // namespace topicwall::client
