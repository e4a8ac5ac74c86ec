#include "base/durable_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/in_child.h"
#include "tests/support/status_matchers.h"
#include "tests/support/syncs/watched_syncs.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::base {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::topicwall::testing::StatusIs;
using ::topicwall::testing::WatchedSyncs;

class DurableFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  mode_t Mode(const std::string& name) const {
    struct stat status = {};
    EXPECT_EQ(::stat(Path(name).c_str(), &status), 0);
    return status.st_mode & 0777;
  }
  testing::TemporaryDirectory folder_;
};

TEST_F(DurableFileTest, WhatWasWrittenIsReadBackWithZerosAndAll) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_OK(ReplaceFileDurably(Path("file"), bytes));
  ASSERT_OK_AND_ASSIGN(const auto read, ReadWholeFile(Path("file"), 100));
  EXPECT_EQ(read, bytes);
  EXPECT_FALSE(FileExists(Path("file.partial")));
}

TEST_F(DurableFileTest, AHalfWrittenFileOfAnEarlierCrashIsNeitherReadNorInTheWay) {
  ASSERT_OK(ReplaceFileDurably(Path("file"), "first"));
  testing::WriteWholeFile(Path("file.partial"), "half of the sec");
  EXPECT_EQ(*ReadWholeFile(Path("file"), 100), "first");
  ASSERT_OK(ReplaceFileDurably(Path("file"), "second"));
  EXPECT_EQ(*ReadWholeFile(Path("file"), 100), "second");
  EXPECT_FALSE(FileExists(Path("file.partial")));
}

TEST_F(DurableFileTest, AFailedWriteLeavesTheOldFile) {
  ASSERT_OK(ReplaceFileDurably(Path("file"), "first"));
  // A folder in the place of the partial file can be neither removed nor written.
  std::filesystem::create_directories(Path("file.partial/full"));
  EXPECT_FALSE(ReplaceFileDurably(Path("file"), "second").ok());
  EXPECT_EQ(*ReadWholeFile(Path("file"), 100), "first");
}

TEST_F(DurableFileTest, AnOutputThroughLinksReplacesTheirTargetAndLeavesThem) {
  std::filesystem::create_directory(Path("there"));
  testing::WriteWholeFile(Path("there/file"), "first");
  std::filesystem::create_symlink("there/second", Path("first"));
  std::filesystem::create_symlink("file", Path("there/second"));
  ASSERT_OK(ReplaceOutputDurably(Path("first"), "new"));
  EXPECT_EQ(*ReadWholeFile(Path("there/file"), 100), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("there/second")));
  // One that leads nowhere leads to a name that is free.
  std::filesystem::create_symlink(Path("free"), Path("link"));
  ASSERT_OK(ReplaceOutputDurably(Path("link"), "new"));
  EXPECT_EQ(*ReadWholeFile(Path("free"), 100), "new");
  std::filesystem::create_symlink("circle", Path("circle"));
  EXPECT_THAT(ReplaceOutputDurably(Path("circle"), "new"),
              ::testing::ResultOf([](const absl::Status& s) { return std::string(s.message()); },
                                  HasSubstr("circle")));
}

TEST_F(DurableFileTest, AnOutputIsWrittenOverNothingButFiles) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  // One of its own where there may be one: should it be written over, it is not the machine's.
  const bool is_own = ::mknod(Path("full").c_str(), S_IFCHR | 0666, makedev(1, 7)) == 0;
  const std::string full = is_own ? Path("full") : "/dev/full";
  std::filesystem::create_symlink(full, Path("device"));
  for (const std::string& path : {Path("pipe"), Path("device"), folder_.path()}) {
    EXPECT_THAT(ReplaceOutputDurably(path, "new"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(path)));
  }
  EXPECT_TRUE(std::filesystem::is_fifo(Path("pipe")));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("device")));
  EXPECT_TRUE(std::filesystem::is_character_file(full));
  ASSERT_OK(ReplaceOutputDurably(Path("file"), "first"));
  ASSERT_OK(ReplaceOutputDurably(Path("file"), "second"));
  EXPECT_EQ(*ReadWholeFile(Path("file"), 100), "second");
}

