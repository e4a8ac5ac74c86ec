// Each step finds out for itself whether it was done before: the key file is there and of the old
// identity; a corpus opens with the new key; the ledger does. So there is no record of how far a
// rekey came that could be wrong, and an interrupted one is finished by the same command.
//
// The new key is durable before anything is sealed under it: the other way round a power cut could
// leave a corpus that no key opens.
#include "server/admin/commands/command_rekey.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/admin/custody.h"
#include "server/corpus/corpus_reseal.h"
#include "server/corpus/corpus_store.h"

namespace topicwall::admin {
namespace {

absl::StatusOr<sealing::CustodianKey> MakeOrReadKey(const std::string& path,
                                                    const sealing::CustodianKey& old_key) {
  absl::StatusOr<sealing::CustodianKey> key = sealing::CustodianKey::Read(path);
  if (absl::IsNotFound(key.status())) {
    key = sealing::CustodianKey::GenerateWithIdentityOf(old_key);
    if (!key.ok()) return key.status();
    TW_RETURN_IF_ERROR(key->WriteNew(path));
    return key;
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
  return key;
}

// Tried on all of them before the first is touched: a corpus that neither key opens would stop the
// work halfway, between two keys.
absl::Status RequireOpens(const std::string& corpus, const sealing::CustodianKey& old_key,
                          const sealing::CustodianKey& new_key) {
  if (corpus::CorpusStore::Open(corpus, new_key).ok()) return absl::OkStatus();
  return corpus::CorpusStore::Open(corpus, old_key).status();
}

// A ledger that is sealed under neither key gives the error of the old one.
absl::Status ResealLedger(const Custody& custody, const sealing::CustodianKey& new_key,
                          store::DataDirectoryLock lock) {
  auto ledger = OpenLedgerToWrite(custody, std::move(lock));
  if (absl::IsNotFound(ledger.status())) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(new_key));
  if (ledger.ok()) return (*ledger)->ReplaceSealingKey(std::move(keys.sealing));
  if (!absl::IsFailedPrecondition(ledger.status())) return ledger.status();
  // Another key, hence perhaps the new one: an earlier attempt came as far as this.
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock again, Lock(custody.config));
  const auto done = ledger::FoldedLedger::Open(std::move(again), std::move(keys));
  return done.ok() ? absl::OkStatus() : ledger.status();
}

}  // namespace

absl::StatusOr<Outcome> Rekey(const RekeyFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  if (custody.config.has_ledger()) {
    return absl::FailedPreconditionError(
        "other servers hold the key of a shared ledger: stop them all and bring it home with "
        "topicwall-admin migrate-ledger, then change the key.");
  }
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, Lock(custody.config));
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey new_key,
                      MakeOrReadKey(flags.output, custody.key));
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> corpora, CorpusFilesIn(lock.directory()));
  for (const std::string& corpus : corpora) {
    TW_RETURN_IF_ERROR(RequireOpens(corpus, custody.key, new_key));
  }
  for (const std::string& corpus : corpora) {
    TW_RETURN_IF_ERROR(corpus::Reseal(corpus, custody.key, new_key));
  }
  TW_RETURN_IF_ERROR(ResealLedger(custody, new_key, std::move(lock)));
  const std::string new_file = std::filesystem::absolute(flags.output).string();
  Outcome outcome;
  outcome.text = absl::StrCat(
      "Everything is sealed under key ", new_key.key_id(), ".\nNow set key_file: \"", new_file,
      "\" in ", flags.config, " and start the server.\nBackups made before need the old key ",
      custody.key.key_id(), " in ", custody.config.key_file(),
      ":\ndestroy it when the last of them is gone. Make a new backup, and a copy of the new "
      "key.\n");
  outcome.json.SetString("key_id", new_key.key_id())
      .SetString("key_file", new_file)
      .SetString("old_key_id", custody.key.key_id())
      .SetInteger("corpora", static_cast<int64_t>(corpora.size()));
  return outcome;
}

}  // namespace topicwall::admin
