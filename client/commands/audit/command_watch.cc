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
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/audit/budget_auditor.h"
#include "client/audit/chain_watch.h"
#include "client/audit/ledger_export.h"
#include "client/audit/profiled_wall.h"
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

// One corpus, as it was found.
struct Finding {
  std::string corpus;
  absl::Status status;
  ChainSight sight;  // if OK
  bool accepted = false;
};

// What the ledger is called then. That a program is too old for it is neither.
absl::string_view NameOf(const absl::Status& error) {
  if (IsNoFaultOfALedger(error)) return "unavailable";
  return proto::IsWrittenByNewer(error) ? "NOT VERIFIED" : "BROKEN";
}

std::string TextOf(const Finding& finding) {
  if (!finding.status.ok()) {
    return absl::StrCat(finding.corpus, ": ", NameOf(finding.status), ": ",
                        finding.status.message());
  }
  const v1::NotedHead& head = finding.sight.head;
  if (head.budget_id().empty()) return absl::StrCat(finding.corpus, ": no budget is open yet");
  std::string text = absl::StrCat(finding.corpus, ": entry ", head.sequence(), ", head ",
                                  base::Hex(head.head()), ", budget ", head.budget_id());
  // Accepted where nothing was to accept, it is in place of nothing.
  if (!finding.sight.replaced.has_value() || finding.sight.replaced->head() == head.head()) {
    return text + (finding.accepted ? "; accepted" : "");
  }
  return absl::StrCat(text, finding.accepted ? "; accepted in place of " : "; a new one, after ",
                      DescribeNote(*finding.sight.replaced), ", budget ",
                      finding.sight.replaced->budget_id());
}

base::JsonObject JsonOf(const Finding& finding) {
  base::JsonObject object;
  object.SetString("corpus", finding.corpus).SetBool("continues", finding.status.ok());
  if (!finding.status.ok()) {
    return object.SetBool("unavailable", IsNoFaultOfALedger(finding.status))
        .SetBool("written_by_newer", proto::IsWrittenByNewer(finding.status))
        .SetString("error", finding.status.message());
  }
  const v1::NotedHead& head = finding.sight.head;
  return object.SetString("budget_id", head.budget_id())
      .SetInteger("sequence", head.sequence())
      .SetString("head", base::Hex(head.head()))
      .SetBool("signed", head.has_signed_head())
      .SetBool("accepted", finding.accepted)
      .SetRaw("replaced", finding.sight.replaced.has_value()
                              ? base::JsonString(DescribeNote(*finding.sight.replaced))
                              : "null");
}

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

Finding Watch(const WatchFlags& flags, ProfiledWall& wall, const std::string& corpus) {
  const WatchedChain chain = {
      .wall = *wall.wall, .book = wall.book, .signing_key = wall.signing_key};
  Finding finding = {.corpus = corpus, .status = {}, .sight = {}, .accepted = flags.accept};
  absl::StatusOr<ChainSight> sight =
      flags.accept ? AcceptChain(chain, corpus) : LookAtChain(chain, corpus);
  finding.status = sight.status();
  if (!sight.ok()) return finding;
  finding.sight = *std::move(sight);
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

// Broken weighs most, and what another try may mend least.
absl::Status Summary(const std::vector<Finding>& findings) {
  int64_t broken = 0, newer = 0, unavailable = 0;
  for (const Finding& finding : findings) {
    if (finding.status.ok()) continue;
    if (IsNoFaultOfALedger(finding.status)) {
      ++unavailable;
    } else {
      ++(proto::IsWrittenByNewer(finding.status) ? newer : broken);
    }
  }
  const std::string of_all = absl::StrCat(" of ", findings.size(), " ledgers ");
  if (broken > 0) {
    return absl::DataLossError(absl::StrCat(broken, of_all, "are not what they should be."));
  }
  if (newer > 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        newer, of_all, "were not verified: a program is older than what wrote them. Upgrade it."));
  }
  if (unavailable == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(unavailable, of_all, "could not be read, noted or exported."));
}

absl::Status RunWatch(const WatchFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_RETURN_IF_ERROR(CheckFolder(flags.events));
  TW_ASSIGN_OR_RETURN(ProfiledWall wall, ConnectUnwatched(invocation.profile, WaitShown(terminal)));
  TW_ASSIGN_OR_RETURN(const std::set<std::string> corpora, CorporaOf(flags, wall.book));
  std::vector<Finding> findings;
  std::vector<base::JsonObject> items;
  for (const std::string& corpus : corpora) {
    const Finding& finding = findings.emplace_back(Watch(flags, wall, corpus));
    if (invocation.json) {
      items.push_back(JsonOf(finding));
    } else {
      terminal.Print(TextOf(finding));
    }
  }
  if (invocation.json) terminal.Print(base::JsonObject().SetObjects("corpora", items).Text());
  return Summary(findings);
}

}  // namespace

void AddWatch(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "watch",
       .description = "Check that ledgers go on from what was noted of them, and note their newest "
                      "heads: a line each. Exit code 1 if one does not, 4 if one cannot be read",
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
                  "Forget what was noted of these corpora, and note what the wall shows now");
}

}  // namespace topicwall::client
