#include "server/access/call_places.h"

#include <gtest/gtest.h>

#include <vector>

namespace topicwall::server {
namespace {

TEST(CallPlacesTest, EachPrincipalHasAPartAndGetsItBack) {
  CallPlaces places(/*num_principals=*/64);
  ASSERT_EQ(places.of_principal(), 16);
  std::vector<CallPlaces::Place> bobs;
  for (int i = 0; i < places.of_principal(); ++i) {
    auto place = places.Take("bob");
    ASSERT_TRUE(place.has_value()) << i;
    bobs.push_back(*std::move(place));
  }
  EXPECT_FALSE(places.Take("bob").has_value());
  EXPECT_TRUE(places.Take("alice").has_value());
  bobs.pop_back();
  EXPECT_TRUE(places.Take("bob").has_value());
}

TEST(CallPlacesTest, NobodyHasAllThreads) {
  EXPECT_EQ(CallPlaces(1).of_principal(), CallPlaces::kMost);
  EXPECT_EQ(CallPlaces(100'000).of_principal(), CallPlaces::kFewest);
  EXPECT_LT(CallPlaces::kMost, CallPlaces::kThreads);
}

}  // namespace
}  // namespace topicwall::server
