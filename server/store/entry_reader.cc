#include "server/store/entry_reader.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/status_macros.h"

namespace topicwall::store {
namespace {

// An entry may have 64 KiB.
constexpr int64_t kMostAtOnce = 64;
constexpr size_t kMostBytesAtOnce = size_t{16} << 10;

// The first ones, at least one. How many.
int64_t KeepFew(std::vector<v1::LedgerEntry>& entries) {
  size_t kept = 0, bytes = 0;
  for (const v1::LedgerEntry& entry : entries) {
    bytes += entry.ByteSizeLong();
    if (kept > 0 && bytes > kMostBytesAtOnce) break;
    ++kept;
  }
  entries.resize(kept);
  return static_cast<int64_t>(kept);
}

}  // namespace

absl::Status ReadEntriesSlowly(EventStore& store, absl::string_view budget_id, int64_t first,
                               int64_t last,
                               absl::FunctionRef<absl::Status(v1::LedgerEntry)> take) {
  int64_t at_once = kMostAtOnce;
  for (int64_t next = first; next <= last;) {
    TW_ASSIGN_OR_RETURN(std::vector<v1::LedgerEntry> entries,
                        store.ReadEntries(budget_id, next, std::min(at_once, last - next + 1)));
    if (entries.empty()) return absl::DataLossError("the ledger has lost events.");
    const int64_t kept = KeepFew(entries);
    next += kept;
    // Where entries are long few are read for nothing.
    at_once = std::min(2 * kept, kMostAtOnce);
    for (v1::LedgerEntry& entry : entries) TW_RETURN_IF_ERROR(take(std::move(entry)));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::store
