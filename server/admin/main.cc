// topicwall-admin: the custodian's commands on the data directory of a wall.
// Parsing only chooses what to run and fills its flags; nothing is opened before the whole command
// line is known to be right. Commands print nothing: results go to standard output, and questions,
// progress and warnings to standard error, so that --json is one object whatever else there is to
// say.
#include <signal.h>
#include <sys/stat.h>
#include <topicwall_version.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <optional>
#include <string>

#include "base/command_line.h"
#include "base/standard_streams.h"
#include "base/status_macros.h"
#include "model/kernel_option.h"
#include "server/admin/commands/command_backup.h"
#include "server/admin/commands/command_cancel_plan.h"
#include "server/admin/commands/command_check_config.h"
#include "server/admin/commands/command_ingest.h"
#include "server/admin/commands/command_keys.h"
#include "server/admin/commands/command_migrate_ledger.h"
#include "server/admin/commands/command_open_budget.h"
#include "server/admin/commands/command_options.h"
#include "server/admin/commands/command_rekey.h"
#include "server/admin/commands/command_restore.h"
#include "server/admin/commands/command_statement.h"
#include "server/admin/commands/command_status.h"
#include "server/admin/commands/command_thaw.h"
#include "server/admin/open_budget_options.h"
#include "server/admin/outcome.h"
#include "server/admin/question.h"

