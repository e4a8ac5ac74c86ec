#include "proto/request_digest.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace topicwall::proto {
namespace {

v1::EStepHeader Header() {
  v1::EStepHeader header;
  header.set_plan_id("0123");
  header.set_iteration(3);
  header.set_clip_norm(4);
  header.set_max_e_step_iterations(100);
  header.set_mean_change_threshold(1e-3);
  return header;
}

// Two requests that differ in anything must not share a stored release.
TEST(RequestDigestTest, EveryFieldAndEveryTopicEntersTheDigest) {
  const std::vector<float> topics = {-1, -2, -3, -4};
  std::set<base::Digest> digests = {RequestDigest(Header(), topics)};
  const std::vector<std::function<void(v1::EStepHeader&)>> changes = {
      [](auto& h) { h.set_plan_id("0124"); },
      [](auto& h) { h.set_iteration(4); },
      [](auto& h) { h.set_clip_norm(4.000000000000001); },
      [](auto& h) { h.set_max_e_step_iterations(101); },
      [](auto& h) { h.set_mean_change_threshold(2e-3); },
  };
  for (const auto& change : changes) {
    v1::EStepHeader header = Header();
    change(header);
    EXPECT_TRUE(digests.insert(RequestDigest(header, topics)).second) << header.DebugString();
  }
  for (size_t i = 0; i < topics.size(); ++i) {
    std::vector<float> other = topics;
    other[i] = -9;
    EXPECT_TRUE(digests.insert(RequestDigest(Header(), other)).second);
  }
  EXPECT_TRUE(digests.insert(RequestDigest(Header(), {-1, -2, -3})).second);
}

TEST(RequestDigestTest, TheDigestThatTheClientClaimsDoesNotEnter) {
  v1::EStepHeader header = Header();
  const base::Digest digest = RequestDigest(header, {-1.0f});
  header.set_request_digest("anything");
  EXPECT_EQ(RequestDigest(header, {-1.0f}), digest);
}

}  // namespace
}  // namespace topicwall::proto
