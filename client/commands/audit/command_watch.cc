// `topicwall watch`: the look that every other command does in passing, as a command of its own for
// crontabs, and the one place where a ledger that does not go on may be accepted. It connects
// without WatchedWall, which would refuse such a ledger before anything could be said of it.
//
// Every corpus gets its line, whatever became of those before it: a ledger that is broken or cannot
// be read must not hide another. Broken weighs more than unavailable in the exit code.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/audit/budget_auditor.h"
#include "client/audit/chain_watch.h"
#include "client/audit/head_book.h"
#include "client/audit/ledger_export.h"
#include "client/audit/profiled_wall.h"
#include "client/commands/audit/ledger_finding.h"
#include "client/commands/command.h"
#include "client/exit_code.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

struct WatchFlags {
  std::vector<std::string> corpora;  // none: all that were noted
  std::string events;                // folder; empty: none
  bool accept = false;
};

// An export in which an auditor's events are kept back would prove nothing of them later.
absl::Status CheckSeen(const ProfiledWall& wall, const std::string& corpus,
                       const std::vector<v1::LedgerEntry>& entries) {
  const auto unseen =
      std::count_if(entries.begin(), entries.end(),
                    [](const v1::LedgerEntry& entry) { return entry.event().empty(); });
  if (unseen == 0) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, wall.wall->GetBudget(corpus));
  const std::string sealed = SealedText(budget, unseen);
  if (sealed.empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(sealed, " Nothing was exported; ask the custodian."));
}

// FOLDER/CORPUS-BUDGET.events grows by what is new. A budget has a file of its own: a new version's
// is another chain, and must not be taken for the old one put back.
absl::Status Export(const std::string& folder, const ProfiledWall& wall, const ChainSight& sight) {
  const v1::NotedHead& head = sight.head;
  const std::string& corpus = head.corpus();
  if (folder.empty() || head.budget_id().empty()) return absl::OkStatus();
  // It is the wall's word, and becomes a file's name.
  if (head.budget_id().find_first_not_of("0123456789abcdef") != std::string::npos) {
    return absl::DataLossError("the wall names a budget by what is no id: nothing was exported.");
  }
  TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries, wall.wall->ReadLedger(corpus, 1));
  // A second reading: it must be of the history that was looked at.
  const auto at = static_cast<size_t>(head.sequence() - 1);
  if (at >= entries.size() || entries[at].head() != head.head()) {
    return absl::DataLossError(absl::StrCat(
        "the ledger was shown once with ", DescribeNote(head),
        ", and once without it: two histories. Nothing was exported; ask the custodian."));
  }
  TW_RETURN_IF_ERROR(CheckSeen(wall, corpus, entries));
  const std::string path =
      absl::StrCat(folder, "/", corpus, "-", sight.head.budget_id(), ".events");
  const absl::Status extended = ExtendExport(path, corpus, entries);
  // What differs is told as it is, and what a newer program wrote.
  if (extended.ok() || absl::IsDataLoss(extended) || proto::IsWrittenByNewer(extended)) {
    return extended;
  }
  const char* const whose = absl::IsInvalidArgument(extended)
                                ? " The file is at fault, not the ledger: move it away."
                                : "";
  return absl::UnavailableError(absl::StrCat("the ledger goes on, and its head is noted; ", path,
                                             " could not be extended: ", extended.message(),
                                             whose));
}

// Of a wall that shows no chain of the corpus: a note that there is, which a chain would have to
// hold. Without one there is nothing that could be missed.
void AddNoted(const HeadBook& book, LedgerFinding& finding) {
  const bool is_without = finding.status.ok() && finding.sight.head.budget_id().empty();
  if (!is_without && !IsNotShown(finding.status)) return;
  const absl::StatusOr<v1::HeadBook> notes = book.Read();
  const v1::NotedHead* note = notes.ok() ? NoteOfCorpus(*notes, finding.corpus) : nullptr;
  if (!notes.ok()) finding.status = notes.status();
  if (note == nullptr) return;
  finding.noted = *note;
  const std::string accept = absl::StrCat("`topicwall watch ", finding.corpus, " --accept`");
  // Both as IsNotShown has it: neither is a ledger that does not go on.
  finding.status = absl::PermissionDeniedError(
      is_without
          ? absl::StrCat("it is a new version, and no budget is open for it yet. Once one is, its "
                         "ledger is looked at again, and must know the noted budget; ",
                         accept, " forgets that one.")
          : absl::StrCat(finding.status.message(), ". Once it is explained, ", accept,
                         " ends the noting of it."));
}