namespace topicwall::admin {
namespace {

constexpr int kDone = 0;
constexpr int kError = 1;

using Run = std::function<absl::StatusOr<Outcome>()>;

// What every command has. Filled in while the command line is parsed.
struct Choice {
  Run run;  // of the command that was given
  bool json = false;
};

base::Command Command(base::Command app, Choice& choice, const std::string& name,
                      const std::string& description, const std::string& example, Run run) {
  base::Command command = app.AddCommand(name, description);
  command.Footer("Example:\n  topicwall-admin " + name + " " + example);
  command.AddFlag("--json", choice.json, "Print one JSON object instead of text");
  command.OnParsed([&choice, run] { choice.run = run; });
  return command;
}

void AddConfig(base::Command command, std::string* config) {
  command.Add("--config", *config, "The custodian's configuration (text format)").Required();
}

void ShowProgress(double fraction_read, int64_t documents) {
  std::cerr << "\r" << std::floor(100 * fraction_read) << " %, " << documents << " documents "
            << (fraction_read >= 1 ? "\n" : "") << std::flush;
}

void AddKeys(base::Command app, Choice& choice) {
  static KeysFlags flags;
  base::Command command =
      Command(app, choice, "keys",
              "Make the custodian's key. It is in no backup that topicwall-admin makes, and "
              "losing it loses every corpus and ledger sealed under it.",
              "--output corpus.key", [&] { return MakeKeys(flags); });
  command.Add("--output", flags.output, "A new file; never written over").Required();
}

void AddIngest(base::Command app, Choice& choice) {
  static IngestFlags flags{};
  base::Command command =
      Command(app, choice, "ingest",
              "Seal documents into a corpus file. Counts and line numbers it reports, also with "
              "--json, depend on the documents: they are PRIVATE, for your terminal only.",
              "--config wall.textproto --corpus notes --documents notes.jsonl \\\n"
              "    --vocabulary words.txt --privacy-unit owner",
              [&] {
                // How far it has come depends on the documents: it is for eyes, and never for a
                // file that holds a log.
                const bool watched = isatty(STDERR_FILENO) != 0 && !choice.json;
                flags.dialogue = TerminalDialogue();
                return IngestCorpus(flags, watched ? ShowProgress : corpus::ImportProgress());
              });
  AddConfig(command, &flags.config);
  AddOptions(command, flags);
}

void AddOpenBudget(base::Command app, Choice& choice) {
  static OpenBudgetOptions options;
  base::Command command =
      Command(app, choice, "open-budget",
              "Open the privacy budget of an ingested corpus, once and for ever: what all analysts "
              "together may learn from it.",
              "--config wall.textproto --corpus notes --epsilon 2.44 --delta 1e-6\n"
              "  topicwall-admin open-budget --config wall.textproto --corpus notes --epsilon 2.44 "
              "\\\n    --delta 1e-6 --policy inventory --voucher 6.3,1,10",
              [&]() -> absl::StatusOr<Outcome> {
                TW_ASSIGN_OR_RETURN(OpenBudgetFlags flags, FlagsOf(options));
                flags.dialogue = TerminalDialogue();
                return OpenBudget(flags);
              });
  AddConfig(command, &options.flags.config);
  AddOptions(command, options);
}

void AddReading(base::Command app, Choice& choice) {
  static StatusFlags flags;
  AddConfig(Command(app, choice, "status",
                    "Show corpora, budgets and plans. Reads only, also beside a running server.",
                    "--config wall.textproto", [&] { return ShowStatus(flags); }),
            &flags.config);
  AddConfig(Command(app, choice, "verify-ledger",
                    "Check every chain, budget and stored release of the ledger, and print the "
                    "heads. Reads only, also beside a running server.",
                    "--config wall.textproto", [&] { return VerifyLedger(flags); }),
            &flags.config);
}

void AddStatement(base::Command app, Choice& choice) {
  static StatementFlags flags;
  base::Command command =
      Command(app, choice, "statement",
              "Write the signed privacy statement of a corpus: what is promised, on what it rests, "
              "and what is not protected. Reads only, also beside a running server.",
              "--config wall.textproto --corpus notes --out notes.statement",
              [&] { return MakeStatement(flags); });
  AddConfig(command, &flags.config);
  command.Add("--corpus", flags.corpus, "A name, or the 32 digits of a version").Required();
  command.Add("--out", flags.out, "A new file (otherwise standard output)");
}

void AddCheckConfig(base::Command app, Choice& choice) {
  static CheckConfigFlags flags;
  base::Command command =
      Command(app, choice, "check-config",
              "Check configuration, certificates, key, corpora and ledger as the server does when "
              "it starts, and time the worst case of a release against release_interval_ms. "
              "Changes nothing.",
              "--config wall.textproto --strict", [&] { return CheckConfig(flags); });
  flags.progress = [](absl::string_view line) { std::cerr << line << "\n"; };
  command.AddFlag("--strict", flags.strict, "Exit code 1 for warnings, too");
  AddConfig(command, &flags.config);
}

void AddCancelPlan(base::Command app, Choice& choice) {
  static CancelPlanFlags flags;
  base::Command command =
      Command(app, choice, "cancel-plan",
              "End a plan and give back what was never charged. `status` lists the plans.",
              "--config wall.textproto --plan 0123456789abcdef0123456789abcdef",
              [&] { return CancelPlan(flags); });
  AddConfig(command, &flags.config);
  command.Add("--plan", flags.plan, "32 hexadecimal digits").Required();
}

void AddBackup(base::Command app, Choice& choice) {
  static BackupFlags backup;
  static RestoreFlags restore;
  base::Command command =
      Command(app, choice, "backup",
              "Copy ledger and corpora into a new folder, also beside a running "
              "server. Never the keys.",
              "--config wall.textproto --output backup-monday", [&] { return MakeBackup(backup); });
  AddConfig(command, &backup.config);
  command.Add("--output", backup.output, "A folder that is not there yet").Required();

  command = Command(app, choice, "restore",
                    "Install a backup where the ledger was lost. It stays frozen until thawed.",
                    "--config wall.textproto --input backup-monday",
                    [&] { return RestoreBackup(restore); });
  AddConfig(command, &restore.config);
  command.Add("--input", restore.input, "A folder that backup made").Required();
}

void AddMigrateLedger(base::Command app, Choice& choice) {
  static MigrateLedgerFlags flags;
  base::Command command =
      Command(app, choice, "migrate-ledger",
              "Move the ledger into the database of ledger.postgresql, for several servers on one "
              "budget, or back into the data directory. Stop all its servers first.",
              "--config wall.textproto --to postgresql", [&] { return MigrateLedger(flags); });
  AddConfig(command, &flags.config);
  command
      .AddChoice("--to", flags.to_database, {{"postgresql", true}, {"file", false}},
                 "Where it is to be")
      .Required();
}

void AddThaw(base::Command app, Choice& choice) {
  static ThawFlags flags{};
  base::Command command =
      Command(app, choice, "thaw",
              "Let a restored budget, or a corpus that overruns paused, release again.",
              "--config wall.textproto --forfeit --corpus notes", [&] { return Thaw(flags); });
  AddConfig(command, &flags.config);
  AddOptions(command, flags);
}

void AddRekey(base::Command app, Choice& choice) {
  static RekeyFlags flags;
  base::Command command =
      Command(app, choice, "rekey",
              "Seal every corpus and the ledger under a new key. Interrupted, the same command "
              "goes on. Afterwards point key_file at the new key.",
              "--config wall.textproto --output new.key", [&] { return Rekey(flags); });
  AddConfig(command, &flags.config);
  command.Add("--output", flags.output, "The new key file").Required();
}

int Report(const Choice& choice, absl::StatusOr<Outcome> outcome) {
  if (!outcome.ok()) {
    std::cerr << "topicwall-admin: " << outcome.status().message() << "\n";
    return kError;
  }
  if (choice.json && !outcome->warnings.empty()) {
    outcome->json.SetStrings("warnings", outcome->warnings);
  }
  base::Print(choice.json ? outcome->json.Text() + "\n" : outcome->text);
  for (const std::string& warning : outcome->warnings) {
    std::cerr << "topicwall-admin: warning: " << warning << "\n";
  }
  return base::CodeAfterPrinting("topicwall-admin", outcome->bad_news ? kError : kDone);
}

int Main(int argc, char** argv) {
  base::OccupyStandardStreams();
  umask(077);                // whatever is written here is the custodian's alone
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a full disk and no reason to die
  base::CommandLine line(
      {.program = "topicwall-admin",
       .version = kVersion,
       .description = "The custodian's commands on the data directory of a wall."});
  base::Command app = line.root();
  app.RequireCommand();
  app.Footer(
      "Example:\n  topicwall-admin status --config wall.textproto\n"
      "Every command has --help with an example, and --json. Exit codes: 0 done, 1 error, "
      "2 usage.");
  Choice choice;
  for (const auto add :
       {AddKeys, AddIngest, AddOpenBudget, AddReading, AddStatement, AddCheckConfig, AddCancelPlan,
        AddBackup, AddMigrateLedger, AddThaw, AddRekey}) {
    add(app, choice);
  }
  // What check-config measures with; the server has the same flag and variable.
  model::AddKernelOption(app, "The E-step's arithmetic");
  if (argc <= 1) {
    std::cerr << line.Help();
    return base::CommandLine::kUsage;
  }
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  return Report(choice, choice.run());
}

}  // namespace
}  // namespace topicwall::admin

int main(int argc, char** argv) { return topicwall::admin::Main(argc, argv); }
