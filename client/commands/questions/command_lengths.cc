// `topicwall lengths`: how many known words the units of a corpus have, measured for a small price.
// What was paid for before is shown again for nothing.
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/commands/questions/lengths_text.h"
#include "client/commands/spending.h"
#include "client/evaluate/wall_lengths.h"
#include "client/exit_code.h"
#include "client/wall/mock_custodian.h"

namespace topicwall::client {
namespace {

struct LengthsFlags {
  LengthsWish wish;
  std::string folder;
  std::string custodian_key;  // 64 hexadecimal digits, or empty
  bool yes = false;
};

absl::Status Show(const LengthsFlags& flags, const v1::LengthsFile& file, const PaidWhen& when,
                  const Invocation& invocation, Terminal& terminal) {
  if (IsMock(file.custodian_id())) terminal.Remark(kMockRemark);
  TW_ASSIGN_OR_RETURN(const lengths::LengthEstimate told, LengthsOf(file));
  if (invocation.json) {
    base::JsonObject object = LengthsJson(file, told);
    AddPaidJson(PaidFor(file), when, object);
    terminal.Print(object.Text());
    return absl::OkStatus();
  }
  base::Table table;
  AddPaidRows(PaidFor(file), when, table);
  terminal.Print(absl::StrCat(TextOf(file, told, flags.folder), "\n", table.Text(2)));
  return absl::OkStatus();
}

absl::Status AskAndShow(const LengthsFlags& flags, const Invocation& invocation,
                        Terminal& terminal) {
  return PayAndShow(
      {flags.folder, flags.custodian_key}, invocation, terminal, AskLengths, flags.wish,
      [&](const LengthsQuote& quote) {
        return AgreeToSpend(flags.yes, "a measurement", QuoteText(quote), "Reserve this plan?",
                            terminal);
      },
      [&](const WallLengths& asked, const PaidWhen& when) {
        return Show(flags, asked.file, when, invocation, terminal);
      });
}

absl::Status RunLengths(const LengthsFlags& given, const Invocation& invocation,
                        Terminal& terminal) {
  LengthsFlags flags = given;
  if (flags.wish.noise.SaysWhatToSpend()) return AskAndShow(flags, invocation, terminal);
  TW_ASSIGN_OR_RETURN(const std::optional<v1::LengthsFile> paid,
                      FindMeasured(flags.folder, flags.wish.corpus));
  if (paid.has_value()) return Show(flags, *paid, {}, invocation, terminal);
  // A price that nobody named must be seen by somebody.
  if (flags.yes) return UsageError("--yes agrees to a price, and none was named: give --spend.");
  TW_ASSIGN_OR_RETURN(flags.wish.noise.spend, ParseSpend(kUsualLengthsSpend));
  return AskAndShow(flags, invocation, terminal);
}

}  // namespace

void AddLengths(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "lengths",
       .description =
           "How many known words the documents (or owners) behind the wall have: number of units, "
           "quartiles, median and mean, with intervals. It is one small release, which spends "
           "budget; plan, price, fit and evaluations then take the folder as --words-per-unit. "
           "What was paid for before is shown for nothing",
       .example = "topicwall lengths notes --out notes.lengths --spend 0.01\n"
                  "  topicwall plan notes --spend 90% --words-per-unit notes.lengths"},
      RunLengths);
  command.Add("corpus", flags->wish.corpus, "Name of the corpus").Required();
  command.Add("--out", flags->folder, "Folder to keep it in, with its receipts").Required();
  AddNoiseFlags(
      command,
      absl::StrCat("Of it all (", kUsualLengthsSpend, " is asked about if none is given): "),
      flags->wish.noise);
  AddCustodianKey(command, &flags->custodian_key);
  command.AddFlag("--yes", flags->yes, "Reserve without asking");
}

}  // namespace topicwall::client
