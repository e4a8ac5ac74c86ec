#include "server/store/ledger_files.h"

#include <unistd.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/durable_file.h"
#include "base/status_macros.h"

namespace topicwall::store {
namespace {

// -journal, too: a file that is in no WAL mode, as a copy is, has that one beside it.
constexpr const char* kSuffixes[] = {"", "-wal", "-shm", "-journal"};

// All zero if there is nothing.
struct stat StandsAt(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return status;
}

}  // namespace

std::string DatabasePath(absl::string_view directory) {
  return absl::StrCat(directory, "/ledger.db");
}
std::string IdentityPath(absl::string_view directory) {
  return absl::StrCat(directory, "/ledger.id");
}

std::string MovedPath(absl::string_view directory) {
  return absl::StrCat(DatabasePath(directory), ".moved");
}

absl::Status WriteIdentityFile(absl::string_view directory, absl::string_view ledger_id) {
  const std::string path = IdentityPath(directory);
  if (base::WriteNewFileDurably(path, absl::StrCat(ledger_id, "\n")).ok()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": look at the disk."));
}

absl::StatusOr<std::string> ReadIdentityFile(absl::string_view directory) {
  TW_RETURN_IF_ERROR(RequireRegular(IdentityPath(directory)));
  std::ifstream file(IdentityPath(directory), std::ios::binary);
  if (!file) return absl::DataLossError(absl::StrCat("cannot read ", IdentityPath(directory), "."));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return std::string(absl::StripSuffix(text, "\n"));
}

bool HasIdentityFile(absl::string_view directory) {
  return base::FileExists(IdentityPath(directory));
}

absl::Status CheckFilesPresent(absl::string_view directory) {
  const bool database = base::FileExists(DatabasePath(directory));
  const bool identity = base::FileExists(IdentityPath(directory));
  if (database && identity) return absl::OkStatus();
  if (!database && !identity) {
    return absl::NotFoundError(absl::StrCat(
        "there is no ledger in ", directory,
        ". If a budget was opened before, its disk is not mounted or the ledger was lost: mount "
        "it, or restore the backup with topicwall-admin restore; a new budget would be a second "
        "one for the same documents. If none ever was: topicwall-admin open-budget."));
  }
  // It is behind whatever was spent in the database: put back, it would be spent again.
  if (!database && base::FileExists(MovedPath(directory))) {
    return absl::DataLossError(absl::StrCat(
        DatabasePath(directory), " is missing, and ", MovedPath(directory),
        " is what was left when the ledger was moved to PostgreSQL, not the ledger: configure "
        "`ledger` again as it was. If the ledger came home since and is lost, restore a backup "
        "with topicwall-admin restore."));
  }
  return absl::DataLossError(absl::StrCat(
      database ? IdentityPath(directory) : DatabasePath(directory),
      " is missing. Put it back, or restore a backup with topicwall-admin restore; what was "
      "released before cannot be forgotten by opening a new budget."));
}

absl::Status RequireRegular(const std::string& path) {
  const struct stat there = StandsAt(path);
  if (there.st_ino == 0 || S_ISREG(there.st_mode)) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(path, " is not a regular file: move it away, and put the ledger's own back."));
}

bool HasLog(const std::string& database) {
  // A WAL that was emptied may stay behind, of no bytes.
  return StandsAt(database + "-wal").st_size != 0 || base::FileExists(database + "-journal");
}

std::optional<std::string> AnyFileOf(const std::string& database) {
  for (const char* suffix : kSuffixes) {
    if (base::FileExists(database + suffix)) return database + suffix;
  }
  return std::nullopt;
}

void RemoveFilesOf(const std::string& database) {
  for (const char* suffix : kSuffixes) unlink((database + suffix).c_str());
}

absl::Status MakeEmpty(const std::string& database) {
  // Here and not by SQLite, which would give it the rights that the umask leaves.
  RemoveFilesOf(database);
  return base::WriteNewFileDurably(database, "");
}

FileInPlace::FileInPlace(const std::string& path) : path_(path), status_(StandsAt(path)) {}

absl::Status FileInPlace::Require() const {
  // By device and inode, which a rename over the name changes and writing does not.
  const struct stat now = StandsAt(path_);
  if (now.st_ino == status_.st_ino && now.st_dev == status_.st_dev) return absl::OkStatus();
  return absl::DataLossError(
      "the ledger's file was deleted, moved or replaced while it was in use. Nothing more is "
      "released. Stop the server and put the file back as it was, or restore a backup.");
}

}  // namespace topicwall::store
