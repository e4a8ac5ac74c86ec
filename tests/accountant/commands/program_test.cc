// The program as a script meets it: output, exit codes, files.
#include "tests/support/program.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::accountant {
namespace {

using ::testing::AllOf;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AccountantProgramTest : public ::testing::Test {
 protected:
  Finished Run(const std::vector<std::string>& arguments, const std::string& input = "") {
    return testing::Run({.program = "topicwall-accountant",
                         .arguments = arguments,
                         .folder = folder_.path(),
                         .input = input});
  }

  google::protobuf::Value Json(const std::vector<std::string>& arguments,
                               const std::string& input = "") {
    const Finished finished = Run(arguments, input);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    EXPECT_EQ(finished.errors, "");
    google::protobuf::Value value;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(finished.output, &value).ok())
        << finished.output;
    return value;
  }

  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  testing::TemporaryDirectory folder_;
};

double Get(const google::protobuf::Value& value, const std::string& field) {
  return value.struct_value().fields().at(field).number_value();
}

const std::vector<std::string> kPlan = {
    "--noise-multiplier", "1.24", "--sampling-rate", "0.05", "--steps", "20"};

std::vector<std::string> With(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(AccountantProgramTest, EpsilonPrintsOneObjectWithBothEnds) {
  for (const auto& [name, expected] :
       std::vector<std::pair<std::string, double>>{{"moments", 1.6451026},
                                                   {"renyi", 1.2132446},
                                                   {"strong", 26.303467},
                                                   {"basic", 12.916060}}) {
    const auto object =
        Json(With(With({"epsilon"}, kPlan), {"--delta", "1e-4", "--accountant", name, "--json"}));
    EXPECT_NEAR(Get(object, "epsilon_lower"), expected, 1e-6 * expected) << name;
    EXPECT_NEAR(Get(object, "epsilon_upper"), expected, 1e-6 * expected) << name;
  }
}

TEST_F(AccountantProgramTest, DeltaIsTheInverseOfEpsilon) {
  const auto epsilon =
      Json(With(With({"epsilon"}, kPlan), {"--delta", "1e-4", "--accountant", "renyi", "--json"}));
  const auto delta =
      Json(With(With({"delta"}, kPlan), {"--epsilon", std::to_string(Get(epsilon, "epsilon_upper")),
                                         "--accountant", "renyi", "--json"}));
  EXPECT_NEAR(Get(delta, "delta_upper"), 1e-4, 1e-9);
}

TEST_F(AccountantProgramTest, TheNoiseThatCalibratePrintsIsEnoughWhenItIsTypedBack) {
  for (const std::string rate : {"1", "0.05"}) {
    for (const std::string target : {"0.3", "0.7", "1", "2.44", "5"}) {
      const Finished found = Run({"calibrate", "--epsilon", target, "--delta", "1e-6",
                                  "--sampling-rate", rate, "--steps", "10"});
      ASSERT_EQ(found.exit_code, 0) << found.errors;
      const std::vector<std::string> lines = absl::StrSplit(found.output, '\n');
      const std::vector<std::string> cells =
          absl::StrSplit(lines.at(1), ' ', absl::SkipWhitespace());
      const auto priced = Json({"epsilon", "--noise-multiplier", cells.at(1), "--delta", "1e-6",
                                "--sampling-rate", rate, "--steps", "10", "--json"});
      EXPECT_LE(Get(priced, "epsilon_upper"), std::stod(target)) << rate;
      EXPECT_GE(Get(priced, "epsilon_upper"), std::stod(target) * (1 - 1e-8)) << rate;
    }
  }
}

// With less noise, a rarer unit or a smaller δ than was told, ε would be another one.
TEST_F(AccountantProgramTest, WhatStandsBesideABoundIsRoundedSoThatItHoldsForIt) {
  for (const std::string sigma : {"1.23456789012", "1.23456789018"}) {
    for (const std::string other : {"0.0523456789012", "0.0523456789018"}) {
      for (const std::string command : {"epsilon", "delta"}) {
        const Finished finished =
            Run({command, "--noise-multiplier", sigma, "--sampling-rate", other, "--steps", "20",
                 command == "epsilon" ? "--delta" : "--epsilon", other, "--accountant", "renyi"});
        ASSERT_EQ(finished.exit_code, 0) << finished.errors;
        const std::vector<std::string> lines = absl::StrSplit(finished.output, '\n');
        const std::vector<std::string> cells =
            absl::StrSplit(lines.at(1), ' ', absl::SkipWhitespace());
        EXPECT_GE(std::stod(cells.at(1)), std::stod(sigma)) << command;
        EXPECT_LE(std::stod(cells.at(2)), std::stod(other)) << command;
        EXPECT_GE(std::stod(cells.at(4)), std::stod(other)) << command;
      }
    }
  }
}

TEST_F(AccountantProgramTest, TheTextOfABracketHoldsTheBracket) {
  const std::vector<std::string> plan = With(With({"epsilon"}, kPlan), {"--delta", "1e-4"});
  const auto whole = Json(With(plan, {"--json"}));
  const std::vector<std::string> lines = absl::StrSplit(Run(plan).output, '\n');
  const std::vector<std::string> cells = absl::StrSplit(lines.at(1), ' ', absl::SkipWhitespace());
  EXPECT_LE(std::stod(cells.at(5)), Get(whole, "epsilon_lower"));
  EXPECT_GE(std::stod(cells.at(6)), Get(whole, "epsilon_upper"));
}

TEST_F(AccountantProgramTest, NoFiniteBoundIsNullInJsonAndInfInText) {
  const std::vector<std::string> plan = {"epsilon", "--noise-multiplier",
                                         "1e-200",  "--sampling-rate",
                                         "0.5",     "--steps",
                                         "1",       "--delta",
                                         "1e-5",    "--accountant",
                                         "renyi"};
  EXPECT_TRUE(
      Json(With(plan, {"--json"})).struct_value().fields().at("epsilon_upper").has_null_value());
  EXPECT_THAT(Run(plan).output, HasSubstr("inf"));
}

TEST_F(AccountantProgramTest, BadNumbersExitTwoNameTheFieldAndPrintNothing) {
  struct Case {
    std::string flag;
    std::string value;
    std::string field;
  };
  for (const Case& bad : std::vector<Case>{{"--noise-multiplier", "0", "noise_multiplier"},
                                           {"--noise-multiplier", "-1", "noise_multiplier"},
                                           {"--noise-multiplier", "inf", "noise_multiplier"},
                                           {"--noise-multiplier", "", "noise_multiplier"},
                                           {"--sampling-rate", "0", "sampling_rate"},
                                           {"--sampling-rate", "1.0001", "sampling_rate"},
                                           {"--sampling-rate", "nan", "sampling_rate"},
                                           {"--steps", "-1", "steps"},
                                           {"--steps", "1e13", "steps"},
                                           {"--steps", "1e999", "steps"},
                                           {"--steps", "abc", "steps"},
                                           {"--delta", "0", "delta"},
                                           {"--delta", "1", "delta"},
                                           {"--delta", "nan", "delta"}}) {
    std::vector<std::string> arguments = With(With({"epsilon"}, kPlan), {"--delta", "1e-4"});
    for (size_t i = 0; i + 1 < arguments.size(); ++i) {
      if (arguments[i] == bad.flag) arguments[i + 1] = bad.value;
    }
    const Finished finished = Run(With(arguments, {"--accountant", "renyi"}));
    EXPECT_EQ(finished.exit_code, 2) << bad.flag << " " << bad.value;
    EXPECT_EQ(finished.output, "") << bad.flag << " " << bad.value;
    EXPECT_THAT(finished.errors, HasSubstr(bad.field + " must be")) << bad.flag << " " << bad.value;
  }
}

TEST_F(AccountantProgramTest, EveryHelpHasAnExample) {
  for (const std::string command :
       {"epsilon", "delta", "calibrate", "explain", "paper-grid", "ledger"}) {
    const Finished help = Run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.output, HasSubstr("Example:\n  topicwall-accountant " + command));
  }
  EXPECT_EQ(Run({}).exit_code, 2);
  EXPECT_EQ(Run({"price"}).exit_code, 2);
}

