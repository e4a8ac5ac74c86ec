#include "proto/release_spec.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/sha256.h"

namespace topicwall::proto {
namespace {

v1::ReleaseSpec Spec() {
  v1::ReleaseSpec spec;
  spec.set_corpus("notes");
  spec.set_corpus_version("0123456789abcdef");
  spec.set_sampling_rate(0.5);
  spec.mutable_gaussian()->set_noise_multiplier(20);
  spec.set_iterations(3);
  spec.set_max_tokens(500);
  spec.set_model("model");
  spec.set_options("options");
  spec.set_weights("eight by");
  return spec;
}

TEST(ReleaseSpecTest, ARecordHasTheDigestOfTheWeightsAndAllTheRest) {
  const v1::ReleaseSpec record = RecordOf(Spec());
  EXPECT_EQ(record.weights_sha256(), base::DigestBytes(base::Sha256Of("eight by")));
  EXPECT_FALSE(record.has_weights());
  v1::ReleaseSpec again = record;
  again.set_weights(Spec().weights());
  EXPECT_EQ(again.SerializeAsString(), Spec().SerializeAsString());
}

TEST(ReleaseSpecTest, TheRecordOfARecordIsItself) {
  EXPECT_TRUE(SameSpec(RecordOf(RecordOf(Spec())), RecordOf(Spec())));
}

TEST(ReleaseSpecTest, WeightsThatAreEmptyAreNone) {
  v1::ReleaseSpec empty = Spec();
  empty.set_weights("");
  v1::ReleaseSpec none = Spec();
  none.clear_weighting();
  EXPECT_TRUE(SameSpec(RecordOf(empty), none));
}

// What an analyst hides in a field of another version would stand in the chain for ever.
TEST(ReleaseSpecTest, WhatThisProgramDoesNotKnowIsNotRecorded) {
  v1::ReleaseSpec stuffed;
  ASSERT_TRUE(stuffed.ParseFromString(Spec().SerializeAsString() + std::string("\xfa\x3e\x02hi")));
  ASSERT_NE(stuffed.SerializeAsString(), Spec().SerializeAsString());
  EXPECT_TRUE(SameSpec(RecordOf(stuffed), RecordOf(Spec())));
}

TEST(ReleaseSpecTest, AnyOtherFieldIsAnotherSpec) {
  const std::vector<std::function<void(v1::ReleaseSpec&)>> changes = {
      [](auto& s) { s.set_corpus("letters"); },
      [](auto& s) { s.set_corpus_version("0123456789abcdeg"); },
      [](auto& s) { s.set_sampling_rate(0.5000000000000001); },
      [](auto& s) { s.mutable_gaussian()->set_noise_multiplier(21); },
      [](auto& s) { s.mutable_gaussian()->set_histogram_noise_multiplier(0); },
      [](auto& s) { s.clear_mechanism(); },
      [](auto& s) { s.set_iterations(4); },
      [](auto& s) { s.set_max_tokens(501); },
      [](auto& s) { s.set_held_out_share(std::numeric_limits<double>::denorm_min()); },
      [](auto& s) { s.set_held_out_only(true); },
      [](auto& s) { s.set_model("models"); },
      [](auto& s) { s.set_options("option"); },
      [](auto& s) { s.set_weights("eight bx"); },
      [](auto& s) { s.clear_weighting(); },
  };
  for (const auto& change : changes) {
    v1::ReleaseSpec other = Spec();
    change(other);
    EXPECT_FALSE(SameSpec(RecordOf(other), RecordOf(Spec()))) << other.DebugString();
  }
}

}  // namespace
}  // namespace topicwall::proto
