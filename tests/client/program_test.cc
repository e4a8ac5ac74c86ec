// The program as a script meets it: help, exit codes, files. With a server: tests/e2e.
#include "tests/client/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/fit_planner.h"
#include "client/fit/model_directory.h"
#include "tests/client/small_model.h"
#include "tests/support/environment_variable.h"
#include "tests/support/json_page.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

class ProgramTest : public ProgramFrame {
 protected:
  void WriteProfile() {
    testing::WriteWholeFile(Path("a.pem"), "-----BEGIN CERTIFICATE-----\n");
    testing::WriteWholeFile(Path("a.key"), "-----BEGIN PRIVATE KEY-----\n");
    // Port 1 of the loopback: nobody listens there.
    testing::WriteWholeFile(Path("nobody.textproto"),
                            "server: \"127.0.0.1:1\" ca_file: \"" + Path("a.pem") +
                                "\" certificate_file: \"" + Path("a.pem") +
                                "\" private_key_file: \"" + Path("a.key") + "\"");
  }

  // Two topics over three terms, the second twice as heavy.
  void WriteModel(const char* algorithm = "") {
    v1::ModelFile model = SmallModel({"apple", "fig", "pear"}, {80, 19, 1, 2, 18, 180});
    model.set_algorithm(algorithm);
    WriteFolder("fruit.model", model);
  }

  // In mine.jsonl, turn by turn; and their words.txt.
  void WriteFruitAndShips() {
    std::string documents;
    for (int i = 0; i < 200; ++i) {
      documents += i % 2 == 0 ? "{\"text\": \"apple pear apple fig\"}\n"
                              : "{\"text\": \"ship boat harbour ship\"}\n";
    }
    testing::WriteWholeFile(Path("mine.jsonl"), documents);
    testing::WriteWholeFile(Path("words.txt"), "apple\nboat\nfig\nharbour\npear\nship\n");
  }

  // "topicwall COMMAND: what.", and under --json an object of client/JSON.md.
  void ExpectOneShape(std::vector<std::string> arguments) {
    SCOPED_TRACE(::testing::PrintToString(arguments));
    const std::string start =
        arguments[0] == "dance" ? "topicwall: " : "topicwall " + arguments[0] + ": ";
    const Finished text = Run(arguments);
    EXPECT_NE(text.exit_code, 0);
    EXPECT_EQ(text.errors.substr(0, start.size()), start) << text.errors;
    arguments.insert(arguments.begin() + 1, "--json");
    const Finished json = Run(arguments);
    EXPECT_EQ(json.exit_code, text.exit_code) << json.errors;
    EXPECT_EQ(page_.Mismatch("error", json.errors), "");
    EXPECT_THAT(json.errors, HasSubstr(text.exit_code == 2 ? R"("code":"usage")" : R"("code":)"));
  }

  const testing::JsonPage page_{"client/JSON.md"};
};

constexpr const char* kCommands[] = {
    "login",  "corpora",   "describe",   "vocabulary", "plan",    "price",  "fit",
    "topics", "label",     "tree",       "merge",      "find",    "match",  "export",
    "count",  "transform", "perplexity", "prevalence", "lengths", "report", "learn-prior",
    "budget", "ledger",    "watch",      "statement",  "plans",   "cancel"};

TEST_F(ProgramTest, EveryCommandHasHelpWithAnExampleOfItselfAndJson) {
  for (const std::string command : kCommands) {
    const Finished help = Run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.output, HasSubstr("Example:\n  topicwall " + command));
    EXPECT_THAT(help.output, HasSubstr("--json"));
  }
}

TEST_F(ProgramTest, TheProgramsOwnHelpListsTheseCommandsAndNoOthersAndTheExitCodes) {
  const Finished help = Run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  const std::string after = help.output.substr(help.output.find("\nSubcommands:\n  "));
  std::vector<std::string> listed;
  for (const absl::string_view line : absl::StrSplit(after.substr(0, after.find("\n\n")), "\n  ")) {
    if (line != "\nSubcommands:") listed.emplace_back(line.substr(0, line.find(' ')));
  }
  EXPECT_THAT(listed, UnorderedElementsAreArray(kCommands));
  EXPECT_THAT(help.output, HasSubstr("Exit codes: 0 done"));
}

