// Wherever the program tells the ε of a budget that shares people with another, it tells the sum:
// every command that asks a wall, in words and as JSON, against a wall whose answers have one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/wall/wall_client.h"
#include "tests/client/chain_wall.h"
#include "tests/client/local_wall.h"
#include "tests/client/program.h"
#include "tests/client/small_model.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// The budget is (2.44, 1e-6), the other (5.12, 1e-6): the sum is a number that nothing else is.
constexpr char kSum[] = "7.56";

// Prices as LocalWall, and a chain.
class SharingWall : public ChainWall {
 public:
  SharingWall() {
    chain.TellSum(chain.SumWith(5.12, 1e-6));
    chain.Reserve("ann", "plan", 100, 3);
    description = local_.description();
    description.set_state(v1::CORPUS_STATE_OPEN);
    description.set_signing_key(signer_.key());
    description.set_epsilon(2.44);
    description.set_delta(1e-6);
    description.set_guarantee("(2.44, 1e-06)-differentially private, epsilon as promised");
    description.set_nominal_size(100000);
    description.mutable_limits()->set_max_releases(1000);
    *description.mutable_sum() = chain.SumWith(5.12, 1e-6);
  }
  absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view, int64_t) override {
    return local_.terms();
  }
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override {
    return local_.PricePlan(plan);
  }
  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest&) override {
    return absl::InvalidArgumentError("enough was seen");
  }

 private:
  LocalWall local_;
  ReceiptPress signer_;
};

class ToldSumsTest : public ProgramFrame {
 protected:
  void SetUp() override {
    ASSERT_TRUE(service_.is_up());
    testing::WriteWholeFile(Path("alice.textproto"), service_.profile());
    WriteModel();
  }
  // Of the words of the corpus.
  void WriteModel() {
    const auto terms = wall_.GetVocabulary("notes", 100);
    v1::ModelFile model = SmallModel(*terms, std::vector<float>(terms->size(), 7.0f));
    model.set_tokenizer(wall_.description.tokenizer());
    model.set_held_out_share(0.5);
    WriteFolder("done.model", model);
  }
  // What `topicwall` says, results and remarks.
  std::string Say(std::vector<std::string> arguments) {
    arguments.push_back("--profile");
    arguments.push_back(Path("alice.textproto"));
    const Finished finished = Run(arguments);
    return finished.output + finished.errors;
  }

  SharingWall wall_;
  WallServiceDouble service_{wall_, folder_.path()};
};

TEST_F(ToldSumsTest, NoEpsilonIsToldWithoutTheSum) {
  const std::vector<std::string> fit = {"--topics", "2", "--iterations", "3", "--noise-multiplier"};
  const auto with = [](std::vector<std::string> command, const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
    return command;
  };
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"describe", "notes"},
           {"corpora", "notes"},
           {"budget", "notes"},
           {"ledger", "notes"},
           {"plans", "notes"},
           {"plan", "notes", "--epsilon-alone", "1"},
           {"plan", "notes", "--spend", "50%"},
           with({"price", "notes"}, {"--topics", "2", "--spend", "all", "--explain"}),
           {"fit", "notes", "--topics", "2", "--spend", "0.5", "--yes", "--model", Path("c.model")},
           // More than is left.
           {"fit", "notes", "--topics", "2", "--spend", "3", "--yes", "--model", Path("d.model")},
           {"perplexity", Path("done.model"), "--behind-the-wall", "notes", "--spend", "3",
            "--yes"},
           {"perplexity", Path("done.model"), "--behind-the-wall", "notes", "--spend", "0.1",
            "--yes"},
           {"prevalence", Path("done.model"), "--corpus", "notes", "--spend", "0.1", "--yes"},
           {"prevalence", Path("done.model"), "--corpus", "notes", "--spend", "3", "--yes"},
           {"lengths", "notes", "--out", Path("e.lengths"), "--spend", "0.01", "--yes"},
           {"lengths", "notes", "--out", Path("f.lengths"), "--spend", "3", "--yes"},
           with({"price", "notes"}, with(fit, {"20"})),
           with({"fit", "notes", "--yes", "--model", Path("a.model")}, with(fit, {"20"})),
           // Refused, which tells ε as well.
           with({"fit", "notes", "--yes", "--model", Path("b.model")}, with(fit, {"0.6"})),
           {"perplexity", Path("done.model"), "--behind-the-wall", "notes", "--epsilon-alone", "1",
            "--yes"},
           {"perplexity", Path("done.model"), "--behind-the-wall", "notes", "--noise-multiplier",
            "0.6", "--releases", "50", "--yes"}}) {
    for (const bool json : {false, true}) {
      const std::string said = Say(json ? with(command, {"--json"}) : command);
      SCOPED_TRACE(absl::StrCat(absl::StrJoin(command, " "), ":\n", said));
      // In the JSON of plans it is called what is taken.
      EXPECT_THAT(said, AnyOf(HasSubstr("epsilon"), HasSubstr("\"taken\"")))
          << "this command should have come to numbers";
      EXPECT_THAT(said, HasSubstr(kSum));
    }
  }
}

TEST_F(ToldSumsTest, APriceTellsWhatAnAttackerAndGroupsFaceOverAll) {
  const std::string said = Say({"price", "notes", "--topics", "2", "--noise-multiplier", "20"});
  // e^7.56/(1 + e^7.56) at even odds, rounded up, and 7.56 twice.
  EXPECT_THAT(
      said,
      HasSubstr("an attacker guesses right of a unit at even odds at most 100.0 % of the time"));
  EXPECT_THAT(said, HasSubstr("one unit by another: epsilon 15.1200"));
  EXPECT_THAT(said, HasSubstr("2 units together: epsilon 15.1200"));
}

// What a plan would be alone is no part of what is spent.
TEST_F(ToldSumsTest, ALedgersPlansAreToldAlone) {
  EXPECT_THAT(Say({"ledger", "notes", "--verify"}),
              ContainsRegex("plan plan +0 of 3 iterations charged, .*: epsilon [0-9.]+ alone"));
}

TEST_F(ToldSumsTest, WhatAReleaseTakesIsNullWhereNobodySays) {
  const std::vector<std::string> plan = {"plan", "notes", "--spend", "50%", "--json"};
  EXPECT_THAT(Say(plan), HasSubstr(R"("seconds_per_release":null,"hours":null)"));
}

TEST_F(ToldSumsTest, PlansComeInPagesAndAreAllShown) {
  wall_.plans = {"p1", "p2", "p3", "p4", "p5"};
  ASSERT_OK_AND_ASSIGN(const auto client, ConnectWall({.server = service_.address(),
                                                       .credentials = service_.credentials(),
                                                       .on_wait = {}}));
  ASSERT_OK_AND_ASSIGN(const auto plans, client->ListPlans("notes"));
  ASSERT_EQ(plans.size(), 5u);
  EXPECT_EQ(plans.back().plan_id(), "p5");
  EXPECT_EQ(service_.pages_asked, 3);
  service_.pages_go_in_a_circle = true;
  EXPECT_THAT(client->ListPlans("notes"),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("listed twice")));
}

}  // namespace
}  // namespace topicwall::client
