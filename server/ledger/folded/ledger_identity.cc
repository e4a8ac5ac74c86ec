#include "server/ledger/folded/ledger_identity.h"

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/random/secure_random.h"
#include "server/store/ledger_files.h"

namespace topicwall::ledger {
namespace {

constexpr absl::string_view kKeyCheck = "topicwall ledger key check";

std::string KeyCheckPlace(const store::Identity& identity) {
  return absl::StrCat("topicwall.ledger.key_check ", identity.ledger_id, " ", identity.epoch);
}

}  // namespace

absl::StatusOr<std::string> RandomId() {
  TW_ASSIGN_OR_RETURN(const auto bytes, random::Random128());
  return base::Hex(bytes);
}

absl::StatusOr<std::string> SealKeyCheck(const sealing::SealingKey& key,
                                         const store::Identity& identity) {
  return key.Seal(kKeyCheck, KeyCheckPlace(identity));
}

// Bound to the ledger's id, so that the check of another ledger under the same key does not pass
// for it; and to the epoch, or a restored ledger could be made to look like one that never was.
absl::Status CheckKey(const store::Identity& identity, const sealing::SealingKey& key) {
  // What is sealed is not looked at: that it opens under this key and for this place is the whole
  // check.
  const absl::Status opened = key.Open(identity.key_check, KeyCheckPlace(identity)).status();
  if (!absl::IsDataLoss(opened)) return opened;
  return absl::FailedPreconditionError(
      "the ledger is sealed under another custodian key, or its id or epoch was edited: check "
      "key_file. After a rekey that was interrupted put the key of before back, and run the same "
      "rekey again.");
}

absl::Status RequireInUse(const store::Identity& identity, absl::string_view directory) {
  if (!identity.is_backup) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(store::DatabasePath(directory),
                   " is a backup: install it with topicwall-admin restore, then thaw it. If "
                   "migrate-ledger was stopped here, give that again instead."));
}

}  // namespace topicwall::ledger