TEST_F(ProgramTest, PriceTakesEveryAlgorithmThatThereIsAndPlanThoseThatCanBePlanned) {
  for (const std::string& algorithm : AlgorithmNames()) {
    // 2 for the command line, 1 for want of a profile.
    const auto exit_code = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), {"notes", "--spend", "1", "--algorithm", algorithm});
      return Run(arguments).exit_code;
    };
    EXPECT_EQ(exit_code({"price", "--topics", "5"}), 1) << algorithm;
    EXPECT_EQ(exit_code({"plan"}), CanBePlanned(algorithm) ? 1 : 2) << algorithm;
  }
}

TEST_F(ProgramTest, AWrongCommandLineIsExitTwoAndSaysWhatIsWrong) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"dance"},
      {"describe"},
      {"describe", "notes", "--no-such-flag"},
      {"login", "--server", "localhost:1"},
      {"price", "notes", "--topics", "5"},
      {"price", "notes", "--topics", "5", "--epsilon-alone", "1", "--noise-multiplier", "2"},
      {"price", "notes", "--topics", "0", "--epsilon-alone", "1"},
      {"price", "notes", "--topics", "5", "--epsilon", "1"},
      {"price", "notes", "--topics", "5", "--spend", "0"},
      {"price", "notes", "--topics", "5", "--spend", "110%"},
      {"price", "notes", "--topics", "5", "--spend", "some"},
      {"price", "notes", "--topics", "5", "--spend", "all", "--epsilon-alone", "1"},
      {"plan", "notes", "--spend", "all", "--epsilon-alone", "1"},
      {"price", "notes", "--topics", "5", "--epsilon-alone", "-1"},
      {"price", "notes", "--topics", "5", "--epsilon-alone", "nan"},
      {"fit", "notes", "--topics", "5", "--epsilon-alone", "1"},
      {"fit", "notes", "--topics", "5", "--epsilon-alone", "1", "--model", "m", "--algorithm",
       "magic"},
      {"fit", "--topics", "5", "--epsilon-alone", "1", "--model", "m"},
      {"fit", "notes", "--topics", "5", "--model", "m"},
      {"fit", "--no-privacy", "--topics", "5", "--model", "m", "--documents", "d"},
      {"fit", "--no-privacy", "--topics", "5", "--model", "m", "--documents", "d", "--vocabulary",
       "v", "--held-out-share", "0.1"},
      {"fit", "notes", "--no-privacy", "--topics", "5", "--model", "m", "--documents", "d",
       "--vocabulary", "v"},
      {"fit", "notes", "--plan", "auto", "--model", "m"},
      {"fit", "notes", "--init", "other", "--epsilon-alone", "1", "--algorithm", "paper", "--model",
       "m"},
      {"fit", "notes", "--init", "other", "--anchors", "a.json", "--epsilon-alone", "1", "--model",
       "m"},
      {"fit", "notes", "--plan", "auto", "--epsilon-alone", "1", "--algorithm", "paper", "--model",
       "m"},
      {"fit", "notes", "--plan", "manual", "--epsilon-alone", "1", "--model", "m"},
      {"fit", "notes", "--topics", "5", "--epsilon-alone", "1", "--hours", "2", "--model", "m"},
      {"fit", "notes", "--epsilon-alone", "1", "--model", "m"},
      {"price", "notes", "--epsilon-alone", "1"},
      {"price", "notes", "--topics", "many", "--epsilon-alone", "1"},
      {"plan", "notes"},
      {"plan", "notes", "--epsilon-alone", "0"},
      {"plan", "notes", "--epsilon-alone", "1", "--hours", "-2"},
      {"topics", "m", "--top", "0"},
      {"topics", "m", "--relevance", "1.1"},
      {"topics", "m", "--relevance", "nan"},
      {"topics", "m", "--by", "length"},
      {"find", "m"},
      {"match", "m"},
      {"export", "m", "--to", "pickle", "--output", "f"},
      {"count", "m", "--documents", "d", "--format", "xml"},
      {"transform", "m"},
      {"perplexity", "m", "--documents", "d", "--format", "xml"},
      {"perplexity", "m"},
      {"perplexity", "m", "--documents", "d", "--epsilon-alone", "1"},
      {"perplexity", "m", "--documents", "d", "--behind-the-wall", "notes", "--epsilon-alone", "1"},
      {"perplexity", "m", "--behind-the-wall", "notes"},
      {"perplexity", "m", "--documents", "d", "--seed", "-1"},
      {"perplexity", "m", "--documents", "d", "--seed", "18446744073709551616"},
      {"fit", "notes", "--topics", "5", "--epsilon-alone", "1", "--model", "m", "--seed", "-1"},
      {"perplexity", "m", "--behind-the-wall", "notes", "--epsilon-alone", "0"},
      {"watch", "--interval", "5"},
  };
  for (const std::vector<std::string>& arguments : wrong) {
    const Finished run = Run(arguments);
    EXPECT_EQ(run.exit_code, 2) << ::testing::PrintToString(arguments);
    EXPECT_EQ(run.output, "") << ::testing::PrintToString(arguments);
    if (arguments.empty()) continue;  // what to do first (ItsNameAloneSaysWhatToDoFirstInOrder)
    ExpectOneShape(arguments);
  }
}

