// Receipts are few among many: an analyst holds those of its own acts, and most entries of the
// chain lie between two of them. Without the chain they are compared with their neighbours, in the
// chain's order and not in that of their arrival. With it, each is looked up at its place.
//
// Each check stands for one way to have two histories: two receipts of one place; a receipt that
// does not follow the one right before it; one iteration charged for two requests; a sum that fell
// without a cancellation; an entry that the chain does not have, or has otherwise. One alone is
// enough, since an honest ledger gives no cause for any.
#include "client/audit/receipt_audit.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/ed25519.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/restores.h"
#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

using proto::OpenedReceipt;

struct Chain {
  absl::Span<const v1::LedgerEntry> entries;
  // Of each whether it was a cancellation, or may have been one that nobody could see.
  std::vector<bool> may_lower_spent;
  std::string budget_id;
  std::string signing_key;
  v1::BudgetSum sum;                                      // as it says last
  std::set<std::pair<std::string, std::string>> corpora;  // name and version
};

absl::StatusOr<Chain> ReadChain(absl::Span<const v1::LedgerEntry> entries) {
  proto::ChainVerifier verifier;
  Chain chain;
  chain.entries = entries;
  for (const v1::LedgerEntry& entry : entries) {
    TW_RETURN_IF_ERROR(verifier.Add(entry));
    const v1::LedgerEvent& event = verifier.event();
    chain.may_lower_spent.push_back(event.has_plan_cancelled() ||
                                    event.act_case() == v1::LedgerEvent::ACT_NOT_SET);
    if (event.has_budget_opened()) chain.signing_key = event.budget_opened().signing_key();
    if (event.has_corpus_joined()) {
      chain.corpora.emplace(event.corpus_joined().corpus(), event.corpus_joined().corpus_version());
    }
    if (event.has_budgets_summed()) chain.sum = event.budgets_summed().sum();
  }
  chain.budget_id = verifier.budget_id();
  return chain;
}

std::string Named(const OpenedReceipt& receipt) {
  return absl::StrCat("entry ", receipt.receipt.entry().sequence(), " (",
                      proto::DescribeAct(receipt.event), ")");
}

// Every order and kind by itself: none of them ever falls by a charge.
bool IsLower(const v1::Receipt& earlier, const v1::Receipt& later) {
  for (int i = 0; i < std::min(earlier.spent_size(), later.spent_size()); ++i) {
    if (later.spent(i) < earlier.spent(i)) return true;
  }
  return false;
}

// Every receipt that holds, in the order of budget and sequence; the others as findings.
std::vector<OpenedReceipt> OpenAll(const v1::ReceiptFile& file, absl::string_view key,
                                   ReceiptAudit& audit) {
  std::vector<OpenedReceipt> opened;
  for (int i = 0; i < file.receipts_size(); ++i) {
    absl::StatusOr<OpenedReceipt> receipt = proto::OpenReceipt(file.receipts(i), key);
    if (receipt.ok()) {
      opened.push_back(*std::move(receipt));
    } else {
      audit.beyond += proto::IsWrittenByNewer(receipt.status()) ? 1 : 0;
      audit.findings.push_back(absl::StrCat("receipt ", i + 1, ": ", receipt.status().message()));
    }
  }
  // A retry, or an older plan that is looked at again, brings receipts late.
  std::stable_sort(opened.begin(), opened.end(),
                   [](const OpenedReceipt& a, const OpenedReceipt& b) {
                     return std::tuple(a.event.budget_id(), a.event.sequence()) <
                            std::tuple(b.event.budget_id(), b.event.sequence());
                   });
  return opened;
}

// Two receipts of one budget, one behind the other in the chain. `chain`: null if unknown.
void CompareNeighbours(const OpenedReceipt& a, const OpenedReceipt& b, const Chain* chain,
                       std::vector<std::string>& findings) {
  const v1::LedgerEntry& first = a.receipt.entry();
  const v1::LedgerEntry& second = b.receipt.entry();
  if (first.sequence() == second.sequence()) {
    if (first.head() != second.head() || first.commitment() != second.commitment()) {
      findings.push_back(absl::StrCat(Named(a), " is also ", Named(b),
                                      ": the ledger was forked, or put back and gone on with."));
    }
    return;
  }
  if (first.sequence() + 1 == second.sequence() && b.receipt.previous_head() != first.head()) {
    findings.push_back(
        absl::StrCat(Named(b), " does not follow ", Named(a), ": they are of two histories."));
  }
  // `spent` counts everybody's plans, so it says something of entries that this analyst never saw.
  // It falls only when a cancellation gives back what was never charged. If no entry between the
  // two can have been one, the second receipt was signed by a ledger that had forgotten what the
  // first one knew.
  bool may_be_lower = b.event.has_plan_cancelled();
  for (int64_t i = first.sequence() + 1; i < second.sequence(); ++i) {
    const bool known = chain != nullptr && i <= static_cast<int64_t>(chain->entries.size());
    may_be_lower |= !known || chain->may_lower_spent[static_cast<size_t>(i - 1)];
    // The first unknown one settles it; a sequence number from a receipt must not decide how long
    // this runs.
    if (may_be_lower) break;
  }
  if (!may_be_lower && IsLower(a.receipt, b.receipt)) {
    findings.push_back(
        absl::StrCat("less is spent at ", Named(b), " than at ", Named(a), " before it."));
  }
}

