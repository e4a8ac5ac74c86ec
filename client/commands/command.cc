#include "client/commands/command.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/profiled_wall.h"
#include "client/fit/fit_outcome.h"
#include "client/wall/mock_custodian.h"

namespace topicwall::client {

base::Command AddNamed(base::Command app, Invocation& invocation, const CommandText& text) {
  base::Command command = app.AddCommand(text.name, text.description);
  command.Footer("Example:\n  " + text.example);
  // One flag for all commands, so that a script that knows one knows them.
  command.AddFlag("--json", invocation.json, "Print the result as one JSON object");
  return command;
}

void AddProfile(base::Command command, Invocation& invocation) {
  command.Add("--profile", invocation.profile,
              "Name or file of a profile that `topicwall login` wrote (otherwise "
              "$TOPICWALL_PROFILE, otherwise \"default\")");
}

absl::StatusOr<std::string> PinnedKey(const Invocation& invocation, const std::string& hex) {
  return PinnedKeyOf(invocation.profile, hex);
}

void AddCustodianKey(base::Command command, std::string* hex) {
  command.Add("--custodian-key", *hex,
              "The custodian's signing key, 64 hexadecimal digits that the custodian gave "
              "you; no other is accepted (otherwise the profile's, otherwise the first "
              "that is met)");
}

void AddExplain(base::Command command, Invocation& invocation) {
  command.AddFlag("--explain", invocation.explain,
                  "Also what decides nothing: other accountants, or the odometer");
}

void AddFormat(base::Command command, std::string* name) {
  command
      .Add("--format", *name,
           "jsonl (\"text\" of each line), csv (column \"text\"), "
           "text-folder (each *.txt below it) or uci counts")
      .OneOf({"jsonl", "csv", "text-folder", "uci"})
      .ShowDefault();
}

DocumentFormat FormatOf(const std::string& name) {
  if (name == "uci") return DocumentFormat::kUci;
  if (name == "text-folder") return DocumentFormat::kTextFolder;
  return name == "csv" ? DocumentFormat::kCsv : DocumentFormat::kJsonl;
}

absl::StatusOr<std::unique_ptr<WallPort>> ConnectByProfile(const Invocation& invocation,
                                                           Terminal& terminal,
                                                           std::function<bool()> should_stop) {
  return ConnectWatched(invocation.profile, {.on_wait = WaitShown(terminal),
                                             .on_new_budget =
                                                 [&terminal](const ChainSight& sight) {
                                                   terminal.Remark(DescribeNewBudget(sight));
                                                 },
                                             .should_stop = std::move(should_stop)});
}

absl::StatusOr<std::unique_ptr<ReceiptedFolder>> OpenPaidFolder(const Invocation& invocation,
                                                                Terminal& terminal,
                                                                const PaidFolderFlags& flags,
                                                                std::function<bool()> should_stop) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<WallPort> wall,
                      ConnectByProfile(invocation, terminal, std::move(should_stop)));
  TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey(invocation, flags.custodian_key));
  return ReceiptedFolder::Open(std::move(wall), flags.folder, key);
}

absl::StatusOr<v1::ModelFile> ReadModelShown(const std::string& folder, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(v1::ModelFile model, ReadModelSoFar(folder));
  // On standard error, so that neither a script nor a spreadsheet takes a remark for a number.
  if (model.has_unfinished()) terminal.Remark(UnfinishedText(model.unfinished(), folder));
  RemarkIfMock(model, terminal);
  return model;
}

void RemarkIfMock(const v1::ModelFile& model, Terminal& terminal) {
  if (IsMock(model.custodian_id())) terminal.Remark(kMockRemark);
}

void SetStanding(const v1::ModelFile& model, base::JsonObject& object) {
  if (IsMock(model.custodian_id())) object.SetBool("mock", true);
  if (!model.has_unfinished()) return;
  object.SetObject("unfinished",
                   base::JsonObject()
                       .SetInteger("releases_done", model.unfinished().releases_done())
                       .SetInteger("releases", model.unfinished().releases()));
}

std::function<void(const absl::Status&)> WaitShown(Terminal& terminal) {
  return [&terminal](const absl::Status& error) {
    terminal.ShowProgress(absl::StrCat("waiting for the wall: ", error.message()));
  };
}

}  // namespace topicwall::client
