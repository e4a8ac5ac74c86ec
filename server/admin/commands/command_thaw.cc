#include "server/admin/commands/command_thaw.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/ledger.pb.h"
#include "proto/model.pb.h"
#include "server/admin/custody.h"
#include "server/release/clock.h"

namespace topicwall::admin {
namespace {

constexpr size_t kHeadDigits = 64;

absl::StatusOr<std::string> ParseHead(absl::string_view hex) {
  const bool digits = hex.size() == kHeadDigits && std::all_of(hex.begin(), hex.end(), [](char c) {
                        return absl::ascii_isxdigit(static_cast<unsigned char>(c));
                      });
  if (digits) return absl::HexStringToBytes(hex);
  return absl::InvalidArgumentError(absl::StrCat("--head must be the ", kHeadDigits,
                                                 " hexadecimal digits that topicwall budget "
                                                 "or ledger shows as the head; got \"",
                                                 hex, "\""));
}

template <typename Message>
absl::StatusOr<Message> ReadMessage(const std::string& path, absl::string_view written_by) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  Message parsed;
  if (parsed.ParseFromString(bytes)) return parsed;
  return absl::InvalidArgumentError(
      absl::StrCat(path, " must be a file that ", written_by, " wrote."));
}

absl::StatusOr<ledger::ThawEvidence> ReadEvidence(const ThawFlags& flags) {
  ledger::ThawEvidence evidence{.receipts = {}, .forfeit_unseen = flags.forfeit_unseen};
  for (const std::string& path : flags.receipts) {
    // Files behind each other parse as one with the receipts of all.
    TW_ASSIGN_OR_RETURN(const v1::ReceiptFile file,
                        ReadMessage<v1::ReceiptFile>(path, "an analyst's topicwall"));
    evidence.receipts.insert(evidence.receipts.end(), file.receipts().begin(),
                             file.receipts().end());
  }
  return evidence;
}

absl::StatusOr<ledger::CorpusStanding> Named(const Custody& custody, ledger::FoldedLedger& ledger,
                                             const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger.Corpora());
  return FindBudgeted(custody.config, standings, corpus);
}

// Does what is asked for and says what it did.
absl::StatusOr<std::string> Act(const Custody& custody, ledger::FoldedLedger& ledger,
                                const ThawFlags& flags) {
  const int64_t now_ms = release::SystemClock().NowMs();
  TW_ASSIGN_OR_RETURN(const ledger::ThawEvidence evidence, ReadEvidence(flags));
  if (!flags.head.empty()) {
    TW_ASSIGN_OR_RETURN(const std::string head, ParseHead(flags.head));
    TW_RETURN_IF_ERROR(ledger.ThawByHead(head, evidence, now_ms));
    return std::string("The backup misses nothing: its budget may be spent again.");
  }
  if (!flags.events.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::LedgerExport lost,
                        ReadMessage<v1::LedgerExport>(flags.events, "topicwall ledger --events"));
    TW_RETURN_IF_ERROR(ledger.ThawByEvents(lost, evidence, now_ms));
    return std::string("What the events show beyond the backup counts as spent.");
  }
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding corpus, Named(custody, ledger, flags.corpus));
  if (flags.forfeit) {
    TW_RETURN_IF_ERROR(ledger.ThawByForfeiting(corpus.budget_id, now_ms));
    return absl::StrCat("Budget ", corpus.budget_id, " of ", flags.corpus,
                        " counts as spent, all of it; its releases stay readable.");
  }
  TW_RETURN_IF_ERROR(ledger.AcknowledgeOverruns(corpus.corpus_version, now_ms));
  return absl::StrCat("The overruns of ", flags.corpus, " are acknowledged; it releases again.");
}

}  // namespace

absl::StatusOr<Outcome> Thaw(const ThawFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, Lock(custody.config));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                      OpenLedgerToWrite(custody, std::move(lock)));
  TW_ASSIGN_OR_RETURN(const std::string done, Act(custody, *ledger, flags));
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger->Corpora());
  Outcome outcome;
  outcome.text = done + "\n";
  std::vector<std::string> frozen;
  for (const ledger::CorpusStanding& standing : standings) {
    if (standing.state != v1::CORPUS_STATE_FROZEN) continue;
    frozen.push_back(standing.corpus);
    absl::StrAppend(&outcome.text, "Still frozen: ", standing.corpus, ", budget ",
                    standing.budget_id, "\n");
  }
  outcome.json.SetString("done", done).SetStrings("still_frozen", frozen);
  return outcome;
}

}  // namespace topicwall::admin
