// How long units are, from documents to the analyst's plan, with the programs as they are deployed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace lengths_test {

using ::google::protobuf::Struct;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kOwners = 300;

// Every owner has two documents, of 1 + i mod 7 known words each, and of unknown ones some more.
std::string Documents() {
  std::string documents;
  for (int i = 0; i < 2 * kOwners; ++i) {
    const int owner = i / 2;
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"owner\":\"o", owner, "\",\"text\":\"");
    for (int j = 0; j <= owner % 7; ++j) {
      absl::StrAppend(&documents, WallWorld::Word((i + 3 * j) % WallWorld::kVocabulary), " ");
    }
    for (int j = 0; j < owner % 5; ++j) absl::StrAppend(&documents, "unheard ");
    absl::StrAppend(&documents, "\"}\n");
  }
  return documents;
}

class LengthsTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  bool OfOwners() const { return GetParam() == "owner"; }
  Finished Alice(std::vector<std::string> arguments) {
    return world_.Analyst("alice", std::move(arguments));
  }
  Struct AliceJson(std::vector<std::string> arguments) {
    return world_.AnalystJson("alice", std::move(arguments));
  }
  static double Number(const Struct& object, const std::string& name) {
    return object.fields().at(name).number_value();
  }
  double Spent() { return WallWorld::Budget(*world_.StubOf("alice"))->epsilon_spent(); }

  WallWorld world_{{.epsilon = 1000, .privacy_unit = GetParam(), .documents_jsonl = Documents()}};
};

// Noise of a bin is 0.5 units: 6.4 of them, and a false alarm of all bins together below 1e-8.
TEST_P(LengthsTest, AreThoseOfTheDocumentsAndAPlanTakesThem) {
  const std::string folder = world_.Path("notes.lengths");
  const Struct told =
      AliceJson({"lengths", "notes", "--out", folder, "--noise-multiplier", "0.5", "--yes"});
  const int documents = OfOwners() ? 2 : 1, units = OfOwners() ? kOwners : 2 * kOwners;
  int all = 0;
  for (const auto& bin : told.fields().at("bins").list_value().values()) {
    const double from = Number(bin.struct_value(), "from"), to = Number(bin.struct_value(), "to");
    int expected = 0;
    for (int unit = 0; unit < units; ++unit) {
      const int words = documents * (1 + (OfOwners() ? unit : unit / 2) % 7);
      expected += from <= words && words <= to ? 1 : 0;
    }
    all += expected;
    EXPECT_NEAR(Number(bin.struct_value(), "units"), expected, 6.4 * 0.5) << from;
  }
  EXPECT_EQ(all, units);
  EXPECT_EQ(told.fields().at("of_owners").bool_value(), OfOwners());
  // Each length is a seventh of the units, and every quartile is 20 of them or more from an edge.
  EXPECT_EQ(Number(told, "median_low"), 4 * documents);
  EXPECT_EQ(Number(told, "median_high"), OfOwners() ? 9 : 4) << "8 and 9 are one bin";
  EXPECT_EQ(Number(told, "lower_quartile"), 2 * documents);
  EXPECT_EQ(Number(told, "words_per_unit"), 4) << "of owners the lower quartile";

  // Again it costs nothing, and a plan says whose number it takes.
  const double spent = Spent();
  Finished step = Alice({"lengths", "notes", "--out", folder});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("nothing was paid"), HasSubstr("take 4 words")));
  const std::vector<std::string> plan = {"plan",           "notes",  "--spend",          "90%",
                                         "--nominal-size", "100000", "--words-per-unit", folder};
  const Struct proposal = AliceJson(plan);
  EXPECT_EQ(Number(proposal, "words_per_unit"), 4);
  EXPECT_EQ(proposal.fields().at("words_from").string_value(), "measured");
  step = Alice(plan);
  EXPECT_THAT(step.output, HasSubstr(absl::StrCat("4 known words each")));
  EXPECT_THAT(step.output, HasSubstr(absl::StrCat("(measured: ", folder, ")")));
  EXPECT_THAT(step.output, HasSubstr(absl::StrCat(" --words-per-unit ", folder,
                                                  " --nominal-size 100000 --topics ")))
      << "the fit that is proposed is by the same numbers";
  EXPECT_EQ(Spent(), spent);
  // The receipt lies in the folder.
  step = Alice({"ledger", "notes", "--verify", folder});
  EXPECT_EQ(step.exit_code, 0) << step.output;
}

TEST_P(LengthsTest, WhatNobodyAgreedToIsNotBought) {
  const std::string folder = world_.Path("notes.lengths");
  Finished step = Alice({"lengths", "notes", "--out", folder});  // nobody to ask
  EXPECT_EQ(step.exit_code, 2) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("takes"), HasSubstr("--yes"))) << "nobody could answer";
  step = Alice({"lengths", "notes", "--out", folder, "--spend", "2000", "--yes"});
  EXPECT_EQ(step.exit_code, 3) << step.output;
  EXPECT_EQ(Spent(), 0);
}

// By the usual assumption of forty words fifty topics would be proposed to one who has four.
TEST_P(LengthsTest, AMixtureIsNotProposedByAnAssumptionAndSaysWhatShortTextsWouldGive) {
  const std::vector<std::string> mixture = {"notes", "--algorithm",    "mixture", "--epsilon-alone",
                                            "0.5",   "--nominal-size", "60000"};
  const auto with = [&mixture](std::vector<std::string> first, std::vector<std::string> more) {
    first.insert(first.end(), mixture.begin(), mixture.end());
    first.insert(first.end(), more.begin(), more.end());
    return first;
  };
  Finished step = Alice(with({"plan"}, {}));
  EXPECT_EQ(step.exit_code, 1) << step.output;
  EXPECT_THAT(step.output,
              AllOf(HasSubstr("words-per-unit"), HasSubstr("topicwall lengths notes")));
  step = Alice(with({"plan"}, {"--words-per-unit", "4"}));
  EXPECT_EQ(step.exit_code, 0) << step.output;
  const std::string short_texts = "nobody said how many known words a text has";
  EXPECT_THAT(step.output, Not(HasSubstr(short_texts)));
  step = Alice(with({"price"}, {"--topics", "5"}));
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, HasSubstr(short_texts));
}

INSTANTIATE_TEST_SUITE_P(Of, LengthsTest, ::testing::Values("document", "owner"),
                         [](const auto& one) { return one.param; });

}  // namespace lengths_test
}  // namespace topicwall::testing
