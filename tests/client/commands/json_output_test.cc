// client/JSON.md, held against what commands print that ask no wall; the others are in
// tests/e2e/json_output_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/client/program.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/json_page.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace json_output_test {

class JsonOutputTest : public ProgramFrame {
 protected:
  void SetUp() override {
    WriteFolder("made.model", MadeUpModel(1, 10));
    testing::WriteWholeFile(Path("mine.jsonl"),
                            "{\"text\": \"wordag wordah wordai wordag the unheard\"}\n"
                            "{\"text\": \"wordab the wordac\"}\n");
    testing::WriteWholeFile(Path("mine.vectors"), "{\"vector\": [0.5, 0.25]}\n");
  }

  v1::ModelFile Mixture() {
    v1::ModelFile mixture = MadeUpModel(1, 10);
    for (int k = 0; k < kMadeUpTopics; ++k) mixture.add_component_weights(1.0 / kMadeUpTopics);
    return mixture;
  }
  v1::ModelFile OfVectors() {
    v1::ModelFile model;
    model.set_format_version(1);
    model.set_num_topics(1);
    model.set_vocabulary_size(2);
    for (const char* term : {"0", "1"}) model.add_terms(term);
    model.set_tokenizer("vectors");
    model.add_component_weights(1);
    model.mutable_gaussian()->set_norm_bound(1);
    for (const double x : {0.25, 0.5}) model.mutable_gaussian()->add_means(x);
    for (const double x : {0.1, 0.2}) model.mutable_gaussian()->add_variances(x);
    model.mutable_gaussian()->set_count_deviation(0.01);
    return model;
  }
  std::string ExpectAsOnPage(const std::string& list, std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    Finished run = Run(arguments);
    EXPECT_EQ(run.exit_code, 0) << arguments[0] << ": " << run.errors;
    EXPECT_EQ(page_.Mismatch(list, run.output), "") << arguments[0] << ": " << run.output;
    return run.output;
  }

  const testing::JsonPage page_{"client/JSON.md"};
};

TEST_F(JsonOutputTest, CommandsThatReadAModelPrintWhatThePageSays) {
  const std::string model = Path("made.model");
  ExpectAsOnPage("topics", {"topics", model});
  ExpectAsOnPage("label", {"label", model, "1", "first"});
  ExpectAsOnPage("topics", {"topics", model});
  ExpectAsOnPage("tree", {"tree", model});
  ExpectAsOnPage("merge", {"merge", model, "--topics", "1,3", "--out", Path("merged.model")});
  ExpectAsOnPage("topics", {"topics", Path("merged.model")});
  ExpectAsOnPage("find", {"find", model, "wordah"});
  ExpectAsOnPage("find", {"find", Path("merged.model"), "wordah"});
  ExpectAsOnPage("match", {"match", model, Path("merged.model")});
  ExpectAsOnPage("export", {"export", model, "--to", "csv", "--output", Path("made.csv")});
  ExpectAsOnPage("report", {"report", model, "--output", Path("made.html")});
  ExpectAsOnPage("report-verify", {"report", "--verify", Path("made.html"), "--model", model});
}

TEST_F(JsonOutputTest, CommandsThatReadDocumentsPrintWhatThePageSays) {
  const std::string model = Path("made.model"), documents = Path("mine.jsonl");
  ExpectAsOnPage("count", {"count", model, "--documents", documents});
  ExpectAsOnPage("transform", {"transform", model, "--documents", documents});
  ExpectAsOnPage("perplexity", {"perplexity", model, "--documents", documents});
  ExpectAsOnPage("perplexity", {"perplexity", model, "--documents", documents});
  ExpectAsOnPage("learn-prior",
                 {"learn-prior", model, "--documents", documents, "--out", Path("tuned.model")});
  testing::WriteWholeFile(Path("words.txt"), "wordab\nwordag\nwordah\nthe\n");
  const std::string fit =
      ExpectAsOnPage("fit", {"fit", "--no-privacy", "--documents", documents, "--vocabulary",
                             Path("words.txt"), "--topics", "2", "--model", Path("own.model")});
  EXPECT_TRUE(absl::StrContains(fit, R"("taken":0.0,"epsilon_alone":null,"delta":null)")) << fit;
}

