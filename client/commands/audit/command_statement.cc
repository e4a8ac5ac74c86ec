// `topicwall statement --verify FILE`: asks no wall, so it can be done anywhere and years later.
// With a key that was expected, the signature says that the custodian wrote this. Without one it
// says only that whoever wrote it had the key that stands in it, and a forger puts one of their own
// there: hence the remark, and "key_was_expected" in the JSON.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "proto/signed_statement.h"

namespace topicwall::client {
namespace {

// A statement is a page of text.
constexpr int64_t kMaxFileBytes = int64_t{1} << 20;

struct StatementFlags {
  std::string file;
  std::string custodian_key;
};

std::string JsonTextOf(const proto::OpenedStatement& statement, bool pinned) {
  std::vector<base::JsonObject> lines;
  for (const auto& [name, value] : statement.lines) {
    lines.push_back(base::JsonObject().SetString("name", name).SetString("value", value));
  }
  return base::JsonObject()
      .SetBool("verified", true)
      .SetString("custodian_key", base::Hex(statement.public_key))
      .SetBool("key_was_expected", pinned)
      .SetObjects("lines", lines)
      .Text();
}

absl::Status ShowStatement(const StatementFlags& flags, const Invocation& invocation,
                           Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey(invocation, flags.custodian_key));
  TW_ASSIGN_OR_RETURN(const std::string file, base::ReadWholeFile(flags.file, kMaxFileBytes));
  TW_ASSIGN_OR_RETURN(const proto::OpenedStatement statement, proto::OpenStatement(file, key));
  if (invocation.json) {
    terminal.Print(JsonTextOf(statement, !key.empty()));
    return absl::OkStatus();
  }
  terminal.Print(absl::StrCat(statement.text, "signed by: ", base::Hex(statement.public_key)));
  if (key.empty()) {
    terminal.Remark(
        "The signature holds. Compare the key with the one the custodian gave you by another "
        "way, or give it with --custodian-key.");
  }
  return absl::OkStatus();
}

}  // namespace

void AddStatement(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "statement",
       .description = "Check the signature of a custodian's privacy statement, and print it. "
                      "Asks no wall",
       .example = "topicwall statement --verify notes.statement"},
      ShowStatement);
  command.Add("--verify", flags->file, "What `topicwall-admin statement` wrote").Required();
  AddCustodianKey(command, &flags->custodian_key);
}

}  // namespace topicwall::client