TEST_F(ProgramTest, ErrorsOfEveryCommandHaveOneShape) {
  for (const std::string command : kCommands) {
    ExpectOneShape({command, "--no-such-flag"});
    ExpectOneShape({command, "--profile"});  // without its value, or of no such name
    ExpectOneShape({command, "a", "b", "c", "d", "e"});
  }
  const std::string nowhere = Path("nowhere");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"topics", nowhere},
           {"label", nowhere},
           {"tree", nowhere},
           {"merge", nowhere, "--topics", "1,2", "--out", "m"},
           {"find", nowhere, "word"},
           {"match", nowhere, nowhere},
           {"export", nowhere, "--to", "csv", "--output", "f"},
           {"transform", nowhere, "--documents", nowhere},
           {"count", nowhere, "--documents", nowhere},
           {"perplexity", nowhere, "--documents", nowhere},
           {"learn-prior", nowhere, "--documents", nowhere, "--out", "m"},
           {"report", nowhere, "--output", "f"},
           {"statement", "--verify", nowhere},
           {"ledger", "--verify", nowhere}}) {
    ExpectOneShape(arguments);
    EXPECT_THAT(Run(arguments).errors, HasSubstr(nowhere)) << arguments[0];
  }
}

TEST_F(ProgramTest, ItsNameAloneSaysWhatToDoFirstInOrder) {
  const Finished run = Run({});
  EXPECT_EQ(run.exit_code, 2);
  size_t place = 0;
  for (const char* step : {"login", "describe", "plan", "fit", "topics", "--help"}) {
    place = run.errors.find(absl::StrCat("topicwall ", step), place);
    EXPECT_NE(place, std::string::npos) << step;
  }
  // README shows that screen.
  EXPECT_THAT(testing::ReadWholeFile(std::string(TOPICWALL_SOURCE_DIR) + "/README.md"),
              HasSubstr("$ topicwall\n" + run.errors));
}

TEST_F(ProgramTest, AResultThatCannotBeWrittenIsExitOneAndSaysWhy) {
  WriteModel();
  const auto run_with = [this](const std::vector<std::string>& arguments,
                               const std::function<void()>& in_child) {
    return testing::Run({.program = "topicwall",
                         .arguments = arguments,
                         .folder = folder_.path(),
                         .in_child = in_child});
  };
  const auto full = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  const auto closed = [] { ::close(STDOUT_FILENO); };
  const std::string model = Path("fruit.model");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"topics", model}, {"tree", model}, {"--help"}}) {
    for (const std::function<void()>& in_child : {std::function<void()>(full), {closed}}) {
      const Finished run = run_with(arguments, in_child);
      EXPECT_EQ(run.exit_code, 1) << arguments[0];
      EXPECT_THAT(run.errors, HasSubstr("cannot write standard output: ")) << arguments[0];
    }
  }
  const Finished json = run_with({"topics", model, "--json"}, full);
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_THAT(json.errors, HasSubstr(R"({"error":{"code":"error","message":"cannot write)"));
  EXPECT_THAT(json.errors, HasSubstr("No space left on device"));
}

