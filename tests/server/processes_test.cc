#include "server/processes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::WallConfig ConfigWith(const std::string& tls, const std::string& key, const std::string& data) {
  v1::WallConfig config;
  config.mutable_tls()->set_certificate(tls + "/server.pem");
  config.mutable_tls()->set_private_key(tls + "/server.key");
  config.mutable_tls()->set_client_ca(tls + "/ca.pem");
  config.set_key_file(key);
  config.set_data_directory(data);
  return config;
}

class ProcessesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"tls", "tls2", "data"}) fs::create_directory(Path(folder));
    for (const char* file : {"tls/server.pem", "tls/server.key", "tls/ca.pem", "corpus.key"}) {
      testing::WriteWholeFile(Path(file), "x");
    }
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  absl::Status Check(const std::string& tls, const std::string& key,
                     const std::string& data) const {
    return CheckProcesses(ConfigWith(Path(tls), Path(key), Path(data)));
  }

  const testing::TemporaryDirectory folder_;
};

const auto kMoveThem = StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tls files must be"));

TEST_F(ProcessesTest, TwoUsersOrNone) {
  v1::WallConfig config = ConfigWith("/etc/wall/tls", "/etc/wall/key", "/var/wall");
  EXPECT_OK(CheckProcesses(config));
  EXPECT_FALSE(AreSeparated(config));
  EXPECT_OK(CheckUsers(config));
  EXPECT_THAT(SeparationSentence(false, true), HasSubstr("gate and vault not separated"));
  for (const auto& [gate, vault] :
       {std::pair("gate", ""), std::pair("", "vault"), std::pair("wall", "wall")}) {
    config.mutable_processes()->set_gate(gate);
    config.mutable_processes()->set_vault(vault);
    EXPECT_THAT(CheckProcesses(config), StatusIs(absl::StatusCode::kInvalidArgument,
                                                 HasSubstr(absl::StrCat("\"", gate, "\" and \""))));
  }
  config.mutable_processes()->set_gate("gate");
  EXPECT_OK(CheckProcesses(config));
  EXPECT_TRUE(AreSeparated(config));
  EXPECT_THAT(SeparationSentence(true, true), HasSubstr("gate and vault separated"));
}

TEST_F(ProcessesTest, AFolderThatTheGateReadsHoldsNeitherKeyNorData) {
  EXPECT_OK(Check("tls", "corpus.key", "data"));
  EXPECT_THAT(Check("tls", "tls/corpus.key", "data"), kMoveThem);
  EXPECT_THAT(Check("tls", "tls/deep/corpus.key", "data"), kMoveThem);
  EXPECT_THAT(Check("tls", "corpus.key", "tls"), kMoveThem);
  EXPECT_THAT(Check("tls", "corpus.key", "tls/data"), kMoveThem);
  EXPECT_THAT(Check(".", "corpus.key", "data"), kMoveThem);
}

TEST_F(ProcessesTest, AFolderWhoseNameBeginsAlikeIsAnother) {
  EXPECT_OK(Check("tls", "tls2/corpus.key", "tls2"));
  EXPECT_OK(Check("tls", "tls.key", "data"));
}

TEST_F(ProcessesTest, NoDetourHidesThatTheyAreInOneFolder) {
  EXPECT_THAT(Check("tls", "data/../tls/corpus.key", "data"), kMoveThem);
  EXPECT_THAT(Check("data/../tls", "tls/corpus.key", "data"), kMoveThem);
  // A folder by another name, of either.
  fs::create_directory_symlink(Path("tls"), Path("link"));
  EXPECT_THAT(Check("tls", "link/corpus.key", "data"), kMoveThem);
  EXPECT_THAT(Check("link", "tls/corpus.key", "data"), kMoveThem);
  EXPECT_THAT(Check("tls", "corpus.key", "link"), kMoveThem);
  // A file that is elsewhere: certificates as certbot keeps them.
  fs::create_directory(Path("live"));
  for (const char* file : {"server.pem", "server.key", "ca.pem"}) {
    fs::create_symlink(Path("tls/") + file, Path("live/") + file);
  }
  EXPECT_OK(Check("live", "corpus.key", "data"));
  EXPECT_THAT(Check("live", "tls/corpus.key", "data"), kMoveThem);
  fs::create_symlink(Path("tls/secret.key"), Path("outside.key"));
  testing::WriteWholeFile(Path("tls/secret.key"), "x");
  EXPECT_THAT(Check("tls", "outside.key", "data"), kMoveThem);
}

