// client/JSON.md, held against what commands print that ask a wall; the others are in
// tests/client/commands/json_output_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/json_page.h"

namespace topicwall::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kAttributes[] = R"(
attributes { name: "ward" values: "north" values: "south" }
attributes { name: "date" is_date: true values: "2023-01-01" values: "2024-01-01" values: "2025-01-01" }
)";

std::string Documents() {
  std::string documents;
  for (int i = 0; i < 600; ++i) {
    // None of 2024: how it changed then cannot be told.
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"ward\":\"", i % 2 == 0 ? "north" : "south",
                    "\",\"date\":\"2023-06-01\",\"text\":\"");
    for (int j = 0; j < 8; ++j) {
      absl::StrAppend(&documents, WallWorld::Word(10 * (i % 3) + (i + 3 * j) % 10), " ");
    }
    absl::StrAppend(&documents, "\"}\n");
  }
  return documents;
}

class JsonOutputTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  // The lines of both outputs that are objects.
  std::vector<std::string> Objects(const std::string& who, std::vector<std::string> arguments,
                                   int exit_code) {
    arguments.emplace_back("--json");
    const Finished step = world_.Analyst(who, arguments);
    EXPECT_EQ(step.exit_code, exit_code) << arguments[0] << ": " << step.output;
    std::vector<std::string> objects;
    for (const absl::string_view line : absl::StrSplit(step.output, '\n')) {
      if (absl::StartsWith(line, "{")) objects.emplace_back(line);
    }
    return objects;
  }
  void ExpectAsOnPage(const std::string& list, const std::vector<std::string>& arguments,
                      const std::string& who = "alice", int exit_code = 0) {
    const std::vector<std::string> objects = Objects(who, arguments, exit_code);
    ASSERT_EQ(objects.size(), 1U) << arguments[0];
    EXPECT_EQ(page_.Mismatch(list, objects[0]), "") << arguments[0] << ": " << objects[0];
  }

  WallWorld world_{{.epsilon = 1000, .documents_jsonl = Documents(), .attributes = kAttributes}};
  const testing::JsonPage page_{"client/JSON.md"};
};

TEST_F(JsonOutputTest, WhatIsAskedOfAWallIsPrintedAsThePageSays) {
  ExpectAsOnPage("describe", {"describe", "notes"});
  ExpectAsOnPage("corpora", {"corpora"});
  ExpectAsOnPage("vocabulary", {"vocabulary", "notes"});
  ExpectAsOnPage("price", {"plan", "notes", "--spend", "1%", "--nominal-size", "600"});
  ExpectAsOnPage("price", {"price", "notes", "--topics", "3", "--spend", "1%"});
  ExpectAsOnPage("price", {"price", "notes", "--topics", "3", "--spend", "1%", "--explain"});
  const std::string model = world_.Path("notes.model");
  const std::vector<std::string> fit = {
      "fit",     "notes", "--topics",         "3",   "--spend",    "10",   "--iterations", "4",
      "--model", model,   "--held-out-share", "0.2", "--progress", "json", "--yes"};
  const std::vector<std::string> objects = Objects("alice", fit, 0);
  ASSERT_GT(objects.size(), 2U);
  for (size_t i = 0; i + 1 < objects.size(); ++i) {
    EXPECT_EQ(page_.Mismatch("progress", objects[i]), "") << objects[i];
  }
  EXPECT_EQ(page_.Mismatch("fit", objects.back()), "") << objects.back();
  ExpectAsOnPage("fit", fit);  // was finished
  ExpectAsOnPage("evaluation",
                 {"perplexity", model, "--behind-the-wall", "notes", "--spend", "5", "--yes"});
  ExpectAsOnPage("evaluation", {"perplexity", model, "--behind-the-wall", "notes", "--spend", "5"});
  ExpectAsOnPage("prevalence", {"prevalence", model, "--by", "ward", "--spend", "5", "--yes"});
  ExpectAsOnPage("prevalence", {"prevalence", model, "--by", "date", "--spend", "5", "--yes"});
  const std::string lengths = world_.Path("notes.lengths");
  ExpectAsOnPage("lengths", {"lengths", "notes", "--out", lengths, "--spend", "0.01", "--yes"});
  ExpectAsOnPage("lengths", {"lengths", "notes", "--out", lengths});
  for (const char* who : {"alice", "ann"}) {
    ExpectAsOnPage("budget", {"budget", "notes"}, who);
    ExpectAsOnPage("budget", {"budget", "notes", "--explain"}, who);
    ExpectAsOnPage("ledger", {"ledger", "notes"}, who);
    ExpectAsOnPage("ledger", {"ledger", "notes", "--explain"}, who);
    ExpectAsOnPage("watch", {"watch", "notes"}, who);
  }
  ExpectAsOnPage("receipts", {"ledger", "notes", "--verify", model});
  ExpectAsOnPage("receipts", {"ledger", "--verify", model, "--explain"});
  ExpectAsOnPage("report",
                 {"report", model, "--corpus", "notes", "--output", world_.Path("notes.html")});
  const auto plan =
      WallWorld::Reserve(*world_.StubOf("alice"), world_.Plan(4, 3), std::string(16, 'c'));
  ASSERT_TRUE(plan.ok());
  ExpectAsOnPage("plans", {"plans", "notes"});
  ExpectAsOnPage("plans", {"cancel", plan->plan_id()});
}

