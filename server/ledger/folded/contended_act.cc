#include "server/ledger/folded/contended_act.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/random/secure_random.h"

namespace topicwall::ledger {

// Evenly between 0 and 2, 4, 8 … 64 ms; not at all at first: who was second is next, while who was
// first answers.
void WaitForAnotherTry(int number) {
  if (number == 1) return;
  std::array<uint8_t, 2> bytes{};
  random::FillRandom(absl::MakeSpan(bytes)).IgnoreError();  // without: at once, which is slower
  const int64_t share = bytes[0] * 256 + bytes[1];
  // No longer than 64 ms each, so kTries take two seconds at most.
  const int64_t longest_us = int64_t{1000} << std::min(number - 1, 6);
  absl::SleepFor(absl::Microseconds(longest_us * share / 65536));
}

absl::Status TooManyAreFirst() {
  return absl::UnavailableError(
      "other servers of the ledger are always first; nothing was changed: send the same request "
      "again.");
}

}  // namespace topicwall::ledger
