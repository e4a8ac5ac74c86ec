#include "server/admin/custody.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/admin/opened_mark.h"
#include "server/corpus/corpus_file.h"
#include "server/release/clock.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

using LedgerOr = absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>>;

LedgerOr NotFoundOrLost(absl::string_view directory, LedgerOr opened) {
  if (absl::IsNotFound(opened.status())) TW_RETURN_IF_ERROR(RequireNeverOpened(directory));
  return opened;
}

}  // namespace

absl::StatusOr<Custody> OpenCustody(absl::string_view config_path) {
  TW_ASSIGN_OR_RETURN(v1::WallConfig config, server::ReadWallConfig(config_path));
  TW_ASSIGN_OR_RETURN(sealing::CustodianKey key, sealing::CustodianKey::Read(config.key_file()));
  return Custody{.config = std::move(config), .key = std::move(key)};
}

absl::StatusOr<store::DataDirectoryLock> Lock(const v1::WallConfig& config) {
  return store::DataDirectoryLock::Acquire(server::LedgerDirectory(config));
}

absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>> OpenLedgerToWrite(
    const Custody& custody, store::DataDirectoryLock lock) {
  const std::string directory = lock.directory();
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<ledger::FoldedLedger> ledger,
      NotFoundOrLost(directory, ledger::FoldedLedger::Open(std::move(lock), std::move(keys))));
  TW_ASSIGN_OR_RETURN(const int64_t last_ms, ledger->LastTimeMs());
  release::SystemClock().NeverBefore(last_ms);
  return ledger;
}

absl::StatusOr<std::unique_ptr<ledger::FoldedLedger>> OpenLedgerToRead(
    const v1::WallConfig& config) {
  const std::string directory = server::LedgerDirectory(config);
  return NotFoundOrLost(directory, ledger::FoldedLedger::OpenReadOnly(directory));
}

absl::StatusOr<std::optional<std::string>> VersionOfFile(absl::string_view path) {
  const auto file = corpus::CorpusFileReader::Open(path);
  if (absl::IsNotFound(file.status())) return std::optional<std::string>();
  if (!file.ok()) return file.status();
  const corpus::CorpusVersion& version = (*file)->version();
  return std::optional<std::string>(std::string(version.begin(), version.end()));
}

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

absl::StatusOr<ledger::CorpusStanding> FindBudgeted(
    const v1::WallConfig& config, absl::Span<const ledger::CorpusStanding> standings,
    absl::string_view corpus) {
  std::vector<ledger::CorpusStanding> named;
  for (const ledger::CorpusStanding& standing : standings) {
    if (base::Hex(standing.corpus_version) == corpus) return standing;
    if (standing.corpus == corpus) named.push_back(standing);
  }
  if (named.size() == 1) return named.front();
  if (named.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "no corpus with a budget is called \"", corpus,
        "\"; topicwall-admin status lists them, topicwall-admin open-budget opens one."));
  }
  TW_ASSIGN_OR_RETURN(const std::optional<std::string> served,
                      VersionOfFile(server::CorpusFile(config, corpus)));
  for (const ledger::CorpusStanding& standing : named) {
    if (standing.corpus_version == served) return standing;
  }
  const auto append = [](std::string* out, const ledger::CorpusStanding& standing) {
    absl::StrAppend(out, base::Hex(standing.corpus_version));
  };
  return absl::InvalidArgumentError(absl::StrCat(
      "several versions of \"", corpus,
      "\" have budgets. Give one of them instead: ", absl::StrJoin(named, ", ", append), "."));
}

}  // namespace topicwall::admin
