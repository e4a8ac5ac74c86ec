// An act on a shared ledger, tried again while others are first.
//
//   return UntilFirst<absl::StatusOr<ChargeOutcome>>(others_write, [&] { … decide, append … });
//
// ABORTED says that another server has appended since the state was read, and that nothing was
// written: the act is decided again on the new state, which it reads first. From the second time on
// each server waits for a random while before that, twice as long on average each time: whoever was
// late is then no later than whoever comes anew, and of n servers none is always last. UNAVAILABLE
// after kTries.
//
// Threads: any; no lock may be held.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_CONTENDED_ACT_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_CONTENDED_ACT_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace topicwall::ledger {

inline constexpr int kTries = 30;

// Before try `number` (from 1) is followed by another.
void WaitForAnotherTry(int number);
absl::Status TooManyAreFirst();

inline const absl::Status& StatusIn(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusIn(const absl::StatusOr<T>& result) {
  return result.status();
}

template <typename Result>
Result UntilFirst(bool others_write, absl::FunctionRef<Result()> act) {
  if (!others_write) return act();  // nobody has a right to be first
  for (int number = 1; number <= kTries; ++number) {
    Result result = act();
    if (!absl::IsAborted(StatusIn(result))) return result;
    WaitForAnotherTry(number);
  }
  return TooManyAreFirst();
}

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_CONTENDED_ACT_H_
