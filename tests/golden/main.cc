// golden_test             checks releases.csv, as any gtest program
// golden_test --write F   writes what this build releases to F, in the form of releases.csv
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "tests/golden/golden_corpus.h"
#include "tests/golden/golden_release.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::golden {
namespace {

constexpr char kComment[] =
    "# What releases are, bit for bit: SHA-256 of little-endian bytes, under fixed keys. Of each\n"
    "# release of tests/golden/golden_corpus.h: sum, its 64-bit integers before the noise, row =\n"
    "# term; noisy, the float32 numbers that are released, row = topic; and both of its norm\n"
    "# histogram. max_words 10000 is more than any document has.\n"
    "# Written by: golden_test --write tests/golden/releases.csv\n"
    "# on a processor that has all of the kernels. Rule: regenerated only in a commit of its own\n"
    "# whose body says which bits changed and why.\n";

absl::StatusOr<std::string> Table() {
  const testing::TemporaryDirectory folder;
  TW_ASSIGN_OR_RETURN(const auto documents, GoldenDocuments());
  TW_ASSIGN_OR_RETURN(const GoldenCorpus corpus, GoldenCorpus::Seal(folder.path(), documents));
  std::string table = absl::StrCat(kComment, kRowHeader, "\n");
  for (const ReleaseCase& asked : AllCases()) {
    TW_ASSIGN_OR_RETURN(const ReleaseNumbers numbers, Release(asked, corpus, {}));
    absl::StrAppend(&table, RowOf(asked, numbers), "\n");
  }
  return table;
}

int Write(const std::string& path) {
  const absl::StatusOr<std::string> table = Table();
  if (!table.ok()) {
    std::fprintf(stderr, "%s: nothing written: %s\n", path.c_str(),
                 std::string(table.status().message()).c_str());
    return 1;
  }
  testing::WriteWholeFile(path, *table);
  if (testing::ReadWholeFile(path) == *table) return 0;
  std::fprintf(stderr, "%s cannot be written\n", path.c_str());
  return 1;
}

}  // namespace
}  // namespace topicwall::golden

int main(int argc, char** argv) {
  if (argc == 3 && absl::string_view(argv[1]) == "--write") {
    return topicwall::golden::Write(argv[2]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