// And a plan of more releases than there are vouchers.
TEST(JsonOutputOfVectorsTest, IsAsThePageSays) {
  std::string documents;
  for (int i = 0; i < 400; ++i) {
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"vector\":[", i % 2);
    for (int j = 1; j < WallWorld::kVocabulary; ++j) absl::StrAppend(&documents, ",", (i + j) % 2);
    absl::StrAppend(&documents, "]}\n");
  }
  WallWorld world(
      {.documents_jsonl = documents,
       .more_ingest = {"--vectors", absl::StrCat(WallWorld::kVocabulary), "--norm-bound", "4"},
       .vouchers = {"4,1,8"}});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const testing::JsonPage page("client/JSON.md");
  const auto expect_as_on_page = [&](const std::string& list, std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const std::string printed = world.Analyst("alice", arguments).output;
    const size_t object = printed.find('{');
    ASSERT_NE(object, std::string::npos) << printed;
    const std::string line = printed.substr(object, printed.find('\n', object) - object);
    EXPECT_EQ(page.Mismatch(list, line), "") << printed;
  };
  const std::vector<std::string> plan = {"notes", "--topics", "2", "--algorithm", "gaussian"};
  const auto with = [&plan](std::vector<std::string> first, std::vector<std::string> more) {
    first.insert(first.end(), plan.begin(), plan.end());
    first.insert(first.end(), more.begin(), more.end());
    return first;
  };
  expect_as_on_page("price", with({"price"}, {"--iterations", "20", "--noise-multiplier", "5"}));
  const std::string model = world.Path("vectors.model");
  expect_as_on_page("fit", with({"fit"}, {"--iterations", "2", "--noise-multiplier", "4", "--model",
                                          model, "--held-out-share", "0.3", "--yes"}));
  expect_as_on_page("evaluation-vectors",
                    {"perplexity", model, "--behind-the-wall", "notes", "--spend", "all", "--yes"});
}

TEST_F(JsonOutputTest, LoginsAndStatementsAndWhatIsRefusedTooArePrintedAsThePageSays) {
  ASSERT_EQ(world_.Analyst("alice", {"describe", "notes"}).exit_code, 0);
  ExpectAsOnPage("login", {"login", "--profile", "another", "--server", world_.address(), "--ca",
                           world_.Path("tls/ca.pem"), "--certificate", world_.Path("tls/alice.pem"),
                           "--key", world_.Path("tls/alice.key")});
  const Finished made = world_.Admin({"statement", "--config", world_.Path("wall.textproto"),
                                      "--corpus", "notes", "--out", world_.Path("statement")});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  ExpectAsOnPage("statement", {"statement", "--verify", world_.Path("statement")});
  ExpectAsOnPage("error", {"describe", "nothing"}, "alice", 1);
  ExpectAsOnPage("error",
                 {"fit", "notes", "--topics", "3", "--noise-multiplier", "0.2", "--iterations",
                  "20", "--model", world_.Path("refused.model"), "--yes"},
                 "bob", 3);
}

// Ids, versions and heads are spelled in one way, by whatever command.
TEST_F(JsonOutputTest, AnIdHasOneSpelling) {
  const auto version = [this](const std::vector<std::string>& arguments) {
    const auto object = nlohmann::json::parse(Objects("alice", arguments, 0).at(0));
    return (object.contains("plan") ? object["plan"] : object)["corpus_version"].get<std::string>();
  };
  const std::string described = version({"describe", "notes"});
  EXPECT_EQ(described.size(), 32U);
  EXPECT_EQ(described.find_first_not_of("0123456789abcdef"), std::string::npos) << described;
  EXPECT_EQ(version({"vocabulary", "notes"}), described);
  EXPECT_EQ(version({"price", "notes", "--topics", "3", "--spend", "1%"}), described);
}

// What nobody decides by is shown to those who ask for it.
TEST_F(JsonOutputTest, TheOdometerAndOtherAccountantsAreBehindExplain) {
  const std::string model = world_.Path("notes.model");
  ASSERT_EQ(world_
                .Analyst("alice", {"fit", "notes", "--topics", "2", "--spend", "5", "--iterations",
                                   "2", "--model", model, "--yes"})
                .exit_code,
            0);
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"budget", "notes"},
           {"price", "notes", "--topics", "3", "--spend", "1%"},
           {"plan", "notes", "--spend", "1%", "--nominal-size", "600"},
           {"ledger", "notes"},
           {"ledger", "notes", "--verify", model}}) {
    for (const bool as_json : {false, true}) {
      for (const bool explain : {false, true}) {
        std::vector<std::string> asked = arguments;
        if (as_json) asked.emplace_back("--json");
        if (explain) asked.emplace_back("--explain");
        const std::string output = world_.Analyst("alice", asked).output;
        const bool shown = absl::StrContains(output, "odometer") ||
                           absl::StrContains(output, "for information") ||
                           absl::StrContains(output, "\"accountant\"");
        EXPECT_EQ(shown, explain) << arguments[0] << ": " << output;
      }
    }
  }
}

}  // namespace
}  // namespace topicwall::testing
