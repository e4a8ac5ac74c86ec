#include "client/wall/release_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "model/lda/denoise/clip_choice.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

ExpectedRelease Expected() {
  v1::ReleaseSpec plan;
  plan.mutable_gaussian()->set_noise_multiplier(6.3);
  return {.plan_id = "plan",
          .iteration = 2,
          .request_digest = base::Sha256Of("request"),
          .shape = model::GridOf(2, 3),
          .clip_norm = 4,
          .direction_noise = 5,
          .plan = plan};
}

Release Good() {
  Release release;
  release.statistics = {1, -2, 3, 4.5f, 0, -0.25f};
  release.header.set_plan_id("plan");
  release.header.set_iteration(2);
  release.header.set_request_digest(base::DigestBytes(base::Sha256Of("request")));
  release.header.set_rows(2);
  release.header.set_columns(3);
  release.header.set_clip_norm(4);
  release.header.set_direction_noise(5);
  release.header.set_noise_standard_deviation(25.2);
  release.header.set_statistics_sha256(
      base::DigestBytes(proto::DigestOfFloats(release.statistics)));
  return release;
}

void Resign(Release& release) {
  release.header.set_statistics_sha256(
      base::DigestBytes(proto::DigestOfFloats(release.statistics)));
}

TEST(CheckReleaseTest, TheReleaseThatWasAskedForPasses) {
  EXPECT_OK(CheckRelease(Good(), Expected()));
}

struct Damage {
  std::string name;
  std::function<void(Release&)> apply;
  std::string why;
};

TEST(CheckReleaseTest, AnyDifferenceIsDataLossAndNamed) {
  const std::vector<Damage> damages = {
      {"plan", [](Release& r) { r.header.set_plan_id("other"); }, "another plan"},
      {"iteration", [](Release& r) { r.header.set_iteration(3); }, "another plan or iteration"},
      {"digest", [](Release& r) { r.header.set_request_digest("x"); }, "other parameters"},
      {"topics", [](Release& r) { r.header.set_rows(3); }, "shape"},
      {"terms", [](Release& r) { r.header.set_columns(2); }, "shape"},
      {"size", [](Release& r) { r.statistics.pop_back(); }, "shape"},
      {"clip norm", [](Release& r) { r.header.set_clip_norm(5); }, "clip norm"},
      {"r", [](Release& r) { r.header.set_direction_noise(4); }, "along the rows"},
      {"no r", [](Release& r) { r.header.clear_direction_noise(); }, "along the rows"},
      {"too little noise", [](Release& r) { r.header.set_noise_standard_deviation(25.1); },
       "noise"},
      {"far too much", [](Release& r) { r.header.set_noise_standard_deviation(26); }, "noise"},
      {"no noise", [](Release& r) { r.header.set_noise_standard_deviation(std::nan("")); },
       "noise"},
      {"one bit", [](Release& r) { r.statistics[3] = std::nextafter(4.5f, 5.0f); }, "digest"},
      {"NaN",
       [](Release& r) {
         r.statistics[0] = std::numeric_limits<float>::quiet_NaN();
         Resign(r);
       },
       "not finite"},
      {"infinity",
       [](Release& r) {
         r.statistics[5] = -std::numeric_limits<float>::infinity();
         Resign(r);
       },
       "not finite"},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.name);
    Release release = Good();
    damage.apply(release);
    EXPECT_THAT(CheckRelease(release, Expected()),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(damage.why)));
  }
}

TEST(CheckReleaseTest, AHistogramIsThePlansOrNone) {
  ExpectedRelease expected = Expected();
  expected.plan.mutable_gaussian()->set_histogram_noise_multiplier(9);
  Release good = Good();
  good.header.mutable_norm_histogram()->Resize(lda::kClipHistogramBins, 7);
  good.header.set_histogram_noise_standard_deviation(9);
  EXPECT_OK(CheckRelease(good, expected));
  const auto refused =
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("its norm histogram is not the plan's"));
  EXPECT_THAT(CheckRelease(good, Expected()), refused) << "it was not paid for";
  EXPECT_THAT(CheckRelease(Good(), expected), refused);
  for (const float entry :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Release damaged = good;
    damaged.header.set_norm_histogram(lda::kClipHistogramBins - 1, entry);
    EXPECT_THAT(CheckRelease(damaged, expected), refused) << entry;
  }
  for (const double noise : {8.9, 9.1, std::nan("")}) {
    Release damaged = good;
    damaged.header.set_histogram_noise_standard_deviation(noise);
    EXPECT_THAT(CheckRelease(damaged, expected), refused) << noise;
  }
}

TEST(CheckReleaseTest, TheNoiseOfTheWallsGridAtTheLargestMultiplierPasses) {
  // The grid has M = floor(2^30/σ) steps and noise 2^30/M. Just above σ = 2^30/1025, M is
  // 1024 and the noise 2^20: 1025/1024 of σ, the largest excess at any σ up to 2^20.
  ExpectedRelease expected = Expected();
  expected.plan.mutable_gaussian()->set_noise_multiplier(1047553);
  Release release = Good();
  release.header.set_noise_standard_deviation(4.0 * (1 << 20));
  EXPECT_OK(CheckRelease(release, expected));
}

TEST(CheckReleaseTest, WithoutAnExpectedDigestAnyWillDo) {
  ExpectedRelease expected = Expected();
  expected.request_digest.reset();
  Release release = Good();
  release.header.set_request_digest("of another machine");
  EXPECT_OK(CheckRelease(release, expected));
}

}  // namespace
}  // namespace topicwall::client