TEST_F(AccountantProgramTest, ABatchIsReadFromAFileOrStandardInput) {
  const std::string rows =
      "sigma,nu,steps,delta,accountant,id\n1.24,0.05,20,1e-4,renyi,a\n\n2,1,3,1e-6,basic,b\n";
  testing::WriteWholeFile(Path("plans.csv"), rows);
  const Finished file = Run({"epsilon", "--batch", Path("plans.csv")});
  EXPECT_EQ(file.exit_code, 0) << file.errors;
  EXPECT_EQ(file.errors, "");
  EXPECT_THAT(file.output,
              AllOf(StartsWith("sigma,nu,steps,delta,accountant,id,epsilon_lower,epsilon_upper\n"
                               "1.24,0.05,20,1e-4,renyi,a,1.2132"),
                    HasSubstr("\n2,1,3,1e-6,basic,b,")));
  EXPECT_EQ(Run({"epsilon", "--batch", "-"}, rows).output, file.output);
  const auto array = Json({"epsilon", "--batch", "-", "--json"}, rows);
  ASSERT_EQ(array.list_value().values_size(), 2);
  EXPECT_NEAR(Get(array.list_value().values(0), "epsilon_upper"), 1.2132446, 1e-6);
}

TEST_F(AccountantProgramTest, ABadRowExitsTwoAndPrintsNothing) {
  const Finished bad = Run({"epsilon", "--batch", "-"},
                           "sigma,nu,steps,delta,accountant\n1,1,1,1e-5,renyi\n1,2,1,1e-5,renyi\n");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(bad.output, "");
  EXPECT_THAT(bad.errors, HasSubstr("standard input:3: column nu: sampling_rate must be in (0, 1]; "
                                    "got 2"));
  for (const std::string& path : {Path("missing.csv"), folder_.path()}) {
    const Finished unreadable = Run({"epsilon", "--batch", path});
    EXPECT_EQ(unreadable.exit_code, 1) << path;
    EXPECT_THAT(unreadable.errors, HasSubstr("cannot be read"));
  }
}

