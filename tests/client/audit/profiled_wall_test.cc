#include "client/audit/profiled_wall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/environment_variable.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace profiled_wall_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class ProfiledWallTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/alice.textproto"; }
  void Pin(const std::string& hex) const {
    std::ofstream(Path()) << "server: \"localhost:1\" custodian_key: \"" << hex << "\"\n";
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(ProfiledWallTest, AKeyThatIsTypedWinsOverTheProfiles) {
  Pin(std::string(64, 'a'));
  EXPECT_EQ(*PinnedKeyOf(Path(), ""), std::string(32, '\xaa'));
  EXPECT_EQ(*PinnedKeyOf(Path(), std::string(64, 'b')), std::string(32, '\xbb'));
  EXPECT_THAT(PinnedKeyOf(Path(), "abc"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(ProfiledWallTest, WithoutAProfileNoKeyIsPinnedAndNoWallIsConnected) {
  EXPECT_EQ(*PinnedKeyOf(Path(), ""), "");
  EXPECT_THAT(ConnectWatched(Path(), {}).status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("topicwall login")));
}

// An auditor verifies what was handed over on a machine that knows no analyst.
TEST_F(ProfiledWallTest, WhereNoProfileCanBeNoKeyIsPinned) {
  const testing::EnvironmentVariable no_home("HOME", nullptr);
  const testing::EnvironmentVariable no_config("XDG_CONFIG_HOME", nullptr);
  const testing::EnvironmentVariable no_profile("TOPICWALL_PROFILE", nullptr);
  const auto key = PinnedKeyOf("", "");
  const auto named = PinnedKeyOf("alice", "");
  const auto wall = ConnectWatched("", {}).status();
  ASSERT_OK(key);
  EXPECT_EQ(*key, "");
  EXPECT_THAT(named, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("needs HOME")))
      << "whoever names one means its key";
  EXPECT_THAT(wall, StatusIs(absl::StatusCode::kNotFound, HasSubstr("needs HOME")));
}

TEST_F(ProfiledWallTest, AProfileThatWasOpenedIsNotReadAgain) {
  const std::string pem = folder_.path() + "/stub.pem";
  std::ofstream(pem) << "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n";
  std::ofstream(Path()) << "server: \"localhost:1\" ca_file: \"" << pem << "\" certificate_file: \""
                        << pem << "\" private_key_file: \"" << pem << "\"\n";
  ASSERT_OK_AND_ASSIGN(const auto opened, OpenProfile(Path()));
  EXPECT_EQ(opened.server, "localhost:1");
  std::filesystem::remove(Path());
  std::filesystem::remove(pem);
  EXPECT_THAT(ConnectWatched(Path(), {}).status(), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_FALSE(absl::IsNotFound(ConnectWatched(opened, {}).status()));
}

}  // namespace profiled_wall_test
}  // namespace topicwall::client
