#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "server/audit/walls/audited_wall.h"
#include "server/random/secret_key.h"
#include "server/sandbox/filter.h"
#include "server/sandbox/sandbox.h"
#include "server/sealing/sealing_key.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "tests/server/sandbox/attempts.h"
#include "tests/server/sandbox/confined_process.h"

namespace topicwall::sandbox {
namespace {

using store::SqliteConnection;

int InVault(const Attempt& attempt) { return attempt.vault; }

class VaultFilterTest : public RoomFrame {
 protected:
  std::string Said(const ConfinedProcess::Body& body) const {
    return SaidInside(EnterVault, folders_.paths(), body);
  }
};

TEST_F(VaultFilterTest, HasNoNetwork) {
  EXPECT_EQ(Try(EnterVault, folders_.paths(), OnTheNetwork(inherited_), InVault), "");
}

TEST_F(VaultFilterTest, RunsNoCodeThatWasNotThereAtTheStart) {
  if (BuiltWithSanitizers()) GTEST_SKIP() << "sanitizers map as they like";
  static void* page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int file = inherited_.data;
  ASSERT_EQ(ftruncate(file, 4096), 0);
  const auto map = [](int descriptor, int flags) {
    const void* made = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, flags, descriptor, 0);
    return made == MAP_FAILED ? -1L : 0L;
  };
  const std::vector<Attempt> attempts = {
      {"make a page executable", [] { return mprotect(page, 4096, PROT_READ | PROT_EXEC); }, 0,
       EPERM},
      {"writable and executable",
       [] { return mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC); }, 0, EPERM},
      {"map new memory so", [=] { return map(-1, MAP_PRIVATE | MAP_ANONYMOUS); }, 0, EPERM},
      {"map a file so", [=] { return map(file, MAP_PRIVATE); }, 0, EPERM},
  };
  EXPECT_EQ(Try(EnterVault, folders_.paths(), attempts, InVault), "");
  EXPECT_EQ(Try(EnterNothing, {}, attempts, [](const Attempt&) { return 0; }), "");
}

// What it is for, one part after the other, so that a failure names the part.

TEST_F(VaultFilterTest, RunsThreadsThatWait) {
  EXPECT_EQ(Said([](const Line& line) {
              std::mutex mutex;
              std::condition_variable changed;
              int done = 0;
              absl::Notification go;
              std::vector<std::thread> threads;
              for (int i = 0; i < 8; ++i) {
                threads.emplace_back([&] {
                  go.WaitForNotification();
                  const std::lock_guard lock(mutex);
                  ++done;
                  changed.notify_one();
                });
              }
              std::unique_lock lock(mutex);
              const bool early =
                  changed.wait_for(lock, std::chrono::milliseconds(20), [&] { return done > 0; });
              if (early) line.Say("nobody waited");
              go.Notify();
              changed.wait(lock, [&] { return done == 8; });
              lock.unlock();
              for (std::thread& thread : threads) thread.join();
              absl::Notification never;
              if (never.WaitForNotificationWithTimeout(absl::Milliseconds(20)))
                line.Say("never came");
              line.Say("done");
            }),
            "done\n");
}