TEST_F(AccountantProgramTest, ALedgerIsOnePriceForAllRows) {
  std::string rows = "nu,sigma,steps,who\n";
  for (int i = 0; i < 20; ++i) rows += "0.05,1.24,1,x\n";
  const auto ledger =
      Json({"ledger", "-", "--delta", "1e-4", "--accountant", "renyi", "--json"}, rows);
  EXPECT_NEAR(Get(ledger, "epsilon_upper"), 1.2132446, 1e-6);
  EXPECT_EQ(Get(ledger, "plans"), 20);
  EXPECT_EQ(Get(ledger, "kinds"), 1);
  EXPECT_EQ(Get(ledger, "releases"), 20);
}

TEST_F(AccountantProgramTest, CalibrationIsOnThePrivateSideAloneAndAsAFrontier) {
  const std::vector<std::string> target = {"calibrate", "--epsilon",    "1",     "--delta",
                                           "1e-6",      "--accountant", "renyi", "--json"};
  const auto alone = Json(With(target, {"--sampling-rate", "1", "--steps", "10"}));
  EXPECT_LE(Get(alone, "epsilon_upper"), 1);
  EXPECT_GE(Get(alone, "epsilon_upper"), 1 - 1e-8);
  const auto frontier = Json(With(target, {"--sampling-rate", "0.01,1", "--steps", "10,20"}));
  const auto& points = frontier.struct_value().fields().at("results").list_value();
  ASSERT_EQ(points.values_size(), 4);
  EXPECT_EQ(Get(points.values(2), "noise_multiplier"), Get(alone, "noise_multiplier"));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Get(points.values(i), "sampling_rate"), i < 2 ? 0.01 : 1);
    EXPECT_EQ(Get(points.values(i), "steps"), i % 2 == 0 ? 10 : 20);
  }
  // A point that no noise can meet leaves the others.
  const auto hard = Json({"calibrate", "--epsilon", "1e-3", "--delta", "1e-300", "--sampling-rate",
                          "1", "--steps", "1,1e12", "--accountant", "renyi", "--json"});
  const auto& of_hard = hard.struct_value().fields().at("results").list_value();
  EXPECT_GT(Get(of_hard.values(0), "noise_multiplier"), 0);
  EXPECT_TRUE(of_hard.values(1).struct_value().fields().at("noise_multiplier").has_null_value());
  EXPECT_EQ(Run(With(target, {"--sampling-rate", "0.1,2", "--steps", "1"})).exit_code, 2);
  const auto steps = Json(With(target, {"--sampling-rate", "0.01", "--noise-multiplier", "1.5"}));
  EXPECT_EQ(Get(steps, "steps"), 744);
  const auto split =
      Json(With(target, {"--sampling-rate", "1", "--steps", "10", "--histogram-share", "0.02"}));
  EXPECT_GT(Get(split, "sums_noise_multiplier"), Get(alone, "noise_multiplier"));
  const Finished both =
      Run(With(target, {"--sampling-rate", "1", "--steps", "1", "--noise-multiplier", "1"}));
  EXPECT_EQ(both.exit_code, 2);
  const Finished never = Run({"calibrate", "--epsilon", "1e-12", "--delta", "1e-300",
                              "--sampling-rate", "1", "--steps", "1e12", "--accountant", "renyi"});
  EXPECT_EQ(never.exit_code, 1);
  EXPECT_THAT(never.errors, HasSubstr("Ask for fewer steps"));
}