// As `topicwall vocabulary notes | head` has it, also where nobody dies of SIGPIPE.
TEST_F(ProgramTest, AReaderThatWentAwayIsNoError) {
  WriteModel();
  for (const auto handler : {SIG_DFL, SIG_IGN}) {
    const Finished run = testing::Run({.program = "topicwall",
                                       .arguments = {"topics", Path("fruit.model")},
                                       .folder = folder_.path(),
                                       .in_child = [handler] {
                                         ::signal(SIGPIPE, handler);
                                         int ends[2];
                                         if (::pipe(ends) != 0) ::_exit(126);
                                         ::close(ends[0]);
                                         ::dup2(ends[1], STDOUT_FILENO);
                                         ::close(ends[1]);
                                       }});
    EXPECT_EQ(run.exit_code, handler == SIG_IGN ? 0 : 128 + SIGPIPE);
    EXPECT_EQ(run.errors, "");
  }
}

TEST_F(ProgramTest, AnErrorUnderJsonIsAnObject) {
  WriteProfile();
  const Finished run = Run({"budget", "notes", "--json", "--profile", Path("none.textproto")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.output, "");
  EXPECT_THAT(run.errors, HasSubstr(R"({"error":{"code":"error","message":")"));
}

TEST_F(ProgramTest, AFitWithoutPrivacyNeedsNoWall) {
  WriteFruitAndShips();
  const std::string model = folder_.path() + "/mine.model";
  const std::vector<std::string> fit = {"fit",          "--no-privacy",
                                        "--documents",  folder_.path() + "/mine.jsonl",
                                        "--vocabulary", folder_.path() + "/words.txt",
                                        "--topics",     "2",
                                        "--model",      model};
  const Finished run = Run(fit);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr("without privacy"));
  const Finished topics = Run({"topics", model, "--top", "3"});
  EXPECT_EQ(topics.exit_code, 0) << topics.errors;
  EXPECT_THAT(topics.output, HasSubstr("apple"));
  EXPECT_THAT(topics.output, HasSubstr("ship"));
  EXPECT_EQ(Run(fit).exit_code, 1) << "a model is never written over";
  std::vector<std::string> from_there = fit;
  from_there.back() = folder_.path() + "/again.model";
  from_there.insert(from_there.end(), {"--init", model});
  const Finished again = Run(from_there);
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.output, HasSubstr("began with the topics of the initial model"));
}

TEST_F(ProgramTest, AFitWithoutPrivacyOfAMixtureIsReadAsAMixture) {
  WriteFruitAndShips();
  const std::string model = Path("mine.model");
  const Finished run =
      Run({"fit", "--no-privacy", "--algorithm", "mixture", "--documents", Path("mine.jsonl"),
           "--vocabulary", Path("words.txt"), "--topics", "2", "--model", model});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr("2 topics over 6 terms after 5 passes, without privacy"));
  const Finished assigned = Run({"topics", model, "--assign", Path("mine.jsonl"), "--json"});
  EXPECT_EQ(assigned.exit_code, 0) << assigned.errors;
  EXPECT_EQ(page_.Mismatch("assigned", assigned.output), "");
  for (const std::vector<std::string>& reads : std::vector<std::vector<std::string>>{
           {"topics", model},
           {"perplexity", model, "--documents", Path("mine.jsonl")},
           {"transform", model, "--documents", Path("mine.jsonl")},
           {"export", model, "--to", "npz", "--output", Path("mine.npz")},
           {"report", model, "--output", Path("mine.html")},
           {"fit", "--no-privacy", "--algorithm", "mixture", "--documents", Path("mine.jsonl"),
            "--vocabulary", Path("words.txt"), "--topics", "2", "--init", model, "--model",
            Path("again.model")}}) {
    const Finished read = Run(reads);
    EXPECT_EQ(read.exit_code, 0) << reads[0] << ": " << read.errors;
  }
}

