#include "proto/request_digest.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "base/hex.h"

namespace topicwall::proto {
namespace {

v1::RunReleaseHeader Header() {
  v1::RunReleaseHeader header;
  header.set_plan_id("0123");
  header.set_iteration(3);
  header.set_clip_norm(4);
  return header;
}

v1::ReleaseSpec Plan() {
  v1::ReleaseSpec plan;
  plan.set_model("model");
  plan.set_options("options");
  return plan;
}

// Two requests that differ in anything must not share a stored release.
TEST(RequestDigestTest, EveryFieldTheModelAndEveryParameterEntersTheDigest) {
  const std::vector<float> parameters = {-1, -2, -3, -4};
  std::set<base::Digest> digests = {RequestDigest(Header(), Plan(), parameters)};
  const std::vector<std::function<void(v1::RunReleaseHeader&)>> changes = {
      [](auto& h) { h.set_plan_id("0124"); },
      [](auto& h) { h.set_iteration(4); },
      [](auto& h) { h.set_clip_norm(4.000000000000001); },
      [](auto& h) { h.set_direction_noise(5); },
      [](auto& h) { h.set_direction_noise(5.000000000000001); },
  };
  for (const auto& change : changes) {
    v1::RunReleaseHeader header = Header();
    change(header);
    EXPECT_TRUE(digests.insert(RequestDigest(header, Plan(), parameters)).second)
        << header.DebugString();
  }
  const std::vector<std::function<void(v1::ReleaseSpec&)>> other_plans = {
      [](auto& p) { p.set_model("models"); },
      [](auto& p) { p.set_options("option"); },
      // No byte passes from one to the other.
      [](auto& p) { p.set_model("modelo"), p.set_options("ptions"); },
      [](auto& p) { p.clear_options(); },
  };
  for (const auto& change : other_plans) {
    v1::ReleaseSpec plan = Plan();
    change(plan);
    EXPECT_TRUE(digests.insert(RequestDigest(Header(), plan, parameters)).second)
        << plan.DebugString();
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<float> other = parameters;
    other[i] = -9;
    EXPECT_TRUE(digests.insert(RequestDigest(Header(), Plan(), other)).second);
  }
  EXPECT_TRUE(digests.insert(RequestDigest(Header(), Plan(), {-1, -2, -3})).second);
}

// By Python's hashlib, of the bytes that wall.proto names: clients that know no such field go on.
TEST(RequestDigestTest, CoversTheDirectionNoiseAndIsWithoutItWhatItWas) {
  const std::vector<float> parameters = {-1, -2, -3, -4};
  v1::RunReleaseHeader header = Header();
  EXPECT_EQ(base::Hex(RequestDigest(header, Plan(), parameters)),
            "d0bc8b160c87f83166ee48d005f1df376a5d37c21d6144ffcde57228dd0b2507");
  header.set_direction_noise(5);
  EXPECT_EQ(base::Hex(RequestDigest(header, Plan(), parameters)),
            "5f526c6d2ca35b958fe43c8af4f4cbe2707cb90df20665000b6c5cf8dc4433df");
  header.set_direction_noise(5.000000000000001);
  EXPECT_NE(base::Hex(RequestDigest(header, Plan(), parameters)),
            "5f526c6d2ca35b958fe43c8af4f4cbe2707cb90df20665000b6c5cf8dc4433df");
}

TEST(RequestDigestTest, TheDigestThatTheClientClaimsDoesNotEnter) {
  v1::RunReleaseHeader header = Header();
  const base::Digest digest = RequestDigest(header, Plan(), {-1.0f});
  header.set_request_digest("anything");
  EXPECT_EQ(RequestDigest(header, Plan(), {-1.0f}), digest);
}

}  // namespace
}  // namespace topicwall::proto
