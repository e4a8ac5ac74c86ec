// An export is evidence before it is a convenience: it shows what the ledger was on the days on
// which it was read. So the file is verified, then held against what is shown, and only then
// appended to; when anything differs it is the file that stays.
#include "client/audit/ledger_export.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "client/wall/file_lock.h"
#include "proto/ledger_chain.h"
#include "proto/signed_head.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

struct VerifiedChain {
  proto::ChainVerifier chain;
  std::string signing_key;  // as the budget was opened with
};

template <typename Entries>
absl::StatusOr<VerifiedChain> Verify(const Entries& entries) {
  VerifiedChain verified;
  for (const v1::LedgerEntry& entry : entries) {
    TW_RETURN_IF_ERROR(verified.chain.Add(entry));
    const v1::LedgerEvent& event = verified.chain.event();
    if (event.has_budget_opened()) verified.signing_key = event.budget_opened().signing_key();
  }
  return verified;
}

// Whoever edits an export can compute its hashes again, but has not the custodian's key.
// OK also where there is no signature.
absl::Status CheckSignedEnd(const v1::LedgerExport& kept, const VerifiedChain& verified) {
  if (!kept.has_signed_head() || verified.signing_key.empty()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const v1::HeadStatement signed_end,
                      proto::OpenSignedHead(kept.signed_head(), verified.signing_key));
  if (signed_end.budget_id() == verified.chain.budget_id() &&
      signed_end.sequence() == verified.chain.length() &&
      signed_end.head() == verified.chain.head()) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      "its signed head is not that of its last entry: it was cut, or edited.");
}

absl::Status AtFault(const std::string& path, absl::string_view why) {
  return absl::DataLossError(absl::StrCat("the file is at fault: ", path, ": ", why));
}

std::string KeyText(absl::string_view key) {
  return key.empty() ? "none" : absl::BytesToHexString(key);
}

// A pipe would be waited for without end.
absl::Status CheckIsFile(const std::string& path) {
  std::error_code none;
  const std::filesystem::file_status found = std::filesystem::status(path, none);
  if (!std::filesystem::exists(found) || std::filesystem::is_regular_file(found)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("an export must be a file; ", path, " is something else. Name a file."));
}

absl::Status Contradicts(const std::string& path, const v1::LedgerEntry& kept,
                         absl::string_view shown, const absl::Status& signed_end) {
  // No custodian's word stands behind what is in it.
  if (proto::IsWrittenByNewer(signed_end)) return signed_end;
  if (!signed_end.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " does not hold in itself: ", signed_end.message()));
  }
  return absl::DataLossError(absl::StrCat(
      path, " holds entry ", kept.sequence(), " with head ", absl::BytesToHexString(kept.head()),
      "; ", shown,
      ". The ledger was put back to an older copy, or forked. The file is left as it "
      "is: keep it, it is proof, and ask the custodian. To go on, choose another file."));
}

// What is in the file must be what is shown, as far as it goes.
// Heads are compared and not entries. A head binds all before it, and one and the same entry may
// stand in the file with its event and come as a commitment today, if an auditor wrote it and an
// analyst goes on.
absl::Status CheckBeginning(const std::string& path, const v1::LedgerExport& kept,
                            absl::Span<const v1::LedgerEntry> entries) {
  // No wall has shown what does not hold in itself: this is no proof of anything.
  const absl::StatusOr<VerifiedChain> verified = Verify(kept.entries());
  if (!verified.ok()) {
    if (proto::IsWrittenByNewer(verified.status())) return verified.status();
    return absl::InvalidArgumentError(
        absl::StrCat(path, " does not hold in itself: ", verified.status().message()));
  }
  const absl::Status signed_end = CheckSignedEnd(kept, *verified);
  const auto both = std::min(static_cast<size_t>(kept.entries_size()), entries.size());
  for (size_t i = 0; i < both; ++i) {
    const v1::LedgerEntry& entry = kept.entries(static_cast<int>(i));
    if (entry.head() == entries[i].head()) continue;
    return Contradicts(path, entry,
                       absl::StrCat("the wall shows another one in its place, head ",
                                    absl::BytesToHexString(entries[i].head())),
                       signed_end);
  }
  if (static_cast<size_t>(kept.entries_size()) <= entries.size()) return absl::OkStatus();
  return Contradicts(path, kept.entries(kept.entries_size() - 1),
                     absl::StrCat("the wall's ledger ends at entry ", entries.size()), signed_end);
}

