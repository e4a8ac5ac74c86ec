#include "server/sandbox/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "server/sandbox/filter.h"
#include "server/sandbox/landlock.h"
#include "tests/server/sandbox/attempts.h"
#include "tests/server/sandbox/confined_process.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::sandbox {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Room {
  const char* name;
  absl::StatusOr<Confinement> (*enter)(const Paths&, Strictness);
};
void PrintTo(const Room& room, std::ostream* out) { *out << room.name; }

class SandboxTest : public ::testing::TestWithParam<Room> {
 protected:
  const testing::TemporaryDirectory directory_;
  const Folders folders_{directory_.path()};
};
INSTANTIATE_TEST_SUITE_P(Rooms, SandboxTest,
                         ::testing::Values(Room{"gate", EnterGate}, Room{"vault", EnterVault}),
                         [](const auto& room) { return room.param.name; });

TEST_P(SandboxTest, HoldsEveryThreadThatIsStartedLater) {
  ConfinedProcess process(GetParam().enter, folders_.paths(), [](const Line& line) {
    absl::Notification end;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&end] { end.WaitForNotification(); });
    line.Say("started");
    line.Hear();
    end.Notify();
    for (std::thread& thread : threads) thread.join();
  });
  ASSERT_EQ(process.Hear(), "started");
  int threads = 0;
  for (const auto& thread :
       std::filesystem::directory_iterator(absl::StrCat("/proc/", process.pid(), "/task"))) {
    EXPECT_THAT(testing::ReadWholeFile(thread.path() / "status"),
                AllOf(HasSubstr("\nNoNewPrivs:\t1\n"), HasSubstr("\nSeccomp:\t2\n")));
    ++threads;
  }
  EXPECT_GE(threads, 4);
  process.Say("enough");
  EXPECT_EQ(process.End(), 0);
}

TEST_P(SandboxTest, LeavesNoCore) {
  ConfinedProcess process(GetParam().enter, folders_.paths(), [](const Line& line) {
    line.Say(absl::StrCat(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)));
    line.Hear();
    std::abort();
  });
  EXPECT_EQ(process.Hear(), "0");
  rlimit core{};
  ASSERT_EQ(prlimit(process.pid(), RLIMIT_CORE, nullptr, &core), 0);
  EXPECT_EQ(core.rlim_cur, 0U);
  EXPECT_EQ(core.rlim_max, 0U);
  process.Say("end");
  const int status = process.End();
  EXPECT_TRUE(WIFSIGNALED(status));  // abort(3) signals the process itself: that may be
  EXPECT_FALSE(WCOREDUMP(status));
}

// Of the same user as the attacker, and with nothing that such a user lacks.
void BecomeSomebody() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() != 0) return;
  if (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0) {
    _exit(4);
  }
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // as after exec
}

TEST_P(SandboxTest, IsClosedToItsOwnUser) {
  for (const bool inside : {false, true}) {
    const auto enter = [&](const Paths& paths, Strictness strictness) {
      BecomeSomebody();
      return inside ? GetParam().enter(paths, strictness) : EnterNothing(paths, strictness);
    };
    const ConfinedProcess process(enter, {}, [](const Line& line) {
      line.Say("here");
      line.Hear();
    });
    ASSERT_EQ(process.Hear(), "here");
    const std::string said = SaidInside(EnterNothing, {}, [&](const Line& line) {
      BecomeSomebody();
      for (const char* file : {"environ", "maps"}) {
        const std::string path = absl::StrCat("/proc/", process.pid(), "/", file);
        if (open(path.c_str(), O_RDONLY) >= 0) line.Say(file);
      }
    });
    EXPECT_EQ(said, inside ? "" : "environ\nmaps\n");
  }
}

TEST_P(SandboxTest, IsRefusedOnceThereAreThreads) {
  if (BuiltWithSanitizers()) GTEST_SKIP() << "they have a thread of their own";
  const std::string said = SaidInside(EnterNothing, {}, [&](const Line& line) {
    absl::Notification end;
    std::thread other([&end] { end.WaitForNotification(); });
    const auto inside = GetParam().enter(folders_.paths(), Strictness::kBestEffort);
    line.Say(inside.status().ToString());
    line.Say(absl::StrCat(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)));
    end.Notify();
    other.join();
  });
  EXPECT_THAT(
      said, AllOf(StartsWith("FAILED_PRECONDITION"), HasSubstr("there are 2"), HasSubstr("\n0\n")));
}

TEST_P(SandboxTest, NamesThePathThatIsNotThere) {
  Paths paths = folders_.paths();
  paths.readable.push_back(folders_("elsewhere"));
  EXPECT_THAT(SaidInside(GetParam().enter, paths, [](const Line&) {}),
              AllOf(StartsWith("INVALID_ARGUMENT"), HasSubstr(folders_("elsewhere"))));
}

TEST_P(SandboxTest, AFileMayBeAPath) {
  const Paths paths = {.readable = {folders_("open/file")}, .writable = {folders_("data/kept")}};
  const std::string said = SaidInside(GetParam().enter, paths, [&](const Line& line) {
    line.Say(absl::StrCat(open(folders_("open/file").c_str(), O_RDONLY) >= 0, " ",
                          open(folders_("data/kept").c_str(), O_RDWR | O_TRUNC) >= 0, " ",
                          open(folders_("open/moved").c_str(), O_RDONLY) >= 0));
  });
  EXPECT_EQ(said, "1 1 0\n");
}

// As under a kernel before Landlock, or in a container whose own filter does not know it.
absl::StatusOr<Confinement> EnterWithoutLandlock(const Room& room, const Paths& paths,
                                                 Strictness strictness) {
  const scmp_filter_ctx old = seccomp_init(SCMP_ACT_ALLOW);
  seccomp_rule_add(old, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0);
  seccomp_load(old);
  seccomp_release(old);
  return room.enter(paths, strictness);
}

TEST_P(SandboxTest, IsRefusedWithoutLandlockIfItIsRequired) {
  const auto enter = [](const Paths& paths, Strictness) {
    return EnterWithoutLandlock(GetParam(), paths, Strictness::kRequired);
  };
  EXPECT_THAT(SaidInside(enter, folders_.paths(), [](const Line&) {}),
              AllOf(StartsWith("FAILED_PRECONDITION"), HasSubstr("no Landlock")));
}

TEST_P(SandboxTest, ByBestEffortSaysWhatIsLeftOutAndKeepsTheRest) {
  int landlock_abi = -1;
  const auto enter = [&](const Paths& paths, Strictness) {
    auto inside = EnterWithoutLandlock(GetParam(), paths, Strictness::kBestEffort);
    if (inside.ok()) landlock_abi = inside->landlock_abi;
    return inside;
  };
  const std::string said = SaidInside(enter, folders_.paths(), [&](const Line& line) {
    line.Say(absl::StrCat(landlock_abi));
    line.Say(absl::StrCat(open(folders_("secret/file").c_str(), O_RDONLY) >= 0));
    const int same_group = setgid(getgid());  // no sanitizer needs it
    line.Say(absl::StrCat(same_group, " ", errno == EPERM));
  });
  EXPECT_EQ(said, "0\n1\n-1 1\n");
}

TEST(ConfinementTest, IsWhatThisKernelOffers) {
  const Confinement offered = OfferedByThisKernel();
  EXPECT_EQ(offered.landlock_abi, LandlockAbi());
  EXPECT_GE(offered.landlock_abi, 1) << "the programs refuse to start on this kernel";
  EXPECT_TRUE(offered.seccomp);
}

}  // namespace
}  // namespace topicwall::sandbox
