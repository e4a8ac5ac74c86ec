#include "server/ledger/folded/seen_heads.h"

#include <google/protobuf/util/message_differencer.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "server/ledger/folded/ledger_identity.h"

namespace topicwall::ledger {
namespace {

constexpr size_t kServerIdSize = 32;
constexpr int64_t kMostBytes = int64_t{16} << 20;

absl::Status Write(absl::string_view directory, const v1::SeenHeads& seen) {
  const std::string path = SeenHeadsPath(directory);
  if (base::ReplaceFileDurably(path, seen.SerializeAsString()).ok()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": look at the disk."));
}

absl::Status WentBack(const std::string& directory, const std::string& budget_id) {
  return absl::DataLossError(absl::StrCat(
      "the ledger's database contradicts what this server saw of budget ", budget_id, " (",
      SeenHeadsPath(directory),
      "): it went back, or was edited. Stop all servers of the ledger and bring back the database "
      "that has the events; if it is lost, restore a backup and thaw it, then remove that file."));
}

}  // namespace

std::string SeenHeadsPath(absl::string_view directory) {
  return absl::StrCat(directory, "/ledger.seen");
}

absl::StatusOr<SeenHeads> SeenHeads::Open(store::DataDirectoryLock lock) {
  const std::string path = SeenHeadsPath(lock.directory());
  v1::SeenHeads seen;
  if (!base::FileExists(path)) {
    TW_ASSIGN_OR_RETURN(*seen.mutable_server_id(), RandomId());
    TW_RETURN_IF_ERROR(Write(lock.directory(), seen));
    return SeenHeads(std::move(lock), std::move(seen));
  }
  TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, kMostBytes));
  if (!seen.ParseFromString(bytes) || seen.server_id().size() != kServerIdSize) {
    return absl::DataLossError(absl::StrCat(
        path, " is damaged. Compare the ledger's heads with receipts, then remove the file."));
  }
  return SeenHeads(std::move(lock), std::move(seen));
}

absl::Status SeenHeads::Check(store::EventStore& store) const {
  for (const v1::StoreChain& chain : seen_.heads()) {
    TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                        store.ReadEntries(chain.budget_id(), chain.length(), 1));
    if (entries.size() != 1 || entries[0].sequence() != chain.length() ||
        entries[0].head() != chain.head()) {
      return WentBack(lock_.directory(), chain.budget_id());
    }
  }
  return absl::OkStatus();
}

absl::Status SeenHeads::Note(const accountant::ledger::LedgerState& state) {
  v1::SeenHeads now;
  now.set_server_id(seen_.server_id());
  for (const accountant::ledger::BudgetState& budget : state.budgets()) {
    v1::StoreChain& chain = *now.add_heads();
    chain.set_budget_id(budget.budget_id());
    chain.set_length(budget.length());
    chain.set_head(budget.head());
  }
  if (google::protobuf::util::MessageDifferencer::Equals(now, seen_)) return absl::OkStatus();
  TW_RETURN_IF_ERROR(Write(lock_.directory(), now));
  seen_ = std::move(now);
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
