// Opening, verifying and moving on.
//
// The truth is the chains in the store; the state in memory is their fold and nothing else, so that
// a restart loses nothing and there are no two truths to compare.
//
// Two locks. acts_mutex_ is held by an act from its decision until the state has moved, so that
// what was decided still holds when it is written. state_mutex_ is held for writing only while the
// state moves in memory, or its heads are read: whoever asks about the state waits for no disk.
// That is also why polling does not tell when a release is being written.
#include "server/ledger/folded/folded_ledger.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/folded/kept_rows.h"
#include "server/ledger/folded/ledger_identity.h"
#include "server/store/ledger_files.h"
#include "server/store/stores.h"

namespace topicwall::ledger {
namespace {

namespace fold = accountant::ledger;

// How old an answer may be that the gate tells again, where other servers move the chains.
constexpr absl::Duration kLook = absl::Milliseconds(100);
// Of a ledger that cannot be read: no chains have them.
constexpr absl::string_view kUnknownHeads = "unknown";

// What is wrong with the files is the custodian's to mend, and there is one way.
// A full disk, a wrong key or a directory without a ledger is not mended by a restore, and a
// custodian who is told so might do harm by it.
template <typename T>
absl::StatusOr<T> NameRestore(absl::string_view directory, absl::StatusOr<T> result) {
  const absl::Status& status = result.status();
  if (absl::IsUnavailable(status) || absl::IsFailedPrecondition(status) ||
      absl::IsNotFound(status) || absl::IsAlreadyExists(status) || status.ok() ||
      !store::CheckFilesPresent(directory).ok()) {
    return result;
  }
  return absl::DataLossError(absl::StrCat("the ledger in ", directory,
                                          " cannot be used: ", status.message(),
                                          " Restore a backup with topicwall-admin restore."));
}

absl::StatusOr<std::unique_ptr<FoldedLedger>> FoldIn(
    const std::string& directory, absl::StatusOr<std::unique_ptr<store::EventStore>> opened,
    std::optional<LedgerKeys> keys) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<store::EventStore> store,
                      NameRestore(directory, std::move(opened)));
  TW_ASSIGN_OR_RETURN(const store::Identity identity, store->ReadIdentity());
  TW_RETURN_IF_ERROR(RequireInUse(identity, directory));
  return NameRestore(directory, FoldedLedger::Fold(std::move(store), std::move(keys)));
}

absl::Status AnothersKey() {
  return absl::FailedPreconditionError(
      "a budget of the ledger is signed with another custodian's key: whoever keeps its receipts "
      "would take this ledger for somebody else's. Check key_file.");
}

template <typename T>
const T* IfAny(const std::optional<T>& value) {
  return value.has_value() ? &*value : nullptr;
}

}  // namespace

FoldedLedger::FoldedLedger(std::unique_ptr<store::EventStore> store, store::Identity identity,
                           std::optional<LedgerKeys> keys, std::optional<LedgerSeals> seals)
    : store_(std::move(store)),
      identity_(std::move(identity)),
      signing_key_(keys.has_value() ? std::optional(std::move(keys->signing)) : std::nullopt),
      seals_(std::move(seals)),
      keys_(keys.has_value() ? std::optional(ReleaseKeys(std::move(keys->sealing), identity_))
                             : std::nullopt) {}

absl::StatusOr<std::unique_ptr<FoldedLedger>> FoldedLedger::Create(store::DataDirectoryLock lock,
                                                                   LedgerKeys keys) {
  const std::string directory = lock.directory();
  store::Identity identity;
  TW_ASSIGN_OR_RETURN(identity.ledger_id, RandomId());
  TW_ASSIGN_OR_RETURN(identity.key_check, SealKeyCheck(keys.sealing, identity));
  return FoldIn(directory, store::CreateStore(std::move(lock), identity), std::move(keys));
}

absl::StatusOr<std::unique_ptr<FoldedLedger>> FoldedLedger::Open(store::DataDirectoryLock lock,
                                                                 LedgerKeys keys) {
  const std::string directory = lock.directory();
  auto opened = FoldIn(directory, store::OpenStore(std::move(lock)), std::move(keys));
  TOPICWALL_KILL_POINT("inside-open");
  return opened;
}

absl::StatusOr<std::unique_ptr<FoldedLedger>> FoldedLedger::OpenShared(
    store::DataDirectoryLock lock, std::unique_ptr<store::EventStore> store, LedgerKeys keys) {
  const std::string directory = lock.directory();
  TW_ASSIGN_OR_RETURN(const std::vector<store::Chain> before, SeenOfShared(directory, *store));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<SeenHeads> seen, SeenHeads::Open(std::move(lock)));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<FoldedLedger> ledger,
                      Fold(std::move(store), std::move(keys), before));
  ledger->owner_ = seen->server_id();
  ledger->seen_ = std::move(seen);
  {
    absl::MutexLock act(&ledger->acts_mutex_);
    TW_RETURN_IF_ERROR(ledger->Follow());
  }
  TW_RETURN_IF_ERROR(ledger->Noted());
  return ledger;
}

absl::StatusOr<std::unique_ptr<FoldedLedger>> FoldedLedger::OpenReadOnly(
    absl::string_view directory, std::optional<LedgerKeys> keys) {
  return FoldIn(std::string(directory), store::OpenStoreReadOnly(directory), std::move(keys));
}

