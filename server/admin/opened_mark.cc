#include "server/admin/opened_mark.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"

namespace topicwall::admin {
namespace {

constexpr absl::string_view kText =
    "Budgets were opened in this folder. If its ledger (ledger.db, ledger.id) is gone, restore a\n"
    "backup: a new ledger would not know what was released.\n";

std::string MarkPath(absl::string_view data_directory) {
  return absl::StrCat(data_directory, "/budgets-opened");
}

}  // namespace

absl::Status MarkOpened(absl::string_view data_directory) {
  const absl::Status written = base::WriteNewFileDurably(MarkPath(data_directory), kText);
  // That it is there says all; nobody reads what is in it but people.
  if (written.ok() || absl::IsAlreadyExists(written)) return absl::OkStatus();
  return absl::UnavailableError(written.message());
}

absl::Status RequireNeverOpened(absl::string_view data_directory) {
  const std::string path = MarkPath(data_directory);
  if (access(path.c_str(), F_OK) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    // Whoever may not look must not be told that there is nothing.
    return absl::PermissionDeniedError(
        absl::StrCat(path, " cannot be looked for: ", std::strerror(errno),
                     ". Run this as the user whose data_directory it is."));
  }
  return absl::DataLossError(absl::StrCat(
      "the ledger of ", data_directory, " is missing, and ", path,
      " says that budgets were opened. Put it back, or restore a backup with topicwall-admin "
      "restore; what was released before cannot be forgotten by opening a new budget."));
}

}  // namespace topicwall::admin