// What came as a commitment once is shown with its event today, if an analyst's file is gone on
// with by an auditor. The same head, so the same event: both chains are verified. True if any was
// taken.
bool TakeEvents(absl::Span<const v1::LedgerEntry> entries, v1::LedgerExport& kept) {
  bool has_any = false;
  for (int i = 0; i < kept.entries_size(); ++i) {
    const v1::LedgerEntry& shown = entries[static_cast<size_t>(i)];
    if (!kept.entries(i).event().empty() || shown.event().empty()) continue;
    *kept.mutable_entries(i) = shown;
    kept.mutable_entries(i)->clear_signed_head();
    has_any = true;
  }
  return has_any;
}

}  // namespace

absl::StatusOr<v1::LedgerExport> ReadExport(const std::string& path) {
  TW_RETURN_IF_ERROR(CheckIsFile(path));
  TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, proto::kMostChainBytes));
  v1::LedgerExport kept;
  if (!kept.ParseFromString(bytes) || kept.entries_size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " must be what `topicwall ledger --events` wrote; it is not."));
  }
  return kept;
}

absl::StatusOr<OpenedExport> OpenExport(const std::string& path,
                                        absl::Span<const std::string> known_keys) {
  TW_ASSIGN_OR_RETURN(const v1::LedgerExport kept, ReadExport(path));
  const absl::StatusOr<VerifiedChain> verified = Verify(kept.entries());
  if (proto::IsWrittenByNewer(verified.status())) return verified.status();
  if (!verified.ok()) return AtFault(path, verified.status().message());
  const std::string& key = verified->signing_key;
  bool is_known = false;
  for (const std::string& known : known_keys) {
    if (known.empty()) continue;
    is_known = true;
    if (known == key) continue;
    return AtFault(path, absl::StrCat("the custodian's key must be ", KeyText(known),
                                      ", which your profile or your receipts have; its budget was "
                                      "opened with ",
                                      KeyText(key),
                                      ". If it is another custodian's, give --profile of that "
                                      "wall; else ask whoever gave it to you."));
  }
  const absl::Status signed_end = CheckSignedEnd(kept, *verified);
  if (proto::IsWrittenByNewer(signed_end)) return signed_end;
  if (!signed_end.ok()) return AtFault(path, signed_end.message());
  OpenedExport opened = {.entries = {kept.entries().begin(), kept.entries().end()}};
  if (!kept.has_signed_head() || key.empty()) {
    opened.remark = absl::StrCat("nobody vouches for ", path, ": it has no signed head",
                                 key.empty() ? " of a budget with a signing key" : "",
                                 ". An export that a wall is asked for now (topicwall ledger "
                                 "CORPUS --events FILE) has one.");
    return opened;
  }
  opened.signed_by = key;
  if (!is_known) {
    opened.remark = absl::StrCat(path, " is signed with ", KeyText(key),
                                 ", by its own word: see that this is the custodian's key, which "
                                 "you have by another way, or in a profile.");
  }
  return opened;
}

absl::Status ExtendExport(const std::string& path, absl::string_view corpus,
                          absl::Span<const v1::LedgerEntry> entries) {
  if (entries.empty()) return absl::InvalidArgumentError("an export must have entries.");
  TW_RETURN_IF_ERROR(CheckIsFile(path));
  TW_RETURN_IF_ERROR(Verify(entries).status());
  // The lock before the first look at the file: two that extend it would each append to the old
  // one.
  TW_ASSIGN_OR_RETURN(const FileLock lock, FileLock::Take(path));
  v1::LedgerExport kept;
  if (base::FileExists(path)) {
    TW_ASSIGN_OR_RETURN(kept, ReadExport(path));
    if (kept.corpus() != corpus) {
      return absl::InvalidArgumentError(absl::StrCat(path, " holds the ledger of corpus ",
                                                     kept.corpus(), ", not of ", corpus,
                                                     ": choose another file."));
    }
    TW_RETURN_IF_ERROR(CheckBeginning(path, kept, entries));
  }
  const auto before = static_cast<size_t>(kept.entries_size());
  const v1::SignedHead& head = entries.back().signed_head();
  const bool has_new_events = TakeEvents(entries, kept);
  // The signature alone is worth a write: thaw takes no export without one.
  const bool has_new_head = entries.back().has_signed_head() && !kept.has_signed_head();
  if (before == entries.size() && !has_new_head && !has_new_events) return absl::OkStatus();
  kept.set_corpus(std::string(corpus));
  for (const v1::LedgerEntry& entry : entries.subspan(before)) {
    *kept.add_entries() = entry;
    // It is of the export as a whole.
    kept.mutable_entries(kept.entries_size() - 1)->clear_signed_head();
  }
  // It was of an entry that is not the last any more.
  kept.clear_signed_head();
  if (entries.back().has_signed_head()) *kept.mutable_signed_head() = head;
  return base::ReplaceOutputDurably(path, kept.SerializeAsString());
}

}  // namespace topicwall::client