// A ledger charges each iteration once and refuses another request for it for ever. The second can
// only be signed by a ledger that was put back to before the first.
void FindSecondCharges(const std::vector<OpenedReceipt>& receipts,
                       std::vector<std::string>& findings) {
  std::map<std::pair<std::string, int32_t>, std::string> digests;
  for (const OpenedReceipt& receipt : receipts) {
    if (!receipt.event.has_iteration_charged()) continue;
    const v1::IterationCharged& act = receipt.event.iteration_charged();
    const auto [known, is_new] =
        digests.try_emplace({act.plan_id(), act.iteration()}, act.request_digest());
    if (!is_new && known->second != act.request_digest()) {
      findings.push_back(absl::StrCat(Named(receipt), " was charged for another request before."));
    }
  }
}

// Counts those of other budgets and keeps those of the chain's. An analyst may ask any corpus about
// a model, and gets receipts of each, and one that was replaced may have a new budget; but a corpus
// that spends from this budget spends from no other.
std::vector<OpenedReceipt> SetAside(std::vector<OpenedReceipt> receipts, const Chain& chain,
                                    ReceiptAudit& audit) {
  std::vector<OpenedReceipt> own;
  std::set<std::string> second;  // budgets of which it was said already
  for (OpenedReceipt& receipt : receipts) {
    const std::string& budget = receipt.event.budget_id();
    if (budget == chain.budget_id) {
      own.push_back(std::move(receipt));
      continue;
    }
    const v1::ReleaseSpec& spec = receipt.receipt.plan().spec();
    if (audit.elsewhere.empty() || audit.elsewhere.back().budget_id != budget) {
      audit.elsewhere.push_back({.budget_id = budget,
                                 .corpus = spec.corpus(),
                                 .is_known = TellsOf(budget, chain.entries)});
    }
    ++audit.elsewhere.back().receipts;
    if (chain.corpora.count({spec.corpus(), spec.corpus_version()}) > 0 &&
        second.insert(budget).second) {
      audit.findings.push_back(absl::StrCat(Named(receipt), " is of budget ", budget,
                                            ", but names a corpus whose budget is the chain's, ",
                                            chain.budget_id, ": the ledger was begun anew."));
    }
  }
  if (!own.empty() || audit.elsewhere.empty()) return own;
  const auto forgotten =
      std::find_if(audit.elsewhere.begin(), audit.elsewhere.end(),
                   [](const ReceiptsElsewhere& other) { return !other.is_known; });
  audit.is_all_elsewhere = forgotten == audit.elsewhere.end();
  if (audit.is_all_elsewhere) return own;
  audit.findings.push_back(
      absl::StrCat("none of the receipts is of the chain's budget, ", chain.budget_id,
                   ": the ledger is of another corpus, or has forgotten ", forgotten->budget_id,
                   " (of corpus ", forgotten->corpus, ")."));
  return own;
}

void CompareWithChain(const std::vector<OpenedReceipt>& receipts, const Chain& chain,
                      absl::string_view export_path, ReceiptAudit& audit) {
  std::vector<std::string>& findings = audit.findings;
  if (chain.signing_key != audit.signing_key) {
    findings.push_back("the chain names another signing key than the receipts.");
  }
  const auto length = static_cast<int64_t>(chain.entries.size());
  std::string restored;
  for (const Restore& restore : RestoresIn(chain.entries)) {
    absl::StrAppend(&restored, " The chain itself says that ", DescribeRestore(restore), ".");
  }
  for (const OpenedReceipt& receipt : receipts) {
    const v1::LedgerEntry& entry = receipt.receipt.entry();
    if (entry.sequence() > length) {
      audit.is_export_older = !export_path.empty();
      findings.push_back(
          audit.is_export_older
              ? absl::StrCat(export_path, ": the export ends at entry ", length,
                             ", before the receipt of ", Named(receipt),
                             ": export again with topicwall ledger ",
                             receipt.receipt.plan().spec().corpus(), " --events FILE.")
              : absl::StrCat(Named(receipt), " is missing: the chain ends at entry ", length,
                             ". The ledger was put back to an older copy.", restored));
      return;  // what is behind it is missing for the same reason
    }
    const v1::LedgerEntry& other = chain.entries[static_cast<size_t>(entry.sequence() - 1)];
    if (other.commitment() != entry.commitment() || other.head() != entry.head()) {
      findings.push_back(absl::StrCat(
          Named(receipt), " is missing: the chain has another one in its place. The ledger was ",
          "forked, or put back to an older copy and gone on with.", restored));
      return;
    }
  }
}

}  // namespace

