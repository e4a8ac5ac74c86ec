// Gate and vault as two users, which takes root to start: one with no more of root's rights than
// deploy/topicwall-server.service leaves it.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Users that every Debian has; nothing of the tests is theirs otherwise.
constexpr char kGateUser[] = "nobody";
constexpr char kVaultUser[] = "daemon";

// The rest of a line of /proc/PID/status, or of one of its threads, without the blanks around.
std::string Field(const fs::path& process, const std::string& name) {
  std::ifstream status(process / "status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind(name + ":", 0) != 0) continue;
    const size_t start = line.find_first_not_of(" \t", name.size() + 1);
    if (start == std::string::npos) return "";
    return line.substr(start, line.find_last_not_of(" \t") + 1 - start);
  }
  return "no such line";
}

std::string UidOf(const std::string& user) {
  const Finished id = RunToEnd({"/usr/bin/id", "-u", user});
  return id.output.substr(0, id.output.find('\n'));
}

class SeparatedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can start processes of other users";
    // Wherever the build is, these two may run what is here.
    fs::permissions(bin_.path(), fs::perms{0755});
    for (const char* program :
         {"topicwall-server", "topicwall-gate", "topicwall-vault", "topicwall-admin"}) {
      fs::copy_file(WallWorld::Program(program), Program(program));
    }
    WriteWholeFile(Program("start"),
                   absl::StrCat("#!/bin/sh\nexec /usr/bin/setpriv --no-new-privs --inh-caps=-all ",
                                "--bounding-set=-all,+setuid,+setgid,+kill ",
                                Program("topicwall-server"), " \"$@\"\n"));
    fs::permissions(Program("start"), fs::perms{0755});
    world_ = std::make_unique<WallWorld>(WorldOptions{
        .server_program = Program("start"),
        .more_config =
            absl::StrCat("processes { gate: \"", kGateUser, "\" vault: \"", kVaultUser, "\" }\n")});
    // As deploy/RUNBOOK.md has it.
    const std::string both = absl::StrCat(kVaultUser, ":", "nogroup");
    Sh(absl::StrCat("chmod 0755 . && chown -R ", kVaultUser, ": data corpus.key && chmod 0700 data",
                    " && chown -R ", both, " tls && chmod 0750 tls && chmod 0640 tls/*"));
  }

  std::string Program(const std::string& name) const { return bin_.path() + "/" + name; }
  void Sh(const std::string& commands) const {
    const Finished done =
        RunToEnd({"/bin/sh", "-ec", absl::StrCat("cd ", world_->Path(""), "; ", commands)});
    ASSERT_EQ(done.exit_code, 0) << done.output;
  }
  static Finished As(const std::string& user, const std::string& group,
                     std::vector<std::string> command) {
    command.insert(command.begin(), {"/usr/bin/setpriv", "--reuid=" + user, "--regid=" + group,
                                     "--clear-groups", "--"});
    return RunToEnd(command);
  }
  // Of the program `name` among those that the server started.
  fs::path Process(const std::string& name) const {
    for (const pid_t pid : world_->server().Family()) {
      const fs::path process = absl::StrCat("/proc/", pid);
      if (Field(process, "Name") == name) return process;
    }
    return "/proc/none";
  }

  const TemporaryDirectory bin_;
  std::unique_ptr<WallWorld> world_;
};

TEST_F(SeparatedTest, EveryThreadOfEitherHasItsUserAndNoRightMore) {
  // Whoever starts it may be in groups of its own.
  std::vector<gid_t> own(static_cast<size_t>(getgroups(0, nullptr)));
  ASSERT_EQ(getgroups(static_cast<int>(own.size()), own.data()), static_cast<int>(own.size()));
  const gid_t more[] = {0, 4};
  ASSERT_EQ(setgroups(2, more), 0);
  ASSERT_TRUE(world_->StartServer()) << world_->ServerOutput();
  ASSERT_EQ(setgroups(own.size(), own.data()), 0);
  for (const auto& [program, user] :
       {std::pair("topicwall-gate", kGateUser), std::pair("topicwall-vault", kVaultUser)}) {
    const std::string uid = UidOf(user);
    int threads = 0;
    for (const auto& thread : fs::directory_iterator(Process(program) / "task")) {
      EXPECT_EQ(Field(thread, "Uid"), absl::StrCat(uid, "\t", uid, "\t", uid, "\t", uid));
      EXPECT_EQ(Field(thread, "Groups"), "") << program;
      for (const char* capabilities : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
        EXPECT_EQ(Field(thread, capabilities), "0000000000000000") << program << capabilities;
      }
      EXPECT_EQ(Field(thread, "NoNewPrivs"), "1") << program;
      EXPECT_EQ(Field(thread, "Seccomp"), "2") << program;
      ++threads;
    }
    EXPECT_GT(threads, 1) << program;
  }
}

