// From the cheap to the dear: names, shape, numbers of the header, then one hash and one pass over
// the matrix. Equality of doubles is meant: what the wall repeats, it repeats bit for bit.
#include "client/wall/release_check.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "model/lda/denoise/clip_choice.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

// The noise is never less than the plan's; the slack is for the rounding of the product. It is more
// by less than 1/M, where M, the largest integer with M·σ <= 2^30, is at least 2^10 for σ <= 2^20
// (server/mechanism/grid_scale.h): the upper bound leaves twice that. More noise than paid for
// is no danger to anybody's privacy, but a fit that takes it for less would call noise topics.
constexpr double kLeastNoiseRatio = 1 - 1e-9;
constexpr double kMostNoiseRatio = 1 + 1.0 / 512;

absl::Status NotAsAsked(const ExpectedRelease& expected, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the release of iteration ", expected.iteration,
                                          " of plan ", expected.plan_id, " is not usable: ", what,
                                          ". Try again; if it stays so, tell the custodian."));
}

bool IsNoise(double stated, double paid) {
  const double ratio = stated / paid;
  // NaN, and a plan without noise, fail both.
  return ratio >= kLeastNoiseRatio && ratio <= kMostNoiseRatio;
}

bool AreFinite(absl::Span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

bool HasItsHistogram(const v1::ReleaseHeader& header, const v1::ReleaseSpec& plan) {
  // A histogram that was not paid for is no gift: it would be a second statistic outside the price.
  if (!plan.gaussian().has_histogram_noise_multiplier()) return header.norm_histogram().empty();
  return header.norm_histogram_size() == lda::kClipHistogramBins &&
         AreFinite(header.norm_histogram()) &&
         IsNoise(header.histogram_noise_standard_deviation(),
                 plan.gaussian().histogram_noise_multiplier());
}

}  // namespace

absl::Status CheckRelease(const Release& release, const ExpectedRelease& expected) {
  const v1::ReleaseHeader& header = release.header;
  if (header.plan_id() != expected.plan_id || header.iteration() != expected.iteration) {
    return NotAsAsked(expected, "it belongs to another plan or iteration");
  }
  if (expected.request_digest.has_value() &&
      header.request_digest() != base::DigestBytes(*expected.request_digest)) {
    return NotAsAsked(expected, "it answers other parameters or options");
  }
  if (header.rows() != expected.shape.rows() || header.columns() != expected.shape.period ||
      static_cast<int64_t>(release.statistics.size()) != expected.shape.dimension) {
    return NotAsAsked(expected, "its shape is another one");
  }
  if (header.clip_norm() != expected.clip_norm) {
    return NotAsAsked(expected, "its clip norm is another one");
  }
  if (header.direction_noise() != expected.direction_noise) {
    return NotAsAsked(expected, "its noise along the rows is another one");
  }
  if (!IsNoise(header.noise_standard_deviation(),
               expected.plan.gaussian().noise_multiplier() * expected.clip_norm)) {
    return NotAsAsked(expected, "its noise is not the plan's");
  }
  if (!HasItsHistogram(header, expected.plan)) {
    return NotAsAsked(expected, "its norm histogram is not the plan's");
  }
  if (header.statistics_sha256() != base::DigestBytes(proto::DigestOfFloats(release.statistics))) {
    return NotAsAsked(expected, "its statistics do not have the digest in its header");
  }
  // One NaN in a sum goes into the running average and from there into every topic, for good.
  if (!AreFinite(release.statistics)) {
    return NotAsAsked(expected, "an entry is not finite");
  }
  return absl::OkStatus();
}

}  // namespace topicwall::client
