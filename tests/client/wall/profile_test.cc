#include "client/wall/profile.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

constexpr char kSecret[] = "c2VjcmV0";

class ProfileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_CONFIG_HOME", (folder_.path() + "/config").c_str(), 1);
    ::unsetenv("TOPICWALL_PROFILE");
    Write("ca.pem", "-----BEGIN CERTIFICATE-----\nx\n");
    Write("alice.pem", "-----BEGIN CERTIFICATE-----\ny\n");
    Write("alice.key", std::string("-----BEGIN PRIVATE KEY-----\n") + kSecret + "\n");
  }
  void Write(const std::string& name, const std::string& text) {
    testing::WriteWholeFile(folder_.path() + "/" + name, text);
  }
  v1::Profile Profile() const {
    v1::Profile profile;
    const std::filesystem::path folder = std::filesystem::path(folder_.path()).lexically_normal();
    profile.set_server("localhost:7443");
    profile.set_ca_file(folder / "ca.pem");
    profile.set_certificate_file(folder / "alice.pem");
    profile.set_private_key_file(folder / "alice.key");
    return profile;
  }
  testing::TemporaryDirectory folder_;
};

TEST_F(ProfileTest, WhatWasWrittenIsReadBackAndOnlyTheOwnerMayReadIt) {
  ASSERT_OK_AND_ASSIGN(const auto path, ProfilePath("work"));
  EXPECT_EQ(path, folder_.path() + "/config/topicwall/profiles/work.textproto");
  ASSERT_OK(WriteProfile(path, Profile()));
  ASSERT_OK_AND_ASSIGN(const auto profile, ReadProfile(path));
  EXPECT_EQ(profile.SerializeAsString(), Profile().SerializeAsString());
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(ProfileTest, TheKeyIsNamedAndNeverCopied) {
  const std::string path = folder_.path() + "/p.textproto";
  ASSERT_OK(WriteProfile(path, Profile()));
  EXPECT_THAT(testing::ReadWholeFile(path), Not(HasSubstr(kSecret)));
  ASSERT_OK_AND_ASSIGN(const auto credentials, LoadCredentials(Profile()));
  EXPECT_THAT(credentials.private_key, HasSubstr(kSecret));
}

TEST_F(ProfileTest, TheFlagGoesBeforeTheEnvironmentBeforeTheDefault) {
  EXPECT_THAT(*ProfilePath(""), HasSubstr("/profiles/default.textproto"));
  ::setenv("TOPICWALL_PROFILE", "ann", 1);
  EXPECT_THAT(*ProfilePath(""), HasSubstr("/profiles/ann.textproto"));
  EXPECT_THAT(*ProfilePath("bob"), HasSubstr("/profiles/bob.textproto"));
  ::setenv("TOPICWALL_PROFILE", "/some/where.textproto", 1);
  EXPECT_EQ(*ProfilePath(""), "/some/where.textproto");
}

// Profiles would be where the program happens to be started.
TEST_F(ProfileTest, ARelativeFolderOfTheEnvironmentIsIgnored) {
  const std::string home = folder_.Path("home");
  const char* const before = ::getenv("HOME");
  const std::string own = before == nullptr ? "" : before;
  ::setenv("HOME", home.c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", "config", 1);
  EXPECT_EQ(*ProfilePath("work"), home + "/.config/topicwall/profiles/work.textproto");
  ::setenv("HOME", "home", 1);
  EXPECT_THAT(ProfilePath("work"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("absolute path")));
  ::setenv("HOME", own.c_str(), 1);
}

TEST_F(ProfileTest, ANameCannotLeaveItsFolder) {
  EXPECT_EQ(*ProfilePath("../x"), "../x");  // a path, and meant as one
  for (const char* name : {"..", ".hidden", "a b", "a\nb"}) {
    EXPECT_THAT(ProfilePath(name), StatusIs(absl::StatusCode::kInvalidArgument)) << name;
  }
}

TEST_F(ProfileTest, RelativePathsBecomeAbsolute) {
  v1::Profile profile = Profile();
  const std::string relative = std::filesystem::relative(profile.ca_file()).string();
  ASSERT_NE(relative[0], '/');
  profile.set_ca_file(relative);
  const std::string path = folder_.path() + "/p.textproto";
  ASSERT_OK(WriteProfile(path, profile));
  EXPECT_EQ(ReadProfile(path)->ca_file()[0], '/');
}

TEST_F(ProfileTest, AProfileThatIsReplacedLeavesTheCustodiansKeyUnlessAnotherIsGiven) {
  const std::string path = folder_.path() + "/p.textproto";
  v1::Profile pinning = Profile();
  pinning.set_custodian_key(std::string(64, 'a'));
  ASSERT_OK(WriteProfile(path, pinning));
  ASSERT_OK_AND_ASSIGN(const auto renewed, WriteProfile(path, Profile()));
  EXPECT_EQ(renewed.custodian_key(), std::string(64, 'a'));
  EXPECT_EQ(ReadProfile(path)->custodian_key(), std::string(64, 'a'));
  pinning.set_custodian_key(std::string(64, 'b'));
  ASSERT_OK(WriteProfile(path, pinning));
  EXPECT_EQ(ReadProfile(path)->custodian_key(), std::string(64, 'b'));
}

TEST_F(ProfileTest, BadServersAndFilesAreRefusedByNameAndNothingIsWritten) {
  const std::string path = folder_.path() + "/p.textproto";
  for (const char* server : {"", "localhost", ":7443", "localhost:", "localhost:0",
                             "localhost:65536", "localhost:https", "https://localhost:7443"}) {
    v1::Profile profile = Profile();
    profile.set_server(server);
    EXPECT_THAT(WriteProfile(path, profile),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("HOST:PORT")));
  }
  v1::Profile swapped = Profile();
  swapped.set_private_key_file(swapped.ca_file());
  EXPECT_THAT(WriteProfile(path, swapped),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("key must be a PEM")));
  v1::Profile missing = Profile();
  missing.set_certificate_file("/nowhere.pem");
  EXPECT_THAT(WriteProfile(path, missing),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("certificate")));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ProfileTest, WithoutAProfileTheErrorSaysHowToMakeOne) {
  EXPECT_THAT(ReadProfile(*ProfilePath("")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("topicwall login")));
  Write("p.textproto", "server: \"localhost:1\" color: 3");
  EXPECT_THAT(ReadProfile(folder_.path() + "/p.textproto"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 1, column 2")));
}

// What the parser says ends in a dot for some mistakes, and in none for others.
TEST_F(ProfileTest, WhatIsWrongWithAProfileIsOneSentence) {
  for (const char* text : {"server: \"localhost:1\" newer: 3", "server: \"localhost:1"}) {
    Write("p.textproto", text);
    EXPECT_THAT(
        ReadProfile(folder_.path() + "/p.textproto"),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 ::testing::AllOf(HasSubstr(". Write it again"), ::testing::Not(HasSubstr("..")))));
  }
}

}  // namespace
}  // namespace topicwall::client
