// topicwall-audit: attacks the wall as it is built, before anybody's documents are in it.
#include <signal.h>
#include <topicwall_version.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/command_line.h"
#include "base/standard_streams.h"
#include "server/audit/audit.h"

namespace topicwall::audit {
namespace {

constexpr int kHolds = 0;
constexpr int kDoesNot = 1;
// With --long.
constexpr int kLongReleases = 10'000;
constexpr int kLongPairs = 3'000;

struct Flags {
  AuditOptions options;
  std::optional<int> releases;
  std::optional<int> pairs;
  bool json = false;
};

void AddOptions(base::Command command, Flags& flags) {
  AuditOptions& options = flags.options;
  command.Add("--part", options.parts, "Only this part; may be repeated")
      .Repeated()
      .OneOf(PartNames());
  command.AddFlag(
      "--long", options.real_clock,
      "More releases and pairs, a tenth of the violation seen, and the part timing, by a real "
      "clock: some twenty minutes, not one or two");
  command.Add("--releases", flags.releases,
              absl::StrCat("Releases that statistics are made from (", options.releases,
                           "; with --long ", kLongReleases, ")"));
  command.Add("--pairs", flags.pairs,
              absl::StrCat("Neighbouring corpora to make up (", options.pairs, "; with --long ",
                           kLongPairs, ")"));
  command.Add("--false-alarm", options.false_alarm_probability,
              "Probability that a wall without defects fails the run (1e-6)");
  command.Add("--seed", options.seed,
              "Choose what an earlier run chose: the 32 digits that it printed first");
  command.Add("--scratch", options.scratch_directory,
              "Where the audit's own folder is made for as long as it runs");
  command.AddFlag("--json", flags.json, "Print one JSON object instead of text");
  command.Footer(
      "Example:\n  topicwall-audit --part noise --releases 1000\n"
      "Exit codes: 0 everything holds, 1 it does not, or the audit failed, 2 usage.");
}

AuditOptions OptionsOf(Flags flags) {
  AuditOptions& options = flags.options;
  if (options.real_clock) {
    options.releases = kLongReleases;
    options.pairs = kLongPairs;
  }
  // What was typed stands, also with --long.
  options.releases = flags.releases.value_or(options.releases);
  options.pairs = flags.pairs.value_or(options.pairs);
  options.progress = [](absl::string_view line) { std::cerr << line << "\n"; };
  return options;
}

int Run(int argc, char** argv) {
  base::OccupyStandardStreams();
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a full disk and no reason to die
  base::CommandLine line(
      {.program = "topicwall-audit",
       .version = kVersion,
       .description =
           "Attacks the wall as it was built for this machine, on made-up documents: neighbouring "
           "corpora and inputs, little memory, noise, sampling, ledger, schedule; --long: a real "
           "clock, too. What it chooses follows from a seed that it prints. Needs no configuration "
           "and touches no data directory."});
  Flags flags;
  AddOptions(line.root(), flags);
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  const absl::StatusOr<AuditReport> report = RunAudit(OptionsOf(flags));
  if (!report.ok()) {
    std::cerr << "topicwall-audit: " << report.status().message() << "\n";
    // Before anything was audited: only the options are checked so.
    return absl::IsInvalidArgument(report.status()) ? base::CommandLine::kUsage : kDoesNot;
  }
  base::Print(flags.json ? JsonOf(*report).Text() + "\n" : TableOf(*report));
  // A report that was not written to its end is none that says that all holds.
  return base::CodeAfterPrinting("topicwall-audit", report->Holds() ? kHolds : kDoesNot);
}

}  // namespace
}  // namespace topicwall::audit

int main(int argc, char** argv) { return topicwall::audit::Run(argc, argv); }
