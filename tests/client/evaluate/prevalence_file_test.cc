#include "client/evaluate/prevalence_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "client/evaluate/paid_plan.h"
#include "client/fit/model_file.h"
#include "client/wall/paid_release.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"
#include "proto/strict_parse.h"
#include "tests/client/evaluate/made_up_prevalence.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace prevalence_file_test {

using ::topicwall::testing::StatusIs;

// What was paid for: the noise of a release, how many of which share of the units, and whether they
// know the ward besides the year.
struct Paid {
  double deviation;
  int releases = 1;
  double rate = 1;
  bool by_ward = false;
};

class PrevalenceFileTest : public MadeUpPrevalence {
 protected:
  v1::PrevalenceFile FileOf(const Paid& paid, const std::string& plan_id) const {
    v1::PrevalenceFile file = file_;
    file.set_format_version(kPrevalenceFormatVersion);
    file.set_topics_sha256(TopicsSha256(model_));
    file.set_clip_norm(1);
    file.mutable_plan()->set_request_id(std::string(kRequestIdSize, 'r'));
    file.mutable_plan()->set_plan_id(plan_id);
    v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
    plan.set_iterations(paid.releases);
    plan.set_sampling_rate(paid.rate);
    file.set_noise_standard_deviation(paid.deviation);
    std::string release = file.releases(0);  // 3 wards × 3 years × 3 numbers
    if (!paid.by_ward) {
      file.mutable_attributes()->DeleteSubrange(0, 1);
      v1::PrevalenceOptions options = PrevalenceOf(plan);
      options.clear_attributes();
      options.add_attributes(1);
      plan.set_options(options.SerializeAsString());
      release.resize(release.size() / 3);
    }
    file.clear_releases();
    for (int j = 0; j < paid.releases; ++j) file.add_releases(release);
    return file;
  }

  // The plan that answers a question by the year.
  std::string Answers(const Paid& first, const Paid& second) const {
    testing::TemporaryDirectory folder;
    EXPECT_OK(WritePaid(FileOf(first, "first"), folder.path() + "/prevalence-a.pb"));
    EXPECT_OK(WritePaid(FileOf(second, "second"), folder.path() + "/prevalence-b.pb"));
    const auto found =
        FindPaid(folder.path(), {.corpus = "notes", .by = {"year"}, .noise = {}}, model_);
    EXPECT_OK(found);
    return found.ok() && found->has_value() ? (*found)->plan().plan_id() : "none";
  }
};

// (deviation/rate)² times the cells that are merged, over the releases: by each of these alone the
// other one would answer, or without it.
TEST_F(PrevalenceFileTest, TheLeastVarianceOfWhatIsAskedAnswers) {
  const struct {
    Paid best;
    Paid other;
  } cases[] = {
      {{.deviation = 3, .releases = 4}, {.deviation = 2, .releases = 1}},  // 9/4 and 4
      {{.deviation = 1, .releases = 1}, {.deviation = 3, .releases = 4}},  // 1 and 9/4
      {{.deviation = 3, .rate = 1}, {.deviation = 2, .rate = 0.5}},        // 9 and 16
      {{.deviation = 3}, {.deviation = 2, .by_ward = true}},               // 9 and 3·4
      {{.deviation = 1, .by_ward = true}, {.deviation = 2}},               // 3·1 and 4
  };
  for (const auto& [best, other] : cases) {
    SCOPED_TRACE(best.deviation / other.deviation);
    EXPECT_EQ(Answers(best, other), "first");
    EXPECT_EQ(Answers(other, best), "second");
  }
}

TEST_F(PrevalenceFileTest, WhatIsNoNumberIsDamageAndAUnitOfALaterVersionIsNewer) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/prevalence-x.pb";
  const auto status_of = [&path](const v1::PrevalenceFile& file) {
    EXPECT_OK(WritePaid(file, path));
    return ReadPrevalence(path).status();
  };
  const v1::PrevalenceFile sound = FileOf({.deviation = 1}, "plan");
  EXPECT_OK(status_of(sound));
  v1::PrevalenceFile file = sound;
  file.set_epsilon_taken(NAN);
  EXPECT_THAT(status_of(file), StatusIs(absl::StatusCode::kInvalidArgument));
  file = sound;
  std::vector<float> sums = *proto::FloatsFromLittleEndian(file.releases(0));
  sums.back() = NAN;
  file.set_releases(0, proto::FloatsToLittleEndian(sums));
  EXPECT_THAT(status_of(file), StatusIs(absl::StatusCode::kInvalidArgument));
  file = sound;
  file.set_privacy_unit(static_cast<v1::PrivacyUnit>(9));
  EXPECT_TRUE(proto::IsWrittenByNewer(status_of(file)));
  file = sound;
  file.GetReflection()->MutableUnknownFields(&file)->AddVarint(1000, 1);
  EXPECT_TRUE(proto::IsWrittenByNewer(status_of(file)));
}

// What was asked for is not answered with something else.
TEST_F(PrevalenceFileTest, OnlyWhatWasPaidForAsItIsAskedForAnswers) {
  testing::TemporaryDirectory folder;
  v1::PrevalenceFile file = FileOf({.deviation = 1, .releases = 2, .rate = 0.5}, "plan");
  file.mutable_plan()->mutable_plan()->set_max_tokens(60);
  file.set_documents_per_unit(100);
  file.set_clip_norm(3 * std::hypot(1, 0.25));
  file.set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  ASSERT_OK(WritePaid(file, folder.path() + "/prevalence-a.pb"));
  const auto answers = [&](void (*change)(PrevalenceWish&)) {
    PrevalenceWish wish = {.corpus = "notes", .by = {"year"}, .noise = {}};
    change(wish);
    const auto found = FindPaid(folder.path(), wish, model_);
    EXPECT_OK(found);
    return found.ok() && found->has_value();
  };
  EXPECT_TRUE(answers([](PrevalenceWish&) {}));
  EXPECT_TRUE(answers([](PrevalenceWish& wish) { wish.max_words = 60; }));
  EXPECT_FALSE(answers([](PrevalenceWish& wish) { wish.max_words = 5; }));
  EXPECT_TRUE(answers([](PrevalenceWish& wish) { wish.releases = 2; }));
  EXPECT_FALSE(answers([](PrevalenceWish& wish) { wish.releases = 9; }));
  EXPECT_TRUE(answers([](PrevalenceWish& wish) { wish.sampling_rate = 0.5; }));
  EXPECT_FALSE(answers([](PrevalenceWish& wish) { wish.sampling_rate = 0.25; }));
  EXPECT_TRUE(answers([](PrevalenceWish& wish) { wish.typical_documents = 3; }));
  EXPECT_FALSE(answers([](PrevalenceWish& wish) { wish.typical_documents = 30; }));
  // The wall took no more of an owner than the three that C is of.
  file.set_documents_per_unit(3);
  ASSERT_OK(WritePaid(file, folder.path() + "/prevalence-a.pb"));
  EXPECT_TRUE(answers([](PrevalenceWish& wish) { wish.typical_documents = 30; }));
  EXPECT_FALSE(answers([](PrevalenceWish& wish) { wish.typical_documents = 2; }));
}

}  // namespace prevalence_file_test
}  // namespace topicwall::client
