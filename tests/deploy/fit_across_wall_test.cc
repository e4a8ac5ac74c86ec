// deploy/study/fit-across-wall, by the programs of build/release: what deploy/reproduce-paper
// leaves to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FitAcrossWall : public FolderTest {};

// Documents of five words out of ten of theirs, at the paper's δ, which is above one in their
// number: opening a budget asks about that, and nobody is there to answer.
TEST_F(FitAcrossWall, FitsFromOutsideAndHasItAudited) {
  std::string documents, words;
  for (int d = 0; d < 5000; ++d) {
    absl::StrAppend(&documents, "{\"id\": \"", d, "\", \"text\": \"");
    for (int i = 0; i < 5; ++i) {
      absl::StrAppend(&documents, "word", std::string(1, static_cast<char>('a' + d % 2 * 10 + i)),
                      " ");
    }
    documents += "\"}\n";
  }
  for (char letter = 'a'; letter < 'a' + 20; ++letter) {
    absl::StrAppend(&words, "word", std::string(1, letter), "\n");
  }
  WriteWholeFile(Path("documents.jsonl"), documents);
  WriteWholeFile(Path("words.txt"), words);
  const Outcome fitted = RunShell(absl::StrCat(
      Deployed("study/fit-across-wall"), " --directory ", Path("wall"), " --documents ",
      Path("documents.jsonl"), " --format jsonl --vocabulary ", Path("words.txt"),
      " --size 5000 --epsilon 2.44 --delta 1e-3 -- --epsilon-alone 2.44 --iterations 2"));
  EXPECT_EQ(fitted.exit_code, 0) << fitted.output;
  EXPECT_THAT(fitted.output, AllOf(HasSubstr("Fit"), HasSubstr("Audit")));
  EXPECT_NE(ReadWholeFile(Path("wall/alice/fit.model/model.pb")), "");
}

}  // namespace
}  // namespace topicwall::deploy
