#include "server/supervisor/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file_descriptor.h"
#include "server/supervisor/control_line.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::supervisor {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// A supervisor of two children in a process of its own, which is the only way to have one.
class SupervisorTest : public ::testing::Test {
 protected:
  ~SupervisorTest() override {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  void Start(const std::string& vault_mode, const std::string& gate_mode,
             const std::optional<std::string>& store_mode = std::nullopt,
             const std::optional<std::string>& job = std::nullopt) {
    pid_ = fork();
    if (pid_ == 0) _exit(Supervise(vault_mode, gate_mode, store_mode, job));
  }

  const std::string& said() const { return path_; }
  std::string Said() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  int Count(const std::string& what) const {
    int count = 0;
    for (const absl::string_view line : absl::StrSplit(Said(), '\n')) {
      count += absl::StartsWith(line, what) ? 1 : 0;
    }
    return count;
  }
  void AwaitCount(const std::string& what, int count) const {
    const auto deadline = steady_clock::now() + std::chrono::minutes(2);
    while (Count(what) < count) {
      ASSERT_LT(steady_clock::now(), deadline) << what << "\n" << Said();
      std::this_thread::sleep_for(milliseconds(2));
    }
  }
  // The process that was started last under this name.
  pid_t ProcessOf(const std::string& name) const {
    pid_t process = 0;
    const std::string begin = name + " started as ";
    for (const absl::string_view line : absl::StrSplit(Said(), '\n')) {
      if (absl::StartsWith(line, begin))
        process = std::stoi(std::string(line.substr(begin.size())));
    }
    return process;
  }
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  void AwaitServing() const {
    AwaitCount("serving place", 1);
    AwaitCount("vault session with g", 1);
    AwaitCount("gate session with v", 1);
  }

  sockaddr_un NameOf(With door) const {
    sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
    absl::StrCat(folder_.path(), "/", std::string(1, static_cast<char>(door)))
        .copy(name.sun_path, sizeof(name.sun_path) - 1);
    return name;
  }
  // What the child that it is handed to says of itself: its name's first letter.
  char ConnectBy(With door) const {
    const auto name = NameOf(door);
    const base::FileDescriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(connection.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
    char mine = 'x', theirs = '?';
    EXPECT_EQ(write(connection.get(), &mine, 1), 1);
    EXPECT_EQ(read(connection.get(), &theirs, 1), 1);
    return theirs;
  }

  pid_t pid_ = 0;

 private:
  void Say(const std::string& what) const {
    std::ofstream(path_, std::ios::app) << what + "\n" << std::flush;
  }

  Supervisor::Params::Door DoorFor(With with) const {
    return {.with = with,
            .listen =
                [this, with] {
                  const auto name = NameOf(with);
                  base::FileDescriptor listener(
                      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
                  bind(listener.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name));
                  listen(listener.get(), 8);
                  return listener;
                },
            .accept =
                [](int listener) {
                  return base::FileDescriptor(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
                }};
  }

  int Supervise(const std::string& vault_mode, const std::string& gate_mode,
                const std::optional<std::string>& store_mode,
                const std::optional<std::string>& job) {
    const int log = open((folder_.path() + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const std::string program = absl::StrCat(TOPICWALL_BINARY_DIR, "/supervised-child");
    Supervisor supervisor(
        {.vault = {.command = {program, "vault", path_, vault_mode}, .user = "", .log = log},
         .gate = {.command = {program, "gate", path_, gate_mode}, .user = "", .log = log},
         .store =
             store_mode.has_value()
                 ? std::optional<Launch>(
                       {.command = {program, "store", path_, *store_mode}, .user = "", .log = log})
                 : std::nullopt,
         .job = job.has_value() ? std::optional<Launch>({.command = {"/bin/sh", "-c", *job},
                                                         .user = "",
                                                         .log = log,
                                                         .is_foreign = true})
                                : std::nullopt,
         .on_serving =
             [this](const std::string& address) {
               Say("serving " + address);
               return absl::OkStatus();
             },
         .doors = {DoorFor(With::kCustodian), DoorFor(With::kJob)},
         .on_death = [this](const std::string& name) { Say("died: " + name); }});
    const absl::StatusOr<int> ended = supervisor.Run();
    return ended.ok() ? *ended : 99;
  }

  const testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.path() + "/said";
};

TEST_F(SupervisorTest, StartsBothJoinsThemAndTellsWhereTheGateListens) {
  Start("serves", "serves");
  AwaitServing();
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_THAT(Said(), HasSubstr("vault told to stop"));
  EXPECT_THAT(Said(), HasSubstr("gate told to stop"));
  EXPECT_EQ(Count("died"), 0);
}

TEST_F(SupervisorTest, TheCustodiansConnectionsGoToTheVaultAndAreToldFromTheGates) {
  Start("", "serves");
  AwaitServing();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(ConnectBy(With::kCustodian), 'v');
    AwaitCount("vault custodian's session with x", i);
  }
  kill(ProcessOf("vault"), SIGKILL);
  AwaitCount("vault session with g", 2);
  EXPECT_EQ(ConnectBy(With::kCustodian), 'v') << "the next vault has them as well";
  EXPECT_EQ(Count("gate custodian's"), 0);
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
}

// Under one user its uid is right.
TEST_F(SupervisorTest, TheCustodiansDoorIsNoneOfTheStores) {
  Start("", "serves", "knocks");
  AwaitServing();
  AwaitCount("store knocked: ", 1);
  EXPECT_EQ(Count("store knocked: -"), 1);
  EXPECT_EQ(ConnectBy(With::kCustodian), 'v');
  EXPECT_EQ(Count("vault custodian's session with k"), 0);
}

TEST_F(SupervisorTest, AChildHasTheControlLineAndTheLogAndNothingElse) {
  const int leaked = open("/dev/null", O_RDONLY);  // not to be closed on exec
  Start("", "serves");
  AwaitServing();
  EXPECT_THAT(Said(), ContainsRegex("vault started as [0-9]+ with 0 1 2 3 4\n"));
  EXPECT_THAT(Said(), ContainsRegex("gate started as [0-9]+ with 0 1 2 3 4\n"));
  close(leaked);
}

TEST_F(SupervisorTest, EitherIsStartedAgainAndJoinedWithTheOtherWhichStays) {
  Start("", "serves");
  AwaitServing();
  const pid_t gate = ProcessOf("gate");
  kill(ProcessOf("vault"), SIGKILL);
  AwaitCount("vault started", 2);
  AwaitCount("vault session with g", 2);
  AwaitCount("gate session with v", 2);
  EXPECT_EQ(ProcessOf("gate"), gate);
  EXPECT_EQ(Count("died: vault"), 1);
  kill(gate, SIGKILL);
  AwaitCount("gate started", 2);
  AwaitCount("gate session with v", 3);
  EXPECT_EQ(Count("died: gate"), 1);
  EXPECT_EQ(Count("serving place"), 1) << "told once";
}

// The store of a shared ledger: joined with the vault, told to stop when that has gone.
TEST_F(SupervisorTest, AStoreIsJoinedWithTheVaultWhicheverIsStartedAgain) {
  Start("serves", "serves", "");
  AwaitServing();
  AwaitCount("vault store's session with s", 1);
  AwaitCount("store session with v", 1);
  const pid_t vault = ProcessOf("vault");
  kill(ProcessOf("store"), SIGKILL);
  AwaitCount("vault store's session with s", 2);
  EXPECT_EQ(Count("died: store"), 1);
  EXPECT_EQ(ProcessOf("vault"), vault);
  EXPECT_EQ(Count("vault session with g"), 1) << "the gate's goes on";
  kill(vault, SIGKILL);
  AwaitCount("vault store's session with s", 3);
  AwaitCount("vault session with g", 2);
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_THAT(Said(), ContainsRegex("vault told to stop(.|\n)*store told to stop"));
}

TEST_F(SupervisorTest, ASessionThatTheStoreHasLostIsReplaced) {
  Start("", "serves", "loses");
  AwaitServing();
  AwaitCount("vault store's session with s", 2);
  EXPECT_EQ(Count("died"), 0);
}

// A child that is slow to see that the vault has died says so when the next one's session is there:
// a third would take that one's acts with it.
TEST_F(SupervisorTest, AWordThatIsLateReplacesNoSession) {
  Start("", "serves late", "late");
  AwaitServing();
  AwaitCount("store session with v", 1);
  kill(ProcessOf("vault"), SIGKILL);
  AwaitCount("gate session with v", 2);
  AwaitCount("store session with v", 2);
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(ConnectBy(With::kCustodian), 'v');
    std::this_thread::sleep_for(Supervisor::kLook);  // it would most likely be there by now
  }
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_EQ(Count("gate session with v"), 2);
  EXPECT_EQ(Count("store session with v"), 2);
}

// As one that is dying takes none. What a gate sent to it would be lost.
TEST_F(SupervisorTest, TheGateHasNoSessionThatTheVaultHasNotTaken) {
  Start("deaf", "serves");
  AwaitCount("serving place", 1);
  AwaitCount("vault started", 1);
  kill(ProcessOf("vault"), SIGKILL);
  AwaitCount("vault started", 2);
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_EQ(Count("gate session"), 0);
}

// As mpirun: not one of ours, so that it has neither the control line nor blocked signals.
TEST_F(SupervisorTest, AJobIsStartedOnceTheGateServesAgainWhenItEndsAndToldWhenTheVaultHasGone) {
  // Its third descriptor is the folder that it looks into.
  Start("serves", "serves", std::nullopt,
        absl::StrCat("say() { echo job \"$@\" >>", said(),
                     "; }; trap 'say told to stop; exit 7' TERM; fds=; "
                     "for fd in /proc/$$/fd/*; do fds=\"$fds ${fd##*/}\"; done; "
                     "say started as $$ with$fds; while :; do sleep 0.05; done"));
  AwaitServing();
  AwaitCount("job started", 1);
  EXPECT_THAT(Said(), ContainsRegex("serving place(.|\n)*job started as [0-9]+ with 0 1 2 3\n"));
  kill(ProcessOf("job"), SIGKILL);
  AwaitCount("job started", 2);
  EXPECT_EQ(Count("died: job"), 1);
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0) << "its code is its own";
  EXPECT_THAT(Said(), ContainsRegex("vault told to stop(.|\n)*job told to stop"));
}

// So that one that dies at once does not keep the machine busy.
TEST_F(SupervisorTest, OneThatNeverServedWaitsLongerAfterEachDeath) {
  Start("", "serves");
  AwaitServing();
  std::vector<steady_clock::duration> pauses;
  for (int deaths = 1; deaths <= 4; ++deaths) {
    const auto died = steady_clock::now();
    kill(ProcessOf("vault"), SIGKILL);
    AwaitCount("vault started", deaths + 1);
    pauses.push_back(steady_clock::now() - died);
  }
  for (size_t i = 0; i < pauses.size(); ++i) {
    EXPECT_GE(pauses[i], Supervisor::kFirstPause * (1 << i)) << i;
  }
}

// A store that somebody kills again and again has started well each time, and calls wait for it;
// and so has a job that came by its door. The vault, which never said that it serves, shows how
// long the other pause has become by then.
TEST_F(SupervisorTest, OneThatServedIsStartedAgainBeforeOneThatNeverDidHoweverOftenItDies) {
  Start("", "serves", "serves",
        absl::StrCat("echo job started as $$ >>", said(), "; while :; do sleep 0.05; done"));
  AwaitServing();
  const auto await_started = [&](const std::vector<std::string>& children, int times) {
    for (const std::string& child : children) AwaitCount(child + " started", times);
  };
  // Until it is longer than the others take to be started again, however late a busy machine is.
  auto pause = Supervisor::kFirstPause;
  for (int deaths = 1;; ++deaths, pause *= 2) {
    ASSERT_LE(pause, Supervisor::kLongestPause) << "the others wait as long\n" << Said();
    await_started({"vault", "store", "job"}, deaths);
    AwaitCount("store session with v", deaths);
    EXPECT_EQ(ConnectBy(With::kJob), 'v');
    const auto begun = steady_clock::now();
    for (const char* child : {"vault", "store", "job"}) {
      kill(ProcessOf(child), SIGKILL);
      AwaitCount(absl::StrCat("died: ", child), deaths);
      std::this_thread::sleep_for(4 * Supervisor::kLook);  // were all to wait alike, it is next
    }
    await_started({"store", "job"}, deaths + 1);
    if (HasFatalFailure()) return;
    if (steady_clock::now() - begun > pause) continue;
    await_started({"vault"}, deaths + 1);
    break;
  }
  const std::string all = Said();
  EXPECT_LT(all.rfind("store started"), all.rfind("vault started"));
  EXPECT_LT(all.rfind("job started"), all.rfind("vault started")) << all;
}

// Nor does one that dies as soon as it serves, and is started no more than once a second.
TEST_F(SupervisorTest, OneThatDiesAsSoonAsItServesIsStartedOnceASecond) {
  const auto begun = steady_clock::now();
  Start("", "serves", "serves");
  AwaitServing();
  constexpr int kDeaths = 3;
  for (int deaths = 1; deaths <= kDeaths; ++deaths) {
    AwaitCount("store session with v", deaths);
    kill(ProcessOf("store"), SIGKILL);
    AwaitCount("store started", deaths + 1);
  }
  EXPECT_GE(steady_clock::now() - begun, kDeaths * Supervisor::kApart);
}

TEST_F(SupervisorTest, ASessionThatTheGateHasLostIsReplaced) {
  Start("", "serves loses");
  AwaitServing();
  AwaitCount("gate session with v", 2);
  AwaitCount("vault session with g", 2);
  EXPECT_EQ(Count("died"), 0);
}

// What a process cannot receive it does not know of by anything else.
TEST_F(SupervisorTest, ASessionThatTheGateHadNoDescriptorForIsReplaced) {
  Start("", "serves");
  AwaitServing();
  const rlimit none = {.rlim_cur = 5, .rlim_max = 1024},
               enough = {.rlim_cur = 64, .rlim_max = 1024};
  ASSERT_EQ(prlimit(ProcessOf("gate"), RLIMIT_NOFILE, &none, nullptr), 0);
  kill(ProcessOf("vault"), SIGKILL);
  AwaitCount("vault started", 2);
  std::this_thread::sleep_for(10 * Supervisor::kLook);  // by then it has been offered one
  ASSERT_EQ(prlimit(ProcessOf("gate"), RLIMIT_NOFILE, &enough, nullptr), 0);
  AwaitCount("vault session with g", 2);
  EXPECT_EQ(Count("died: gate"), 0);
}

// It would be looked at for ever.
TEST_F(SupervisorTest, OneThatLeavesItsLineIsStartedAgain) {
  Start("", "serves leaves");
  AwaitCount("serving place", 1);
  AwaitCount("died: gate", 1);
  AwaitCount("gate started", 2);
}

TEST_F(SupervisorTest, WhatTheMachineIsShortOfOnceEndsNothing) {
  Start("", "serves");
  AwaitServing();
  // All below are taken. The vault's death gives one back: enough for this test's own file, and not
  // for a pair of sockets.
  rlim_t first_free = 0;
  while (std::filesystem::is_symlink(absl::StrCat("/proc/", pid_, "/fd/", first_free))) {
    ++first_free;
  }
  const rlimit none = {.rlim_cur = first_free, .rlim_max = 1024};
  const rlimit enough = {.rlim_cur = 64, .rlim_max = 1024};
  ASSERT_EQ(prlimit(pid_, RLIMIT_NOFILE, &none, nullptr), 0);
  kill(ProcessOf("vault"), SIGKILL);
  AwaitCount("died: vault", 2);  // its death, and that it could not be started
  EXPECT_EQ(Count("vault started"), 1);
  ASSERT_EQ(prlimit(pid_, RLIMIT_NOFILE, &enough, nullptr), 0);
  AwaitCount("vault session with g", 2);
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
}

// Else one process could leave the other without any.
TEST(ChildProcessTest, HasNoMoreThreadsThanItsUserMay) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can start processes of other users";
  const testing::TemporaryDirectory folder;
  const base::FileDescriptor log(
      open((folder.path() + "/log").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const absl::StatusOr<ChildProcess> child =
      ChildProcess::Start({.command = {absl::StrCat(TOPICWALL_BINARY_DIR, "/supervised-child"),
                                       "gate", "/dev/null", "threads"},
                           .user = "games",  // whom nothing else on a machine runs as
                           .log = log.get(),
                           .most_threads = 20});
  ASSERT_TRUE(child.ok()) << child.status();
  int status = 0;
  ASSERT_EQ(waitpid(child->pid(), &status, 0), child->pid());
  EXPECT_EQ(status, 0);
  int made = 0;
  std::ifstream(folder.path() + "/log") >> made;
  EXPECT_GE(made, 1);
  EXPECT_LE(made, 19);
}

TEST_F(SupervisorTest, TheVaultAsksForNoSessionAndSaysNoAddress) {
  Start("loses serves", "serves");
  AwaitServing();
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_EQ(Count("gate session"), 1);
  EXPECT_EQ(Count("serving"), 1);
}

// Nor may it end the others: there is no bound to what is offered, and one to what waits.
TEST(ControlLineTest, AChildThatTakesNoSessionsHoldsUpNobody) {
  int line[2] = {-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line), 0);
  const base::FileDescriptor supervisor(line[0]), child(line[1]);
  int offered = 0;
  while (offered < 100'000 && OfferSession(line[0], line[0], With::kOther)) ++offered;
  EXPECT_GT(offered, 0);
  EXPECT_LT(offered, 100'000);
}

TEST_F(SupervisorTest, WhatCannotStartEndsTheServerWithItsCode) {
  Start("fails", "");
  EXPECT_EQ(Wait(), 3);
  EXPECT_EQ(Count("vault started"), 1) << "it is for the custodian";
  EXPECT_EQ(Count("serving"), 0);
}

TEST_F(SupervisorTest, OneThatDoesNotServeYetIsNotWaitedFor) {
  Start("stays", "stays");
  AwaitCount("gate session with v", 1);
  const auto told = steady_clock::now();
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_LT(steady_clock::now() - told, Supervisor::kPatience);
}

// Its end would tell how long that takes.
TEST_F(SupervisorTest, AVaultThatStillReadsItsDocumentsIsNotWaitedForEither) {
  Start("stays", "serves");
  AwaitServing();
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_EQ(Count("gate told to stop"), 1);
  EXPECT_EQ(Count("vault told to stop"), 0);
}

TEST_F(SupervisorTest, ChildrenDieWithIt) {
  // The test adopts what it leaves, so that their ends can be awaited.
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  Start("stays", "serves");
  AwaitServing();
  const pid_t vault = ProcessOf("vault"), gate = ProcessOf("gate");
  kill(pid_, SIGKILL);
  EXPECT_EQ(Wait(), 128 + SIGKILL);
  for (const pid_t child : {vault, gate}) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(SupervisorTest, AUserThatIsNotThereIsAnErrorThatNamesTheUser) {
  const absl::StatusOr<ChildProcess> started = ChildProcess::Start(
      {.command = {"/bin/true"}, .user = "nobody-of-this-name", .log = STDERR_FILENO});
  EXPECT_EQ(started.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(started.status().message()), HasSubstr("nobody-of-this-name"));
}

}  // namespace
}  // namespace topicwall::supervisor