LedgerFinding Watch(const WatchFlags& flags, ProfiledWall& wall, const std::string& corpus) {
  const WatchedChain chain = {
      .wall = *wall.wall, .book = wall.book, .signing_key = wall.signing_key};
  LedgerFinding finding = {.corpus = corpus, .status = {}, .sight = {}, .accepted = flags.accept};
  absl::StatusOr<ChainSight> sight =
      flags.accept ? AcceptChain(chain, corpus) : LookAtChain(chain, corpus);
  finding.status = sight.status();
  if (sight.ok()) finding.sight = *std::move(sight);
  if (IsForgotten(finding)) return finding;
  AddNoted(wall.book, finding);
  if (!finding.status.ok()) return finding;
  // After the note, which is what finds a roll-back. An export that fails for want of room loses
  // none.
  finding.status = Export(flags.events, wall, finding.sight);
  return finding;
}

absl::StatusOr<std::set<std::string>> CorporaOf(const WatchFlags& flags, const HeadBook& book) {
  std::set<std::string> corpora(flags.corpora.begin(), flags.corpora.end());
  // Accepting forgets what was noted. Nobody should do that to all ledgers by leaving a word out.
  if (corpora.empty() && flags.accept) {
    return UsageError("--accept wants the corpora named that it is about.");
  }
  const absl::StatusOr<v1::HeadBook> notes = book.Read();
  const bool is_unavailable = IsNoFaultOfALedger(notes.status());
  // Of notes that are damaged no ledger is to blame: they are told as what they are, and no line
  // calls a ledger broken.
  if (!notes.ok() && !is_unavailable) return notes.status();
  if (!corpora.empty()) return corpora;
  if (is_unavailable) return absl::UnavailableError(notes.status().message());
  for (const v1::NotedHead& note : notes->heads()) corpora.insert(note.corpus());
  if (corpora.empty()) return UsageError("nothing was noted yet: name a corpus to begin with.");
  return corpora;
}

// Before any ledger is looked at: where an export cannot be kept is no fault of the ledger's.
absl::Status CheckFolder(const std::string& folder) {
  std::error_code none;
  if (folder.empty() ||
      (std::filesystem::is_directory(folder, none) && access(folder.c_str(), W_OK | X_OK) == 0)) {
    return absl::OkStatus();
  }
  // No other try makes it.
  return absl::FailedPreconditionError(absl::StrCat(
      "--events must be a folder that can be written to; ", folder, " is not. Make it (mkdir -p ",
      folder, "), then look again: no ledger was looked at."));
}

absl::Status RunWatch(const WatchFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_RETURN_IF_ERROR(CheckFolder(flags.events));
  TW_ASSIGN_OR_RETURN(ProfiledWall wall, ConnectUnwatched(invocation.profile, WaitShown(terminal)));
  TW_ASSIGN_OR_RETURN(const std::set<std::string> corpora, CorporaOf(flags, wall.book));
  std::vector<LedgerFinding> findings;
  std::vector<base::JsonObject> items;
  for (const std::string& corpus : corpora) {
    const LedgerFinding& finding = findings.emplace_back(Watch(flags, wall, corpus));
    if (invocation.json) {
      items.push_back(ObjectOf(finding));
    } else {
      terminal.Print(LineOf(finding));
    }
  }
  if (invocation.json) terminal.Print(base::JsonObject().SetObjects("corpora", items).Text());
  return SummaryOf(findings);
}

}  // namespace

void AddWatch(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "watch",
       .description = "Check that ledgers go on from what was noted of them, and note their newest "
                      "heads: a line each. Exit code 1 if one does not, 4 if one cannot be read "
                      "or is not shown any more",
       .example =
           "topicwall watch notes\n"
           "  topicwall watch notes --accept      # once the custodian has explained it\n"
           "For a crontab, which mails what a command prints to standard error; once before:\n"
           "  mkdir -p $HOME/ledgers && topicwall watch notes --profile ann\n"
           "  17 * * * *  topicwall watch --profile ann --events $HOME/ledgers > "
           "$HOME/ledgers/last"},
      RunWatch);
  command.Add("corpora", flags->corpora,
              "Names of corpora (otherwise all that were noted with this profile)");
  command.Add("--events", flags->events,
              "Folder of exports, CORPUS-BUDGET.events, that are extended each time");
  command.AddFlag("--accept", flags->accept,
                  "Forget what was noted of these corpora, and note what the wall shows now, if it "
                  "still shows them");
}

}  // namespace topicwall::client