TEST_F(DurableFileTest, AnOutputTakesNoNameButItsOwnAndKeepsTheModeOfWhatItReplaces) {
  testing::WriteWholeFile(Path("my.csv.partial"), "the user's own");
  ASSERT_OK(ReplaceOutputDurably(Path("my.csv"), "x"));
  EXPECT_EQ(*ReadWholeFile(Path("my.csv.partial"), 100), "the user's own");
  EXPECT_EQ(Mode("my.csv"), 0644u);
  std::filesystem::permissions(Path("my.csv"), std::filesystem::perms(0600));
  ASSERT_OK(ReplaceOutputDurably(Path("my.csv"), "y"));
  EXPECT_EQ(Mode("my.csv"), 0600u);
  std::filesystem::permissions(Path("my.csv"), std::filesystem::perms(0664));
  ASSERT_OK(ReplaceOutputDurably(Path("my.csv"), "z"));
  EXPECT_EQ(Mode("my.csv"), 0664u) << "whatever the umask";
  // The longest that a name may be is 255.
  const std::string longest = Path(std::string(250, 'n'));
  ASSERT_OK(ReplaceOutputDurably(longest, "x"));
  EXPECT_EQ(*ReadWholeFile(longest, 100), "x");
  const std::filesystem::directory_iterator left(folder_.path());
  EXPECT_EQ(std::distance(left, {}), 3);
}

