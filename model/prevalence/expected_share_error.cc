#include "model/prevalence/expected_share_error.h"

#include <cmath>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/math/normal_tail.h"
#include "model/prevalence/noisy_share.h"

namespace topicwall::prevalence {
namespace {

absl::Status CheckCount(absl::string_view name, int64_t count) {
  if (count >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be at least 1; got ", count, ". Say how many there will be."));
}

absl::Status CheckExpected(const ExpectedShare& expected) {
  TW_RETURN_IF_ERROR(CheckNoise(expected.noise));
  TW_RETURN_IF_ERROR(CheckCount("num_topics", expected.num_topics));
  TW_RETURN_IF_ERROR(CheckCount("num_releases", expected.num_releases));
  TW_RETURN_IF_ERROR(CheckCount("num_cells", expected.num_cells));
  if (!(expected.documents > 0 && std::isfinite(expected.documents))) {
    return absl::InvalidArgumentError(absl::StrCat("documents must be finite and above 0; got ",
                                                   expected.documents,
                                                   ". Say how many a group may have."));
  }
  if (!(expected.share >= 0 && expected.share <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("share must be in [0, 1]; got ", expected.share,
                                                   ". That of an average topic is 1/num_topics."));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<double> ExpectedShareError(const ExpectedShare& expected) {
  TW_RETURN_IF_ERROR(CheckExpected(expected));
  const PrevalenceSums sums{
      .num_topics = expected.num_topics,
      .values = std::vector<double>(static_cast<size_t>(expected.num_topics) + 1),
      .variances = NoiseVariances(expected.noise, expected.num_topics, expected.num_releases),
      .cells = {expected.num_cells},
      .sampling = SamplingExcess(expected.noise, expected.num_releases)};
  // Variances follow from the noise alone; what was found is put in the place of nothing.
  NoisyShare share = ConsistentShares(sums, 0).front();
  share.count.documents = expected.documents;
  // So MayBeNone and the error are those that such a group would get, by the code that gets them.
  share.sum = expected.share * expected.documents;
  if (share.count.MayBeNone(lda::UsualPoint())) return std::numeric_limits<double>::infinity();
  return share.StandardError();
}

}  // namespace topicwall::prevalence
