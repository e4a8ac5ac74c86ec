#include "server/admin/custody.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/acts/act_client.h"
#include "server/acts/one_reply.h"
#include "server/admin/opened_mark.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_store.h"
#include "server/ledger/folded/seen_heads.h"
#include "server/local_doors.h"
#include "server/log/storage_watch.h"
#include "server/processes.h"
#include "server/release/clock.h"
#include "server/supervisor/child_process.h"
#include "server/vault/custodian_door.h"
#include "server/vault/start_checks.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

using LedgerOr = absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>>;

// A folder whose ledger was lost and one that never had any look alike but for the mark.
LedgerOr NotFoundOrLost(absl::string_view directory, LedgerOr opened) {
  if (absl::IsNotFound(opened.status())) TW_RETURN_IF_ERROR(RequireNeverOpened(directory));
  return opened;
}

// Whoever reads makes no folder: where there is none, its disk is missing and not its budgets.
absl::Status RequireFolder(absl::string_view directory) {
  struct stat status {};
  errno = ENOTDIR;  // of what is there and is no folder
  if (stat(std::string(directory).c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "data_directory is not there: ", directory, ": ", std::strerror(errno),
      ". Mount its disk, or correct the configuration; for a new wall, make it with mode 0700."));
}

constexpr int64_t kMostAnswerBytes = int64_t{64} << 20;  // a plan with its weights

}  // namespace

absl::StatusOr<Custody> OpenCustody(absl::string_view config_path) {
  TW_ASSIGN_OR_RETURN(v1::WallConfig config, server::ReadWallConfig(config_path));
  TW_ASSIGN_OR_RETURN(sealing::CustodianKey key, sealing::CustodianKey::Read(config.key_file()));
  return Custody{.config = std::move(config), .key = std::move(key)};
}

absl::StatusOr<store::DataDirectoryLock> Lock(const v1::WallConfig& config) {
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock,
                      store::DataDirectoryLock::Acquire(config.data_directory()));
  corpus::RemoveUnfinished(lock.directory());
  return lock;
}

// It lives as long as this program: the kernel ends it with its parent.
absl::StatusOr<std::unique_ptr<store::RemoteStore>> SharedStore(const v1::WallConfig& config) {
  static auto* const processes = new std::vector<supervisor::ChildProcess>();
  TW_ASSIGN_OR_RETURN(const std::filesystem::path folder, supervisor::FolderOfThisProgram());
  TW_ASSIGN_OR_RETURN(supervisor::ChildProcess process,
                      supervisor::ChildProcess::Start(
                          {.command = server::CommandOfTheStore(folder / "topicwall-store", config),
                           .user = geteuid() == 0 ? config.processes().store() : "",
                           .log = STDERR_FILENO}));
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return absl::UnavailableError("there is no socket pair to be had: too many open files?");
  }
  const base::FileDescriptor theirs(pair[1]);
  auto store = std::make_unique<store::RemoteStore>(/*patience=*/absl::ZeroDuration());
  store->Attach(base::FileDescriptor(pair[0]));
  // If it is not taken, this end of it is closed with `theirs`, and every call is UNAVAILABLE at
  // once.
  process.Offer(theirs.get(), supervisor::With::kOther);
  processes->push_back(std::move(process));
  return store;
}

absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>> OpenLedgerToWrite(
    const Custody& custody, store::DataDirectoryLock lock) {
  const std::string directory = lock.directory();
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  std::unique_ptr<store::RemoteStore> shared;
  if (custody.config.has_ledger()) {
    TW_ASSIGN_OR_RETURN(shared, SharedStore(custody.config));
  }
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<ledger::FoldedLedger> ledger,
      NotFoundOrLost(directory, shared == nullptr
                                    ? ledger::FoldedLedger::Open(std::move(lock), std::move(keys))
                                    : ledger::FoldedLedger::OpenShared(
                                          std::move(lock), std::move(shared), std::move(keys))));
  // The machine's clock may have been set back since the last event; the chain's times never go
  // back.
  TW_ASSIGN_OR_RETURN(const int64_t last_ms, ledger->LastTimeMs());
  release::SystemClock().NeverBefore(last_ms);
  return ledger;
}

absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>> OpenLedgerToRead(
    const v1::WallConfig& config, std::optional<ledger::LedgerKeys> keys) {
  const std::string directory = config.data_directory();
  TW_RETURN_IF_ERROR(RequireFolder(directory));
  if (config.has_ledger()) {
    TW_ASSIGN_OR_RETURN(std::unique_ptr<store::RemoteStore> shared, SharedStore(config));
    // What the server would refuse is not shown, signed or kept either.
    const auto seen = ledger::SeenOfShared(directory, *shared);
    return NotFoundOrLost(
        directory, seen.ok() ? ledger::FoldedLedger::Fold(std::move(shared), std::move(keys), *seen)
                             : LedgerOr(seen.status()));
  }
  return NotFoundOrLost(directory, ledger::FoldedLedger::OpenReadOnly(directory, std::move(keys)));
}

void WarnOfTheClock(ledger::FoldedLedger& ledger, std::vector<std::string>* warnings) {
  const absl::Status dated = server::RequireLastEventBefore(absl::Now(), ledger);
  if (!dated.ok()) warnings->emplace_back(dated.message());
}

