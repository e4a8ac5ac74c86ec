// Which units are held out of training, and are what an evaluation is made of.
//
//   absl::StatusOr<HeldOutUnits> held_out = HeldOutUnits::Create(key, /*share=*/0.1);
//   absl::Status status = held_out->Keep(HeldOutUnits::Side::kTraining, ids, &positions);
//
// A unit is held out if 64 bits of AES-256_key(unit id) are below floor(share·2^64): a share
// rounded down by at most 2^-64, and every unit for share 1. The key is the custodian's
// (server/sealing/custodian_key.h) and never changes, so a unit is on the same side in every
// release, after every restart and in every version and corpus of the custodian that has it; who is
// held out at a small share is held out at every larger one. Without the key nobody can tell.
// (Where ids are places in a file, each version has a key of its own: server/corpus/corpus_store.h.)
//
// Why it costs nothing: a unit's side is a function of that unit alone, of its id and a key that no
// document has a part in. Corpora that differ in one
// unit differ, on the side that is taken, in that unit or in nobody; so what is proved of a release
// of everybody (noise_mechanism.h) holds word for word of a release of one side, and charges add up
// as if both sides were one. That they are apart is for the analyst's sake, and claimed of nothing.
//
// Privacy: PRIVATE, positions and their number. Errors: INVALID_ARGUMENT unless the share is in
// (0, 1]; INTERNAL if OpenSSL fails: *positions is then empty and the release must not go on.
// Threads: Keep may be called from many threads at once. Cost: about 10 ns a unit.
#ifndef TOPICWALL_SERVER_MECHANISM_HELD_OUT_UNITS_H_
#define TOPICWALL_SERVER_MECHANISM_HELD_OUT_UNITS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/mechanism/poisson_sampler.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"

namespace topicwall::mechanism {

class HeldOutUnits {
 public:
  enum class Side { kTraining, kHeldOut };

  static absl::StatusOr<HeldOutUnits> Create(const random::SecretKey& key, double share);

  // Removes from *positions, ascending indices into `units`, those of the other side.
  absl::Status Keep(Side side, absl::Span<const random::UnitId> units,
                    std::vector<std::size_t>* positions) const;

 private:
  explicit HeldOutUnits(PoissonSampler held_out) : held_out_(std::move(held_out)) {}

  // Picks the held-out units, with coins that never change.
  PoissonSampler held_out_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_HELD_OUT_UNITS_H_
