// Prevalence, from the custodian's list of values to the analyst's table, with the programs as they
// are deployed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace {

using ::google::protobuf::Struct;
using ::google::protobuf::Value;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kDocuments = 600;

// Words of one planted topic a document, as in wall_world.cc. Documents of the first topic are all
// of the north and of 2023, those of the second of the south and of 2024; of the third a third each
// is of the north, of the south, and of a ward that is not listed, and all of a year that is not.
std::string Documents() {
  std::string documents;
  for (int i = 0; i < kDocuments; ++i) {
    const int topic = i % 3;
    const int ward = topic < 2 ? topic : i / 3 % 3;
    constexpr const char* kWards[] = {"north", "south", "west"};
    constexpr const char* kDates[] = {"2023-07-01", "2024-12-31T23:59:00Z", "1999-01-01"};
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"ward\":\"", kWards[ward], "\",\"date\":\"",
                    kDates[topic], "\",\"text\":\"");
    for (int j = 0; j < 8; ++j) {
      absl::StrAppend(&documents, WallWorld::Word(10 * topic + (i + 3 * j) % 10), " ");
    }
    absl::StrAppend(&documents, "\"}\n");
  }
  return documents;
}

constexpr char kAttributes[] = R"(
attributes { name: "ward" values: "north" values: "south" }
attributes { name: "date" is_date: true values: "2023-01-01" values: "2024-01-01" values: "2025-01-01" }
)";

class PrevalenceTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  Finished Alice(std::vector<std::string> arguments) {
    return world_.Analyst("alice", std::move(arguments));
  }
  Struct AliceJson(std::vector<std::string> arguments) {
    return world_.AnalystJson("alice", std::move(arguments));
  }
  double Spent() { return WallWorld::Budget(*world_.StubOf("alice"))->epsilon_spent(); }

  WallWorld world_{{.epsilon = 1000, .documents_jsonl = Documents(), .attributes = kAttributes}};
};

const Struct& Group(const Struct& report, int group) {
  return report.fields().at("groups").list_value().values(group).struct_value();
}

// The share of a group's largest topic, and which it is.
std::pair<std::string, double> Largest(const Struct& group) {
  std::pair<std::string, double> largest = {"", 0};
  for (const Value& topic : group.fields().at("topics").list_value().values()) {
    const auto& fields = topic.struct_value().fields();
    const double share = fields.at("share").number_value();
    if (share > largest.second) {
      largest = {fields.at("topic").string_value(), share};
    }
  }
  return largest;
}

// Noise of a count is 0.5·√(1 + 1/16)·4, 2.1 documents: 6.2 of them, a false alarm below 1e-9.
TEST_F(PrevalenceTest, GroupsHaveTheirDocumentsAndTheirTopics) {
  const std::string model = world_.Path("notes.model");
  Finished step = Alice({"describe", "notes"});
  EXPECT_THAT(step.output, AllOf(HasSubstr("ward"), HasSubstr("date"), HasSubstr("2024-01-01")));
  step = Alice({"fit", "notes", "--topics", "3", "--epsilon-alone", "60", "--iterations", "8",
                "--model", model, "--yes"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  const Struct report =
      AliceJson({"prevalence", model, "--by", "ward,date", "--noise-multiplier", "0.5", "--yes"});
  ASSERT_EQ(report.fields().at("groups").list_value().values_size(), 9);
  // North in 2023; south in 2024; all else of the third topic, in no year.
  const std::vector<double> expected = {200, 0, 67, 0, 200, 67, 0, 0, 66};
  std::vector<std::string> largest;
  for (int g = 0; g < 9; ++g) {
    const Struct group = Group(report, g);
    EXPECT_NEAR(group.fields().at("documents").number_value(), expected[static_cast<size_t>(g)],
                6.2 * 2.1)
        << g;
    if (expected[static_cast<size_t>(g)] < 100) continue;
    largest.push_back(Largest(group).first);
    EXPECT_GT(Largest(group).second, 0.7) << g;
  }
  EXPECT_NE(largest[0], largest[1]);

  // What was paid is shown again, by less, for nothing: in every form.
  const double spent = Spent();
  const Struct by_date = AliceJson({"prevalence", model, "--by", "date"});
  ASSERT_EQ(by_date.fields().at("groups").list_value().values_size(), 3);
  for (int g = 0; g < 3; ++g) {
    EXPECT_NEAR(Group(by_date, g).fields().at("documents").number_value(), 200, 6.2 * 2.1 * 2);
  }
  EXPECT_EQ(by_date.fields().at("changes").list_value().values_size(), 3);
  step = Alice({"prevalence", model, "--by", "date"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("rises"), HasSubstr("falls"), HasSubstr("2024-01-01"),
                                 HasSubstr("nothing was paid")));
  step = Alice({"prevalence", model, "--by", "ward", "--merge", "1+3", "--csv"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  const std::vector<std::string> lines = absl::StrSplit(step.output, "\r\n");
  EXPECT_EQ(lines.size(), 1u + 3 * 2);
  EXPECT_THAT(lines[0], HasSubstr("ward,topic,share"));
  EXPECT_THAT(lines[1], HasSubstr("north,1+3,"));
  EXPECT_EQ(Spent(), spent);
}

TEST_F(PrevalenceTest, WhatTheCorpusHasNotIsRefusedAndNothingIsSpent) {
  const std::string model = world_.Path("notes.model");
  Finished step =
      Alice({"fit", "notes", "--topics", "3", "--noise-multiplier", "2", "--algorithm", "paper",
             "--sampling-rate", "1", "--iterations", "1", "--model", model, "--yes"});
  ASSERT_EQ(step.exit_code, 0) << step.output;
  const double spent = Spent();
  step = Alice({"prevalence", model, "--by", "month", "--epsilon-alone", "1", "--yes"});
  EXPECT_EQ(step.exit_code, 1) << step.output;
  EXPECT_THAT(step.output, HasSubstr("ward, date"));
  step = Alice({"prevalence", model, "--by", "ward"});
  EXPECT_EQ(step.exit_code, 2) << step.output;
  EXPECT_THAT(step.output, HasSubstr("--spend"));
  step = Alice({"prevalence", model, "--by", "ward", "--epsilon-alone", "1"});
  EXPECT_EQ(step.exit_code, 2) << step.output;
  EXPECT_EQ(Spent(), spent);
}

}  // namespace
}  // namespace topicwall::testing
