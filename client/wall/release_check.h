// Whether a release is the one that was asked for, whole and usable.
//
// Checked: plan, iteration, request digest, shape, C and r are those of the request; the
// statistics have the SHA-256 of the header; every entry is finite; the stated noise is the
// plan's σ·C (the wall's grid makes it larger by less than one part in 2^9 at any σ); if the
// plan has a norm histogram, it has 48 finite counts and the plan's σ_h. What cannot be checked
// from here: that the numbers were computed from the corpus, and that the noise was drawn as
// stated. That is the custodian's promise. PUBLIC. Cost: one pass and one hash over the entries.
#ifndef TOPICWALL_CLIENT_WALL_RELEASE_CHECK_H_
#define TOPICWALL_CLIENT_WALL_RELEASE_CHECK_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/sha256.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

struct ExpectedRelease {
  std::string plan_id;
  int32_t iteration;
  // Nothing: any digest will do, as for a release that was asked for by another run.
  std::optional<base::Digest> request_digest;
  ReleaseShape shape;
  double clip_norm;            // C
  double direction_noise = 0;  // r
  v1::ReleaseSpec plan;        // σ and σ_h of it
};

// DATA_LOSS naming the first difference; then the release must not be used.
absl::Status CheckRelease(const Release& release, const ExpectedRelease& expected);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_RELEASE_CHECK_H_
