// Each step finds out for itself whether it was done before: the key file is there and of the old
// identity; a corpus opens with the new key; the ledger does. So there is no record of how far a
// rekey came that could be wrong, and an interrupted one is finished by the same command.
//
// The new key is durable before anything is sealed under it: the other way round a power cut could
// leave a corpus that no key opens. And nothing is made, or sealed, before everything is known to
// open under one of two keys: a third one would be a wall in pieces.
#include "server/admin/commands/command_rekey.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "server/admin/custody.h"
#include "server/corpus/corpus_reseal.h"
#include "server/corpus/corpus_store.h"

namespace topicwall::admin {
namespace {

struct NewKey {
  sealing::CustodianKey key;
  bool is_drawn;  // and stands in no file yet
};

absl::StatusOr<NewKey> ReadOrDrawKey(const std::string& path,
                                     const sealing::CustodianKey& old_key) {
  absl::StatusOr<sealing::CustodianKey> key = sealing::CustodianKey::Read(path);
  if (absl::IsNotFound(key.status())) {
    key = sealing::CustodianKey::GenerateWithIdentityOf(old_key);
    if (!key.ok()) return key.status();
    return NewKey{.key = *std::move(key), .is_drawn = true};
  }
  if (!key.ok()) return key.status();
  // It would do nothing at all, and say that everything is sealed under a new key.
  if (key->key_id() == old_key.key_id()) {
    return absl::InvalidArgumentError(absl::StrCat("--output must be another key than key_file; ",
                                                   path,
                                                   " is that key. Name a file that is not there."));
  }
  // Another identity gives units other names: people in two corpora would no longer be recognised.
  if (key->identity_id() != old_key.identity_id()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output must be a new file, or the key of an interrupted rekey; ", path,
                     " is a key of another identity. Name a file that is not there."));
  }
  return NewKey{.key = *std::move(key), .is_drawn = false};
}

// The sentence of an error with what to do about it.
absl::Status Advised(const absl::Status& status, absl::string_view advice) {
  if (status.ok()) return status;
  return {status.code(), absl::StrCat(absl::StripSuffix(status.message(), "."), ". ", advice)};
}

// What neither key opens an earlier rekey has sealed, as a rule, under the key that it made.
constexpr absl::string_view kUnderNeither =
    "Nothing was changed. If a rekey was interrupted, key_file has to be the key of before it, and "
    "--output the one that it made.";
constexpr absl::string_view kHalfDone =
    "Some of the wall may be sealed under the new key already: mend that, and run the same command "
    "again before key_file is changed.";

// Tried on all of them before the first is touched: a corpus that neither key opens would stop the
// work halfway, between two keys.
absl::Status RequireOpens(const std::string& corpus, const sealing::CustodianKey& old_key,
                          const sealing::CustodianKey& new_key) {
  if (corpus::CorpusStore::Open(corpus, new_key).ok()) return absl::OkStatus();
  return Advised(corpus::CorpusStore::Open(corpus, old_key).status(), kUnderNeither);
}

// With the right to write. NOT_FOUND if no budget was opened yet.
absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>> OpenUnderEither(
    const Custody& custody, const sealing::CustodianKey& new_key) {
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, Lock(custody.config));
  auto ledger = OpenLedgerToWrite(custody, std::move(lock));
  if (!absl::IsFailedPrecondition(ledger.status())) return ledger;
  // Another key, hence perhaps the new one: an earlier attempt came as far as this.
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock again, Lock(custody.config));
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(new_key));
  auto done = ledger::FoldedLedger::Open(std::move(again), std::move(keys));
  if (done.ok()) return done;
  return Advised(ledger.status(), kUnderNeither);
}

absl::Status Reseal(const std::vector<std::string>& corpora, ledger::FoldedLedger* ledger,
                    const sealing::CustodianKey& old_key, const sealing::CustodianKey& new_key) {
  for (const std::string& corpus : corpora) {
    TW_RETURN_IF_ERROR(corpus::Reseal(corpus, old_key, new_key));
  }
  if (ledger == nullptr) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(new_key));
  return ledger->ReplaceSealingKey(std::move(keys.sealing));
}

}  // namespace

absl::StatusOr<Outcome> Rekey(const RekeyFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  if (custody.config.has_ledger()) {
    return absl::FailedPreconditionError(
        "other servers hold the key of a shared ledger: stop them all and bring it home with "
        "topicwall-admin migrate-ledger --to file, then change the key.");
  }
  TW_ASSIGN_OR_RETURN(const NewKey made, ReadOrDrawKey(flags.output, custody.key));
  const sealing::CustodianKey& new_key = made.key;
  const auto ledger = OpenUnderEither(custody, new_key);
  // It has the lock, and there is none to have it before the first budget.
  std::optional<store::DataDirectoryLock> lock;
  if (absl::IsNotFound(ledger.status())) {
    TW_ASSIGN_OR_RETURN(lock, Lock(custody.config));
  } else if (!ledger.ok()) {
    return ledger.status();
  }
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> corpora,
                      CorpusFilesIn(custody.config.data_directory()));
  for (const std::string& corpus : corpora) {
    TW_RETURN_IF_ERROR(RequireOpens(corpus, custody.key, new_key));
  }
  if (made.is_drawn) TW_RETURN_IF_ERROR(new_key.WriteNew(flags.output));
  TW_RETURN_IF_ERROR(Advised(
      Reseal(corpora, ledger.ok() ? ledger->get() : nullptr, custody.key, new_key), kHalfDone));
  const std::string new_file = std::filesystem::absolute(flags.output).string();
  Outcome outcome;
  outcome.text = absl::StrCat(
      "Everything is sealed under key ", new_key.key_id(), ".\nNow put ", new_file,
      " in the place of key_file, or name it there in ", flags.config,
      ", and start the server.\nBackups made before need the old key ", custody.key.key_id(),
      " in ", custody.config.key_file(),
      ":\ndestroy it when the last of them is gone. Make a new backup, and a copy of the new "
      "key.\n");
  outcome.json.SetString("key_id", new_key.key_id())
      .SetString("key_file", new_file)
      .SetString("old_key_id", custody.key.key_id())
      .SetInteger("corpora", static_cast<int64_t>(corpora.size()));
  return outcome;
}

}  // namespace topicwall::admin
