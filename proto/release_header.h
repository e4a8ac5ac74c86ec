// What a wall stores of a release beside its numbers, and what an analyst is sent of it.
//
//   base::Sha256Of(StoredOf(header).SerializeAsString())   // header_sha256 in the chain
//
// A StoredRelease is a part of a ReleaseHeader, under the same names; the rest is of the plan and
// of the charge. Its digest stands in the chain: a field of it that was not handed on here would
// make every release look forged. PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_PROTO_RELEASE_HEADER_H_
#define TOPICWALL_PROTO_RELEASE_HEADER_H_

#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::proto {

v1::StoredRelease StoredOf(const v1::ReleaseHeader& header);

// Without plan, times and receipts.
v1::ReleaseHeader HeaderOf(const v1::StoredRelease& stored);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_RELEASE_HEADER_H_
