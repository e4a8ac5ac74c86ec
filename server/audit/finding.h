// What one check of the audit found: one row of its table.
//
// A finding says what is claimed of the wall, what was tried against it, what came out, the bound
// that must hold, and the smallest violation that this run would have seen: an audit that finds
// nothing is worth as much as that last number.
//
// Verdicts. VIOLATED: the wall does not keep its promise. UTILITY LOST: it keeps it, and gives
// analysts less than they paid for. NOT FINISHED: the wall or the machine failed on the way, so
// nothing is known. Only HOLDS is good.
//
// PUBLIC: an audit sees its own made-up corpora alone.
#ifndef TOPICWALL_SERVER_AUDIT_FINDING_H_
#define TOPICWALL_SERVER_AUDIT_FINDING_H_

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace topicwall::audit {

enum class Verdict { kHolds, kUtilityLost, kViolated, kNotFinished };

inline absl::string_view NameOf(Verdict verdict) {
  constexpr const char* kNames[] = {"holds", "UTILITY LOST", "VIOLATED", "NOT FINISHED"};
  return kNames[static_cast<int>(verdict)];
}
// Of a promise that is kept or not.
inline Verdict HoldsIf(bool holds) { return holds ? Verdict::kHolds : Verdict::kViolated; }

struct Finding {
  std::string claim = {};               // "adding a unit moves the integer sum by at most M"
  std::string tried = {};               // "171 neighbouring pairs, 21 of them by name"
  std::string measured = {};            // "at most 1.000000 M (a million words)"
  std::string bound = {};               // "M"
  std::string smallest_violation = {};  // that would have been seen: "1 grid step"
  Verdict verdict = Verdict::kNotFinished;
  std::string part = {};  // which found it; RunAudit says so
};

using Findings = absl::StatusOr<std::vector<Finding>>;

inline void Append(std::vector<Finding> more, std::vector<Finding>* findings) {
  findings->insert(findings->end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
}

// One claim over many tries, each by name.
class Tries {
 public:
  void Note(bool good, absl::string_view name) {
    if (!good && failures_++ == 0) first_ = std::string(name);
  }
  bool AllGood() const { return failures_ == 0; }
  // "; not so in 3 (a million words, …)", or nothing.
  std::string Failures() const {
    return AllGood() ? "" : absl::StrCat("; not so in ", failures_, " (", first_, ", …)");
  }

 private:
  int failures_ = 0;
  std::string first_;
};

// That claim, which nothing was tried for unless `any`.
inline Finding FindingOf(const Tries& tries, bool any, Finding claimed) {
  claimed.measured += tries.Failures();
  claimed.verdict = HoldsIf(tries.AllGood() && any);
  return claimed;
}

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_FINDING_H_