absl::StatusOr<std::unique_ptr<FoldedLedger>> FoldedLedger::Fold(
    std::unique_ptr<store::EventStore> store, std::optional<LedgerKeys> keys,
    const std::vector<store::Chain>& seen) {
  TW_ASSIGN_OR_RETURN(store::Identity identity, store->ReadIdentity());
  // Before anything is folded: with another key every release key would look damaged, and pending
  // charges would be given up one by one.
  std::optional<LedgerSeals> seals;
  if (keys.has_value()) {
    TW_RETURN_IF_ERROR(CheckKey(identity, keys->sealing));
    TW_ASSIGN_OR_RETURN(seals, LedgerSeals::Of(keys->seals, identity.ledger_id));
  }
  std::unique_ptr<FoldedLedger> ledger(
      new FoldedLedger(std::move(store), std::move(identity), std::move(keys), std::move(seals)));
  absl::MutexLock act(&ledger->acts_mutex_);
  absl::MutexLock lock(&ledger->state_mutex_);
  TW_RETURN_IF_ERROR(
      ledger->state_.TakeFrom(*ledger->store_, IfAny(ledger->seals_), seen, IfAny(ledger->keys_)));
  TW_RETURN_IF_ERROR(CheckRows(*ledger->store_, ledger->state_));
  for (const BudgetState& budget : ledger->state_.ledger.budgets()) {
    if (ledger->signing_key_.has_value() &&
        budget.signing_key() != ledger->signing_key_->public_key()) {
      return AnothersKey();
    }
  }
  return ledger;
}

absl::Status FoldedLedger::RequireCurrent() {
  // What is in memory is true of a file that must still be there: of one that was deleted or
  // replaced under the server nothing is told any more, and nothing spent.
  TW_RETURN_IF_ERROR(store_->RequireInPlace());
  if (!store_->OthersWrite()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const std::vector<store::Chain> chains, store_->Chains());
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    if (state_.IsAt(chains)) return absl::OkStatus();
  }
  // In the turn of an act: one of this server's may be written and not yet be in the state.
  absl::MutexLock act(&acts_mutex_);
  return Follow();
}

absl::Status FoldedLedger::Noted() {
  if (seen_ == nullptr) return absl::OkStatus();
  std::vector<store::Chain> chains;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    chains = state_.Chains();
  }
  return seen_->Note(std::move(chains));
}

// What was answered by an error for want of a note stands all the same, and whoever asks again asks
// for one more attempt: so the note comes before that. Of a file the append sees whether it is in
// place.
absl::Status FoldedLedger::RequireReady() {
  if (!store_->OthersWrite()) return absl::OkStatus();
  TW_RETURN_IF_ERROR(store_->RequireInPlace());
  return Noted();
}

absl::Status FoldedLedger::Follow() {
  if (!store_->OthersWrite()) return absl::OkStatus();
  absl::MutexLock lock(&state_mutex_);
  moved_.SignalAll();
  return state_.TakeFrom(*store_, IfAny(seals_), {}, IfAny(keys_));
}

absl::Status FoldedLedger::VerifyWholeLedger() {
  TW_RETURN_IF_ERROR(RequireCurrent());
  TW_RETURN_IF_ERROR(store_->CheckStructure());
  absl::ReaderMutexLock lock(&state_mutex_);
  return CheckReleases(*store_, state_);
}

absl::Status FoldedLedger::RequireWritable() const {
  if (signing_key_.has_value()) return absl::OkStatus();
  return absl::FailedPreconditionError("the ledger was opened for reading only.");
}

absl::Status FoldedLedger::Commit(const fold::Events& events, store::Change change) {
  // An act whose answer is "as it is" writes nothing.
  if (events.empty() && change.open_charges.empty() && !change.identity.has_value()) {
    return absl::OkStatus();
  }
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    // On the state that the act was decided on: acts_mutex_ is still held, and nobody else moves
    // it.
    TW_RETURN_IF_ERROR(AddEvents(state_.ledger, events, *seals_, &change));
    state_.EndOpenCharges(events, &change);
    if (store_->OthersWrite()) state_.RequireAllChains(events, &change);
  }
  // Durable before the state moves, and before anybody is answered. A kill between the two loses
  // nothing: the next start folds what was appended.
  TW_RETURN_IF_ERROR(store_->Append(change));
  absl::MutexLock lock(&state_mutex_);
  // What was decided can follow what it was decided on. Were it not so, the state would stay behind
  // the chain, and every later act on that budget be refused.
  moved_.SignalAll();
  return state_.Apply(change);
}

std::string FoldedLedger::AwaitMove(absl::string_view known, absl::Duration at_most) {
  const absl::Duration end = base::SteadyNow() + at_most;
  for (;;) {
    // Nobody tells when another server moves a chain: it is looked at.
    const bool is_known = !store_->OthersWrite() || RequireCurrent().ok();
    absl::MutexLock lock(&state_mutex_);
    const std::string heads = is_known ? state_.Heads() : std::string(kUnknownHeads);
    const absl::Duration left = end - base::SteadyNow();
    if (heads != known || left <= absl::ZeroDuration()) return heads;
    moved_.WaitFor(&state_mutex_, store_->OthersWrite() ? std::min(left, kLook) : left);
  }
}

absl::Status FoldedLedger::DecideAndCommit(const char* name, Decision decide) {
  TW_RETURN_IF_ERROR(RequireWritable());
  return Act<absl::Status>([&]() -> absl::Status {
    absl::MutexLock act(&acts_mutex_);
    TW_RETURN_IF_ERROR(Follow());
    absl::StatusOr<fold::Events> decided;
    {
      absl::ReaderMutexLock lock(&state_mutex_);
      decided = decide(state_.ledger);
    }
    TW_RETURN_IF_ERROR(decided.status());
    return Commit(*decided, {.name = name});
  });
}

}  // namespace topicwall::ledger