TEST_F(ProgramTest, AFitWithoutPrivacyThatBeginsWithAMocksTopicsSaysSo) {
  WriteModel();
  v1::ModelFile mock = *ReadModel(Path("fruit.model"));
  mock.set_custodian_id("MOCK");
  WriteFolder("mock.model", mock);
  testing::WriteWholeFile(Path("mine.jsonl"), "{\"text\": \"apple pear apple fig\"}\n");
  testing::WriteWholeFile(Path("words.txt"), "apple\nfig\npear\n");
  const Finished run = Run({"fit", "--no-privacy", "--documents", Path("mine.jsonl"),
                            "--vocabulary", Path("words.txt"), "--topics", "2", "--model",
                            Path("mine.model"), "--init", Path("mock.model")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("MOCK: of documents that do not exist"));
}

TEST_F(ProgramTest, AFitWithoutPrivacyTakesNoFlagThatItWouldNotHeed) {
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--algorithm", "paper"},
                                             {"--algorithm", "gaussian"},
                                             {"--clip-norm", "4"},
                                             {"--sampling-rate", "0.5"},
                                             {"--iterations", "4"},
                                             {"--max-words", "100"}}) {
    std::vector<std::string> fit = {"fit",          "--no-privacy",    "--documents", Path("d"),
                                    "--vocabulary", Path("words.txt"), "--topics",    "2",
                                    "--model",      Path("mine.model")};
    fit.insert(fit.end(), more.begin(), more.end());
    const Finished run = Run(fit);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.errors, HasSubstr(more[0]));
    EXPECT_THAT(run.errors, HasSubstr("--no-privacy"));
  }
  EXPECT_FALSE(std::filesystem::exists(Path("mine.model")));
}

TEST_F(ProgramTest, AnAnchoredTopicHasItsWordsAndItsName) {
  WriteFruitAndShips();
  for (const auto& [anchors, first] : std::vector<std::pair<std::string, std::string>>{
           {R"({"sea": ["boat"], "trees": ["fig"]})", "sea: ship"},
           {R"({"orchard": ["fig"], "sea": ["boat"]})", "orchard: apple"}}) {
    std::filesystem::remove_all(Path("mine.model"));
    testing::WriteWholeFile(Path("anchors.json"), anchors);
    const Finished run = Run({"fit", "--no-privacy", "--documents", Path("mine.jsonl"),
                              "--vocabulary", Path("words.txt"), "--topics", "2", "--model",
                              Path("mine.model"), "--anchors", Path("anchors.json")});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("Topics 1 to 2 began with its anchors"));
    EXPECT_THAT(Run({"topics", Path("mine.model"), "--by", "probability"}).output,
                ::testing::ContainsRegex(absl::StrCat("\n1 .*", first)));
  }
  testing::WriteWholeFile(Path("anchors.json"), R"({"sea": ["boat", "sail"]})");
  const Finished unknown = Run({"fit", "--no-privacy", "--documents", Path("mine.jsonl"),
                                "--vocabulary", Path("words.txt"), "--topics", "2", "--model",
                                Path("other.model"), "--anchors", Path("anchors.json")});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.errors, HasSubstr("\"sail\" of anchor \"sea\""));
}

TEST_F(ProgramTest, WithoutAProfileEveryWallCommandIsExitOneAndNamesLogin) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"describe", "notes"},
           {"price", "notes", "--topics", "5", "--epsilon-alone", "1"},
           {"plan", "notes", "--epsilon-alone", "1"},
           {"fit", "notes", "--plan", "auto", "--epsilon-alone", "1", "--model", Path("m"),
            "--yes"},
           {"fit", "notes", "--topics", "5", "--epsilon-alone", "1", "--model", Path("m"), "--yes"},
           {"budget", "notes"},
           {"ledger", "notes"},
           {"plans"},
           {"corpora"},
           {"watch", "notes"},
           {"cancel", "abc"}}) {
    const Finished run = Run(arguments);
    EXPECT_EQ(run.exit_code, 1) << ::testing::PrintToString(arguments);
    EXPECT_THAT(run.errors, HasSubstr("topicwall login"));
  }
  EXPECT_FALSE(std::filesystem::exists(Path("m")));
}

