#include "server/admin/commands/command_keys.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::admin {

absl::StatusOr<Outcome> MakeKeys(const KeysFlags& flags) {
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key, sealing::CustodianKey::Generate());
  TW_RETURN_IF_ERROR(key.WriteNew(flags.output));
  Outcome outcome;
  outcome.text = absl::StrCat(
      "Key ", key.key_id(), " written to ", flags.output, ".\n",
      "It is in no backup that topicwall-admin makes: keep a copy of it elsewhere, apart from\n"
      "the data. Losing it loses every corpus and ledger sealed under it, for good.\n");
  outcome.json.SetString("key_id", key.key_id()).SetString("key_file", flags.output);
  return outcome;
}

}  // namespace topicwall::admin
