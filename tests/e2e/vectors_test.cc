// A corpus of vectors behind a wall, with the programs as they are deployed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/model.pb.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// 90, most of them longer than the bound.
std::string Vectors() {
  std::string documents;
  for (int i = 0; i < 90; ++i) {
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"vector\":[", i % 7);
    for (int j = 1; j < WallWorld::kVocabulary; ++j) absl::StrAppend(&documents, ",", (i + j) % 3);
    absl::StrAppend(&documents, "]}\n");
  }
  return documents;
}

TEST(VectorsTest, AreDescribedAndNoModelOfTextIsFittedToThem) {
  WallWorld world(
      {.documents_jsonl = Vectors(),
       .more_ingest = {"--vectors", absl::StrCat(WallWorld::kVocabulary), "--norm-bound", "2.5"}});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  Finished step = world.Analyst("alice", {"describe", "notes"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("30 dimensions, norm bound 2.5"),
                                 HasSubstr("tokenizer vectors"), Not(HasSubstr("words of"))));
  step = world.Analyst("alice", {"describe", "notes", "--json"});
  EXPECT_THAT(step.output, AllOf(HasSubstr("\"dimension\":30"), HasSubstr("2.5")));
  for (const char* algorithm : {"denoised", "mixture"}) {
    step = world.Analyst("alice", {"fit", "notes", "--topics", "3", "--epsilon-alone", "5",
                                   "--algorithm", algorithm, "--iterations", "4", "--model",
                                   world.Path(absl::StrCat(algorithm, ".model")), "--yes"});
    EXPECT_NE(step.exit_code, 0) << algorithm;
    EXPECT_THAT(step.output, HasSubstr("is for corpora of text")) << algorithm;
  }
  const Finished checked = world.Admin({"check-config", "--config", world.Path("wall.textproto")});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, AllOf(HasSubstr("worst case of a release"), Not(HasSubstr("lda:"))));
}

// Of vector `i` of VectorsOfTwoKinds.
double NumberAt(int i, int dimension, int size) {
  if (dimension < 2) return i % 2 == dimension ? size : 0;
  return 0.002 * ((i / 2 * (dimension * dimension + 7)) % 101) - 0.1;
}

// Half of them about each of two points, `size` (the bound is 2.5) in one of the first two
// dimensions; in the others numbers from -0.1 to 0.1.
std::string VectorsOfTwoKinds(int count, int size = 2) {
  std::string documents;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"vector\":[", NumberAt(i, 0, size));
    for (int j = 1; j < WallWorld::kVocabulary; ++j) {
      absl::StrAppend(&documents, ",", NumberAt(i, j, size));
    }
    absl::StrAppend(&documents, "]}\n");
  }
  return documents;
}

// Of all plans, as the checkpoint has it; 0 without one.
int IterationsDone(const WallWorld& world, const std::string& model) {
  v1::CheckpointFile checkpoint;
  if (!std::filesystem::exists(world.Path(model + "/checkpoint.pb")) ||
      !checkpoint.ParseFromString(world.ReadFile(model + "/checkpoint.pb"))) {
    return 0;
  }
  int done = 0;
  for (const v1::FitStage& stage : checkpoint.stages()) done += stage.iterations_done();
  return done;
}

