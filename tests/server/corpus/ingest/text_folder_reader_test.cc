#include "server/corpus/ingest/text_folder_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/server/corpus/read_documents.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::topicwall::testing::StatusIs;

class TextFolderReaderTest : public ::testing::Test {
 protected:
  std::vector<SourceDocument> Read(const std::string& folder) {
    const auto reader = TextFolderReader::Open(folder, *vocabulary_);
    EXPECT_OK(reader);
    const auto documents = ReadDocuments(**reader);
    EXPECT_OK(documents);
    EXPECT_EQ((*reader)->FractionRead(), 1.0);
    return *documents;
  }

  testing::TemporaryDirectory folder_;
  const std::shared_ptr<const lda::Vocabulary> vocabulary_ = Words({"apple", "pear"});
};

TEST_F(TextFolderReaderTest, ReadsEveryTextBelowTheFolderInOrderOfNames) {
  folder_.Write("in/b.txt", "pear");
  folder_.Write("in/a/z.txt", "apple apple");
  folder_.Write("in/a/b/c.txt", "apple pear");
  folder_.Write("in/readme.md", "apple");
  folder_.Write("in/txt", "apple");
  std::filesystem::create_directories(folder_.Path("in/folder.txt"));
  for (const std::string folder : {"in", "in/", "./in/../in"}) {
    const auto documents = Read(folder_.Path(folder));
    EXPECT_THAT(UsableIds(documents), ElementsAre("a/b/c.txt", "a/z.txt", "b.txt")) << folder;
    EXPECT_THAT(ProblemsOf(documents), IsEmpty());
    EXPECT_EQ(documents[1].counts, (std::vector<lda::TermCount>{{0, 2}}));
  }
}

TEST_F(TextFolderReaderTest, EveryBadTextIsReportedByNameAndTheRestKept) {
  folder_.Write("in/1.txt", "");
  folder_.Write("in/2.txt", "pear");
  folder_.Write("in/3.txt", "\xff");
  folder_.Write("in/4.txt", "plum");
  folder_.Write("in/5.txt", std::string(kMaxDocumentBytes + 1, 'a'));
  folder_.Write("in/6.txt", "pear " + std::string(kMaxDocumentBytes - 5, ' '));
  const auto documents = Read(folder_.Path("in"));
  EXPECT_THAT(ProblemsOf(documents),
              ElementsAre(Pair(1, Problem::kEmpty), Pair(3, Problem::kNotUtf8),
                          Pair(4, Problem::kOutOfVocabulary), Pair(5, Problem::kTooLong)));
  EXPECT_EQ(documents[2].name, "3.txt");
  EXPECT_THAT(UsableIds(documents), ElementsAre("2.txt", "6.txt"));
}

TEST_F(TextFolderReaderTest, ATextThatVanishedIsUnreadable) {
  folder_.Write("in/1.txt", "pear");
  folder_.Write("in/2.txt", "pear");
  ASSERT_OK_AND_ASSIGN(const auto reader, TextFolderReader::Open(folder_.Path("in"), *vocabulary_));
  std::filesystem::remove(folder_.Path("in/1.txt"));
  ASSERT_OK_AND_ASSIGN(const auto documents, ReadDocuments(*reader));
  EXPECT_THAT(ProblemsOf(documents), ElementsAre(Pair(1, Problem::kUnreadable)));
  EXPECT_THAT(UsableIds(documents), ElementsAre("2.txt"));
}

TEST_F(TextFolderReaderTest, WhatIsNamedLikeATextAndIsNoneIsReported) {
  folder_.Write("in/6.txt", "pear");
  std::filesystem::create_symlink("nowhere", folder_.Path("in/1.txt"));
  std::filesystem::create_symlink("2.txt", folder_.Path("in/2.txt"));
  ASSERT_EQ(mkfifo(folder_.Path("in/3.txt").c_str(), 0600), 0);
  std::filesystem::create_directory_symlink(folder_.path(), folder_.Path("in/4.txt"));
  std::filesystem::create_symlink("/dev/zero", folder_.Path("in/5.txt"));
  const auto documents = Read(folder_.Path("in"));
  EXPECT_THAT(ProblemsOf(documents),
              ElementsAre(Pair(1, Problem::kUnreadable), Pair(2, Problem::kUnreadable),
                          Pair(3, Problem::kUnreadable), Pair(4, Problem::kUnreadable),
                          Pair(5, Problem::kUnreadable)));
  EXPECT_THAT(UsableIds(documents), ElementsAre("6.txt"));
}

TEST_F(TextFolderReaderTest, LinksToFilesAreFollowedAndLinksToFoldersAreNot) {
  folder_.Write("elsewhere/far.txt", "pear");
  folder_.Write("in/near.txt", "pear");
  std::filesystem::create_symlink(folder_.Path("elsewhere/far.txt"), folder_.Path("in/link.txt"));
  std::filesystem::create_directory_symlink(folder_.Path("elsewhere"), folder_.Path("in/loop"));
  EXPECT_THAT(UsableIds(Read(folder_.Path("in"))), ElementsAre("link.txt", "near.txt"));
}

TEST_F(TextFolderReaderTest, AFolderThatCannotBeListedIsNamed) {
  EXPECT_THAT(TextFolderReader::Open(folder_.Path("absent"), *vocabulary_),
              StatusIs(absl::StatusCode::kNotFound, ::testing::HasSubstr("absent")));
  EXPECT_THAT(TextFolderReader::Open(folder_.Write("file", "pear"), *vocabulary_),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  std::filesystem::create_directories(folder_.Path("empty"));
  EXPECT_THAT(Read(folder_.Path("empty")), IsEmpty());
}

}  // namespace
}  // namespace topicwall::corpus
