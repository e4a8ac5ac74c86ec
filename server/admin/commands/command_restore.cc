#include "server/admin/commands/command_restore.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/admin/custody.h"
#include "server/admin/opened_mark.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/ledger_backup.h"
#include "server/release/clock.h"
#include "server/store/ledger_files.h"
#include "server/store/stores.h"
#include "server/vault/start_checks.h"

namespace topicwall::admin {
namespace {

struct Installation {
  std::string from;
  std::string to;
};

// Of the backup's ledger; none where it has none, which InstallBackup says.
absl::StatusOr<std::vector<ledger::CorpusStatus>> BudgetsIn(const std::string& backup) {
  if (!base::FileExists(store::DatabasePath(backup))) return std::vector<ledger::CorpusStatus>();
  absl::StatusOr<std::unique_ptr<store::EventStore>> kept = store::OpenStoreReadOnly(backup);
  if (absl::IsFailedPrecondition(kept.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat(backup,
                     " is a backup of another version's ledger, which this program does not read: "
                     "restore it with the program that wrote it."));
  }
  TW_RETURN_IF_ERROR(kept.status());
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                      ledger::FoldedLedger::Fold(*std::move(kept), std::nullopt));
  return ledger->Corpora();
}

absl::StatusOr<std::vector<ledger::CorpusStatus>> BudgetsRestored(const std::string& directory) {
  // The file, also where the configuration names a database.
  TW_ASSIGN_OR_RETURN(const auto ledger, ledger::FoldedLedger::OpenReadOnly(directory));
  return ledger->Corpora();
}

// Of a ledger that was installed. What fails from there on is no reason to say that it was not.
std::vector<ledger::CorpusStatus> Finish(const std::string& directory, const std::string& backup,
                                         std::vector<std::string>* warnings) {
  // The folder may be a new one. Its ledger is frozen, but a budget was opened in it.
  const absl::Status marked = MarkOpened(directory);
  if (!marked.ok()) {
    warnings->push_back(absl::StrCat(
        "the ledger is restored and frozen; that budgets were opened here could not be noted: ",
        marked.message(), " The next open-budget notes it."));
  }
  absl::StatusOr<std::vector<ledger::CorpusStatus>> budgets = BudgetsRestored(directory);
  if (!budgets.ok()) {
    warnings->push_back(absl::StrCat(
        "the ledger is restored and frozen; it could not be read back, and what is said of it here "
        "is what the backup says: ",
        budgets.status().message(), " Then check it: topicwall-admin verify-ledger."));
    budgets = BudgetsIn(backup);
  }
  return budgets.ok() ? *std::move(budgets) : std::vector<ledger::CorpusStatus>();
}

// Verifies the backup's corpora and says which of them the directory needs. Changes nothing.
absl::StatusOr<std::vector<Installation>> PlanInstallations(const Custody& custody,
                                                            const std::string& backup,
                                                            const std::string& directory) {
  std::vector<Installation> needed;
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> corpora, CorpusFilesIn(backup));
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> budgets, BudgetsIn(backup));
  for (const std::string& from : corpora) {
    TW_RETURN_IF_ERROR(VerifyCorpus(from, custody.key));
    const std::string to =
        absl::StrCat(directory, "/", std::filesystem::path(from).filename().string());
    TW_ASSIGN_OR_RETURN(const std::optional<std::string> kept, VersionOfFile(from));
    TW_RETURN_IF_ERROR(server::RequireOwnName(budgets, kept.value_or(""),
                                              std::filesystem::path(from).stem().string()));
    // Its head alone: a version can be read of a file whose documents are damaged.
    const absl::StatusOr<std::optional<std::string>> there = VersionOfFile(to);
    // One that is too damaged to have a version has no people to protect either.
    if (there.ok() && there->has_value() && *there != kept) {
      return absl::FailedPreconditionError(absl::StrCat(
          to, " is version ", base::Hex(**there), ", the backup's is ", base::Hex(*kept),
          ": it was ingested after the backup was made. Move it away first."));
    }
    // The same version, to its last byte: a copy of it is nothing better.
    if (VerifyCorpus(to, custody.key).ok()) continue;
    needed.push_back({.from = from, .to = to});
  }
  return needed;
}

absl::Status Install(const Installation& corpus) {
  const std::string unfinished = corpus.to + ".restored";
  std::error_code ignored;
  // What an earlier attempt left.
  std::filesystem::remove(unfinished, ignored);
  TW_RETURN_IF_ERROR(base::CopyFileDurably(corpus.from, unfinished));
  return base::RenameDurably(unfinished, corpus.to, base::IfExists::kReplace);
}

}  // namespace

absl::StatusOr<Outcome> RestoreBackup(const RestoreFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(const store::DataDirectoryLock lock, Lock(custody.config));
  const std::string& directory = lock.directory();
  TW_ASSIGN_OR_RETURN(const std::vector<Installation> needed,
                      PlanInstallations(custody, flags.input, directory));
  for (const Installation& corpus : needed) TW_RETURN_IF_ERROR(Install(corpus));
  TW_ASSIGN_OR_RETURN(const ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  TW_RETURN_IF_ERROR(
      ledger::InstallBackup(flags.input, lock, keys, release::SystemClock().NowMs()));
  Outcome outcome;
  const std::vector<ledger::CorpusStatus> statuses =
      Finish(directory, flags.input, &outcome.warnings);
  outcome.text = absl::StrCat("Restored the ledger and ", needed.size(), " corpus files from ",
                              flags.input, ".\n");
  std::vector<std::string> frozen;
  for (const ledger::CorpusStatus& corpus_status : statuses) {
    frozen.push_back(corpus_status.corpus);
    absl::StrAppend(&outcome.text, "Frozen: ", corpus_status.corpus, ", budget ",
                    corpus_status.budget_id, "\n");
  }
  if (custody.config.has_ledger()) {
    absl::StrAppend(&outcome.text,
                    "Move it into the database first: topicwall-admin migrate-ledger --to "
                    "postgresql\n");
  }
  absl::StrAppend(
      &outcome.text,
      "What was released after the backup is unknown here. Ask whoever was released "
      "to, then:\n"
      "  topicwall-admin thaw --head HEX --receipts FILE...     the last head they noted\n"
      "  topicwall-admin thaw --events FILE --receipts FILE...  what an auditor exported\n"
      "  topicwall-admin thaw --forfeit --corpus NAME           nobody knows\n"
      "A budget that was opened after the backup is unknown here, too, and must not be "
      "opened again: open-budget says what to look at.\n");
  outcome.json.SetInteger("corpora_installed", static_cast<int64_t>(needed.size()))
      .SetStrings("frozen", frozen);
  return outcome;
}

}  // namespace topicwall::admin