TEST_F(DurableFileTest, SeveralMayWriteOneOutputAtOnce) {
  std::vector<std::future<absl::Status>> writers;
  for (const char c : {'a', 'b', 'c', 'd', 'e', 'f'}) {
    writers.push_back(std::async(std::launch::async, [this, c] {
      for (int i = 0; i < 20; ++i) {
        const absl::Status written = ReplaceOutputDurably(Path("file"), std::string(100'000, c));
        if (!written.ok()) return written;
      }
      return absl::OkStatus();
    }));
  }
  for (std::future<absl::Status>& writer : writers) EXPECT_OK(writer.get());
  const std::string bytes = *ReadWholeFile(Path("file"), 1 << 20);
  EXPECT_EQ(bytes, std::string(100'000, bytes.at(0)));
}

TEST_F(DurableFileTest, TheModeIsTheOneAskedFor) {
  ASSERT_OK(ReplaceFileDurably(Path("secret"), "x", 0600));
  EXPECT_EQ(Mode("secret"), 0600u);
}

TEST_F(DurableFileTest, ANewFileIsTheOwnersAloneWhateverTheUmask) {
  const mode_t old_mask = ::umask(0777);
  const absl::Status written = WriteNewFileDurably(Path("mark"), "text");
  ::umask(old_mask);
  ASSERT_OK(written);
  EXPECT_EQ(*ReadWholeFile(Path("mark"), 100), "text");
  EXPECT_EQ(Mode("mark"), 0600u);
}

TEST_F(DurableFileTest, ANewFileIsWrittenOverNothing) {
  testing::WriteWholeFile(Path("mark"), "old");
  testing::WriteWholeFile(Path("words"), "words");
  EXPECT_THAT(WriteNewFileDurably(Path("mark"), "new"), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(CopyFileDurably(Path("words"), Path("mark")),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(*ReadWholeFile(Path("mark"), 100), "old");
  // A link that leads nowhere is a name, too.
  std::filesystem::create_symlink(Path("elsewhere"), Path("link"));
  EXPECT_THAT(WriteNewFileDurably(Path("link"), "new"), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_TRUE(NameIsTaken(Path("link")));
  EXPECT_FALSE(FileExists(Path("link")));
}

// As two who make the custodian's key at once: each is told the id of what it wrote.
TEST_F(DurableFileTest, OfSeveralWhoMakeOneFileAtOnceOneHasMadeItAndTheOthersAreTold) {
  for (int round = 0; round < 20; ++round) {
    const std::string path = Path(absl::StrCat("key", round));
    std::vector<absl::Status> made(4);
    std::vector<std::thread> makers;
    for (size_t i = 0; i < made.size(); ++i) {
      makers.emplace_back([&, i] { made[i] = WriteNewFileDurably(path, absl::StrCat(i)); });
    }
    for (std::thread& maker : makers) maker.join();
    ASSERT_OK_AND_ASSIGN(const std::string content, ReadWholeFile(path, 100));
    for (size_t i = 0; i < made.size(); ++i) {
      if (content == absl::StrCat(i)) {
        EXPECT_OK(made[i]);
      } else {
        EXPECT_THAT(made[i], StatusIs(absl::StatusCode::kAlreadyExists));
      }
    }
    EXPECT_EQ(folder_.Names().size(), static_cast<size_t>(round) + 1) << "nothing is left over";
  }
}

// It dies of SIGXFSZ at the first byte too many.
TEST_F(DurableFileTest, AProcessThatDiesWhileItWritesLeavesNothingUnderANewName) {
  const std::string path = Path("new"), bytes(100'000, 'x');
  const int ended = testing::InChild([&] {
    const rlimit small = {.rlim_cur = 1000, .rlim_max = 1000};
    setrlimit(RLIMIT_FSIZE, &small);
    WriteNewFileDurably(path, bytes).IgnoreError();
    return 0;
  });
  ASSERT_EQ(ended, 128 + SIGXFSZ);
  EXPECT_FALSE(NameIsTaken(path));
  EXPECT_OK(WriteNewFileDurably(path, bytes));
  EXPECT_EQ(*ReadWholeFile(path, 1 << 20), bytes);
}

TEST_F(DurableFileTest, ACopyHasEveryByteAndIsTheOwnersAlone) {
  std::string large(3'000'001, 'x');  // more than two buffers
  large[2'000'000] = '\0';
  testing::WriteWholeFile(Path("large"), large);
  ASSERT_OK(CopyFileDurably(Path("large"), Path("copy")));
  EXPECT_EQ(*ReadWholeFile(Path("copy"), 4'000'000), large);
  EXPECT_EQ(Mode("copy"), 0600u);
}

TEST_F(DurableFileTest, ACopyOfWhatCannotBeReadLeavesNothing) {
  EXPECT_THAT(CopyFileDurably(Path("missing"), Path("copy")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("missing")));
  // A folder opens and does not read.
  EXPECT_THAT(CopyFileDurably(folder_.path(), Path("copy")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(folder_.path())));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

// As on a full disk: half a copy that is told as a whole one is a backup that is none.
TEST_F(DurableFileTest, ACopyThatCannotBeWrittenToItsEndIsAnErrorAndLeavesNothing) {
  testing::WriteWholeFile(Path("large"), std::string(100'000, 'x'));
  const int ended = testing::InChild([this] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {.rlim_cur = 1000, .rlim_max = 1000};
    setrlimit(RLIMIT_FSIZE, &small);
    return CopyFileDurably(Path("large"), Path("copy")).ok() ? 1 : 0;
  });
  EXPECT_EQ(ended, 0);
  EXPECT_THAT(folder_.Names(), ElementsAre("large"));
}

// What stays behind may be a secret, or the first half of one.
TEST_F(DurableFileTest, WhatCannotTakeItsNameLeavesNothingBesideIt) {
  std::filesystem::create_directory(Path("folder"));
  EXPECT_THAT(ReplaceFileDurably(Path("folder"), "x"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("rename into place")));
  EXPECT_FALSE(NameIsTaken(Path("folder.partial")));
}

TEST_F(DurableFileTest, RenamingTakesTheOldOnesPlaceOrRefuses) {
  testing::WriteWholeFile(Path("new"), "new");
  testing::WriteWholeFile(Path("old"), "old");
  EXPECT_THAT(RenameDurably(Path("new"), Path("old"), IfExists::kRefuse),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(*ReadWholeFile(Path("old"), 100), "old");
  ASSERT_OK(RenameDurably(Path("new"), Path("old"), IfExists::kReplace));
  EXPECT_EQ(*ReadWholeFile(Path("old"), 100), "new");
  EXPECT_FALSE(FileExists(Path("new")));
  EXPECT_THAT(RenameDurably(Path("new"), Path("old"), IfExists::kReplace),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("new")));
  ASSERT_OK(RenameDurably(Path("old"), Path("free"), IfExists::kRefuse));
  EXPECT_EQ(*ReadWholeFile(Path("free"), 100), "new");
}

TEST_F(DurableFileTest, ContentIsSyncedBeforeItsNameIsGivenAndTheFolderAfter) {
  testing::WriteWholeFile(Path("words"), "words");
  for (const auto& write : std::vector<std::function<absl::Status(const std::string&)>>{
           [](const std::string& path) { return ReplaceFileDurably(path, "x"); },
           [](const std::string& path) { return WriteNewFileDurably(path, "x"); },
           [&](const std::string& path) { return CopyFileDurably(Path("words"), path); }}) {
    const WatchedSyncs syncs(folder_.path());
    ASSERT_OK(write(Path("file")));
    EXPECT_THAT(
        syncs.acts(),
        ElementsAre(MatchesRegex("sync file\\.([0-9a-f]{16}\\.)?partial"),
                    MatchesRegex("rename file\\.([0-9a-f]{16}\\.)?partial file"), "sync ."));
    std::filesystem::remove(Path("file"));
  }
}

TEST_F(DurableFileTest, AnOutputIsSyncedBeforeItsNameIsGivenToo) {
  const WatchedSyncs syncs(folder_.path());
  ASSERT_OK(ReplaceOutputDurably(Path("file"), "x"));
  EXPECT_THAT(
      syncs.acts(),
      ElementsAre(MatchesRegex("sync \\.topicwall-[0-9a-f]{16}\\.partial"),
                  MatchesRegex("rename \\.topicwall-[0-9a-f]{16}\\.partial file"), "sync ."));
}

TEST_F(DurableFileTest, ARenameSyncsTheNewNamesFolderBeforeTheOldOnes) {
  for (const std::string name : {"from/old", "from/older"}) folder_.Write(name, "x");
  std::filesystem::create_directory(Path("to"));
  for (const IfExists if_exists : {IfExists::kRefuse, IfExists::kReplace}) {
    const WatchedSyncs within(folder_.path());
    ASSERT_OK(RenameDurably(Path("from/old"), Path("from/new"), if_exists));
    EXPECT_THAT(within.acts(), ElementsAre("rename from/old from/new", "sync from"));
    ASSERT_OK(RenameDurably(Path("from/new"), Path("from/old"), if_exists));
  }
  const WatchedSyncs across(folder_.path());
  ASSERT_OK(RenameDurably(Path("from/old"), Path("to/new"), IfExists::kReplace));
  EXPECT_THAT(across.acts(), ElementsAre("rename from/old to/new", "sync to", "sync from"));
}

TEST_F(DurableFileTest, OfANameWithASlashBehindItTheFolderThatHasItIsSynced) {
  std::filesystem::create_directories(Path("models/new"));
  const WatchedSyncs syncs(folder_.path());
  ASSERT_OK(SyncFolderOf(Path("models/new//")));
  EXPECT_THAT(syncs.acts(), ElementsAre("sync models"));
  EXPECT_OK(SyncFolderOf("/topicwall"));
}

TEST_F(DurableFileTest, ARemovalSyncsTheFolder) {
  testing::WriteWholeFile(Path("file"), "x");
  const WatchedSyncs syncs(folder_.path());
  ASSERT_OK(RemoveFileDurably(Path("file")));
  EXPECT_THAT(syncs.acts(), ElementsAre("sync ."));
}

TEST_F(DurableFileTest, ContentThatCannotBeSyncedTakesNoName) {
  ASSERT_OK(ReplaceFileDurably(Path("old"), "old"));
  const WatchedSyncs replacing(folder_.path(), "old.partial");
  EXPECT_THAT(ReplaceFileDurably(Path("old"), "new"),
              StatusIs(absl::StatusCode::kUnknown, HasSubstr("cannot sync")));
  EXPECT_EQ(*ReadWholeFile(Path("old"), 100), "old");
  EXPECT_THAT(replacing.acts(), ElementsAre("sync old.partial"));
}

TEST_F(DurableFileTest, AFolderThatCannotBeSyncedIsAnErrorThatComesLast) {
  const auto fails = [] { return StatusIs(absl::StatusCode::kUnknown, HasSubstr("cannot sync")); };
  {
    const WatchedSyncs syncs(folder_.path(), ".");
    EXPECT_THAT(WriteNewFileDurably(Path("file"), "x"), fails());
    EXPECT_EQ(*ReadWholeFile(Path("file"), 100), "x");
    EXPECT_THAT(RemoveFileDurably(Path("file")), fails());
    EXPECT_FALSE(FileExists(Path("file")));
  }
  std::filesystem::create_directory(Path("to"));
  for (const std::string folder : {".", "to"}) {
    testing::WriteWholeFile(Path("file"), "x");
    const WatchedSyncs syncs(folder_.path(), folder);
    EXPECT_THAT(RenameDurably(Path("file"), Path("to/file"), IfExists::kReplace), fails());
    EXPECT_TRUE(FileExists(Path("to/file")));
  }
}

TEST_F(DurableFileTest, RemovingTwiceIsNoError) {
  ASSERT_OK(ReplaceFileDurably(Path("file"), "x"));
  EXPECT_OK(RemoveFileDurably(Path("file")));
  EXPECT_OK(RemoveFileDurably(Path("file")));
  EXPECT_FALSE(FileExists(Path("file")));
}

TEST_F(DurableFileTest, ReadingRefusesWhatIsAbsentAFolderOrTooLarge) {
  EXPECT_THAT(ReadWholeFile(Path("none"), 100), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(ReadWholeFile(folder_.path(), 1 << 20),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("folder")));
  ASSERT_OK(ReplaceFileDurably(Path("file"), "12345"));
  EXPECT_OK(ReadWholeFile(Path("file"), 5));
  EXPECT_THAT(ReadWholeFile(Path("file"), 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 4")));
  // No size is known beforehand of this one, and it never ends.
  EXPECT_THAT(ReadWholeFile("/dev/zero", 1 << 20), StatusIs(absl::StatusCode::kInvalidArgument));
}

// As some network ones; what is written is there all the same.
TEST_F(DurableFileTest, AFileSystemThatSyncsNoFolderIsTakenAsItIs) {
  const int folder = ::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_NE(::fsync(folder), 0);
  ASSERT_EQ(errno, EINVAL) << "what this is about";
  ::close(folder);
  EXPECT_OK(SyncFolder("/proc/self"));
}

TEST_F(DurableFileTest, AMissingFolderIsAnErrorThatNamesThePath) {
  EXPECT_THAT(ReplaceFileDurably(Path("no/file"), "x"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/file")));
}

}  // namespace
}  // namespace topicwall::base
