#include "server/audit/audit_report.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/table.h"

namespace topicwall::audit {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kPartWidth = 10;
constexpr std::size_t kVerdictWidth = 14;
constexpr std::size_t kLabelWidth = 11;

std::string Padded(absl::string_view text, std::size_t width) {
  return absl::StrCat(text, std::string(width - std::min(width, base::WidthOf(text)), ' '));
}

// `text` after `first`, broken between words; further lines start under it.
std::string Wrapped(const std::string& first, absl::string_view text) {
  const std::size_t indent = base::WidthOf(first);
  std::string out = first;
  std::size_t column = indent;
  bool at_start = true;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::size_t needed = base::WidthOf(word) + (at_start ? 0 : 1);
    if (!at_start && column + needed > kWidth) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '), word);
      column = indent + base::WidthOf(word);
      continue;
    }
    absl::StrAppend(&out, at_start ? "" : " ", word);
    column += needed;
    at_start = false;
  }
  return out + "\n";
}

std::string Row(const Finding& finding) {
  const std::string margin(kPartWidth + kVerdictWidth, ' ');
  std::string out = Wrapped(absl::StrCat(Padded(NameOf(finding.part), kPartWidth),
                                         Padded(NameOf(finding.verdict), kVerdictWidth)),
                            finding.claim);
  const auto line = [&](absl::string_view label, const std::string& text) {
    if (!text.empty()) out += Wrapped(margin + Padded(label, kLabelWidth), text);
  };
  line("tried", finding.tried);
  line("measured", finding.measured);
  line("bound", finding.bound);
  line("would see", finding.smallest_violation);
  return out;
}

}  // namespace

bool AuditReport::Holds() const {
  return !findings.empty() && Count(Verdict::kHolds) == static_cast<int>(findings.size());
}

int AuditReport::Count(Verdict verdict) const {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(),
                    [verdict](const Finding& finding) { return finding.verdict == verdict; }));
}

std::string TableOf(const AuditReport& report) {
  std::string out = absl::StrCat("seed ", report.seed, "\n\n", Padded("part", kPartWidth),
                                 Padded("verdict", kVerdictWidth), "claim\n");
  for (const Finding& finding : report.findings) out += Row(finding);
  absl::StrAppendFormat(&out,
                        "\n%d findings: %d hold, %d violated, %d of utility lost, %d not finished "
                        "(%.0f s).\n",
                        report.findings.size(), report.Count(Verdict::kHolds),
                        report.Count(Verdict::kViolated), report.Count(Verdict::kUtilityLost),
                        report.Count(Verdict::kNotFinished), report.seconds);
  out += Wrapped(
      "", absl::StrFormat("A wall without defects fails such a run with probability at most %g "
                          "(%d releases, %d pairs, kernel %s). What holds here was not broken by "
                          "what was tried; the promise itself is proved, not measured.",
                          report.false_alarm_probability, report.releases, report.pairs,
                          report.kernel_name));
  return out;
}

base::JsonObject JsonOf(const AuditReport& report) {
  std::vector<base::JsonObject> findings;
  for (const Finding& finding : report.findings) {
    base::JsonObject object;
    object.SetString("part", NameOf(finding.part))
        .SetString("verdict", NameOf(finding.verdict))
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
      .SetInteger("violated", report.Count(Verdict::kViolated))
      .SetInteger("utility_lost", report.Count(Verdict::kUtilityLost))
      .SetInteger("not_finished", report.Count(Verdict::kNotFinished))
      .SetInteger("releases", report.releases)
      .SetInteger("pairs", report.pairs)
      .SetNumber("false_alarm_probability", report.false_alarm_probability)
      .SetString("kernel", report.kernel_name)
      .SetNumber("seconds", report.seconds)
      .SetObjects("findings", findings);
  return json;
}

}  // namespace topicwall::audit