TEST_F(AccountantProgramTest, ExplainBoundsAttackersGroupsAndReplacements) {
  const auto plan =
      Json(With(With({"explain"}, kPlan), {"--delta", "1e-4", "--accountant", "renyi", "--json"}));
  EXPECT_NEAR(Get(plan, "epsilon_upper"), 1.2132446, 1e-6);
  EXPECT_GT(Get(plan, "best_posterior_at_even_odds"), 0.5);
  EXPECT_LT(Get(plan, "best_posterior_at_even_odds"), 0.7710);  // that of ε alone
  EXPECT_GT(Get(plan, "true_positive_rate_at_fpr_1_percent"), 0.01);
  // Twice ε at δ/(1 + e^ε) is a bound; the best split of the curve is no worse.
  EXPECT_GT(Get(plan, "replace_one_epsilon"), 2 * 1.2132446);
  EXPECT_LT(Get(plan, "replace_one_epsilon"), 2.9);
  EXPECT_EQ(Get(plan, "replace_one_delta"), 1e-4);
  const auto& groups = plan.struct_value().fields().at("groups").list_value();
  ASSERT_EQ(groups.values_size(), 3);
  for (const auto& group : groups.values()) EXPECT_EQ(Get(group, "delta"), 1e-4);
  EXPECT_EQ(plan.struct_value().fields().at("trade_off").list_value().values_size(), 12);

  const auto point = Json({"explain", "--epsilon", "1", "--delta", "1e-6", "--json"});
  EXPECT_NEAR(Get(point, "best_posterior_at_even_odds"), 0.73105858 + 1e-6 * 0.2689414, 1e-8);
  EXPECT_EQ(Get(point, "replace_one_epsilon"), 2);
  EXPECT_NEAR(Get(point, "replace_one_delta"), 3.7182818e-6, 1e-12);
  EXPECT_EQ(Run(With(With({"explain"}, kPlan), {"--epsilon", "1", "--delta", "1e-4"})).exit_code,
            2);
}

TEST_F(AccountantProgramTest, ThePaperGridIsPrintedWithItsHeadline) {
  EXPECT_THAT(Run({"paper-grid"}).output, AllOf(HasSubstr("2.4412"), HasSubstr("1.6452"),
                                                HasSubstr("1.2133"), HasSubstr("26.3035")));
  const auto grid = Json({"paper-grid", "--json"});
  const auto& points = grid.struct_value().fields().at("points").list_value();
  EXPECT_EQ(points.values_size(), 15);
}

}  // namespace
}  // namespace topicwall::accountant
