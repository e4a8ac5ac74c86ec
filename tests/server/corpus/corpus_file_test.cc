#include "server/corpus/corpus_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "tests/support/in_child.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace corpus_file_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using ::topicwall::testing::StatusIs;

constexpr CorpusVersion kVersion = {0xc0, 0xff, 0xee};

class CorpusFileTest : public ::testing::Test {
 protected:
  // Writes a whole file of two blocks.
  absl::Status WriteFile(const std::string& path, base::IfExists if_exists) {
    auto writer = CorpusFileWriter::Create(path, if_exists);
    if (!writer.ok()) return writer.status();
    absl::Status status = (*writer)->PutBlock(0, "first block");
    if (status.ok()) status = (*writer)->PutBlock(1, std::string(100000, 'x'));
    if (status.ok()) status = (*writer)->Finish(kVersion, "the manifest");
    if (status.ok()) status = (*writer)->Commit();
    return status;
  }

  static mode_t ModeOf(const std::string& path) {
    struct stat status;
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(CorpusFileTest, GivesBackWhatWasPut) {
  const std::string path = folder_.Path("a.corpus");
  ASSERT_OK(WriteFile(path, base::IfExists::kRefuse));
  ASSERT_OK_AND_ASSIGN(const auto reader, CorpusFileReader::Open(path));
  EXPECT_EQ(reader->version(), kVersion);
  EXPECT_EQ(reader->sealed_manifest(), "the manifest");
  std::string sealed;
  ASSERT_OK(reader->ReadBlock(1, &sealed));
  EXPECT_EQ(sealed, std::string(100000, 'x'));
  ASSERT_OK(reader->ReadBlock(0, &sealed));
  EXPECT_EQ(sealed, "first block");
  EXPECT_EQ(reader->ReadBlock(2, &sealed), UnsealableCorpus(path));
  EXPECT_TRUE(sealed.empty());
  ASSERT_OK(reader->ReadBlock(1, &sealed));  // also after one that is not there
  EXPECT_EQ(sealed.size(), 100000u);
}

// What is paid for would be void for want of memory.
TEST_F(CorpusFileTest, WithoutMemoryABlockIsNotTakenForDamaged) {
  const std::string path = folder_.Path("a.corpus");
  ASSERT_OK(WriteFile(path, base::IfExists::kRefuse));
  ASSERT_OK_AND_ASSIGN(const auto reader, CorpusFileReader::Open(path));
  std::string sealed;
  const int64_t before = sqlite3_hard_heap_limit64(1);
  EXPECT_THAT(reader->ReadBlock(1, &sealed), StatusIs(absl::StatusCode::kUnavailable));
  sqlite3_hard_heap_limit64(before);
  EXPECT_OK(reader->ReadBlock(1, &sealed));
}

// Else what is left for a release would tell how large a corpus is.
TEST_F(CorpusFileTest, NoMoreIsKeptInMemoryOfALargeFileThanOfASmallOne) {
  const auto kept_of = [this](int blocks) {
    const std::string path = folder_.Path(absl::StrCat(blocks, ".corpus"));
    auto writer = CorpusFileWriter::Create(path, base::IfExists::kRefuse);
    EXPECT_OK(writer);
    for (int i = 0; i < blocks; ++i) EXPECT_OK((*writer)->PutBlock(i, std::string(200000, 'x')));
    EXPECT_OK((*writer)->Finish(kVersion, "the manifest"));
    EXPECT_OK((*writer)->Commit());
    const int64_t before = sqlite3_memory_used();
    const auto reader = CorpusFileReader::Open(path);
    EXPECT_OK(reader);
    std::string sealed;
    for (int i = 0; i < blocks; ++i) EXPECT_OK((*reader)->ReadBlock(i, &sealed));
    return static_cast<double>(sqlite3_memory_used() - before);
  };
  EXPECT_NEAR(kept_of(1), kept_of(40), 4096);  // a page has 16,384 bytes
}

TEST_F(CorpusFileTest, ABlockLongerThanItMayBeIsNone) {
  const std::string path = folder_.Path("a.corpus");
  ASSERT_OK(WriteFile(path, base::IfExists::kRefuse));
  ASSERT_OK_AND_ASSIGN(const auto reader, CorpusFileReader::Open(path));
  std::string sealed;
  EXPECT_EQ(reader->ReadBlock(1, &sealed, 99'999), UnsealableCorpus(path));
  EXPECT_TRUE(sealed.empty());
  EXPECT_OK(reader->ReadBlock(1, &sealed, 100'000));
}

TEST_F(CorpusFileTest, IsTheOwnersAloneAndAloneInItsFolder) {
  const mode_t old_mask = umask(0);
  const absl::Status status = WriteFile(folder_.Path("a.corpus"), base::IfExists::kRefuse);
  umask(old_mask);
  ASSERT_OK(status);
  EXPECT_EQ(ModeOf(folder_.Path("a.corpus")), 0600u);
  EXPECT_THAT(folder_.Names(), ElementsAre("a.corpus"));
}

TEST_F(CorpusFileTest, OddNamesAreTakenLiterally) {
  for (const std::string name : {"a b", "50%", "what?mode=rw", "#1", "%41", "x&immutable=0", "é"}) {
    const std::string path = folder_.Path(name);
    ASSERT_OK(WriteFile(path, base::IfExists::kRefuse)) << name;
    EXPECT_OK(CorpusFileReader::Open(path)) << name;
    EXPECT_OK(CorpusFileReader::Open("//" + path)) << name;
  }
}

TEST_F(CorpusFileTest, HasItsNameOnlyOnceItIsWhole) {
  const std::string path = folder_.Path("a.corpus");
  ASSERT_OK_AND_ASSIGN(auto writer, CorpusFileWriter::Create(path, base::IfExists::kRefuse));
  EXPECT_EQ(ModeOf(writer->unfinished_path()), 0600u);
  ASSERT_OK(writer->PutBlock(0, "block"));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_OK(writer->Finish(kVersion, "manifest"));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_OK(CorpusFileReader::Open(writer->unfinished_path()));
  ASSERT_OK(writer->Commit());
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(CorpusFileTest, AnAbandonedWriterLeavesNothing) {
  {
    ASSERT_OK_AND_ASSIGN(
        auto writer, CorpusFileWriter::Create(folder_.Path("a.corpus"), base::IfExists::kRefuse));
    ASSERT_OK(writer->PutBlock(0, "block"));
  }
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(CorpusFileTest, AWriterKilledAtAnyStepLeavesNoFileOfThatName) {
  for (int steps = 0; steps < 4; ++steps) {
    const int ended = testing::InChild([&] {
      auto writer = CorpusFileWriter::Create(folder_.Path("a.corpus"), base::IfExists::kRefuse);
      if (!writer.ok()) return 1;
      if (steps >= 1 && !(*writer)->PutBlock(0, "block").ok()) return 1;
      if (steps >= 2 && !(*writer)->PutBlock(1, std::string(1 << 20, 'x')).ok()) return 1;
      if (steps >= 3 && !(*writer)->Finish(kVersion, "manifest").ok()) return 1;
      return raise(SIGKILL);
    });
    ASSERT_EQ(ended, 128 + SIGKILL) << steps;
    EXPECT_FALSE(std::filesystem::exists(folder_.Path("a.corpus"))) << steps;
  }
  for (const std::string& name : folder_.Names()) {
    EXPECT_TRUE(absl::EndsWith(name, ".unfinished"));
    EXPECT_EQ(ModeOf(folder_.Path(name)), 0600u);
  }
  // What was left does not stand in the way.
  EXPECT_OK(WriteFile(folder_.Path("a.corpus"), base::IfExists::kRefuse));
  folder_.Write("ledger.id.0123456789abcdef.partial", "");
  folder_.Write("somebodys.own.partial", "");
  RemoveUnfinished(folder_.path());
  EXPECT_THAT(folder_.Names(), UnorderedElementsAre("a.corpus", "somebodys.own.partial"));
}

// A second one would be left by whoever is killed while it is there, and be nobody's to remove.
TEST_F(CorpusFileTest, AnUnfinishedFileIsOneFile) {
  const base::FileDescriptor watch(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  ASSERT_GE(inotify_add_watch(watch.get(), folder_.path().c_str(), IN_CREATE), 0);
  ASSERT_OK(WriteFile(folder_.Path("a.corpus"), base::IfExists::kRefuse));
  std::vector<std::string> created;
  alignas(inotify_event) char buffer[4096];
  const ssize_t size = read(watch.get(), buffer, sizeof(buffer));
  for (ssize_t at = 0; at < size;) {
    const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
    created.emplace_back(event->name);
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  EXPECT_THAT(created, Not(IsEmpty()));
  EXPECT_THAT(created, Not(Contains(HasSubstr("-journal"))));
}

TEST_F(CorpusFileTest, AFullDiskIsSaidAndLeavesNothing) {
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 64 << 10;
  auto* const old_handler = signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteFile(folder_.Path("a.corpus"), base::IfExists::kRefuse);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, old_handler);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("a.corpus")));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(CorpusFileTest, AnExistingFileIsKeptUnlessItIsToBeReplaced) {
  const std::string path = folder_.Write("a.corpus", "what was there");
  EXPECT_THAT(WriteFile(path, base::IfExists::kRefuse), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(folder_.Content("a.corpus"), "what was there");
  EXPECT_THAT(folder_.Names(), ElementsAre("a.corpus"));
  ASSERT_OK(WriteFile(path, base::IfExists::kReplace));
  EXPECT_OK(CorpusFileReader::Open(path));
}

TEST_F(CorpusFileTest, AFileThatAppearsMeanwhileIsKept) {
  const std::string path = folder_.Path("a.corpus");
  ASSERT_OK_AND_ASSIGN(auto writer, CorpusFileWriter::Create(path, base::IfExists::kRefuse));
  ASSERT_OK(writer->Finish(kVersion, "manifest"));
  folder_.Write("a.corpus", "somebody was faster");
  EXPECT_THAT(writer->Commit(), StatusIs(absl::StatusCode::kAlreadyExists));
  writer.reset();
  EXPECT_EQ(folder_.Content("a.corpus"), "somebody was faster");
  EXPECT_THAT(folder_.Names(), ElementsAre("a.corpus"));
}

TEST_F(CorpusFileTest, AnOpenReaderOutlivesAReplacement) {
  const std::string path = folder_.Path("a.corpus");
  ASSERT_OK(WriteFile(path, base::IfExists::kRefuse));
  ASSERT_OK_AND_ASSIGN(const auto reader, CorpusFileReader::Open(path));
  ASSERT_OK_AND_ASSIGN(auto writer, CorpusFileWriter::Create(path, base::IfExists::kReplace));
  ASSERT_OK(writer->PutBlock(0, "another"));
  ASSERT_OK(writer->Finish(kVersion, "manifest"));
  ASSERT_OK(writer->Commit());
  std::string sealed;
  ASSERT_OK(reader->ReadBlock(0, &sealed));
  EXPECT_EQ(sealed, "first block");
}

TEST_F(CorpusFileTest, AFolderThatIsNotThereIsSaid) {
  EXPECT_THAT(WriteFile(folder_.Path("absent/a.corpus"), base::IfExists::kRefuse),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("No such file")));
}

TEST_F(CorpusFileTest, ReaderTellsAbsentFromUnreadable) {
  EXPECT_THAT(CorpusFileReader::Open(folder_.Path("absent")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent")));
  EXPECT_THAT(CorpusFileReader::Open(folder_.Path("")),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  const std::string empty = folder_.Write("empty", "");
  EXPECT_EQ(CorpusFileReader::Open(empty).status(), UnsealableCorpus(empty));
  const std::string text = folder_.Write("text", std::string(100000, 't'));
  EXPECT_EQ(CorpusFileReader::Open(text).status(), UnsealableCorpus(text));
}

TEST_F(CorpusFileTest, AJournalBesideTheFileIsNotApplied) {
  const std::string path = folder_.Path("a.corpus");
  ASSERT_OK(WriteFile(path, base::IfExists::kRefuse));
  const std::string before = folder_.Content("a.corpus");
  folder_.Write("a.corpus-journal", std::string(1024, 'j'));
  folder_.Write("a.corpus-wal", std::string(1024, 'w'));
  EXPECT_OK(CorpusFileReader::Open(path));
  EXPECT_EQ(folder_.Content("a.corpus"), before);
}

}  // namespace corpus_file_test
}  // namespace topicwall::corpus