// Killed after the release of the whole and after one of the components, the fit has cost what one
// that nobody killed costs: a plan reserved twice would be more than was asked for.
TEST(VectorsTest, AMixtureOfGaussiansIsFittedThroughKillsAndPaidOnce) {
  WallWorld world(
      {.documents_jsonl = VectorsOfTwoKinds(4000),
       .more_ingest = {"--vectors", absl::StrCat(WallWorld::kVocabulary), "--norm-bound", "2.5"}});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const std::string model = world.Path("kinds.model");
  const std::vector<std::string> fit = {
      "fit",      "notes",        "--topics", "2",     "--epsilon-alone", "8",  "--algorithm",
      "gaussian", "--iterations", "4",        "--yes", "--model",         model};
  Finished step = world.Analyst("alice", {"describe", "notes"});  // which makes the profile
  ASSERT_EQ(step.exit_code, 0) << step.output;
  for (const int iterations : {1, 3}) {
    std::vector<std::string> command = fit;
    command.insert(command.begin(), WallWorld::Program("topicwall"));
    Background killed(command, world.Path("killed.out"),
                      {{"XDG_CONFIG_HOME", world.Path("config")}, {"TOPICWALL_PROFILE", "alice"}});
    while (killed.IsRunning() && IterationsDone(world, "kinds.model") < iterations) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ASSERT_TRUE(killed.IsRunning()) << world.ReadFile("killed.out");
    killed.Signal(SIGKILL);
    killed.Wait();
  }
  step = world.Analyst("alice", fit);
  ASSERT_EQ(step.exit_code, 0) << step.output;
  const auto stub = world.StubOf("alice");
  const auto budget = WallWorld::Budget(*stub);
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_LE(budget->epsilon_spent(), 8);
  EXPECT_GT(budget->epsilon_spent(), 7);
  step = world.Analyst("alice", {"ledger", "notes", "--verify"});
  EXPECT_EQ(step.exit_code, 0) << step.output;

  step = world.Analyst("alice", {"topics", model});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("component"), HasSubstr(" ± ")));
  // One of each kind.
  world.WriteFile("two.jsonl", VectorsOfTwoKinds(2));
  step = world.Analyst("alice", {"topics", model, "--assign", world.Path("two.jsonl"), "--json"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("\"component\":1,"), HasSubstr("\"component\":2,")));
  step = world.Analyst("alice", {"perplexity", model, "--documents", world.Path("two.jsonl")});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, HasSubstr("mean of 2 vectors"));
  step = world.Analyst("alice", {"transform", model, "--documents", world.Path("two.jsonl")});
  EXPECT_NE(step.exit_code, 0);
  EXPECT_THAT(step.output, HasSubstr("is a mixture"));
}

// The number behind the first "key": of a JSON document.
double NumberOf(const std::string& json, const std::string& key) {
  const std::string name = absl::StrCat("\"", key, "\":");
  const size_t place = json.find(name);
  return place == std::string::npos ? std::nan("") : std::stod(json.substr(place + name.size()));
}

// What is released of the vectors of VectorsOfTwoKinds, and what is true of them: mean log
// densities in units of the norm bound.
struct LogDensities {
  double clipped;
  double true_mean;
};

// Computed here of the mixture in the folder of `model` and the weights of its evaluation of
// everybody: of each vector (A·a, 1·n), shortened to the clip norm.
LogDensities LogDensitiesOf(const WallWorld& world, const std::string& model, int count, int size) {
  v1::ModelFile mixture;
  EXPECT_TRUE(mixture.ParseFromString(world.ReadFile(model + "/model.pb")));
  v1::EvaluationFile evaluation;
  for (const auto& entry : std::filesystem::directory_iterator(world.Path(model))) {
    const std::string name = entry.path().filename();
    if (!absl::StartsWith(name, "evaluation-")) continue;
    v1::EvaluationFile read;
    EXPECT_TRUE(read.ParseFromString(world.ReadFile(absl::StrCat(model, "/", name))));
    if (read.plan().plan().held_out_share() == 1) evaluation = read;
  }
  const std::string& weights = evaluation.plan().plan().weights();
  std::array<float, 2> weight = {};
  EXPECT_EQ(weights.size(), sizeof(weight));
  std::memcpy(weight.data(), weights.data(), std::min(weights.size(), sizeof(weight)));
  double nats = 0, vectors = 0, sum = 0;
  for (int i = 0; i < count; ++i) {
    double density = 0;
    for (int k = 0; k < mixture.component_weights_size(); ++k) {
      double log = std::log(mixture.component_weights(k));
      for (int j = 0; j < WallWorld::kVocabulary; ++j) {
        const int place = k * WallWorld::kVocabulary + j;
        const double variance = mixture.gaussian().variances(place);
        const double away = NumberAt(i, j, size) / 2.5 - mixture.gaussian().means(place);
        log -= 0.5 * (std::log(2 * M_PI * variance) + away * away / variance);
      }
      density += std::exp(log);
    }
    const double cost = -std::log(density) - evaluation.nats_taken_off();
    const double norm = std::hypot(cost * double{weight[0]}, double{weight[1]});
    const double share = std::min(1.0, evaluation.clip_norm() / norm);
    nats += share * cost;
    vectors += share;
    sum += std::log(density);
  }
  return {.clipped = -nats / vectors - evaluation.nats_taken_off(), .true_mean = sum / count};
}

