#include "server/ledger/folded/seen_heads.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "proto/store.pb.h"
#include "server/ledger/folded/ledger_identity.h"
#include "server/store/ledger_files.h"

namespace topicwall::ledger {
namespace {

// Hexadecimal digits, as RandomId draws them.
constexpr size_t kServerIdSize = 32;

absl::Status CannotWrite(absl::string_view directory) {
  return absl::UnavailableError(absl::StrCat("the ledger's file ", SeenHeadsPath(directory),
                                             " cannot be written: look at the disk."));
}

absl::Status Damaged(const std::string& path) {
  return absl::DataLossError(absl::StrCat(
      path, " is damaged. Compare the ledger's heads with receipts, then remove the file."));
}

// Of a server that has seen nothing if there is no file.
absl::StatusOr<v1::SeenHeads> SeenIn(absl::string_view directory) {
  const std::string path = SeenHeadsPath(directory);
  v1::SeenHeads seen;
  if (!base::FileExists(path)) return seen;
  const absl::StatusOr<std::string> value = DurableSlots::ValueIn(path);
  if (!value.ok() && !absl::IsDataLoss(value.status())) {
    return absl::UnavailableError(absl::StrCat("cannot read ", path, ": look at the disk."));
  }
  return value.ok() && seen.ParseFromString(*value) ? absl::StatusOr<v1::SeenHeads>(seen)
                                                    : Damaged(path);
}

// A file that is still here was this server's ledger: beside the database its budget would be a
// second one.
absl::Status RequireMoved(const std::string& directory) {
  const std::optional<std::string> file = store::AnyFileOf(store::DatabasePath(directory));
  if (!file.has_value()) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat(*file,
                   " exists, and the configuration names a database: move the ledger there with "
                   "topicwall-admin migrate-ledger --to postgresql, or take `ledger` out of the "
                   "configuration."));
}

// A new server is given ledger.id by hand, so that no service that names another database by
// mistake is a new budget.
absl::Status RequireSame(const store::Identity& identity, const std::string& directory) {
  if (!store::HasIdentityFile(directory)) {
    return absl::FailedPreconditionError(absl::StrCat(
        store::IdentityPath(directory), " is missing: copy it from another server of the ledger."));
  }
  TW_ASSIGN_OR_RETURN(const std::string expected, store::ReadIdentityFile(directory));
  if (identity.ledger_id == expected) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the database has another ledger than ",
                                          store::IdentityPath(directory),
                                          " names: check the service."));
}

absl::Status Unfinished() {
  return absl::FailedPreconditionError(
      "the database has a copy of the ledger that was not finished: give topicwall-admin "
      "migrate-ledger --to postgresql again on the server that has ledger.db or ledger.db.moved.");
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

absl::StatusOr<std::vector<store::Chain>> SeenOfShared(const std::string& directory,
                                                       store::EventStore& store) {
  TW_RETURN_IF_ERROR(RequireMoved(directory));
  TW_ASSIGN_OR_RETURN(const store::Identity identity, store.ReadIdentity());
  TW_RETURN_IF_ERROR(RequireSame(identity, directory));
  if (identity.is_backup) return Unfinished();
  TW_ASSIGN_OR_RETURN(const v1::SeenHeads seen, SeenIn(directory));
  std::vector<store::Chain> chains;
  for (const v1::StoreChain& head : seen.heads()) {
    chains.push_back({head.budget_id(), head.length(), head.head()});
  }
  return chains;
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
    return Damaged(path);
  }
  return std::unique_ptr<SeenHeads>(
      new SeenHeads(std::move(lock), *std::move(slots), seen.server_id()));
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
