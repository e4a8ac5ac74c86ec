// Ctrl-C during a fit, with the program as it is typed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class InterruptionTest : public ::testing::Test {
 protected:
  InterruptionTest() : world_({.release_interval_ms = 1000}) {}

  std::vector<std::string> Fit(const std::string& program) const {
    return {
        program,      "fit",   "notes",           "--topics", "3",       "--iterations",
        "8",          "--yes", "--epsilon-alone", "1",        "--model", world_.Path("fit.model"),
        "--progress", "json"};
  }

  // Once `seen` stands in what it printed.
  void Interrupt(Background& fit, const std::string& seen, const std::string& output) {
    while (fit.IsRunning() && !absl::StrContains(world_.ReadFile(output), seen)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    fit.Signal(SIGINT);
  }

  WallWorld world_;
};

TEST_F(InterruptionTest, TheFirstStopsBetweenTwoReleasesAndSaysWhatIsPaidAndTheSameCommandGoesOn) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  ASSERT_EQ(world_.Analyst("alice", {"describe", "notes"}).exit_code, 0);  // makes the profile
  Background fit(Fit(WallWorld::Program("topicwall")), world_.Path("first.out"),
                 {{"XDG_CONFIG_HOME", world_.Path("config")}, {"TOPICWALL_PROFILE", "alice"}});
  Interrupt(fit, "\"done\":2", "first.out");
  EXPECT_EQ(fit.Wait(), 1);
  const std::string said = world_.ReadFile("first.out");
  EXPECT_THAT(said, AllOf(HasSubstr("Stopping when the release that is under way is there"),
                          HasSubstr("stopped: plan "), HasSubstr(" are paid and kept.")));

  const auto stub = world_.StubOf("alice");
  const Finished rest =
      world_.Analyst("alice", {"fit", "notes", "--topics", "3", "--iterations", "8", "--yes",
                               "--epsilon-alone", "1", "--model", world_.Path("fit.model")});
  EXPECT_EQ(rest.exit_code, 0) << rest.output;
  const auto budget = WallWorld::Budget(*stub);
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_LE(budget->epsilon_spent(), 1);  // a plan reserved twice would be more
  EXPECT_GT(budget->epsilon_spent(), 0.9);
}

TEST_F(InterruptionTest, AQuestionAboutAModelStopsAndGoesOnAsAFitDoes) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  const std::string model = world_.Path("fit.model");
  const Finished fitted =
      world_.Analyst("alice", {"fit", "notes", "--topics", "2", "--iterations", "1", "--yes",
                               "--epsilon-alone", "0.5", "--model", model});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.output;
  const std::vector<std::string> ask = {"prevalence",      model, "--releases", "8",
                                        "--epsilon-alone", "0.5", "--yes"};
  std::vector<std::string> typed = {WallWorld::Program("topicwall")};
  typed.insert(typed.end(), ask.begin(), ask.end());
  Background asking(typed, world_.Path("first.out"),
                    {{"XDG_CONFIG_HOME", world_.Path("config")}, {"TOPICWALL_PROFILE", "alice"}});
  Interrupt(asking, "2/8", "first.out");
  EXPECT_EQ(asking.Wait(), 1);
  EXPECT_THAT(world_.ReadFile("first.out"),
              AllOf(HasSubstr("Stopping when the release that is under way is there"),
                    ContainsRegex("stopped: plan .* of 8 releases are paid and kept")));
  const Finished rest = world_.Analyst("alice", ask);
  EXPECT_EQ(rest.exit_code, 0) << rest.output;
  const Finished plans = world_.Analyst("alice", {"plans", "notes"});
  EXPECT_THAT(plans.output, HasSubstr("8/8"));
  EXPECT_THAT(plans.output, ::testing::Not(HasSubstr("active")));
}

// What was released is paid for, however the fit ended.
TEST_F(InterruptionTest, TopicsOfAnInterruptedAndOfACancelledFitAreRead) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  ASSERT_EQ(world_.Analyst("alice", {"describe", "notes"}).exit_code, 0);  // makes the profile
  Background fit(Fit(WallWorld::Program("topicwall")), world_.Path("first.out"),
                 {{"XDG_CONFIG_HOME", world_.Path("config")}, {"TOPICWALL_PROFILE", "alice"}});
  Interrupt(fit, "\"done\":3", "first.out");
  ASSERT_EQ(fit.Wait(), 1);
  const std::string said = world_.ReadFile("first.out");
  const std::string stopped = "stopped: plan ";
  ASSERT_THAT(said, HasSubstr(stopped));
  const std::string plan = said.substr(said.find(stopped) + stopped.size(), 32);
  const std::string model = world_.Path("fit.model");
  const auto read = [&] {
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"topics", model},
             {"perplexity", model, "--documents", world_.Path("notes.jsonl")},
             {"report", model, "--output", world_.Path("page.html")}}) {
      const Finished step = world_.Analyst("alice", arguments);
      EXPECT_EQ(step.exit_code, 0) << step.output;
      EXPECT_THAT(step.output, ContainsRegex("is unfinished: [4-8] of 9 releases")) << arguments[0];
    }
    EXPECT_THAT(world_.ReadFile("page.html"), ContainsRegex("Unfinished: [4-8] of 9 releases"));
    return world_.Analyst("alice", {"topics", model, "--json"}).output;
  };
  const std::string before = read();
  EXPECT_THAT(before, HasSubstr("\"unfinished\":{\"releases_done\":"));
  const Finished cancelled = world_.Analyst("alice", {"cancel", plan, "--model", model});
  ASSERT_EQ(cancelled.exit_code, 0) << cancelled.output;
  EXPECT_EQ(read(), before);
}

}  // namespace
}  // namespace topicwall::testing
