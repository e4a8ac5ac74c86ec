// The newcomer's story of the README, with the programs as they are deployed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace {

using ::testing::HasSubstr;

class AnalystStoryTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  Finished Alice(std::vector<std::string> arguments) {
    return world_.Analyst("alice", std::move(arguments));
  }

  WallWorld world_;
};

TEST_F(AnalystStoryTest, FromDescriptionToTopicsAndPerplexity) {
  Finished step = Alice({"describe", "notes"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  step = Alice({"price", "notes", "--topics", "3", "--noise-multiplier", "6.3", "--sampling-rate",
                "1", "--iterations", "4"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  const std::string model = world_.Path("notes.model");
  step = Alice({"fit", "notes", "--topics", "3", "--epsilon-alone", "5", "--algorithm", "paper",
                "--sampling-rate", "1", "--iterations", "4", "--model", model, "--yes"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  step = Alice({"topics", model});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, HasSubstr("word"));
  step = Alice({"perplexity", model, "--documents", world_.Path("notes.jsonl")});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  step = Alice({"budget", "notes"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  step = Alice({"ledger", "notes", "--verify"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  step = Alice({"plans"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  step = world_.Analyst("ann", {"ledger", "notes", "--verify"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
}

// Three planted topics of ten words each: without topics 30 is the perplexity, with all three 10,
// with two taken for one 15. σ_eff C of a release is some 3 words beside 400 of each word, so noise
// does not bring it to 20; a fit that takes in another noise than was added, or topics in another
// order than it asked for, stays near 30.
TEST(DefaultFitTest, FindsPlantedTopicsAcrossTheWall) {
  WallWorld world({.documents = 1500});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const std::string model = world.Path("notes.model");
  Finished step = world.Analyst("alice", {"fit", "notes", "--topics", "3", "--epsilon-alone", "9",
                                          "--iterations", "6", "--model", model, "--yes"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  step = world.Analyst("alice",
                       {"perplexity", model, "--documents", world.Path("notes.jsonl"), "--json"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  const std::string name = "\"document_completion\":";
  ASSERT_THAT(step.output, HasSubstr(name));
  EXPECT_LT(std::stod(step.output.substr(step.output.find(name) + name.size())), 20);
}

// Every document has words of one planted topic alone. A mixture whose weights are taken for words,
// or whose rows are shifted by the column of documents, assigns them at random.
TEST(MixtureFitTest, DocumentsOfOneTopicAreAssignedToOneComponent) {
  WallWorld world({.documents = 1500});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const std::string model = world.Path("notes.model");
  const std::string documents = world.Path("notes.jsonl");
  const auto alice = [&world](std::vector<std::string> arguments) {
    return world.Analyst("alice", std::move(arguments));
  };
  Finished step = alice({"fit", "notes", "--algorithm", "mixture", "--topics", "3",
                         "--epsilon-alone", "9", "--iterations", "8", "--model", model, "--yes"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  step = alice({"perplexity", model, "--documents", documents, "--json"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, HasSubstr("\"whole_documents\":"));
  const std::string name = "\"document_completion\":";
  ASSERT_THAT(step.output, HasSubstr(name));
  const double of_ones_own = std::stod(step.output.substr(step.output.find(name) + name.size()));
  step = alice({"topics", model, "--assign", documents});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  std::map<std::string, std::set<std::string>> components;  // of each planted topic
  for (const absl::string_view line : absl::StrSplit(step.output, '\n', absl::SkipWhitespace())) {
    const std::vector<std::string> fields = absl::StrSplit(line, ' ', absl::SkipWhitespace());
    int number;
    if (!absl::SimpleAtoi(fields[0], &number)) continue;  // the heading
    components[std::to_string((number - 1) % 3)].insert(fields[1]);
  }
  ASSERT_EQ(components.size(), 3u) << step.output;
  std::set<std::string> all;
  for (const auto& [topic, found] : components) {
    EXPECT_EQ(found.size(), 1u) << topic;
    all.insert(found.begin(), found.end());
  }
  EXPECT_EQ(all.size(), 3u);
  step =
      alice({"learn-prior", model, "--documents", documents, "--out", world.Path("other.model")});
  EXPECT_EQ(step.exit_code, 1) << step.output;
  EXPECT_THAT(step.output, HasSubstr("is a mixture"));
  // As many documents behind the wall, which it was fitted to as well.
  step = alice({"perplexity", model, "--behind-the-wall", "notes", "--spend", "all",
                "--held-out-share", "0.5", "--words-per-unit", "40", "--json", "--yes"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  ASSERT_THAT(step.output, HasSubstr(name));
  const double behind = std::stod(step.output.substr(step.output.find(name) + name.size()));
  EXPECT_NEAR(behind, of_ones_own, 0.2 * of_ones_own);
}

TEST_F(AnalystStoryTest, AFitThatDoesNotFitTheBudgetExitsWithThree) {
  const Finished refused =
      Alice({"fit", "notes", "--topics", "3", "--noise-multiplier", "0.2", "--iterations", "20",
             "--model", world_.Path("refused.model"), "--yes"});
  EXPECT_EQ(refused.exit_code, 3) << refused.output;
}

TEST_F(AnalystStoryTest, AServerThatIsDownIsExitFour) {
  ASSERT_EQ(Alice({"describe", "notes"}).exit_code, 0);
  world_.StopServer();
  const Finished down =
      RunToEnd({WallWorld::Program("topicwall"), "describe", "notes"},
               {{"XDG_CONFIG_HOME", world_.Path("config")}, {"TOPICWALL_PROFILE", "alice"}});
  EXPECT_EQ(down.exit_code, 4) << down.output;
}

TEST_F(AnalystStoryTest, CancellingGivesBackWhatWasNotCharged) {
  auto alice = world_.StubOf("alice");
  const auto plan = world_.Reserve(*alice, world_.Plan(4, 3), std::string(16, 'c'));
  ASSERT_TRUE(plan.ok());
  ASSERT_GT(WallWorld::Budget(*alice)->epsilon_spent(), 0);
  const Finished cancelled = Alice({"cancel", plan->plan_id()});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.output;
  EXPECT_EQ(WallWorld::Budget(*alice)->epsilon_spent(), 0);
}

}  // namespace
}  // namespace topicwall::testing
