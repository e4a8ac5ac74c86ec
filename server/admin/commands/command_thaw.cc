// What is given as evidence comes from outside and is read here; whether it is enough, and what
// then counts as spent, the ledger decides (server/ledger/custodian_acts.h). A file is only parsed
// here and believed in nothing: an export is verified and priced anew, receipts are checked against
// the budget's own key.
#include "server/admin/commands/command_thaw.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "proto/ledger.pb.h"
#include "proto/ledger_chain.h"
#include "proto/model.pb.h"
#include "proto/receipt.h"
#include "proto/strict_parse.h"
#include "proto/vault.pb.h"
#include "server/admin/custody.h"

namespace topicwall::admin {
namespace {

// All digits: a head that was noted by its first ones confirms nothing.
absl::StatusOr<std::string> ParseHead(absl::string_view hex) {
  std::optional<std::string> head = base::BytesOfHex(hex, sizeof(base::Digest));
  if (head.has_value()) return *std::move(head);
  return absl::InvalidArgumentError(absl::StrCat("--head must be the ", 2 * sizeof(base::Digest),
                                                 " hexadecimal digits that topicwall budget "
                                                 "or ledger shows as the head; got \"",
                                                 hex, "\""));
}

// One that only seems to be read, as an empty file, would be evidence of nothing that was lost.
absl::StatusOr<v1::ReceiptFile> ReadReceipts(const std::string& path) {
  TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, proto::kMostChainBytes));
  v1::ReceiptFile file;
  const proto::Reading reading = proto::ReadStrictly(bytes, &file);
  if (reading == proto::Reading::kUnreadable || file.receipts_size() == 0 ||
      file.format_version() < proto::kReceiptFileFormat) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        " must be a file of receipts with one in it at least, as an analyst's topicwall keeps it: "
        "the receipts.pb in the folder of a model. Give that, or leave this one out if its owner "
        "has none."));
  }
  if (reading == proto::Reading::kSaysMore || file.format_version() > proto::kReceiptFileFormat) {
    return proto::WrittenByNewer(path, "topicwall-admin");
  }
  return file;
}

absl::StatusOr<v1::LedgerExport> ReadEvents(const std::string& path) {
  TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, proto::kMostChainBytes));
  v1::LedgerExport exported;
  const proto::Reading reading = proto::ReadStrictly(bytes, &exported);
  if (reading == proto::Reading::kUnreadable || exported.entries_size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " must be a file that topicwall ledger --events wrote."));
  }
  if (reading == proto::Reading::kSaysMore) return proto::WrittenByNewer(path, "topicwall-admin");
  return exported;
}

absl::StatusOr<v1::CustodianAct::Thaw> WithReceipts(const ThawFlags& flags) {
  v1::CustodianAct::Thaw thaw;
  thaw.set_forfeit_unseen(flags.forfeit_unseen);
  for (const std::string& path : flags.receipts) {
    // Files behind each other parse as one with the receipts of all.
    TW_ASSIGN_OR_RETURN(const v1::ReceiptFile file, ReadReceipts(path));
    thaw.mutable_receipts()->MergeFrom(file.receipts());
  }
  return thaw;
}

absl::StatusOr<std::vector<ledger::CorpusStatus>> CorpusStatuses(const Custody& custody) {
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                      OpenLedgerToRead(custody.config, std::move(keys)));
  return ledger->Corpora();
}

// Does what is asked for and says what it did.
absl::StatusOr<std::string> Act(const Custody& custody, const ThawFlags& flags) {
  v1::CustodianAct act;
  if (!flags.head.empty()) {
    TW_ASSIGN_OR_RETURN(*act.mutable_thaw(), WithReceipts(flags));
    TW_ASSIGN_OR_RETURN(*act.mutable_thaw()->mutable_head(), ParseHead(flags.head));
    TW_RETURN_IF_ERROR(Perform(custody, act).status());
    return std::string("The backup misses nothing of this budget, which may be spent again.");
  }
  if (!flags.events.empty()) {
    TW_ASSIGN_OR_RETURN(*act.mutable_thaw(), WithReceipts(flags));
    TW_ASSIGN_OR_RETURN(*act.mutable_thaw()->mutable_events(), ReadEvents(flags.events));
    TW_RETURN_IF_ERROR(Perform(custody, act).status());
    return std::string("What the events show beyond the backup counts as spent.");
  }
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> statuses, CorpusStatuses(custody));
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus,
                      FindBudgeted(custody.config, statuses, flags.corpus));
  if (flags.forfeit) {
    act.mutable_thaw()->set_forfeited_budget_id(corpus.budget_id);
    TW_RETURN_IF_ERROR(Perform(custody, act).status());
    return absl::StrCat("Budget ", corpus.budget_id, " of ", flags.corpus,
                        " counts as spent, all of it; its releases stay readable.");
  }
  if (corpus.unacknowledged_overruns == 0) {
    return absl::StrCat(flags.corpus, " has no overruns to acknowledge; nothing was written.");
  }
  act.set_acknowledged_corpus_version(corpus.corpus_version);
  TW_RETURN_IF_ERROR(Perform(custody, act).status());
  return absl::StrCat("The overruns of ", flags.corpus, " are acknowledged; it releases again.");
}

// That sums of this ledger count and that it does not have: opened after the backup. Each once.
std::vector<std::string> LostBudgets(const std::vector<ledger::CorpusStatus>& statuses) {
  std::set<std::string> lost;
  for (const ledger::CorpusStatus& corpus_status : statuses) {
    for (const v1::SharedBudget& share : corpus_status.sum.budgets())
      lost.insert(share.budget_id());
  }
  for (const ledger::CorpusStatus& corpus_status : statuses) lost.erase(corpus_status.budget_id);
  return {lost.begin(), lost.end()};
}

}  // namespace

absl::StatusOr<Outcome> Thaw(const ThawFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(const std::string done, Act(custody, flags));
  Outcome outcome;
  outcome.text = done + "\n";
  outcome.json.SetString("done", done);
  const absl::StatusOr<std::vector<ledger::CorpusStatus>> statuses = CorpusStatuses(custody);
  if (!statuses.ok()) {
    // Its message would say that nothing was changed.
    outcome.warnings.push_back(
        "it is done, and for good; which budgets are still frozen cannot be read now: see "
        "topicwall-admin status");
    return outcome;
  }
  std::vector<std::string> frozen;
  for (const ledger::CorpusStatus& corpus_status : *statuses) {
    // Each budget was frozen by itself; the one that was thawed is easily taken for all.
    if (corpus_status.state != v1::CORPUS_STATE_FROZEN) continue;
    frozen.push_back(corpus_status.corpus);
    absl::StrAppend(&outcome.text, "Still frozen: ", corpus_status.corpus, ", budget ",
                    corpus_status.budget_id, "\n");
  }
  outcome.json.SetStrings("still_frozen", frozen);
  const std::vector<std::string> lost = LostBudgets(*statuses);
  if (!lost.empty()) {
    absl::StrAppend(&outcome.text, "Lost with the ledger, and counted in every sum: ", lost.size(),
                    lost.size() == 1 ? " budget, " : " budgets, ", absl::StrJoin(lost, ", "), "\n");
  }
  outcome.json.SetStrings("lost_budgets", lost);
  return outcome;
}

}  // namespace topicwall::admin
