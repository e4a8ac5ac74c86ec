// An export is evidence before it is a convenience: it shows what the ledger was on the days on
// which it was read. So the file is verified, then held against what is shown, and only then
// appended to; when anything differs it is the file that stays.
#include "client/audit/ledger_export.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "client/wall/file_lock.h"
#include "proto/ledger_chain.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

template <typename Entries>
absl::Status Verify(const Entries& entries) {
  proto::ChainVerifier chain;
  for (const v1::LedgerEntry& entry : entries) TW_RETURN_IF_ERROR(chain.Add(entry));
  return absl::OkStatus();
}

absl::Status Contradicts(const std::string& path, const v1::LedgerEntry& kept,
                         absl::string_view shown) {
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
  if (const absl::Status held = Verify(kept.entries()); !held.ok()) {
    if (proto::IsWrittenByNewer(held)) return held;
    return absl::InvalidArgumentError(
        absl::StrCat(path, " does not hold in itself: ", held.message()));
  }
  const auto both = std::min(static_cast<size_t>(kept.entries_size()), entries.size());
  for (size_t i = 0; i < both; ++i) {
    const v1::LedgerEntry& entry = kept.entries(static_cast<int>(i));
    if (entry.head() == entries[i].head()) continue;
    return Contradicts(path, entry,
                       absl::StrCat("the wall shows another one in its place, head ",
                                    absl::BytesToHexString(entries[i].head())));
  }
  if (static_cast<size_t>(kept.entries_size()) <= entries.size()) return absl::OkStatus();
  return Contradicts(path, kept.entries(kept.entries_size() - 1),
                     absl::StrCat("the wall's ledger ends at entry ", entries.size()));
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
  TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, proto::kMostChainBytes));
  v1::LedgerExport kept;
  if (!kept.ParseFromString(bytes) || kept.entries_size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " must be what `topicwall ledger --events` wrote; it is not."));
  }
  return kept;
}

absl::Status ExtendExport(const std::string& path, absl::string_view corpus,
                          absl::Span<const v1::LedgerEntry> entries) {
  if (entries.empty()) return absl::InvalidArgumentError("an export must have entries.");
  TW_RETURN_IF_ERROR(Verify(entries));
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
