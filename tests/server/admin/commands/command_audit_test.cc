#include "server/admin/commands/command_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::topicwall::testing::StatusIs;

TEST(CommandAuditTest, PrintsATableAndTheSameAsJson) {
  const testing::TemporaryDirectory folder;
  std::vector<std::string> lines;
  const std::string seed = "00112233445566778899aabbccddeeff";
  const auto outcome = Audit({.parts = {"ledger"}, .seed = seed, .scratch = folder.path()},
                             [&](absl::string_view line) { lines.emplace_back(line); });
  ASSERT_OK(outcome);
  EXPECT_FALSE(outcome->bad_news) << outcome->text;
  EXPECT_THAT(outcome->text, StartsWith("seed " + seed));
  EXPECT_THAT(outcome->text, HasSubstr("ledger    holds"));
  EXPECT_THAT(outcome->json.Text(),
              HasSubstr(R"({"seed":"00112233445566778899aabbccddeeff","holds":true,"violated":0)"));
  EXPECT_THAT(outcome->json.Text(), HasSubstr(R"("part":"ledger","verdict":"holds")"));
  EXPECT_FALSE(lines.empty());
}

TEST(CommandAuditTest, RefusesFlagsThatMakeNoSense) {
  EXPECT_THAT(Audit({.parts = {"everything"}}, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("everything")));
  EXPECT_THAT(Audit({.releases = 3}, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("releases")));
}

}  // namespace
}  // namespace topicwall::admin
