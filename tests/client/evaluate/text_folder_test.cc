#include "client/evaluate/text_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "model/data/tokenizer.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace text_folder_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

class TextFolderTest : public ::testing::Test {
 protected:
  absl::StatusOr<lda::DocumentList> Read(const std::string& path,
                                         const std::string& tokenizer = lda::kTokenizerName) {
    return ReadDocuments(path, DocumentFormat::kTextFolder,
                         {.vocabulary = fruit_, .tokenizer = tokenizer});
  }

  const lda::Vocabulary fruit_ = *lda::Vocabulary::Create({"apple", "fig", "pear"});
  const testing::TemporaryDirectory folder_;
};

// A folder of other files, or of none, is not documents without a word.
TEST_F(TextFolderTest, AFolderWithoutATextIsAnErrorThatSaysWhatWasLookedFor) {
  folder_.Write("notes.md", "fig");
  EXPECT_THAT(Read(folder_.path()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr(folder_.path()), HasSubstr("must have files *.txt"))));
}

// By path and not as the file system lists them; a text of no known word keeps its number.
TEST_F(TextFolderTest, EachTextIsADocumentInTheOrderOfItsPath) {
  folder_.Write("ward/b.txt", "Pear pear\nfig");
  folder_.Write("ward/a.txt", "unknown words only");
  folder_.Write("c.txt", "apple");
  folder_.Write("c.text", "fig");
  folder_.Write("notes", "fig");
  ASSERT_OK_AND_ASSIGN(const auto documents, Read(folder_.path()));
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_THAT(documents[0], ElementsAre(lda::TermCount{0, 1}));
  EXPECT_TRUE(documents[1].empty());
  EXPECT_THAT(documents[2], ElementsAre(lda::TermCount{1, 1}, lda::TermCount{2, 2}));
}

// A link that leads back up would never end.
TEST_F(TextFolderTest, LinksToFoldersAreNotFollowed) {
  folder_.Write("a.txt", "apple");
  std::filesystem::create_directory_symlink(folder_.path(), folder_.Path("again"));
  ASSERT_OK_AND_ASSIGN(const auto documents, Read(folder_.path()));
  EXPECT_EQ(documents.size(), 1u);
}

TEST_F(TextFolderTest, ATextThatCannotBeUsedRefusesAllAndIsNamedWithoutItsContent) {
  folder_.Write("a.txt", "apple");
  folder_.Write("b.txt", "secret \xff");
  EXPECT_THAT(Read(folder_.path()), StatusIs(absl::StatusCode::kInvalidArgument,
                                             AllOf(HasSubstr(folder_.Path("b.txt")),
                                                   HasSubstr("UTF-8"), Not(HasSubstr("secret")))));
}

TEST_F(TextFolderTest, WhatIsNamedLikeATextAndIsNoneIsNotLeftOutInSilence) {
  folder_.Write("a.txt", "apple");
  std::filesystem::create_symlink("nowhere", folder_.Path("b.txt"));
  EXPECT_THAT(Read(folder_.path()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(folder_.Path("b.txt"))));
  std::filesystem::remove(folder_.Path("b.txt"));
  ASSERT_EQ(mkfifo(folder_.Path("c.txt").c_str(), 0600), 0);
  EXPECT_THAT(Read(folder_.path()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(folder_.Path("c.txt"))));
}

TEST_F(TextFolderTest, WhatIsNoFolderIsNamed) {
  EXPECT_THAT(Read("/nowhere"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
  const std::string file = folder_.Write("a.txt", "apple");
  EXPECT_THAT(Read(file), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(file)));
}

TEST_F(TextFolderTest, AModelOfCountsTakesNoText) {
  EXPECT_THAT(
      Read(folder_.path(), lda::kCountsTokenizerName),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("Give counts: --format uci.")));
}

}  // namespace text_folder_test
}  // namespace topicwall::client
