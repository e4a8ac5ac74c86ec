#include "client/fit/fit_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/fit/fit.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "client/topics/topic_reading.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace fit_outcome_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Around two points.
LocalWall::Planted Vectors() {
  LocalWall::Planted planted;
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal(0, 0.05);
  for (int i = 0; i < 4000; ++i) {
    const double centre = i % 2 == 0 ? 0.4 : -0.4;
    planted.vectors.push_back({static_cast<float>(centre + normal(engine)),
                               static_cast<float>(-centre + normal(engine))});
  }
  return planted;
}

FitSpec Spec(const std::string& algorithm) {
  FitSpec spec;
  spec.corpus = "notes";
  spec.algorithm = algorithm;
  spec.num_topics = 2;
  spec.iterations = 6;
  spec.sampling_rate = 1;
  spec.epsilon = 2;
  spec.seed = 7;
  spec.planning.words_per_unit = 13;
  return spec;
}

class FitOutcomeTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/notes.model"; }

  // One run of the program, which is interrupted before its release number `most`, from 0.
  absl::StatusOr<FitResult> RunFit(LocalWall& wall, const FitSpec& spec, int most) {
    auto directory = ModelDirectory::Open(Path());
    if (!directory.ok()) return directory.status();
    return Fit(wall, **directory, spec,
               {.agree = [](const FitQuote&) { return absl::OkStatus(); },
                .on_progress = {},
                .should_stop = [&wall, most] { return wall.releases_paid() >= most; }});
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(FitOutcomeTest, AfterEachReleaseThatSaysSomethingOfTopicsAFitOfAnyAlgorithmIsRead) {
  struct Kind {
    const char* algorithm;
    int silent;    // releases that say nothing of topics: word frequencies, a warm-up, the whole
    int releases;  // of all
  };
  for (const Kind& kind :
       {Kind{kDenoised, 2, 7}, Kind{kMixture, 2, 7}, Kind{kPaper, 0, 6}, Kind{kGaussian, 1, 7}}) {
    const bool of_vectors = kind.algorithm == std::string(kGaussian);
    LocalWall wall(of_vectors ? Vectors() : LocalWall::Planted{.documents_per_topic = 2000});
    for (int done = 0; done < kind.releases; ++done) {
      SCOPED_TRACE(absl::StrCat(kind.algorithm, " after ", done));
      ASSERT_THAT(RunFit(wall, Spec(kind.algorithm), done), StatusIs(absl::StatusCode::kCancelled));
      const auto so_far = ReadModelSoFar(Path());
      // Between two of its stages a mixture of Gaussians has components and no release of them.
      if (done <= kind.silent || (of_vectors && !so_far.ok())) {
        EXPECT_THAT(so_far,
                    StatusIs(absl::StatusCode::kFailedPrecondition,
                             AllOf(HasSubstr(absl::StrCat(": ", done, " of ", kind.releases)),
                                   HasSubstr("cancelled, nothing more comes: begin"))));
        continue;
      }
      ASSERT_OK(so_far);
      EXPECT_EQ(so_far->unfinished().releases_done(), done);
      EXPECT_EQ(so_far->unfinished().releases(), kind.releases);
      EXPECT_EQ(so_far->iterations(), 6 - (kind.releases - done));
      EXPECT_GT(so_far->epsilon_taken(), 0);
      EXPECT_EQ(so_far->corpus(), "notes");
      EXPECT_THAT(UnfinishedText(so_far->unfinished(), "notes.model"),
                  HasSubstr(absl::StrCat("notes.model is unfinished: ", done, " of ", kind.releases,
                                         " releases")));
      EXPECT_THAT(UnfinishedText(so_far->unfinished(), Path()), HasSubstr("goes on with it."));
      EXPECT_THAT(
          UnfinishedText(so_far->unfinished(), "copy.model"),
          HasSubstr("It is a copy of a fit, which goes on in the folder where it was begun"));
      if (of_vectors) continue;
      ASSERT_OK_AND_ASSIGN(const auto reading,
                           TopicReading::Of(*so_far, TopicReading::Intervals::kYes));
      EXPECT_EQ(reading.terms(), wall.terms());
    }
    // Nothing of it changed what the fit ends with.
    const auto result = RunFit(wall, Spec(kind.algorithm), 1000);
    ASSERT_OK(result);
    ASSERT_OK_AND_ASSIGN(const auto finished, ReadModelSoFar(Path()));
    EXPECT_FALSE(finished.has_unfinished());
    EXPECT_EQ(finished.SerializeAsString(), ReadModel(Path())->SerializeAsString());
    EXPECT_EQ(finished.spec().words_per_unit(), 13);
    LocalWall other(of_vectors ? Vectors() : LocalWall::Planted{.documents_per_topic = 2000});
    std::filesystem::remove_all(Path());
    EXPECT_EQ(RunFit(other, Spec(kind.algorithm), 1000)->model.SerializeAsString(),
              finished.SerializeAsString());
    std::filesystem::remove_all(Path());
  }
}

TEST_F(FitOutcomeTest, AFolderWithoutAFitHasNone) {
  EXPECT_THAT(ReadModelSoFar(Path()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("holds no model")));
}

// A checkpoint may have been edited.
TEST_F(FitOutcomeTest, ACheckpointWithoutItsWordsIsRefusedAsAModelIs) {
  LocalWall wall;
  ASSERT_THAT(RunFit(wall, Spec(kPaper), 2), StatusIs(absl::StatusCode::kCancelled));
  v1::CheckpointFile checkpoint = **ReadCheckpoint(Path());
  checkpoint.mutable_model()->mutable_terms()->RemoveLast();
  ASSERT_OK((*ModelDirectory::Open(Path()))->WriteCheckpoint(checkpoint));
  EXPECT_THAT(ReadModelSoFar(Path()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("checkpoint.pb")));
}

}  // namespace fit_outcome_test
}  // namespace topicwall::client
