#include "server/ledger/folded/seen_heads.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "proto/store.pb.h"
#include "server/ledger/folded/ledger_identity.h"

namespace topicwall::ledger {
namespace {

// Hexadecimal digits, as RandomId draws them.
constexpr size_t kServerIdSize = 32;

absl::Status CannotWrite(absl::string_view directory) {
  return absl::UnavailableError(absl::StrCat("the ledger's file ", SeenHeadsPath(directory),
                                             " cannot be written: look at the disk."));
}

absl::Status WentBack(const std::string& directory, const std::string& budget_id) {
  return absl::DataLossError(absl::StrCat(
      "the ledger's database contradicts what this server saw of budget ", budget_id, " (",
      SeenHeadsPath(directory),
      "): it went back, or was edited. Stop all servers of the ledger and bring back the database "
      "that has the events; if it is lost, restore a backup and thaw it, then remove that file."));
}

// Chains only grow, so of two states of one ledger the one with more events is the later one.
int64_t EventsOf(const std::vector<store::Chain>& chains) {
  int64_t events = 0;
  for (const store::Chain& chain : chains) events += chain.length;
  return events;
}

}  // namespace

std::string SeenHeadsPath(absl::string_view directory) {
  return absl::StrCat(directory, "/ledger.seen");
}

absl::StatusOr<std::unique_ptr<SeenHeads>> SeenHeads::Open(store::DataDirectoryLock lock) {
  const std::string path = SeenHeadsPath(lock.directory());
  v1::SeenHeads seen;
  if (!base::FileExists(path)) {
    TW_ASSIGN_OR_RETURN(*seen.mutable_server_id(), RandomId());
    auto made = DurableSlots::Make(path, seen.SerializeAsString());
    if (!made.ok()) return CannotWrite(lock.directory());
    return std::unique_ptr<SeenHeads>(
        new SeenHeads(std::move(lock), *std::move(made), seen.server_id()));
  }
  absl::StatusOr<DurableSlots> slots = DurableSlots::Open(path);
  if (!slots.ok() && !absl::IsDataLoss(slots.status())) {
    return absl::UnavailableError(absl::StrCat("cannot use ", path, ": look at the disk."));
  }
  if (!slots.ok() || !seen.ParseFromString(slots->value()) ||
      seen.server_id().size() != kServerIdSize) {
    return absl::DataLossError(absl::StrCat(
        path, " is damaged. Compare the ledger's heads with receipts, then remove the file."));
  }
  return std::unique_ptr<SeenHeads>(
      new SeenHeads(std::move(lock), *std::move(slots), seen.server_id()));
}

absl::Status SeenHeads::Check(store::EventStore& store) const {
  v1::SeenHeads seen;
  // It did parse when it was opened.
  seen.ParseFromString(slots_.value());
  for (const v1::StoreChain& chain : seen.heads()) {
    TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                        store.ReadEntries(chain.budget_id(), chain.length(), 1));
    // At the length that was seen, not at the end: the chain may have grown, and that is in order.
    if (entries.size() != 1 || entries[0].sequence() != chain.length() ||
        entries[0].head() != chain.head()) {
      return WentBack(lock_.directory(), chain.budget_id());
    }
  }
  return absl::OkStatus();
}

absl::Status SeenHeads::Note(std::vector<store::Chain> chains) {
  const int64_t events = EventsOf(chains);
  v1::SeenHeads seen;
  int64_t noting = 0;
  {
    absl::MutexLock lock(&mutex_);
    // Answers overtake each other: an older state must not be noted over a newer one, or what that
    // one told could be taken back unnoticed.
    if (events > EventsOf(newest_)) newest_ = std::move(chains);
    // Whoever writes took newest_ as it was: if that has these chains, too, its write is enough.
    while (writing_ && noted_ < events) written_.Wait(&mutex_);
    if (noted_ >= events) return absl::OkStatus();
    seen.set_server_id(server_id_);
    for (const store::Chain& chain : newest_) {
      v1::StoreChain& head = *seen.add_heads();
      head.set_budget_id(chain.budget_id);
      head.set_length(chain.length);
      head.set_head(chain.head);
    }
    noting = EventsOf(newest_);
    writing_ = true;
  }
  // Without the mutex, so that others can hand in their chains meanwhile; writing_ keeps the file
  // to one.
  const absl::Status put = slots_.Put(seen.SerializeAsString());
  absl::MutexLock lock(&mutex_);
  writing_ = false;
  if (put.ok()) noted_ = noting;
  written_.SignalAll();
  return put.ok() ? absl::OkStatus() : CannotWrite(lock_.directory());
}

}  // namespace topicwall::ledger
