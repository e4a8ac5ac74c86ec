#include "server/audit/finding.h"

namespace topicwall::audit {

absl::Span<const Part> AllParts() {
  static constexpr Part kParts[] = {Part::kMemory,   Part::kReplay, Part::kInputs,   Part::kNoise,
                                    Part::kSampling, Part::kLedger, Part::kSchedule, Part::kTiming};
  return kParts;
}

absl::string_view NameOf(Part part) {
  switch (part) {
    case Part::kReplay:
      return "replay";
    case Part::kInputs:
      return "inputs";
    case Part::kMemory:
      return "memory";
    case Part::kNoise:
      return "noise";
    case Part::kSampling:
      return "sampling";
    case Part::kLedger:
      return "ledger";
    case Part::kSchedule:
      return "schedule";
    case Part::kTiming:
      return "timing";
  }
  return "";
}

absl::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kUtilityLost:
      return "UTILITY LOST";
    case Verdict::kViolated:
      return "VIOLATED";
    case Verdict::kNotFinished:
      return "NOT FINISHED";
  }
  return "";
}

}  // namespace topicwall::audit