TEST_F(VaultFilterTest, TakesAndLocksMemoryAndChoosesItsProcessors) {
  EXPECT_EQ(Said([](const Line& line) {
              for (int i = 0; i < 20; ++i) {
                const std::vector<char> large(size_t{64} << 20, 'x');
                if (large[large.size() / 2] != 'x') line.Say("no memory");
                std::vector<std::string> small(10'000, std::string(100 * i, 'y'));
              }
              char key[64] = {};
              if (mlock(key, sizeof(key)) != 0 || munlock(key, sizeof(key)) != 0) line.Say("mlock");
              void* const block = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              if (madvise(block, 1 << 16, MADV_DONTDUMP) != 0) line.Say("MADV_DONTDUMP");
              cpu_set_t own;
              if (sched_getaffinity(0, sizeof(own), &own) != 0) line.Say("sched_getaffinity");
              std::thread([&] {
                if (sched_setaffinity(0, sizeof(own), &own) != 0) line.Say("sched_setaffinity");
              }).join();
              line.Say("done");
            }),
            "done\n");
}

absl::Status KeepInSqlite(const std::string& path) {
  {
    TW_RETURN_IF_ERROR(store::MakeEmpty(path));
    TW_ASSIGN_OR_RETURN(SqliteConnection made,
                        SqliteConnection::Open(path, SqliteConnection::Mode::kReadWrite));
    TW_RETURN_IF_ERROR(made.RunScript("PRAGMA journal_mode = WAL"));
    TW_RETURN_IF_ERROR(made.Run("CREATE TABLE kept (number INTEGER)"));
    TW_RETURN_IF_ERROR(made.Write([&]() -> absl::Status {
      for (int64_t i = 0; i < 20'000; ++i) {
        TW_RETURN_IF_ERROR(made.Run("INSERT INTO kept VALUES (?)", i * 7919 % 20'000));
      }
      return absl::OkStatus();
    }));
    struct stat log;
    if (stat((path + "-wal").c_str(), &log) != 0 || log.st_size != 0) {
      return absl::InternalError("the log was not emptied");
    }
  }
  TW_ASSIGN_OR_RETURN(SqliteConnection again,
                      SqliteConnection::Open(path, SqliteConnection::Mode::kReadWrite));
  TW_ASSIGN_OR_RETURN(auto rows, again.Prepare("SELECT count(DISTINCT number) FROM kept"));
  TW_RETURN_IF_ERROR(rows.Step().status());
  return rows.Int64(0) == 20'000 ? absl::OkStatus() : absl::DataLossError("rows are missing");
}

TEST_F(VaultFilterTest, KeepsADatabase) {
  EXPECT_EQ(Said([&](const Line& line) {
              line.Say(KeepInSqlite(folders_("data/ledger.db")).ToString());
            }),
            "OK\n");
}

absl::Status SealAndOpen() {
  TW_ASSIGN_OR_RETURN(const random::SecretKey secret, random::SecretKey::Generate());
  TW_ASSIGN_OR_RETURN(const sealing::SealingKey key, sealing::SealingKey::Create(secret));
  TW_ASSIGN_OR_RETURN(const std::string sealed, key.Seal("text", "place"));
  TW_ASSIGN_OR_RETURN(const std::string opened, key.Open(sealed, "place"));
  return opened == "text" ? absl::OkStatus() : absl::DataLossError(opened);
}

// libcrypto is first used inside.
TEST_F(VaultFilterTest, DrawsAndSealsWithLibcrypto) {
  EXPECT_EQ(Said([](const Line& line) { line.Say(SealAndOpen().ToString()); }), "OK\n");
}

// All of a vault: it seals a corpus, opens a budget, charges, computes, publishes and reads back.
absl::Status ReleaseOnce(const std::string& place) {
  audit::PlantedDocuments documents;
  for (int i = 0; i < 200; ++i) {
    documents.push_back({.id = absl::StrCat("d", i), .counts = {{uint32_t{1}, 3}}});
  }
  TW_ASSIGN_OR_RETURN(
      const auto wall,
      audit::AuditedWall::Start(
          place + "/wall",
          {.corpora = {{"notes", {.vocabulary_size = 4, .documents = documents}}}}));
  TW_ASSIGN_OR_RETURN(const auto plan, wall->alice().Reserve(wall->PlanOf("notes")));
  TW_ASSIGN_OR_RETURN(
      const auto release,
      wall->alice().RunRelease(plan, 1, {.parameters = std::vector<float>(4, -1), .clip_norm = 2}));
  return release.statistics.size() == 4 ? absl::OkStatus() : absl::DataLossError("no statistics");
}

TEST_F(VaultFilterTest, MakesAReleaseFromTheCorpusToTheAnswer) {
  EXPECT_EQ(Said([&](const Line& line) { line.Say(ReleaseOnce(folders_("data")).ToString()); }),
            "OK\n");
}

TEST_F(VaultFilterTest, TakesDescriptorsThatItIsSent) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const int sent = inherited_.pipe[1];
  char byte = 'x';
  iovec data = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &sent, sizeof(int));
  ASSERT_EQ(sendmsg(ends[0], &message, 0), 1);
  EXPECT_EQ(Said([&](const Line& line) {
              if (recvmsg(ends[1], &message, MSG_CMSG_CLOEXEC) != 1) line.Say("nothing came");
              int given = -1;
              std::memcpy(&given, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
              line.Say(write(given, "y", 1) == 1 ? "written" : "not to be written to");
            }),
            "written\n");
}

}  // namespace
}  // namespace topicwall::sandbox