// 256 KiB of them. Without root's rights, the limit holds.
TEST_F(SeparatedTest, TheVaultsKeysAreLockedIntoMemoryOrThereIsNoServer) {
  ASSERT_TRUE(world_->StartServer()) << world_->ServerOutput();
  EXPECT_GE(std::stoi(Field(Process("topicwall-vault"), "VmLck")), 256);
  world_->StopServer();
  const Finished started = RunToEnd({"/usr/bin/prlimit", "--memlock=65536", Program("start"),
                                     "--config", world_->Path("wall.textproto")});
  EXPECT_EQ(started.exit_code, 1);
  EXPECT_THAT(started.output, HasSubstr("keys cannot be locked"));
}

TEST_F(SeparatedTest, AReleaseCrossesFromOneUserToTheOther) {
  ASSERT_TRUE(world_->StartServer()) << world_->ServerOutput();
  const auto alice = world_->StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world_->Reserve(*alice, world_->Plan(4, 1), std::string(16, 'r')));
  const std::vector<float> topics = WallWorld::LogTopics();
  ASSERT_OK_AND_ASSIGN(
      const auto release,
      WallWorld::RunRelease(*alice, WallWorld::Header(plan.plan_id(), 1, topics), topics));
  EXPECT_FALSE(release.statistics.empty());
  world_->server().Signal(SIGTERM);
  EXPECT_EQ(world_->server().Wait(), 0);
}

TEST_F(SeparatedTest, TheGatesUserHasNeitherKeyNorDataNorTheVaultsMemory) {
  ASSERT_TRUE(world_->StartServer()) << world_->ServerOutput();
  for (const std::string& path :
       {world_->Path("corpus.key"), world_->Path("data"), world_->Path("data/ledger.db"),
        (Process("topicwall-vault") / "mem").string()}) {
    const Finished read = As(kGateUser, "nogroup", {"/usr/bin/head", "-c1", path});
    EXPECT_NE(read.exit_code, 0) << path;
    EXPECT_THAT(read.output, HasSubstr("Permission denied"));
  }
  EXPECT_EQ(
      As(kGateUser, "nogroup", {"/usr/bin/head", "-c1", world_->Path("tls/server.key")}).exit_code,
      0);
}

TEST_F(SeparatedTest, CheckConfigSaysSoToTheVaultsUserBesideTheServer) {
  ASSERT_TRUE(world_->StartServer()) << world_->ServerOutput();
  const std::vector<std::string> check = {Program("topicwall-admin"), "check-config", "--config",
                                          world_->Path("wall.textproto")};
  const Finished as_vault = As(kVaultUser, kVaultUser, check);
  EXPECT_EQ(as_vault.exit_code, 0) << as_vault.output;
  EXPECT_THAT(as_vault.output, HasSubstr("gate and vault separated"));
}

TEST_F(SeparatedTest, WithoutRootThereIsNoServerThatWouldOnlySayItIsSeparated) {
  const Finished started =
      As(kVaultUser, kVaultUser,
         {Program("topicwall-server"), "--config", world_->Path("wall.textproto")});
  EXPECT_EQ(started.exit_code, 1);
  EXPECT_THAT(started.output, HasSubstr("processes needs the server to be started as root"));
}

// Each as a custodian might leave it, and both programs say which it is.
TEST_F(SeparatedTest, WhatIsOpenToTheGateOrClosedToItsOwnerKeepsTheServerFromStarting) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"chmod 0711 data", "data can be read by nobody"},
      {"chgrp nogroup data; chmod 0740 data", "data can be read by nobody"},
      {"chgrp nogroup data; chmod 0720 data", "data can be written by nobody"},
      {"chown nobody data", "data belongs to nobody"},
      {"chgrp nogroup corpus.key; chmod 0640 corpus.key", "corpus.key can be read by nobody"},
      {"chown root corpus.key", "corpus.key is closed to daemon"},
      {"chown root data", "data is closed to daemon"},
      {"chmod 0600 tls/server.key", "server.key is closed to nobody"},
      {"chmod 0700 tls", "tls is closed to nobody"},
      {"chown nobody .", " belongs to nobody"},
      {"chmod 0777 .", " can be written by nobody"},
      {"mv data elsewhere; ln -s elsewhere data; chmod 0755 elsewhere",
       "elsewhere can be read by nobody"},
  };
  Sh("cp -a . ../$(basename $PWD).good");
  for (const auto& [mistake, said] : mistakes) {
    Sh(mistake);
    const Finished started =
        RunToEnd({Program("topicwall-server"), "--config", world_->Path("wall.textproto")});
    EXPECT_EQ(started.exit_code, 1) << mistake;
    EXPECT_THAT(started.output, AllOf(HasSubstr("not separated"), HasSubstr(said))) << mistake;
    Sh("find . -mindepth 1 -delete; cp -a ../$(basename $PWD).good/. .");
  }
  EXPECT_TRUE(world_->StartServer()) << world_->ServerOutput();
  fs::remove_all(fs::path(world_->Path("x")).parent_path().string() + ".good");
}

}  // namespace
}  // namespace topicwall::testing
