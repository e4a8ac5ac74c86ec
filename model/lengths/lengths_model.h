// Lengths of units as the server computes them: how many units have how many words, so that nobody
// has to assume it.
//
// Options: proto/models/lengths.proto. Parameters: B − 1 edges, any finite numbers >= 0 that never
// fall. A unit of w known words, of all its documents as they count, stands in bin b, of which so
// many edges are at most w; edges that are the same have empty bins between them.
// Shape: D = P = B, one row: 1 in the unit's bin and 0 in all others. So a unit's norm is exactly
// 1, whatever its length: at C = 1 nothing is clipped, and no largest length has to be chosen. What
// is made of its release is the analyst's half: length_estimate.h.
#ifndef TOPICWALL_MODEL_LENGTHS_LENGTHS_MODEL_H_
#define TOPICWALL_MODEL_LENGTHS_LENGTHS_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/statistic_model.h"
#include "model/worst_case.h"

namespace topicwall::lengths {

inline constexpr int kMaxBins = 1024;

// INVALID_ARGUMENT for bytes that are no LengthOptions, and for B outside [2, kMaxBins].
absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeLengthsModel(absl::string_view options,
                                                                        int64_t vocabulary_size);

// A document's words are counted once, and looked up among as many edges as there may be.
absl::StatusOr<std::vector<model::WorstCase>> WorstLengths(const model::AnalystLimits& limits);

}  // namespace topicwall::lengths

#endif  // TOPICWALL_MODEL_LENGTHS_LENGTHS_MODEL_H_
