#include "server/audit/run_audit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/models.h"
#include "server/audit/inputs_part.h"
#include "server/audit/ledger_part.h"
#include "server/audit/memory_part.h"
#include "server/audit/noise_part.h"
#include "server/audit/replay_part.h"
#include "server/audit/sampling_part.h"
#include "server/audit/schedule_part.h"
#include "server/audit/scratch_folder.h"
#include "server/audit/timing_part.h"

namespace topicwall::audit {
namespace {

constexpr int kMinReleases = 20;
constexpr int kMaxReleases = 100'000;
constexpr int kMaxPairs = 1'000'000;
// Sides of statistical checks in a whole run; there are fewer.
constexpr double kMostOneSidedChecks = 128;

absl::Status Validate(const AuditOptions& options) {
  if (!(options.releases >= kMinReleases && options.releases <= kMaxReleases)) {
    return absl::InvalidArgumentError(absl::StrCat("releases must be in [", kMinReleases, ", ",
                                                   kMaxReleases, "]; got ", options.releases,
                                                   ". 100 take about a minute."));
  }
  if (!(options.pairs >= 0 && options.pairs <= kMaxPairs)) {
    return absl::InvalidArgumentError(absl::StrCat("pairs must be in [0, ", kMaxPairs, "]; got ",
                                                   options.pairs, ". 100 take some seconds."));
  }
  if (!(options.false_alarm_probability >= 1e-12 && options.false_alarm_probability <= 1e-2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("false_alarm_probability must be in [1e-12, 1e-2]; got ",
                     options.false_alarm_probability, ". 1e-6 is usual."));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Finding>> RunPart(Part part, const AuditOptions& options,
                                             const AuditSeed& seed, ScratchFolder& folder) {
  const double x = std::log(kMostOneSidedChecks / options.false_alarm_probability);
  switch (part) {
    case Part::kReplay:
      return AuditReplay(options, seed, folder);
    case Part::kInputs:
      return AuditInputs(options, seed, &folder);
    case Part::kMemory:
      return AuditMemory(options, &folder);
    case Part::kNoise:
      return AuditNoise(options, x, &folder);
    case Part::kSampling:
      return AuditSampling(options, x, &folder);
    case Part::kLedger:
      return AuditLedger(&folder);
    case Part::kSchedule:
      return AuditSchedule(&folder);
    case Part::kTiming:
      return AuditTiming(options, seed, x, &folder);
  }
  return absl::InternalError("a part without a function");
}

bool IsAsked(Part part, const AuditOptions& options) {
  if (options.parts.empty()) return part != Part::kTiming || options.real_clock;
  return std::count(options.parts.begin(), options.parts.end(), part) > 0;
}

// A part that could not be run to its end.
Finding Unfinished(Part part, const absl::Status& status) {
  return {part, "the part runs to its end", "", std::string(status.message()), "",
          "",   Verdict::kNotFinished};
}

}  // namespace

absl::StatusOr<AuditReport> RunAudit(const AuditOptions& options) {
  TW_RETURN_IF_ERROR(Validate(options));
  TW_ASSIGN_OR_RETURN(const AuditSeed seed,
                      options.seed.empty() ? AuditSeed::Fresh() : AuditSeed::Of(options.seed));
  const auto tell = [&](const std::string& line) {
    if (options.progress != nullptr) options.progress(line);
  };
  tell(absl::StrCat("seed ", seed.Hex()));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ScratchFolder> folder,
                      ScratchFolder::Create(options.scratch_directory));
  const auto start = std::chrono::steady_clock::now();
  AuditReport report = {.seed = seed.Hex(),
                        .findings = {},
                        .releases = options.releases,
                        .pairs = options.pairs,
                        .false_alarm_probability = options.false_alarm_probability,
                        .kernel_name = model::ChosenKernelName(),
                        .seconds = 0};
  for (const Part part : AllParts()) {
    if (!IsAsked(part, options)) continue;
    tell(absl::StrCat(NameOf(part), "…"));
    absl::StatusOr<std::vector<Finding>> findings = RunPart(part, options, seed, *folder);
    if (findings.ok()) {
      report.findings.insert(report.findings.end(), findings->begin(), findings->end());
    } else {
      report.findings.push_back(Unfinished(part, findings.status()));
    }
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace topicwall::audit
