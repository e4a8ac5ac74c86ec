// First what the server would not start with, as errors, by the very functions that it calls
// itself; then corpus by corpus what it would not serve; last what can only be measured. Warnings
// are for a person to weigh: a wall that is being set up has no ledger yet, and another machine may
// be the one that will serve.
//
// How many documents there are is no input to what is timed. A release_interval_ms that was chosen
// by the true number of units would tell that number to everybody who reads it: what is timed is
// the size that is stated in public, or nothing.
#include "server/admin/commands/command_check_config.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "server/admin/commands/timing_checks.h"
#include "server/admin/custody.h"
#include "server/admin/separation.h"
#include "server/gate/server_credentials.h"
#include "server/ledger/ledger_keys.h"
#include "server/sandbox/sandbox.h"
#include "server/vault/start_checks.h"

namespace topicwall::admin {
namespace {

absl::Status CheckBudget(const Custody& custody, ledger::FoldedLedger* ledger,
                         const v1::CorpusConfig& corpus, const std::string& version,
                         CorpusFindings* findings) {
  const auto budget = ledger == nullptr ? absl::NotFoundError("") : ledger->StateOf(version);
  if (!budget.ok() && !absl::IsNotFound(budget.status())) return budget.status();
  findings->json.SetBool("budget", budget.ok());
  absl::StrAppend(&findings->text, budget.ok() ? "  has a budget\n"
                                               : "  no budget yet: topicwall-admin open-budget\n");
  if (!budget.ok()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const auto under_way, ledger->UnderWay(version));
  for (const absl::Status& check : {server::RequireCustodianOf(budget->opening(), custody.config),
                                    server::RequireComputable(under_way, corpus)}) {
    if (!check.ok()) findings->warnings.emplace_back(check.message());
  }
  return absl::OkStatus();
}

absl::StatusOr<CorpusFindings> CheckCorpus(const Custody& custody, ledger::FoldedLedger* ledger,
                                           const ReleaseTimer& timer,
                                           const v1::CorpusConfig& corpus) {
  CorpusFindings findings;
  findings.json.SetString("corpus", corpus.name());
  std::vector<ledger::CorpusStatus> budgets;
  if (ledger != nullptr) {
    TW_ASSIGN_OR_RETURN(budgets, ledger->Corpora());
  }
  const auto store = server::OpenToServe(custody.config, corpus.name(), custody.key, budgets);
  findings.served = store.status();
  findings.json.SetBool("ingested", !absl::IsNotFound(store.status())).SetBool("ready", store.ok());
  if (!store.ok()) {
    // What is wrong with more than this corpus is wrong with the server.
    if (!server::IsOfOneCorpus(store.status())) return store.status();
    findings.text = absl::StrCat("Corpus ", corpus.name(),
                                 absl::IsNotFound(store.status())
                                     ? ": not ingested yet: topicwall-admin ingest\n"
                                     : ": cannot be served\n");
    findings.warnings.push_back(
        absl::StrCat("corpus ", corpus.name(), " would not be served: ", store.status().message()));
    return findings;
  }
  const corpus::CorpusDescription& description = (*store)->description();
  findings.text = absl::StrCat("Corpus ", corpus.name(), ": opens and verifies, ",
                               description.vocabulary->size(), " terms\n");
  TW_RETURN_IF_ERROR(
      CheckBudget(custody, ledger, corpus,
                  std::string(description.version.begin(), description.version.end()), &findings));
  TW_RETURN_IF_ERROR(timer.Check(corpus, description, &findings));
  return findings;
}

// With corpora that are there and cannot be served, and none that can, there is no server.
absl::Status CheckCorpora(const CheckConfigFlags& flags, const Custody& custody,
                          ledger::FoldedLedger* ledger, Outcome* outcome) {
  if (flags.progress && custody.config.has_executor()) flags.progress("starting the job ...");
  const ReleaseTimer timer(custody.config, flags.job_start, outcome);
  std::vector<base::JsonObject> corpora;
  absl::Status damaged;
  bool any_served = false;
  for (const v1::CorpusConfig& corpus : custody.config.corpora()) {
    if (flags.progress) flags.progress(absl::StrCat("checking corpus ", corpus.name(), " ..."));
    TW_ASSIGN_OR_RETURN(CorpusFindings findings, CheckCorpus(custody, ledger, timer, corpus));
    any_served = any_served || findings.served.ok();
    // The first one stays. A corpus that is not ingested yet is no damage.
    if (!absl::IsNotFound(findings.served)) damaged.Update(findings.served);
    absl::StrAppend(&outcome->text, findings.text);
    corpora.push_back(std::move(findings.json));
    for (std::string& warning : findings.warnings) outcome->warnings.push_back(std::move(warning));
  }
  outcome->json.SetObjects("corpora", corpora);
  return any_served ? absl::OkStatus() : damaged;
}

}  // namespace

absl::StatusOr<Outcome> CheckConfig(const CheckConfigFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_RETURN_IF_ERROR(server::CheckDataDirectory(custody.config));
  TW_ASSIGN_OR_RETURN(const std::vector<server::CertificateDates> certificates,
                      server::CheckTlsFiles(custody.config.tls()));
  // To read: a server may be running, and a check must not be what takes its lock.
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  const auto ledger = OpenLedgerToRead(custody.config, std::move(keys));
  if (!ledger.ok() && !absl::IsNotFound(ledger.status())) return ledger.status();
  Outcome outcome;
  outcome.text = absl::StrCat("Configuration, certificates and key ", custody.key.key_id(),
                              ": good\nLedger: ", ledger.ok() ? "verifies" : "not there yet", "\n");
  outcome.json.SetString("key_id", custody.key.key_id()).SetBool("ledger", ledger.ok());
  if (!ledger.ok()) {
    outcome.warnings.emplace_back(ledger.status().message());
  } else {
    WarnOfTheClock(**ledger, &outcome.warnings);
  }
  TW_RETURN_IF_ERROR(CheckSeparation(custody.config, sandbox::OfferedByThisKernel(), &outcome));
  AddDisk(custody.config, &outcome);
  WarnOfAQuota(&outcome.warnings);
  for (const server::CertificateDates& dates : certificates) {
    const auto warning = server::WarningOf(dates, absl::Now());
    if (warning.has_value()) outcome.warnings.push_back(warning->text);
  }
  TW_RETURN_IF_ERROR(CheckCorpora(flags, custody, ledger.ok() ? ledger->get() : nullptr, &outcome));
  outcome.bad_news = flags.strict && !outcome.warnings.empty();
  return outcome;
}

}  // namespace topicwall::admin
