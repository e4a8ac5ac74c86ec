#include "server/admin/commands/command_audit.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "server/audit/run_audit.h"

namespace topicwall::admin {
namespace {

absl::StatusOr<audit::Part> PartOf(const std::string& name) {
  for (const audit::Part part : audit::AllParts()) {
    if (audit::NameOf(part) == name) return part;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("part must be one of ", absl::StrJoin(AuditParts(), ", "), "; got ", name, "."));
}

absl::StatusOr<audit::AuditOptions> OptionsOf(
    const AuditFlags& flags, const std::function<void(absl::string_view)>& progress) {
  audit::AuditOptions options;
  for (const std::string& name : flags.parts) {
    TW_ASSIGN_OR_RETURN(const audit::Part part, PartOf(name));
    options.parts.push_back(part);
  }
  if (flags.long_run) {
    options.releases = audit::kLongAuditReleases;
    options.pairs = audit::kLongAuditPairs;
    options.real_clock = true;
  }
  options.releases = flags.releases.value_or(options.releases);
  options.pairs = flags.pairs.value_or(options.pairs);
  options.false_alarm_probability = flags.false_alarm.value_or(options.false_alarm_probability);
  options.seed = flags.seed;
  options.scratch_directory = flags.scratch;
  options.progress = progress;
  return options;
}

base::JsonObject JsonOf(const audit::AuditReport& report) {
  std::vector<base::JsonObject> findings;
  for (const audit::Finding& finding : report.findings) {
    base::JsonObject object;
    object.SetString("part", audit::NameOf(finding.part))
        .SetString("verdict", audit::NameOf(finding.verdict))
        .SetString("claim", finding.claim)
        .SetString("tried", finding.tried)
        .SetString("measured", finding.measured)
        .SetString("bound", finding.bound)
        .SetString("smallest_violation", finding.smallest_violation);
    findings.push_back(object);
  }
  base::JsonObject json;
  json.SetString("seed", report.seed)
      .SetBool("holds", report.Holds())
      .SetInteger("violated", report.Count(audit::Verdict::kViolated))
      .SetInteger("utility_lost", report.Count(audit::Verdict::kUtilityLost))
      .SetInteger("not_finished", report.Count(audit::Verdict::kNotFinished))
      .SetInteger("releases", report.releases)
      .SetInteger("pairs", report.pairs)
      .SetNumber("false_alarm_probability", report.false_alarm_probability)
      .SetString("kernel", report.kernel_name)
      .SetNumber("seconds", report.seconds)
      .SetObjects("findings", findings);
  return json;
}

}  // namespace

std::vector<std::string> AuditParts() {
  std::vector<std::string> names;
  for (const audit::Part part : audit::AllParts()) names.emplace_back(audit::NameOf(part));
  return names;
}

absl::StatusOr<Outcome> Audit(const AuditFlags& flags,
                              const std::function<void(absl::string_view)>& progress) {
  TW_ASSIGN_OR_RETURN(const audit::AuditOptions options, OptionsOf(flags, progress));
  TW_ASSIGN_OR_RETURN(const audit::AuditReport report, audit::RunAudit(options));
  return Outcome{.text = audit::TableOf(report),
                 .json = JsonOf(report),
                 .warnings = {},
                 .bad_news = !report.Holds()};
}

}  // namespace topicwall::admin
