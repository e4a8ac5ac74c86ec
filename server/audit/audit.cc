#include "server/audit/audit.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/models.h"
#include "server/audit/attack.h"
#include "server/audit/parts.h"

namespace topicwall::audit {
namespace {

struct Part {
  const char* name;
  Findings (*run)(Attack&);
};

// The first forks, so that nothing may have started a thread before it, and no memory may have been
// given back that a child would take without asking.
constexpr Part kParts[] = {{"memory", AttackMemory},     {"replay", AttackSums},
                           {"inputs", AttackInputs},     {"noise", AttackNoise},
                           {"sampling", AttackSampling}, {"ledger", AttackLedger},
                           {"schedule", AttackSchedule}, {"timing", AttackTiming}};
constexpr absl::string_view kOnlyLong = "timing";

bool IsAsked(absl::string_view part, const AuditOptions& options) {
  if (options.parts.empty()) return part != kOnlyLong || options.real_clock;
  return std::count(options.parts.begin(), options.parts.end(), part) > 0;
}

}  // namespace

std::vector<std::string> PartNames() {
  std::vector<std::string> names;
  for (const Part& part : kParts) names.emplace_back(part.name);
  return names;
}

absl::StatusOr<AuditReport> RunAudit(const AuditOptions& options) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<Attack> attack, Attack::Create(options));
  attack->Tell(absl::StrCat("seed ", attack->seed()));
  const auto start = std::chrono::steady_clock::now();
  AuditReport report = {
      .seed = attack->seed(), .options = options, .kernel_name = model::ChosenKernelName()};
  for (const Part& part : kParts) {
    if (!IsAsked(part.name, options)) continue;
    attack->Tell(absl::StrCat(part.name, "…"));
    Findings found = part.run(*attack);
    // NOT FINISHED, which holds no more than a violation does: a part that could not look has not
    // found nothing.
    if (!found.ok()) {
      found = std::vector<Finding>{
          {.claim = "the part runs to its end", .measured = std::string(found.status().message())}};
    }
    for (Finding& finding : *found) {
      finding.part = part.name;
      report.findings.push_back(std::move(finding));
    }
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace topicwall::audit
