// topicwall-audit: attacks the wall as it is built, before anybody's documents are in it.
#include <topicwall_version.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/command_line.h"
#include "server/audit/audit_report.h"
#include "server/audit/run_audit.h"

namespace topicwall::audit {
namespace {

constexpr int kHolds = 0;
constexpr int kDoesNot = 1;

struct Flags {
  std::vector<std::string> parts;
  bool long_run = false;
  std::optional<int> releases;
  std::optional<int> pairs;
  std::optional<double> false_alarm;
  std::string seed;
  std::string scratch;
  bool json = false;
};

std::vector<std::string> PartNames() {
  std::vector<std::string> names;
  for (const Part part : AllParts()) names.emplace_back(NameOf(part));
  return names;
}

void AddOptions(base::Command command, Flags& flags) {
  command.Add("--part", flags.parts, "Only this part; may be repeated")
      .Repeated()
      .OneOf(PartNames());
  command.AddFlag(
      "--long", flags.long_run,
      "A hundred times the effort, and a real clock: some twenty minutes, not one or two");
  command.Add("--releases", flags.releases,
              "Releases that statistics are made from (100; with --long 10000)");
  command.Add("--pairs", flags.pairs, "Neighbouring corpora to make up (60; with --long 3000)");
  command.Add("--false-alarm", flags.false_alarm,
              "Probability that a wall without defects fails the run (1e-6)");
  command.Add("--seed", flags.seed,
              "Choose what an earlier run chose: the 32 digits that it printed first");
  command.Add("--scratch", flags.scratch,
              "Where the audit's own folder is made for as long as it runs");
  command.AddFlag("--json", flags.json, "Print one JSON object instead of text");
  command.Footer(
      "Example:\n  topicwall-audit --part noise --releases 1000\n"
      "Exit codes: 0 everything holds, 1 it does not, or the audit failed, 2 usage.");
}

AuditOptions OptionsOf(const Flags& flags) {
  AuditOptions options;
  for (const Part part : AllParts()) {
    for (const std::string& name : flags.parts) {
      if (NameOf(part) == name) options.parts.push_back(part);
    }
  }
  if (flags.long_run) {
    options.releases = kLongAuditReleases;
    options.pairs = kLongAuditPairs;
    options.real_clock = true;
  }
  options.releases = flags.releases.value_or(options.releases);
  options.pairs = flags.pairs.value_or(options.pairs);
  options.false_alarm_probability = flags.false_alarm.value_or(options.false_alarm_probability);
  options.seed = flags.seed;
  options.scratch_directory = flags.scratch;
  options.progress = [](absl::string_view line) { std::cerr << line << "\n"; };
  return options;
}

int Run(int argc, char** argv) {
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
    return kDoesNot;
  }
  std::cout << (flags.json ? JsonOf(*report).Text() + "\n" : TableOf(*report)) << std::flush;
  return std::cout.good() && report->Holds() ? kHolds : kDoesNot;
}

}  // namespace
}  // namespace topicwall::audit

int main(int argc, char** argv) { return topicwall::audit::Run(argc, argv); }
