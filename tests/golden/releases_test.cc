#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "server/corpus/unit_block.h"
#include "server/mechanism/grid_scale.h"
#include "tests/golden/golden_corpus.h"
#include "tests/golden/golden_release.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::golden {
namespace {

using corpus::PlainDocument;
using ::testing::Contains;

constexpr char kPortable[] = "portable-f32-4";

// The lines of releases.csv that are no comments; the first names the cells.
std::vector<std::string> Lines() {
  std::vector<std::string> lines;
  std::ifstream file(absl::StrCat(TOPICWALL_GOLDEN_DIR, "/releases.csv"));
  for (std::string line; std::getline(file, line);) {
    if (!absl::StartsWith(line, "#")) lines.push_back(line);
  }
  return lines;
}

// Its row, or nothing.
std::string RowInFile(const ReleaseCase& asked) {
  for (const std::string& line : Lines()) {
    if (absl::StartsWith(line, absl::StrCat(NameOf(asked), ","))) return line;
  }
  return "";
}

class GoldenTest : public ::testing::Test {
 protected:
  static std::vector<PlainDocument> Documents() {
    const auto documents = GoldenDocuments();
    EXPECT_OK(documents);
    return *documents;
  }

  static GoldenCorpus Sealed(const std::vector<PlainDocument>& documents) {
    const testing::TemporaryDirectory folder;  // an open corpus needs no name
    auto corpus = GoldenCorpus::Seal(folder.path(), documents);
    EXPECT_OK(corpus);
    return *std::move(corpus);
  }

  static ReleaseNumbers NumbersOf(const ReleaseCase& asked, const GoldenCorpus& corpus,
                                  const ReleaseHow& how = {}) {
    auto numbers = Release(asked, corpus, how);
    EXPECT_OK(numbers);
    return *std::move(numbers);
  }