TEST_F(JsonOutputTest, MixturesPrintWhatThePageSays) {
  WriteFolder("mixture.model", Mixture());
  ExpectAsOnPage("topics", {"topics", Path("mixture.model")});
  ExpectAsOnPage("assigned", {"topics", Path("mixture.model"), "--assign", Path("mine.jsonl")});
  ExpectAsOnPage("perplexity",
                 {"perplexity", Path("mixture.model"), "--documents", Path("mine.jsonl")});
  WriteFolder("vectors.model", OfVectors());
  ExpectAsOnPage("components", {"topics", Path("vectors.model")});
  ExpectAsOnPage("assigned-vectors",
                 {"topics", Path("vectors.model"), "--assign", Path("mine.vectors")});
  ExpectAsOnPage("export-vectors",
                 {"export", Path("vectors.model"), "--to", "csv", "--output", Path("vectors.csv")});
  ExpectAsOnPage("report", {"report", Path("vectors.model"), "--output", Path("vectors.html")});
  ExpectAsOnPage("report-verify",
                 {"report", "--verify", Path("vectors.html"), "--model", Path("vectors.model")});
  ExpectAsOnPage(
      "fit", {"fit", "--no-privacy", "--algorithm", "gaussian", "--documents", Path("mine.vectors"),
              "--norm-bound", "1", "--topics", "1", "--model", Path("mine.model")});
  ExpectAsOnPage("perplexity-vectors",
                 {"perplexity", Path("vectors.model"), "--documents", Path("mine.vectors")});
}

// The page would say nothing of a list that no test reads.
TEST(JsonPageTest, EachListIsHeldAgainstAnOutputSomewhere) {
  const testing::JsonPage page("client/JSON.md");
  std::string tests;
  for (const char* file : {"/tests/client/commands/json_output_test.cc",
                           "/tests/client/program_test.cc", "/tests/e2e/json_output_test.cc"}) {
    tests += testing::ReadWholeFile(std::string(TOPICWALL_SOURCE_DIR) + file);
  }
  for (const std::string& name : page.names()) {
    EXPECT_TRUE(absl::StrContains(tests, absl::StrCat("(\"", name, "\","))) << name;
  }
}

TEST(JsonPageTest, WhatIsNotAsOnThePageIsNamed) {
  const testing::JsonPage page("client/JSON.md");
  const std::string good = R"({"labels":[{"topic":1,"label":"x"}]})";
  EXPECT_EQ(page.Mismatch("label", good), "");
  EXPECT_EQ(page.Mismatch("label", R"({"labels":[]})"), "");
  EXPECT_EQ(page.Mismatch("label", "{}"), ".labels is missing");
  EXPECT_EQ(page.Mismatch("label", R"({"labels":[{"topic":1.5,"label":"x"}]})"),
            ".labels[].topic is of type number");
  EXPECT_EQ(page.Mismatch("label", R"({"labels":[{"topic":"1","label":"x"}]})"),
            ".labels[].topic is of type string");
  EXPECT_EQ(page.Mismatch("label", R"({"labels":[{"label":"x"}]})"), ".labels[].topic is missing");
  EXPECT_EQ(page.Mismatch("label", R"({"labels":[],"more":1})"), ".more is not on the page");
  EXPECT_EQ(page.Mismatch("label", R"({"labels":{}})"), ".labels is no list");
  EXPECT_NE(page.Mismatch("label", good + "\n" + good), "");
  EXPECT_NE(page.Mismatch("label", "word"), "");
}

}  // namespace json_output_test
}  // namespace topicwall::client
