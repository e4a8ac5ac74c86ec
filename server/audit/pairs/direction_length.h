// How far a unit moves a sum where rows have directions.
//
//   TW_ASSIGN_OR_RETURN(const mechanism::RowDirections directions, DirectionsOf(pair, *inference));
//   if (!(SquaredLengthAlong(directions, with, without) <= M * M)) …   // the guarantee is broken
//
// There a unit may move the sum by more than M; what it moves by at most M is the sum together with
// the noise along its directions, and that is the inequality (*) of
// server/mechanism/row_directions.h. Which directions and scale there are is the mechanism's own
// word, for the noise has them; what becomes of them is worked out here, by other arithmetic.
//
// Privacy: as grid_reading.h has it. Threads: any. Cost: some passes over D.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_DIRECTION_LENGTH_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_DIRECTION_LENGTH_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/mechanism/row_directions.h"

namespace topicwall::audit {

// None for a pair without direction noise. INVALID_ARGUMENT if the model has none.
absl::StatusOr<mechanism::RowDirections> DirectionsOf(const NeighbouringPair& asked,
                                                      const model::Inference& inference);

// The least that the left side of (*) is for q = `with` − `without` and any integers m, exactly;
// Σ q², as SquaredLength has it, without directions. D numbers each, column by column in `rows`.
// Entries beyond 2^48 count as 2^48.
absl::uint128 SquaredLengthAlong(const mechanism::RowDirections& directions, int rows,
                                 const std::vector<uint64_t>& with,
                                 const std::vector<uint64_t>& without);

// How much shorter than M, of M, a unit may be whose m were rounded: each adds N/4 at most to the
// left of (*), where N = R² + τ². 0 without directions.
double LostToRounding(double direction_noise, int rows);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_DIRECTION_LENGTH_H_
