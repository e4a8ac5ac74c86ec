#include "server/corpus/ingest/scratch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

class ScratchFileTest : public ::testing::Test {
 protected:
  testing::TemporaryDirectory folder_;
};

TEST_F(ScratchFileTest, GivesBackWhatWasAppended) {
  ASSERT_OK_AND_ASSIGN(auto file, ScratchFile::CreateNear(folder_.Path("corpus")));
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(*file.Append("first"), 0);
  EXPECT_EQ(*file.Append(large), 5);
  EXPECT_EQ(*file.Append(""), 3'000'005);
  EXPECT_EQ(file.size(), 3'000'005);
  ScratchFile moved = std::move(file);
  std::string bytes = "of before";
  ASSERT_OK(moved.Read(5, large.size(), &bytes));
  EXPECT_EQ(bytes, large);
  ASSERT_OK(moved.Read(1, 6, &bytes));
  EXPECT_EQ(bytes, "irstxx");
}

TEST_F(ScratchFileTest, HasNoName) {
  ASSERT_OK_AND_ASSIGN(auto file, ScratchFile::CreateNear(folder_.Path("corpus")));
  ASSERT_OK(file.Append("something"));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(ScratchFileTest, ReadingPastTheEndIsAnError) {
  ASSERT_OK_AND_ASSIGN(auto file, ScratchFile::CreateNear(folder_.Path("corpus")));
  ASSERT_OK(file.Append("123"));
  std::string bytes;
  EXPECT_THAT(file.Read(1, 3, &bytes), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(ScratchFileTest, AFolderThatIsNotThereIsNamed) {
  const std::string path = folder_.Path("absent/corpus");
  EXPECT_THAT(ScratchFile::CreateNear(path),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr(path)));
}

}  // namespace
}  // namespace topicwall::corpus
