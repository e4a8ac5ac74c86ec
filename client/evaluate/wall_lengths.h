// How long the units of a corpus are, in known words, measured instead of assumed: one more charged
// plan of one release, of the model "unit_lengths". It needs no model of topics.
//
// A unit counts as one in one bin, whatever it says: C = 1 cuts nothing. Bins reach as far as the
// wall's limits let a unit be long.
//
// Order, what an interruption does, and errors of all that is asked so: ask_paid.h.
//
// Errors: INVALID_ARGUMENT for a noise that CheckNoise refuses, and for a corpus of vectors.
// PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_WALL_LENGTHS_H_
#define TOPICWALL_CLIENT_EVALUATE_WALL_LENGTHS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/evaluate/ask_paid.h"
#include "client/evaluate/lengths_file.h"
#include "client/fit/model_directory.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// What to spend where nobody says: little, and of some ten thousand units enough.
inline constexpr char kUsualLengthsSpend[] = "0.01";

struct LengthsQuote : PlanQuote {
  int64_t most_words;        // of a unit, by the wall's limits
  std::vector<float> edges;  // of bins
};

using LengthsHooks = PaidHooks<LengthsQuote>;

using WallLengths = Asked<v1::LengthsFile>;

absl::StatusOr<WallLengths> AskLengths(WallPort& wall, ModelDirectory& directory,
                                       const LengthsWish& wish, const LengthsHooks& hooks);

// The price, without reserving it.
absl::StatusOr<LengthsQuote> QuoteLengths(WallPort& wall, const LengthsWish& wish);

// How many of all units the median will be off by, as lengths::ExpectedRankError. Nothing where
// nobody states a size.
std::optional<double> ExpectedError(const LengthsQuote& quote);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_WALL_LENGTHS_H_
