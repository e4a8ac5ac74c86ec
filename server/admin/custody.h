// What the commands work on, opened the way each of them needs it.
//
//   TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody("wall.textproto"));
//   TW_ASSIGN_OR_RETURN(auto lock, Lock(custody.config));  // the server's
//   TW_ASSIGN_OR_RETURN(auto ledger, OpenLedgerToWrite(custody, std::move(lock)));
//
// A corpus has a name, which the configuration gives, and a version, which is drawn anew
// at every ingestion. Budgets belong to versions: a corpus that was ingested again has the
// name of the old one and nothing else of it.
//
// Privacy: the key is secret; versions and statuses are PUBLIC.
// Threads: free functions without state.
#ifndef TOPICWALL_SERVER_ADMIN_CUSTODY_H_
#define TOPICWALL_SERVER_ADMIN_CUSTODY_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/vault.pb.h"
#include "proto/wall_config.pb.h"
#include "server/admin/outcome.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/ledger_keys.h"
#include "server/ledger/ledger_requests.h"
#include "server/sealing/custodian_key.h"
#include "server/store/data_directory_lock.h"
#include "server/store/remote/remote_store.h"

namespace topicwall::admin {

struct Custody {
  v1::WallConfig config;
  sealing::CustodianKey key;
};

// Errors as of ReadWallConfig and CustodianKey::Read.
absl::StatusOr<Custody> OpenCustody(absl::string_view config_path);

// The right to write; what an ingestion or a rekey that was killed left goes. FAILED_PRECONDITION
// if the server, or another command, holds it.
absl::StatusOr<store::DataDirectoryLock> Lock(const v1::WallConfig& config);

// As FoldedLedger::Open (or OpenShared) and OpenReadOnly (or SeenOfShared and Fold); the latter
// also works beside a running server, and with keys asks whether the ledger, and every event of it,
// is theirs. In addition DATA_LOSS if there is no ledger where budgets were opened (opened_mark.h);
// to read, FAILED_PRECONDITION without the folder.
absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>> OpenLedgerToWrite(
    const Custody& custody, store::DataDirectoryLock lock);
absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>> OpenLedgerToRead(
    const v1::WallConfig& config, std::optional<ledger::LedgerKeys> keys = std::nullopt);

// Adds a warning if the ledger's last event is to come (server::RequireLastEventBefore).
void WarnOfTheClock(ledger::FoldedLedger& ledger, std::vector<std::string>* warnings);

// Adds how much room data_directory has, and a warning if that is little.
void AddDisk(const v1::WallConfig& config, Outcome* outcome);

// None if there is no key_file: a ledger is also verified where its key is not.
absl::StatusOr<std::optional<ledger::LedgerKeys>> KeysIfHere(const v1::WallConfig& config);

// The store of config.ledger, through a topicwall-store that lies beside this program and ends with
// it. UNAVAILABLE if it cannot be started.
absl::StatusOr<std::unique_ptr<store::RemoteStore>> SharedStore(const v1::WallConfig& config);

// Does the custodian's act on the ledger, or lets the server do it that runs and holds the lock.
// Errors as of the act's own in CustodianActs; FAILED_PRECONDITION if something else holds it.
absl::StatusOr<v1::CustodianAnswer> Perform(const Custody& custody, const v1::CustodianAct& act);

// "owner" or "document".
std::string NameOf(v1::PrivacyUnit unit);

// The 16 bytes in the head of the corpus file `path`; no key is needed. Nothing if there is
// no such file; other errors as of CorpusFileReader::Open.
absl::StatusOr<std::optional<std::string>> VersionOfFile(absl::string_view path);

// Whether all of the corpus file opens; errors as of CorpusStore::Open and VerifyAll.
absl::Status VerifyCorpus(const std::string& path, const sealing::CustodianKey& key);

// Every corpus file of a folder, by name, whether the configuration still names it or not.
// NOT_FOUND if the folder cannot be read.
absl::StatusOr<std::vector<std::string>> CorpusFilesIn(absl::string_view folder);

// The corpus that a custodian means by `corpus`: a name, or the 32 digits of a version.
// Of several versions with budgets under one name it is the one that is served, i.e. whose
// file is there. NOT_FOUND if none has a budget; INVALID_ARGUMENT, listing them, if several
// do and none of them is there.
absl::StatusOr<ledger::CorpusStatus> FindBudgeted(const v1::WallConfig& config,
                                                  absl::Span<const ledger::CorpusStatus> statuses,
                                                  absl::string_view corpus);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_CUSTODY_H_
