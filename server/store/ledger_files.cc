#include "server/store/ledger_files.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/durable_file.h"

namespace topicwall::store {

std::string DatabasePath(absl::string_view directory) {
  return absl::StrCat(directory, "/ledger.db");
}
std::string IdentityPath(absl::string_view directory) {
  return absl::StrCat(directory, "/ledger.id");
}

absl::Status WriteIdentityFile(absl::string_view directory, absl::string_view ledger_id) {
  const std::string path = IdentityPath(directory);
  if (base::WriteNewFileDurably(path, absl::StrCat(ledger_id, "\n")).ok()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": look at the disk."));
}

absl::StatusOr<std::string> ReadIdentityFile(absl::string_view directory) {
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
    return absl::NotFoundError(absl::StrCat("there is no ledger in ", directory,
                                            ": open a budget with topicwall-admin open-budget."));
  }
  return absl::DataLossError(absl::StrCat(
      database ? IdentityPath(directory) : DatabasePath(directory),
      " is missing. Put it back, or restore a backup with topicwall-admin restore; what was "
      "released before cannot be forgotten by opening a new budget."));
}

}  // namespace topicwall::store
