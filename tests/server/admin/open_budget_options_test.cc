#include "server/admin/open_budget_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::StatusIs;

// ABORTED for an error of usage.
absl::StatusOr<OpenBudgetFlags> Typed(const std::string& typed) {
  base::CommandLine line({.program = "admin", .version = "1", .description = ""});
  OpenBudgetOptions options;
  AddOptions(line.root().AddCommand("open-budget", ""), options);
  const std::vector<std::string> words = absl::StrSplit(
      absl::StrCat("admin open-budget --corpus notes ", typed), ' ', absl::SkipEmpty());
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const std::optional<int> code = line.Parse(static_cast<int>(arguments.size()), arguments.data());
  if (code.has_value()) return absl::AbortedError(absl::StrCat("exit ", *code));
  return FlagsOf(options);
}

TEST(OpenBudgetOptionsTest, WithoutAPolicyTheBudgetIsAdaptive) {
  ASSERT_OK_AND_ASSIGN(const auto flags, Typed("--epsilon 2 --delta 1e-6"));
  EXPECT_EQ(flags.corpus, "notes");
  EXPECT_EQ(flags.budget->epsilon, 2);
  EXPECT_EQ(flags.budget->delta, 1e-6);
  EXPECT_TRUE(flags.vouchers.empty());
  EXPECT_FALSE(Typed("--join letters")->budget.has_value());
}

TEST(OpenBudgetOptionsTest, ABudgetIsPlannedForFullBatchesUnlessSampledReleasesAreNamed) {
  using accountant::PlannedUse;
  EXPECT_EQ(Typed("--epsilon 2 --delta 1e-6")->planned, PlannedUse::kFullBatch);
  EXPECT_EQ(Typed("--epsilon 2 --delta 1e-6 --planned full-batch")->planned,
            PlannedUse::kFullBatch);
  EXPECT_EQ(Typed("--epsilon 2 --delta 1e-6 --planned sampled")->planned, PlannedUse::kSampled);
}

TEST(OpenBudgetOptionsTest, VouchersComeFromTheLineAndTheFileInThatOrder) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/vouchers";
  std::ofstream(path) << "40,1,3\n";
  ASSERT_OK_AND_ASSIGN(const auto flags,
                       Typed("--epsilon 2 --delta 1e-6 --policy inventory --voucher 6.3,1,10 " +
                             ("--voucher 20,0.5,2 --vouchers-file " + path)));
  ASSERT_EQ(flags.vouchers.size(), 3);
  EXPECT_EQ(flags.vouchers[0].noise_multiplier, 6.3);
  EXPECT_EQ(flags.vouchers[1].sampling_rate, 0.5);
  EXPECT_EQ(flags.vouchers[2].count, 3);
  std::ofstream(path) << "# none\n";
  EXPECT_THAT(Typed("--epsilon 2 --delta 1e-6 --policy inventory --vouchers-file " + path),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(OpenBudgetOptionsTest, AVoucherIsThreeNumbersAndAnythingElseIsRefusedAndRepeated) {
  OpenBudgetOptions options;
  options.vouchers = {"6.3, 0.05,10"};
  ASSERT_OK_AND_ASSIGN(const auto flags, FlagsOf(options));
  EXPECT_EQ(flags.vouchers.at(0).noise_multiplier, 6.3);
  EXPECT_EQ(flags.vouchers.at(0).sampling_rate, 0.05);
  EXPECT_EQ(flags.vouchers.at(0).count, 10);
  for (const char* text : {"", "6.3", "6.3,1", "6.3,1,10,2", "6.3,1,ten", "6.3,1,1.5", "a,1,1",
                           "6.3,,1", "6.3;1;10", "6.3,1,99999999999999999999"}) {
    options.vouchers = {text};
    EXPECT_THAT(FlagsOf(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                           AllOf(HasSubstr("SIGMA,NU,COUNT"), HasSubstr(text))));
  }
}

TEST(OpenBudgetOptionsTest, AFileHasOneKindALineAndNamesTheLineThatIsNone) {
  const testing::TemporaryDirectory folder;
  OpenBudgetOptions options;
  options.vouchers_file =
      folder.Write("vouchers", "# sigma, nu, count\n6.3,1,10\n\n  20,0.5,3  # weak\n");
  ASSERT_OK_AND_ASSIGN(const auto flags, FlagsOf(options));
  ASSERT_EQ(flags.vouchers.size(), 2);
  EXPECT_EQ(flags.vouchers.at(1).noise_multiplier, 20);
  EXPECT_EQ(flags.vouchers.at(1).count, 3);
  folder.Write("vouchers", "6.3,1,10\n6.3 1 10\n");
  EXPECT_THAT(FlagsOf(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 2")));
  options.vouchers_file = folder.Path("none");
  EXPECT_THAT(FlagsOf(options), StatusIs(absl::StatusCode::kNotFound));
}

TEST(OpenBudgetOptionsTest, DeclarationsNameACorpusAndAReason) {
  ASSERT_OK_AND_ASSIGN(
      const auto flags,
      Typed("--epsilon 2 --delta 1e-6 --yes --disjoint letters=why --disjoint a=b"));
  EXPECT_TRUE(flags.yes);
  ASSERT_EQ(flags.disjoint.size(), 2);
  EXPECT_EQ(flags.disjoint[0].corpus, "letters");
  EXPECT_EQ(flags.disjoint[1].reason, "b");
  EXPECT_THAT(Typed("--epsilon 2 --delta 1e-6 --disjoint letters"),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(OpenBudgetOptionsTest, OptionsThatDoNotGoTogetherAreUsageErrors) {
  for (const char* line :
       {"", "--epsilon 2", "--delta 1e-6", "--epsilon 2 --delta 1e-6 --join letters",
        "--join letters --policy inventory", "--join letters --disjoint notes=why",
        "--epsilon 2 --delta 1e-6 --policy inventory", "--epsilon 2 --delta 1e-6 --policy other",
        "--epsilon 2 --delta 1e-6 --voucher 6.3,1,10",
        "--epsilon 2 --delta 1e-6 --policy adaptive --voucher 6.3,1,10",
        "--epsilon 2 --delta 1e-6 --planned both", "--join letters --planned sampled",
        "--epsilon 2 --delta 1e-6 --policy inventory --voucher 6.3,1,10 --planned full-batch"}) {
    EXPECT_THAT(Typed(line), StatusIs(absl::StatusCode::kAborted, "exit 2")) << line;
  }
}

}  // namespace
}  // namespace topicwall::admin