// Of everybody, so that it is known what comes, however good the mixture is that the fit found.
// Beside 0.002 of rounding 6.2 standard deviations: false alarm below 1e-9.
TEST(VectorsTest, AnEvaluationBehindTheWallSaysWhatTheAnalystWouldFindAndIsPaidOnce) {
  const std::string vectors = VectorsOfTwoKinds(4000, /*size=*/1);
  WallWorld world(
      {.epsilon = 1000,
       .documents_jsonl = vectors,
       .more_ingest = {"--vectors", absl::StrCat(WallWorld::kVocabulary), "--norm-bound", "2.5"}});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const std::string model = world.Path("kinds.model");
  Finished step = world.Analyst(
      "alice", {"fit", "notes", "--topics", "2", "--epsilon-alone", "20", "--algorithm", "gaussian",
                "--iterations", "4", "--held-out-share", "0.25", "--yes", "--model", model});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  const auto stub = world.StubOf("alice");
  const double fitted = WallWorld::Budget(*stub)->epsilon_spent();

  std::vector<std::string> evaluate = {
      "perplexity", model, "--behind-the-wall", "notes", "--epsilon-alone", "5", "--yes", "--json"};
  step = world.Analyst("alice", evaluate);
  ASSERT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output,
              AllOf(HasSubstr("\"held_out_share\":0.25"), HasSubstr("\"was_trained_on\":false")));
  // A quarter of 4,000 by their coins.
  EXPECT_NEAR(NumberOf(step.output, "vectors"), 1000,
              6.2 * std::hypot(std::sqrt(4000 * 0.25 * 0.75),
                               NumberOf(step.output, "vectors_standard_deviation")));
  const double paid = WallWorld::Budget(*stub)->epsilon_spent();
  EXPECT_GT(paid, fitted);
  step = world.Analyst("alice", evaluate);
  EXPECT_THAT(step.output, HasSubstr("\"was_finished\":true"));
  EXPECT_EQ(WallWorld::Budget(*stub)->epsilon_spent(), paid);
  step = world.Analyst("alice", {evaluate.begin(), evaluate.end() - 1});
  EXPECT_THAT(step.output, HasSubstr("a number that is far below this one is still too high"));

  evaluate.insert(evaluate.end(), {"--held-out-share", "1"});
  step = world.Analyst("alice", evaluate);
  ASSERT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, HasSubstr("\"was_trained_on\":true"));
  const double behind = NumberOf(step.output, "log_likelihood");
  const double error = NumberOf(step.output, "standard_error");
  world.WriteFile("mine.jsonl", vectors);
  step = world.Analyst("alice",
                       {"perplexity", model, "--documents", world.Path("mine.jsonl"), "--json"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  const LogDensities found = LogDensitiesOf(world, "kinds.model", 4000, /*size=*/1);
  EXPECT_NEAR(NumberOf(step.output, "log_likelihood"), found.true_mean, 0.002);
  EXPECT_NEAR(behind, found.clipped, 6.2 * error + 0.002);
  EXPECT_LT(error, 0.1);
  step = world.Analyst("alice", {"ledger", "notes", "--verify"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
}

}  // namespace
}  // namespace topicwall::testing