TEST_F(ProgramTest, WithoutAServerItIsExitFourAndNothingIsLost) {
  WriteProfile();
  const Finished run = Run({"describe", "notes", "--profile", Path("nobody.textproto")});
  EXPECT_EQ(run.exit_code, 4) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("try again"));
  EXPECT_EQ(run.output, "");
}

TEST_F(ProgramTest, GrpcsOwnVariablesDoNotEndIt) {
  WriteProfile();
  for (const char* strategy : {"bogus", "none"}) {
    const testing::EnvironmentVariable polls("GRPC_POLL_STRATEGY", strategy);
    const Finished run = Run({"describe", "notes", "--profile", Path("nobody.textproto")});
    EXPECT_EQ(run.exit_code, 4) << strategy << ": " << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("try again"));
  }
}

TEST_F(ProgramTest, ANewFitWithoutATerminalNeedsYes) {
  WriteProfile();
  const Finished run = Run({"fit", "notes", "--topics", "5", "--epsilon-alone", "1", "--model",
                            Path("m.model"), "--profile", Path("nobody.textproto")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.errors, HasSubstr("--yes"));
  EXPECT_FALSE(std::filesystem::exists(Path("m.model")));
}

// What is wrong with the command line must show before anything is paid for.
TEST_F(ProgramTest, AWrongViewOfAPrevalenceIsExitTwoBeforeTheWallIsAsked) {
  WriteProfile();
  WriteModel();
  for (const auto& [wrong, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--merge", "x"}, "--merge takes topics"},
           {{"--merge", "1+77"}, "different ones from 1 to 2; got 77"},
           {{"--merge", "1+1"}, "different ones from 1 to 2; got 1"},
           {{"--merge", "0+1"}, "--merge takes topics"},
           {{"--by", "kind,kind"}, "got kind twice"},
           {{"--csv", "--json"}, "one of --csv and --json"},
           {{"--top", "0"}, "--top"}}) {
    std::vector<std::string> arguments = {
        "prevalence", Path("fruit.model"),     "--corpus", "notes", "--spend", "0.01", "--yes",
        "--profile",  Path("nobody.textproto")};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Finished run = Run(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr(said));
  }
}

TEST_F(ProgramTest, APrevalenceOfAModelThatIsOfNoCorpusAsksForOne) {
  WriteModel();
  const Finished run = Run({"prevalence", Path("fruit.model"), "--by", "kind"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.errors, HasSubstr("fruit.model was fitted to none behind a wall. Name one with "
                                    "--corpus"));
}

TEST_F(ProgramTest, WhatLengthsCannotMeanIsSaidBeforeAWallIsAsked) {
  WriteProfile();
  const std::vector<std::string> lengths = {"lengths", "notes", "--profile",
                                            Path("nobody.textproto")};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = lengths;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  };
  EXPECT_THAT(with({"--spend", "0.01"}).errors, HasSubstr("--out"));
  const Finished unpriced = with({"--out", Path("notes.lengths"), "--yes"});
  EXPECT_EQ(unpriced.exit_code, 2);
  EXPECT_THAT(unpriced.errors, HasSubstr("give --spend"));
  const Finished no_words = Run({"plan", "notes", "--spend", "1", "--words-per-unit", "0",
                                 "--profile", Path("nobody.textproto")});
  EXPECT_EQ(no_words.exit_code, 2);
  EXPECT_THAT(no_words.errors, HasSubstr("above 0, or a folder of `topicwall lengths`"));
  const Finished no_folder = Run({"plan", "notes", "--spend", "1", "--words-per-unit", "12words",
                                  "--profile", Path("nobody.textproto")});
  EXPECT_EQ(no_folder.exit_code, 1);
  EXPECT_THAT(no_folder.errors, HasSubstr("got 12words, which holds no finished measurement"));
}

TEST_F(ProgramTest, ALoginThatIsNotLetInFailsAndLeavesItsProfile) {
  WriteProfile();
  const Finished login = Run({"login", "--server", "127.0.0.1:1", "--ca", Path("a.pem"),
                              "--certificate", Path("a.pem"), "--key", Path("a.key"), "--json"});
  EXPECT_EQ(login.exit_code, 1) << "the files are no certificates";
  EXPECT_THAT(login.output, HasSubstr("\"admitted\":false"));
  EXPECT_THAT(login.errors, HasSubstr("key: "));
  EXPECT_TRUE(std::filesystem::exists(Path("config") + "/topicwall/profiles/default.textproto"));
  EXPECT_EQ(Run({"login", "--server", "127.0.0.1:1", "--ca", Path("none.pem"), "--certificate",
                 Path("a.pem"), "--key", Path("a.key")})
                .exit_code,
            1);
}

TEST_F(ProgramTest, TopicsComeHeaviestFirstWithTheirWords) {
  WriteModel();
  const Finished run = Run({"topics", Path("fruit.model"), "--top", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output,
            "topic  share    words\n"
            "2       66.8 %  pear 0.900\n"  // 200 and 100 words, of which 1.5 each are the prior's
            "1       33.2 %  apple 0.800 fig 0.190\n");
  const Finished json = Run({"topics", Path("fruit.model"), "--top", "1", "--json"});
  EXPECT_THAT(json.output, HasSubstr("{\"topics\":[{\"topic\":2,"));
  EXPECT_THAT(json.output, HasSubstr("\"document_topic_prior\":0.5,"));
  EXPECT_THAT(json.output, Not(HasSubstr("fig")));
}

TEST_F(ProgramTest, PerplexityShowsBothMeasuresTheUnigramAndWhose) {
  WriteModel();
  std::string documents;
  for (int i = 0; i < 20; ++i)
    documents += "{\"id\": \"d\", \"text\": \"pear pear pear fig pear\"}\n";
  testing::WriteWholeFile(Path("mine.jsonl"), documents + "{\"text\": \"kiwi\"}\n");
  const Finished run = Run({"perplexity", Path("fruit.model"), "--documents", Path("mine.jsonl")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const char* part : {"natural base", "20 documents", "1 more", "document completion",
                           "unigram", "the model's own marginal"}) {
    EXPECT_THAT(run.output, HasSubstr(part));
  }
  EXPECT_THAT(run.output, Not(HasSubstr("variational bound"))) << "of the paper's fits alone";
  const Finished json = Run({"perplexity", Path("fruit.model"), "--documents", Path("mine.jsonl"),
                             "--unigram-documents", Path("mine.jsonl"), "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_THAT(json.output, HasSubstr("not private"));
  EXPECT_THAT(json.output, HasSubstr("\"variational_bound_tokens\":100"));
  testing::WriteWholeFile(Path("none.jsonl"), "{\"text\": \"kiwi\"}\n");
  const Finished none = Run({"perplexity", Path("fruit.model"), "--documents", Path("mine.jsonl"),
                             "--unigram-documents", Path("none.jsonl")});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.errors, HasSubstr("none.jsonl has none. Name other text"));
  std::filesystem::remove_all(Path("fruit.model"));
  WriteModel("paper");
  const Finished paper =
      Run({"perplexity", Path("fruit.model"), "--documents", Path("mine.jsonl")});
  EXPECT_THAT(paper.output, HasSubstr("variational bound"));
}

TEST_F(ProgramTest, ALearnedPriorMakesAnotherModelThatPredictsTheSameKindBetter) {
  WriteModel();
  std::string documents;
  for (int i = 0; i < 20; ++i) documents += "{\"text\": \"pear pear pear fig pear\"}\n";
  testing::WriteWholeFile(Path("mine.jsonl"), documents + "{\"text\": \"kiwi\"}\n");
  const std::vector<std::string> learn = {
      "learn-prior", Path("fruit.model"), "--documents", Path("mine.jsonl"),
      "--out",       Path("tuned.model"), "--json"};
  const Finished learned = Run(learn);
  EXPECT_EQ(learned.exit_code, 0) << learned.errors;
  EXPECT_THAT(learned.output, HasSubstr("\"documents\":20,"));
  ASSERT_OK_AND_ASSIGN(const auto tuned, ReadModel(Path("tuned.model")));
  ASSERT_OK_AND_ASSIGN(const auto fruit, ReadModel(Path("fruit.model")));
  EXPECT_EQ(tuned.prior_documents(), 20);
  EXPECT_EQ(tuned.topic_parameters(), fruit.topic_parameters());
  ASSERT_EQ(tuned.document_topic_prior_size(), 2);
  EXPECT_GT(tuned.document_topic_prior(1), 10 * tuned.document_topic_prior(0));
  const Finished again = Run(learn);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.errors, HasSubstr("holds a fit already"));
}

// As learned_prior_test has it: three documents of which each half says little of the other.
TEST_F(ProgramTest, APriorThatPredictsWorseIsNotTakenAndItIsSaid) {
  WriteModel();
  testing::WriteWholeFile(Path("mine.jsonl"),
                          "{\"text\": \"fig fig fig\"}\n{\"text\": \"pear pear\"}\n"
                          "{\"text\": \"pear apple\"}\n");
  std::vector<std::string> learn = {"learn-prior", Path("fruit.model"),
                                    "--documents", Path("mine.jsonl"),
                                    "--out",       Path("tuned.model")};
  const Finished learned = Run(learn);
  EXPECT_EQ(learned.exit_code, 0) << learned.errors;
  EXPECT_THAT(learned.output, HasSubstr("predicts worse, and alpha is kept, from 0.5000 to 0.5000, "
                                        "1.0000 in all."));
  EXPECT_EQ(ReadModel(Path("tuned.model"))->SerializeAsString(),
            ReadModel(Path("fruit.model"))->SerializeAsString());
  learn.back() = Path("other.model");
  learn.emplace_back("--json");
  EXPECT_THAT(Run(learn).output, HasSubstr("\"kept\":true,\"document_topic_prior\":[0.5,0.5]"));
}

// As on a full disk.
TEST_F(ProgramTest, ALimitOnTheSizeOfFilesEndsItWithAnErrorAndNotByASignal) {
  WriteModel();
  const Finished finished = testing::Run(
      {.program = "topicwall",
       .arguments = {"export", Path("fruit.model"), "--to", "npz", "--output", Path("fruit.npz")},
       .folder = folder_.path(),
       .in_child = [] {
         const rlimit limit = {512, 512};  // errors still fit
         ::setrlimit(RLIMIT_FSIZE, &limit);
       }});
  EXPECT_EQ(finished.exit_code, 1) << finished.errors;
  EXPECT_THAT(finished.errors, HasSubstr("File too large"));
  EXPECT_FALSE(std::filesystem::exists(Path("fruit.npz")));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they take more of it
// A model of 1.5 GB where there is half of one.
TEST_F(ProgramTest, WithoutMemoryItEndsWithAnErrorAndNotByASignal) {
  WriteModel();
  std::filesystem::resize_file(Path("fruit.model/model.pb"), 1'500'000'000);
  const Finished finished = testing::Run({.program = "topicwall",
                                          .arguments = {"topics", "--json", Path("fruit.model")},
                                          .folder = folder_.path(),
                                          .in_child = [] {
                                            const rlimit limit = {500'000'000, 500'000'000};
                                            ::setrlimit(RLIMIT_AS, &limit);
                                          }});
  EXPECT_EQ(finished.exit_code, 1) << finished.errors;
  EXPECT_EQ(page_.Mismatch("error", finished.errors), "");
  EXPECT_THAT(finished.errors, HasSubstr("not enough memory"));
}
#endif

TEST_F(ProgramTest, AMissingOrDamagedModelIsExitOneAndSaysWhich) {
  Finished run = Run({"topics", Path("none.model")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("holds no model"));
  std::filesystem::create_directory(Path("begun.model"));
  testing::WriteWholeFile(Path("begun.model/checkpoint.pb"), "x");
  run = Run({"perplexity", Path("begun.model"), "--documents", Path("d")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("begun.model/checkpoint.pb is no readable checkpoint"));
}

}  // namespace
}  // namespace topicwall::client
