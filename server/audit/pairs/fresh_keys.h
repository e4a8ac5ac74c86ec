// Whether the keys of this program come from the operating system and from nothing that two
// processes could share.
//
//   TW_ASSIGN_OR_RETURN(const bool fresh, KeysDifferAcrossFork());
//
// A generator that keeps a state of its own, seeded by a constant, the clock or whatever, gives a
// forked child the same numbers as its parent; the operating system's does not. Both draw kDraws
// keys as a charge does, and no key may come twice.
//
// Call it before there are other threads: the child only draws, writes to a pipe and ends.
// False alarm: below 2^-240. Errors: UNAVAILABLE if there can be no child.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_FRESH_KEYS_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_FRESH_KEYS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace topicwall::audit {

inline constexpr int kKeysDrawnByEach = 16;

absl::StatusOr<bool> KeysDifferAcrossFork();

// Whether no key is there twice. Their order is lost.
bool AllDifferent(std::vector<std::vector<uint8_t>>* keys);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_FRESH_KEYS_H_
