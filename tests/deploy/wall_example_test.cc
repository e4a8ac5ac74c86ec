#include <gtest/gtest.h>

#include "server/wall_config.h"
#include "tests/deploy/shell_command.h"
#include "tests/support/status_matchers.h"

namespace topicwall::deploy {
namespace {

TEST(WallExample, IsAValidConfiguration) {
  EXPECT_OK(server::ReadWallConfig(Deployed("wall.example.textproto")));
}

}  // namespace
}  // namespace topicwall::deploy
