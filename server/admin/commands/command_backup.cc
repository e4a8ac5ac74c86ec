// A folder under a name that says that it is unfinished; the ledger, as of one moment; each corpus
// file, and each of them unsealed again from the copy; then the folder gets its name. So whatever
// has the name of a backup was whole, on the disk, and opened with today's key: that a copy cannot
// be read is found out on the day it was made, and not on the day it is needed.
#include "server/admin/commands/command_backup.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "server/admin/custody.h"
#include "server/ledger/ledger_backup.h"

namespace topicwall::admin {
namespace {

// A new folder, removed with everything in it unless it is kept.
// Not reused after a crash: a file that was copied half would have to be told from a whole one.
class UnfinishedFolder {
 public:
  static absl::StatusOr<std::unique_ptr<UnfinishedFolder>> Create(const std::string& path) {
    if (mkdir(path.c_str(), 0700) == 0) {
      return std::unique_ptr<UnfinishedFolder>(new UnfinishedFolder(path));
    }
    if (errno == EEXIST) {
      return absl::AlreadyExistsError(absl::StrCat(
          path, " exists: another backup is running, or one was interrupted; then remove it."));
    }
    return absl::UnavailableError(absl::StrCat("cannot make ", path, ": ", std::strerror(errno)));
  }
  ~UnfinishedFolder() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(path_, ignored);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

  const std::string& path() const { return path_; }
  absl::Status KeepAs(const std::string& name) {
    // Also if something got the name since it was looked for.
    TW_RETURN_IF_ERROR(base::RenameDurably(path_, name, base::IfExists::kRefuse));
    kept_ = true;
    return absl::OkStatus();
  }

 private:
  explicit UnfinishedFolder(const std::string& path) : path_(path) {}

  const std::string path_;
  bool kept_ = false;
};

}  // namespace

absl::StatusOr<Outcome> MakeBackup(const BackupFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(const ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  const std::string data = custody.config.data_directory();
  // "backup/" names the folder as well.
  std::filesystem::path folder = std::filesystem::absolute(flags.output).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const std::string output = folder.string();
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(output, ignored))) {
    return absl::AlreadyExistsError(
        absl::StrCat(output, " exists; a backup goes into a new folder. Choose another name."));
  }
  TW_ASSIGN_OR_RETURN(const auto unfinished, UnfinishedFolder::Create(output + ".unfinished"));
  // Not a copy of files: beside a running server they are never those of one moment.
  if (custody.config.has_ledger()) {
    TW_ASSIGN_OR_RETURN(const auto shared, SharedStore(custody.config));
    TW_RETURN_IF_ERROR(ledger::BackupShared(data, *shared, unfinished->path(), keys));
  } else {
    TW_RETURN_IF_ERROR(ledger::BackupLedger(data, unfinished->path(), keys));
  }
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> corpora, CorpusFilesIn(data));
  std::vector<std::string> names;
  for (const std::string& corpus : corpora) {
    names.push_back(std::filesystem::path(corpus).filename().string());
    const std::string copy = absl::StrCat(unfinished->path(), "/", names.back());
    TW_RETURN_IF_ERROR(base::CopyFileDurably(corpus, copy));
    TW_RETURN_IF_ERROR(VerifyCorpus(copy, custody.key));
  }
  TW_RETURN_IF_ERROR(unfinished->KeepAs(output));
  Outcome outcome;
  outcome.text =
      absl::StrCat("Backup in ", output, ": the ledger and ", names.size(), " corpus files.\n",
                   "Key ", custody.key.key_id(), " opens it and is not in it: keep ",
                   custody.config.key_file(), " safe elsewhere.\n");
  outcome.json.SetString("output", output)
      .SetStrings("corpora", names)
      .SetString("key_id", custody.key.key_id());
  return outcome;
}

}  // namespace topicwall::admin
