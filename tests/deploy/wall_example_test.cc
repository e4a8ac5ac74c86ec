#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/processes.h"
#include "server/wall_config.h"
#include "tests/deploy/shell_command.h"
#include "tests/support/status_matchers.h"

namespace topicwall::deploy {
namespace {

TEST(WallExample, IsAValidConfiguration) {
  EXPECT_OK(server::ReadWallConfig(Deployed("wall.example.textproto")));
}

// Started by the unit without them, all of the server would be root.
TEST(WallExample, NamesTheUsersThatTheUnitIsMadeFor) {
  ASSERT_OK_AND_ASSIGN(const auto config,
                       server::ReadWallConfig(Deployed("wall.example.textproto")));
  ASSERT_TRUE(server::AreSeparated(config));
  const std::string unit = ReadWholeFile(Deployed("topicwall-server.service"));
  const std::string users = ReadWholeFile(Deployed("packages/server.sysusers"));
  EXPECT_THAT(unit, ::testing::HasSubstr("--reuid=" + config.processes().vault() + " "));
  for (const std::string& user : {config.processes().gate(), config.processes().vault()}) {
    EXPECT_THAT(users, ::testing::ContainsRegex("\nu " + user + " "));
  }
}

}  // namespace
}  // namespace topicwall::deploy