std::string DescribeElsewhere(const ReceiptsElsewhere& elsewhere) {
  return absl::StrCat(
      elsewhere.receipts, elsewhere.receipts == 1 ? " receipt" : " receipts", " of budget ",
      elsewhere.budget_id, ", of corpus ", elsewhere.corpus, ": verify them with that corpus' ",
      elsewhere.is_known
          ? "ledger, or, if it has another budget by now, with an export of this one (--verify "
            "RECEIPTS --events FILE), which the ledger shown knows"
          : "ledger. If its budget is another one, this one was forgotten: its ledger was put "
            "back, or begun anew");
}

absl::StatusOr<ReceiptAudit> AuditReceipts(const v1::ReceiptFile& file,
                                           const ReceiptsToAudit& what) {
  ReceiptAudit audit;
  // The file's own note is for those who have nothing better: it was taken from the wall at first
  // contact.
  audit.signing_key = std::string(what.signing_key.empty() ? file.signing_key() : what.signing_key);
  if (file.receipts_size() == 0 || audit.signing_key.size() != base::kSigningKeySize) {
    return absl::InvalidArgumentError(
        "the file holds no receipts, or names no signing key: give the receipts.pb of a model.");
  }
  if (!file.signing_key().empty() && file.signing_key() != audit.signing_key) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the receipts are noted as those of ", absl::BytesToHexString(file.signing_key()),
        "; the custodian's key was given as ", absl::BytesToHexString(audit.signing_key), "."));
  }
  std::optional<Chain> chain;
  if (what.chain.has_value()) {
    TW_ASSIGN_OR_RETURN(chain, ReadChain(*what.chain));
    audit.chain_length = static_cast<int64_t>(chain->entries.size());
    audit.sum = chain->sum;
  }
  audit.receipts = file.receipts_size();
  std::vector<OpenedReceipt> receipts = OpenAll(file, audit.signing_key, audit);
  for (size_t i = 1; i < receipts.size(); ++i) {
    const std::string& budget = receipts[i].event.budget_id();
    if (receipts[i - 1].event.budget_id() != budget) continue;
    const bool is_of_chain = chain.has_value() && budget == chain->budget_id;
    CompareNeighbours(receipts[i - 1], receipts[i], is_of_chain ? &*chain : nullptr,
                      audit.findings);
  }
  FindSecondCharges(receipts, audit.findings);
  if (chain.has_value()) {
    receipts = SetAside(std::move(receipts), *chain, audit);
    CompareWithChain(receipts, *chain, what.export_path, audit);
  }
  if (!receipts.empty()) {
    const v1::Receipt& last = receipts.back().receipt;
    audit.last_sequence = last.entry().sequence();
    audit.last_head = last.entry().head();
    audit.odometer_epsilon = last.odometer_epsilon();
  }
  return audit;
}

absl::Status VerdictOf(const ReceiptAudit& audit) {
  if (audit.findings.empty() && audit.is_all_elsewhere) {
    return absl::FailedPreconditionError(
        "the receipts were not verified: none is of this ledger's budget, and it knows theirs. "
        "Verify them with that budget's ledger, or an export of it (--events FILE).");
  }
  if (audit.findings.empty()) return absl::OkStatus();
  const auto count = static_cast<int64_t>(audit.findings.size());
  if (count == audit.beyond) {
    return proto::WrittenByNewer(
        absl::StrCat("what ", audit.beyond, " of ", audit.receipts, " receipts hold"));
  }
  if (count == audit.beyond + (audit.is_export_older ? 1 : 0)) {
    return absl::FailedPreconditionError(
        "the receipts were not verified: the export is older than they are. Nothing is known "
        "against the ledger; export it again.");
  }
  return absl::DataLossError(absl::StrCat("the receipts do not fit: ", count,
                                          " findings. Keep them and ask the custodian."));
}

}  // namespace topicwall::client
