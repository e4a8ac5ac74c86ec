// A plan's spec as the ledger keeps it: of its weights, which are as many as a vocabulary has terms
// and the same in many plans, the SHA-256 alone.
//
//   *reserved.mutable_spec() = proto::RecordOf(asked);      // what is priced, signed and shown
//   if (proto::SameSpec(reserved.spec(), proto::RecordOf(asked_again))) …
//
// PUBLIC. Pure functions, any thread. Cost: one hash over the weights.
#ifndef TOPICWALL_PROTO_RELEASE_SPEC_H_
#define TOPICWALL_PROTO_RELEASE_SPEC_H_

#include <cstddef>

#include "proto/wall.pb.h"

namespace topicwall::proto {

// Of ReleaseSpec.options, at most: they stand in the event of a plan, and in every receipt.
inline constexpr size_t kMaxOptionBytes = size_t{1} << 16;

// Of any form of the spec, its own record included. Fields that this program does not know are
// gone. Empty weights are none.
v1::ReleaseSpec RecordOf(const v1::ReleaseSpec& spec);

// Field by field, bit by bit.
bool SameSpec(const v1::ReleaseSpec& a, const v1::ReleaseSpec& b);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_RELEASE_SPEC_H_