void AddDisk(const v1::WallConfig& config, Outcome* outcome) {
  const std::optional<int64_t> free = server::FreeBytes(config.data_directory());
  if (!free.has_value()) return;
  absl::StrAppendFormat(&outcome->text, "Disk: %d MiB free\n", *free >> 20);
  outcome->json.SetInteger("free_bytes", *free);
  if (*free >= server::StorageWatch::kFewestBytes) return;
  outcome->warnings.push_back(absl::StrFormat(
      "the disk of data_directory is nearly full; free space on it: a wall wants %d "
      "MiB at least",
      server::StorageWatch::kFewestBytes >> 20));
}

absl::StatusOr<std::optional<ledger::LedgerKeys>> KeysIfHere(const v1::WallConfig& config) {
  const auto key = sealing::CustodianKey::Read(config.key_file());
  if (absl::IsNotFound(key.status())) return std::nullopt;
  TW_RETURN_IF_ERROR(key.status());
  return ledger::LedgerKeys::Of(*key);
}

absl::StatusOr<v1::CustodianAnswer> Perform(const Custody& custody, const v1::CustodianAct& act) {
  // Whoever has the lock acts: this program, or the server that runs, which is then asked to. Its
  // ledger is in its memory, and must not be written beside it.
  absl::StatusOr<store::DataDirectoryLock> lock = Lock(custody.config);
  if (lock.ok()) {
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                        OpenLedgerToWrite(custody, *std::move(lock)));
    return server::Perform(*ledger, act, release::SystemClock().NowMs());
  }
  if (!absl::IsFailedPrecondition(lock.status())) return lock.status();
  absl::StatusOr<base::FileDescriptor> server =
      server::ConnectToServer(server::Door::kCustodian, custody.config);
  // No server: another command has the lock.
  if (absl::IsNotFound(server.status())) return lock.status();
  TW_RETURN_IF_ERROR(server.status());
  acts::ActClient vault(/*patience=*/absl::ZeroDuration(), kMostAnswerBytes, [](int64_t) {});
  vault.Attach(*std::move(server), 1);
  v1::Act asked;
  *asked.mutable_custodian() = act;
  acts::OneReply<v1::CustodianAnswer> answer;
  TW_RETURN_IF_ERROR(vault.Handle(asked, answer));
  return answer.reply();
}

std::string NameOf(v1::PrivacyUnit unit) {
  return unit == v1::PRIVACY_UNIT_OWNER ? "owner" : "document";
}

absl::StatusOr<std::optional<std::string>> VersionOfFile(absl::string_view path) {
  // Without a key: the version is the one thing in the file that is not sealed, and no secret.
  const auto file = corpus::CorpusFileReader::Open(path);
  if (absl::IsNotFound(file.status())) return std::optional<std::string>();
  if (!file.ok()) return file.status();
  const corpus::CorpusVersion& version = (*file)->version();
  return std::optional<std::string>(std::string(version.begin(), version.end()));
}

absl::Status VerifyCorpus(const std::string& path, const sealing::CustodianKey& key) {
  TW_ASSIGN_OR_RETURN(const auto store, corpus::CorpusStore::Open(path, key));
  return store->VerifyAll();
}

// By what is there and not by the configuration: a corpus that is no longer served is still sealed,
// still has a budget, and belongs in a backup and under a new key like the others.
absl::StatusOr<std::vector<std::string>> CorpusFilesIn(absl::string_view folder) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(std::string(folder), error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".corpus") files.push_back(entry->path().string());
  }
  if (error) {
    return absl::NotFoundError(absl::StrCat("cannot read the folder ", folder, ": ",
                                            error.message(), ". Check the path and its mode."));
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<ledger::CorpusStatus> FindBudgeted(const v1::WallConfig& config,
                                                  absl::Span<const ledger::CorpusStatus> statuses,
                                                  absl::string_view corpus) {
  std::vector<ledger::CorpusStatus> named;
  for (const ledger::CorpusStatus& corpus_status : statuses) {
    // A version means one corpus for ever. A name may have several: each ingestion under it that
    // was given a budget leaves one behind.
    if (base::Hex(corpus_status.corpus_version) == corpus) return corpus_status;
    if (corpus_status.corpus == corpus) named.push_back(corpus_status);
  }
  if (named.size() == 1) return named.front();
  if (named.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "no corpus with a budget is called \"", corpus,
        "\"; topicwall-admin status lists them, topicwall-admin open-budget opens one."));
  }
  // The one whose documents are there; of the others only the budget is left.
  TW_ASSIGN_OR_RETURN(const std::optional<std::string> served,
                      VersionOfFile(server::CorpusFile(config, corpus)));
  for (const ledger::CorpusStatus& corpus_status : named) {
    if (corpus_status.corpus_version == served) return corpus_status;
  }
  const auto append = [](std::string* out, const ledger::CorpusStatus& corpus_status) {
    absl::StrAppend(out, base::Hex(corpus_status.corpus_version));
  };
  return absl::InvalidArgumentError(absl::StrCat(
      "several versions of \"", corpus,
      "\" have budgets. Give one of them instead: ", absl::StrJoin(named, ", ", append), "."));
}

}  // namespace topicwall::admin