  static std::string Row(const ReleaseCase& asked, const GoldenCorpus& corpus,
                         const ReleaseHow& how = {}) {
    return RowOf(asked, NumbersOf(asked, corpus, how));
  }
};

// A kernel is skipped where the processor does not have it, and nowhere else.
class GoldenReleaseTest : public GoldenTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(GoldenReleaseTest, IsTheSameBitsAsEverForOneThreadAndForThree) {
  if (!lda::FindKernel(GetParam()).ok()) {
    GTEST_SKIP() << "this processor does not have " << GetParam();
  }
  const GoldenCorpus corpus = Sealed(Documents());
  int checked = 0;
  for (const ReleaseCase& asked : AllCases()) {
    if (asked.kernel_name != GetParam()) continue;
    const std::string expected = RowInFile(asked);
    for (const int num_threads : {1, 3}) {
      EXPECT_EQ(Row(asked, corpus, {.num_threads = num_threads}), expected) << num_threads;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 48);
  std::cout << GetParam() << ": " << checked << " rows checked\n";
}
INSTANTIATE_TEST_SUITE_P(Kernels, GoldenReleaseTest, ::testing::ValuesIn(kGoldenKernels),
                         [](const auto& kernel) {
                           return absl::StrReplaceAll(kernel.param, {{"-", "_"}});
                         });

TEST(GoldenFileTest, HasARowForEachCaseAndNoOthers) {
  const std::vector<std::string> lines = Lines();
  const std::vector<ReleaseCase> cases = AllCases();
  ASSERT_EQ(lines.size(), cases.size() + 1);
  EXPECT_EQ(lines[0], kRowHeader);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_THAT(lines[i + 1], ::testing::StartsWith(absl::StrCat(NameOf(cases[i]), ",")));
  }
}

TEST(GoldenFileTest, HasRowsOfEveryKernelThatThisProcessorRuns) {
  for (const lda::EStepKernel& kernel : lda::SupportedKernels()) {
    EXPECT_THAT(kGoldenKernels, Contains(std::string(kernel.name)));
  }
}

// Else a case would not be asking for what it says: nobody would be left out, nothing cut, or the
// kernel another one. Only the two numbers of an evaluation may be the same from two kernels.
TEST(GoldenFileTest, NoTwoRowsHaveTheSameSumButThoseThatAHistogramSetsApart) {
  std::set<std::string> sums;
  for (const std::string& line : Lines()) {
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    ASSERT_EQ(cells.size(), 9u);
    if (line == kRowHeader) continue;
    const bool evaluation = cells[4] == "document_completion";
    sums.insert(absl::StrCat(cells[5], evaluation ? cells[0] : ""));
  }
  EXPECT_EQ(sums.size(), std::size(kGoldenKernels) * 2 * 2 * 2 * 5);
}

TEST_F(GoldenTest, OneWordMoreInOneUnitIsFoundInEveryRowThatHasTheUnit) {
  std::vector<PlainDocument> documents = Documents();
  const auto changed =
      std::find_if(documents.begin(), documents.end(), [](const PlainDocument& document) {
        return document.owner == "owner-100";  // one of no particular kind
      });
  ASSERT_NE(changed, documents.end());
  ++changed->counts.front().count;
  const GoldenCorpus corpus = Sealed(documents);
  for (const v1::PrivacyUnit unit : {v1::PRIVACY_UNIT_DOCUMENT, v1::PRIVACY_UNIT_OWNER}) {
    const auto differs = [&](Asked asked) {
      const ReleaseCase whole{kPortable, 1.0, unit, kWhole, asked};
      const std::vector<std::string> now = absl::StrSplit(Row(whole, corpus), ',');
      const std::vector<std::string> then = absl::StrSplit(RowInFile(whole), ',');
      EXPECT_EQ(now[5] != then[5], now[6] != then[6]) << NameOf(whole);
      return now[5] != then[5];
    };
    EXPECT_TRUE(differs(Asked::kPlain));
    EXPECT_TRUE(differs(Asked::kTermWeights));
    EXPECT_TRUE(differs(Asked::kNormHistogram));
    EXPECT_TRUE(differs(Asked::kDirectionNoise));
    // It is on one side or the other.
    EXPECT_NE(differs(Asked::kHeldOutShare), differs(Asked::kDocumentCompletion));
  }
}

TEST_F(GoldenTest, AnotherReleaseKeyIsOtherNoiseOverTheSameSumOfEverybody) {
  const GoldenCorpus corpus = Sealed(Documents());
  const ReleaseCase asked{kPortable, 1.0, v1::PRIVACY_UNIT_DOCUMENT, kWhole, Asked::kNormHistogram};
  const ReleaseNumbers one = NumbersOf(asked, corpus);
  const ReleaseNumbers other = NumbersOf(asked, corpus, {.release_key = 2});
  EXPECT_EQ(one.sum, other.sum);
  EXPECT_EQ(one.histogram_sum, other.histogram_sum);
  EXPECT_NE(one.noisy, other.noisy);
  EXPECT_NE(one.noisy_histogram, other.noisy_histogram);
}

TEST_F(GoldenTest, TheLongDocumentIsClippedAndTheShortOneIsNot) {
  const ReleaseCase asked{kPortable, 1.0, v1::PRIVACY_UNIT_DOCUMENT, kWhole, Asked::kPlain};
  const double bound = static_cast<double>(mechanism::IntegerSensitivity(kGoldenNoiseMultiplier));
  std::map<std::string, double> norms;  // in M
  for (const PlainDocument& document : Documents()) {
    if (document.id != kShortDocument && document.id != kLongDocument) continue;
    double squares = 0;
    for (const uint64_t entry : NumbersOf(asked, Sealed({document})).sum) {
      squares += std::pow(static_cast<double>(entry), 2);
    }
    norms[document.id] = std::sqrt(squares) / bound;
  }
  EXPECT_GT(norms[kLongDocument], 1 - 1e-6);
  EXPECT_GT(norms[kShortDocument], 0);
  EXPECT_LT(norms[kShortDocument], 0.2);  // one word of six
}

TEST_F(GoldenTest, ThreadsHaveMoreThanOneBlockToShare) {
  const GoldenCorpus corpus = Sealed(Documents());
  for (const v1::PrivacyUnit unit : {v1::PRIVACY_UNIT_DOCUMENT, v1::PRIVACY_UNIT_OWNER}) {
    EXPECT_GT(corpus.store(unit).num_blocks(), 1);
  }
}

}  // namespace
}  // namespace topicwall::golden
