#include "base/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace topicwall::base {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A program with one command of every kind of option.
class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() {
    line_.root().RequireCommand();
    command_.Add("corpus", corpus_, "Name of the corpus").Required();
    command_.Add("--epsilon", epsilon_, "Price").Positive();
    command_.Add("--topics", topics_, "K").ShowDefault().FromEnvironment("COMMAND_LINE_TEST");
    command_.Add("--part", parts_, "A part").Repeated().OneOf({"noise", "ledger"});
    command_.Add("--sigma", sigmas_, "Noise").SeparatedBy(',');
    command_.AddChoice<int>("--unit", unit_, {{"document", 1}, {"owner", 2}}, "Privacy unit");
    command_.AddFlag("--yes", yes_, "Do not ask").Excludes(command_.Find("--epsilon"));
    command_.Check([this] {
      return topics_ == 13 ? absl::InvalidArgumentError("13 is no number of topics")
                           : absl::OkStatus();
    });
    command_.OnParsed([this] { ++parsed_; });
    line_.root().AddAnswer(
        "--list", [] { return std::string("one\ntwo\n"); }, "List them");
  }
  ~CommandLineTest() override { unsetenv("COMMAND_LINE_TEST"); }

  // What Parse returns and, in printed_, what it prints.
  std::optional<int> Parse(std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const auto code = line_.Parse(static_cast<int>(words.size()), words.data());
    printed_ = ::testing::internal::GetCapturedStdout();
    errors_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  CommandLine line_{{.program = "program", .version = "1.2", .description = "Does things"}};
  Command command_ = line_.root().AddCommand("fit", "Fit a model");
  std::string corpus_;
  std::optional<double> epsilon_;
  int topics_ = 50;
  std::vector<std::string> parts_;
  std::vector<double> sigmas_;
  int unit_ = 0;
  bool yes_ = false;
  int parsed_ = 0;
  std::string printed_, errors_;
};

TEST_F(CommandLineTest, ValuesArriveInTheVariables) {
  EXPECT_EQ(Parse({"fit", "notes", "--epsilon", "2.5", "--part", "noise", "--part", "ledger",
                   "--sigma", "1,2", "--unit", "owner"}),
            std::nullopt);
  EXPECT_EQ(corpus_, "notes");
  EXPECT_EQ(epsilon_, 2.5);
  EXPECT_EQ(topics_, 50);
  EXPECT_THAT(parts_, ElementsAre("noise", "ledger"));
  EXPECT_THAT(sigmas_, ElementsAre(1, 2));
  EXPECT_EQ(unit_, 2);
  EXPECT_TRUE(command_.Find("--epsilon").given());
  EXPECT_FALSE(command_.Find("--topics").given());
  EXPECT_EQ(parsed_, 1);
}

TEST_F(CommandLineTest, WhatIsNotGivenStaysAsItIs) {
  EXPECT_EQ(Parse({"fit", "notes"}), std::nullopt);
  EXPECT_EQ(epsilon_, std::nullopt);
  EXPECT_EQ(unit_, 0);
  EXPECT_FALSE(yes_);
}

TEST_F(CommandLineTest, TheEnvironmentIsAskedWhereTheLineSaysNothing) {
  setenv("COMMAND_LINE_TEST", "7", 1);
  EXPECT_EQ(Parse({"fit", "notes"}), std::nullopt);
  EXPECT_EQ(topics_, 7);
}

TEST_F(CommandLineTest, WrongLinesEndWithTwoAndAnActIsNotDone) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{},
                                             {"fit"},
                                             {"sing", "notes"},
                                             {"fit", "notes", "--epsilon", "0"},
                                             {"fit", "notes", "--epsilon", "nan"},
                                             {"fit", "notes", "--topics", "many"},
                                             {"fit", "notes", "--part", "other"},
                                             {"fit", "notes", "--unit", "other"},
                                             {"fit", "notes", "--yes", "--epsilon", "1"},
                                             {"fit", "notes", "--topics", "13"},
                                             {"fit", "notes", "--unknown"}}) {
    EXPECT_EQ(Parse(words), CommandLine::kUsage) << (words.empty() ? "" : words.back());
    EXPECT_NE(errors_, "");
  }
  EXPECT_EQ(parsed_, 0);
}

TEST_F(CommandLineTest, ErrorsHaveOneShapeWhateverIsWrong) {
  const auto error_of = [this](const std::vector<const char*>& words) {
    topics_ = 50;  // whatever an earlier line said
    Parse(words);
    return errors_;
  };
  const std::string see = ". See `program fit --help`.\n";
  EXPECT_EQ(error_of({"fit", "notes", "--epsilon", "-3"}),
            "program fit: --epsilon must be positive; got -3" + see);
  EXPECT_EQ(error_of({"fit", "notes", "--topics", "many"}),
            "program fit: --topics must be a whole number; got many" + see);
  EXPECT_EQ(error_of({"fit", "notes", "--topics", "9999999999"}),
            "program fit: --topics must be a whole number from -2147483648 to 2147483647; got "
            "9999999999" +
                see);
  EXPECT_THAT(error_of({"fit", "notes", "--topics", "13"}), HasSubstr("13 is no number of topics"));
  EXPECT_EQ(error_of({"fit"}), "program fit: corpus is required" + see);
  EXPECT_EQ(error_of({"fit", "notes", "--unknown"}),
            "program fit: there is no such argument here: --unknown" + see);
  EXPECT_EQ(error_of({"fit", "notes", "two", "three"}),
            "program fit: there is no such argument here: two three" + see);
  EXPECT_EQ(error_of({"fit", "notes", "--epsilon"}), "program fit: --epsilon wants a value" + see);
  EXPECT_THAT(
      error_of({"fit", "notes", "--part", "other"}),
      AllOf(HasSubstr("program fit: --part must be one of "), HasSubstr("; got other. See")));
  EXPECT_THAT(error_of({"fit", "notes", "--yes", "--epsilon", "1"}),
              HasSubstr(" exclude each other. See"));
  EXPECT_EQ(error_of({}), "program: a command is required. See `program --help`.\n");
  EXPECT_EQ(error_of({"sing", "notes"}),
            "program: there is no such command: sing. See `program --help`.\n");
}

TEST_F(CommandLineTest, HelpVersionAndAnswersEndWithZero) {
  EXPECT_EQ(Parse({"--version"}), 0);
  EXPECT_EQ(printed_, "program 1.2\n");
  EXPECT_EQ(Parse({"--list"}), 0);
  EXPECT_EQ(printed_, "one\ntwo\n");
  EXPECT_EQ(Parse({"fit", "--help"}), 0);
  EXPECT_THAT(printed_, AllOf(HasSubstr("Name of the corpus"), HasSubstr("50")));
  EXPECT_EQ(parsed_, 0);
}

}  // namespace
}  // namespace topicwall::base
