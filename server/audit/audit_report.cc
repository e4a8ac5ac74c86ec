#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/table.h"
#include "server/audit/audit.h"

namespace topicwall::audit {
namespace {

constexpr std::size_t kWidth = 100;

std::string Padded(absl::string_view text, std::size_t width) {
  return absl::StrCat(text, std::string(width - std::min(width, base::WidthOf(text)), ' '));
}

// `text` after `first`, broken between words; further lines start under it.
std::string Wrapped(const std::string& first, absl::string_view text) {
  const std::string margin(base::WidthOf(first), ' ');
  std::string out;
  std::string line = first;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    // By columns and not by bytes: ε and σ have two.
    if (base::WidthOf(line) + 1 + base::WidthOf(word) > kWidth) {
      out += line + "\n";
      line = margin;
    }
    // The first word of a line stands right behind its label or margin.
    absl::StrAppend(&line, line.empty() || line.back() == ' ' ? "" : " ", word);
  }
  return absl::StrCat(out, line, "\n");
}

std::string Row(const Finding& finding) {
  std::string out =
      Wrapped(Padded(finding.part, 10) + Padded(NameOf(finding.verdict), 14), finding.claim);
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) out += Wrapped(std::string(24, ' ') + Padded(label, 11), text);
  };
  add("tried", finding.tried);
  add("measured", finding.measured);
  add("bound", finding.bound);
  add("would see", finding.smallest_violation);
  return out;
}

}  // namespace

// Without a finding nothing was looked at, which is no wall that holds.
bool AuditReport::Holds() const {
  return !findings.empty() && Count(Verdict::kHolds) == static_cast<int>(findings.size());
}

int AuditReport::Count(Verdict verdict) const {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(),
                    [verdict](const Finding& finding) { return finding.verdict == verdict; }));
}

std::string TableOf(const AuditReport& report) {
  std::string out = absl::StrCat("seed ", report.seed, "\n\n", Padded("part", 10),
                                 Padded("verdict", 14), "claim\n");
  for (const Finding& finding : report.findings) out += Row(finding);
  absl::StrAppendFormat(&out,
                        "\n%d findings: %d hold, %d violated, %d of utility lost, %d not finished "
                        "(%.0f s).\n",
                        report.findings.size(), report.Count(Verdict::kHolds),
                        report.Count(Verdict::kViolated), report.Count(Verdict::kUtilityLost),
                        report.Count(Verdict::kNotFinished), report.seconds);
  return out + Wrapped("", absl::StrFormat(
                               "A wall without defects fails such a run with probability at most "
                               "%g (%d releases, %d pairs, kernel %s). What holds here was not "
                               "broken by what was tried; the promise itself is proved, not "
                               "measured.",
                               report.options.false_alarm_probability, report.options.releases,
                               report.options.pairs, report.kernel_name));
}

base::JsonObject JsonOf(const AuditReport& report) {
  std::vector<base::JsonObject> findings;
  for (const Finding& finding : report.findings) {
    findings.emplace_back()
        .SetString("part", finding.part)
        .SetString("verdict", NameOf(finding.verdict))
        .SetString("claim", finding.claim)
        .SetString("tried", finding.tried)
        .SetString("measured", finding.measured)
        .SetString("bound", finding.bound)
        .SetString("smallest_violation", finding.smallest_violation);
  }
  base::JsonObject json;
  json.SetString("seed", report.seed)
      .SetBool("holds", report.Holds())
      .SetInteger("violated", report.Count(Verdict::kViolated))
      .SetInteger("utility_lost", report.Count(Verdict::kUtilityLost))
      .SetInteger("not_finished", report.Count(Verdict::kNotFinished))
      .SetInteger("releases", report.options.releases)
      .SetInteger("pairs", report.options.pairs)
      .SetNumber("false_alarm_probability", report.options.false_alarm_probability)
      .SetString("kernel", report.kernel_name)
      .SetNumber("seconds", report.seconds)
      .SetObjects("findings", findings);
  return json;
}

}  // namespace topicwall::audit