TEST_F(ProcessesTest, LogLinesAreAppendedToNoFileOfTheWall) {
  v1::WallConfig config = ConfigWith(Path("tls"), Path("corpus.key"), Path("data"));
  const auto check = [&](const char* log) {
    config.set_event_log(Path(log));
    return CheckProcesses(config);
  };
  fs::create_symlink(Path("corpus.key"), Path("log"));
  for (const char* taken : {"corpus.key", "tls/ca.pem", "tls/server.key", "data/ledger.db",
                            "data/ledger.id", "data/notes.corpus", "data/../corpus.key", "log"}) {
    EXPECT_THAT(check(taken), StatusIs(absl::StatusCode::kInvalidArgument,
                                       HasSubstr("event_log must be a file of its own")))
        << taken;
  }
  for (const char* free : {"events.jsonl", "data/events.jsonl", "data2/ledger.db"}) {
    EXPECT_OK(check(free)) << free;
  }
}

TEST_F(ProcessesTest, AStoreIsAThirdUserAndReadsNeitherKeyNorData) {
  v1::WallConfig config = ConfigWith(Path("tls"), Path("corpus.key"), Path("data"));
  config.mutable_ledger()->mutable_postgresql()->set_service("wall");
  const auto check = [&](const char* service_file, const char* store) {
    config.mutable_ledger()->mutable_postgresql()->set_service_file(Path(service_file));
    config.mutable_processes()->set_store(store);
    return CheckProcesses(config);
  };
  EXPECT_OK(check("pg/service", ""));
  config.mutable_processes()->set_gate("gate");
  config.mutable_processes()->set_vault("vault");
  EXPECT_OK(check("pg/service", "store"));
  for (const char* user : {"", "gate", "vault"}) {
    EXPECT_THAT(check("pg/service", user), StatusIs(absl::StatusCode::kInvalidArgument)) << user;
  }
  EXPECT_THAT(check("data/service", "store"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(check("service", "store"), StatusIs(absl::StatusCode::kInvalidArgument));
  config.clear_ledger();
  EXPECT_FALSE(CheckProcesses(config).ok()) << "a user for nothing";
}

// What needs files of other users is in tests/e2e/separated_test.cc.
TEST_F(ProcessesTest, UsersExistAreNotRootAndTheGatesHasNoRightToTheVaultsFiles) {
  v1::WallConfig config = ConfigWith(Path("tls"), Path("corpus.key"), Path("data"));
  const auto refused = [&](const std::string& gate, const std::string& vault,
                           const std::string& said) {
    config.mutable_processes()->set_gate(gate);
    config.mutable_processes()->set_vault(vault);
    EXPECT_THAT(CheckUsers(config),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(said)));
  };
  refused("no-such-user", "daemon", "processes.gate: there is no user \"no-such-user\"");
  refused("nobody", "no-such-user", "useradd --system");
  refused("root", "daemon", "processes.gate must not be root");
  refused("nobody", "root", "processes.vault must not be root");
  fs::permissions(folder_.path(), fs::perms{0755});
  fs::permissions(Path("data"), fs::perms{0700});
  fs::permissions(Path("corpus.key"), fs::perms{0604});
  refused("nobody", "daemon", "corpus.key can be read by nobody");
  fs::permissions(Path("corpus.key"), fs::perms{0602});
  refused("nobody", "daemon", "corpus.key can be written by nobody");
  fs::permissions(Path("corpus.key"), fs::perms{0600});
  fs::permissions(Path("data"), fs::perms{0701});
  refused("nobody", "daemon", "data can be read by nobody");
  fs::permissions(Path("data"), fs::perms{0700});
  fs::permissions(Path("tls"), fs::perms{0750});
  refused("nobody", "daemon", "tls is closed to nobody");
}

}  // namespace
}  // namespace topicwall::server
