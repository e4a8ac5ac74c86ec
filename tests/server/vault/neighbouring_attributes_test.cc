// What one privacy unit's lines say of its documents' groups, through ingestion, down to the exact
// integers that noise is added to. (Ids, owners and texts: the audit's part inputs.)
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/models.h"
#include "proto/models/lda_options.h"
#include "proto/models/prevalence.pb.h"
#include "server/corpus/ingest/corpus_importer.h"
#include "server/mechanism/grid_scale.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/server/executor/exact_sum.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace neighbouring_attributes_test {
using executor::Grid;
using executor::LengthOf;

constexpr int kTopics = 2;
constexpr int kTerms = 128;
constexpr double kNoise = 1.24;
constexpr double kPriced = 1 + 1e-12;  // the norm is computed in floating point here

// Term i is a word of two letters; two texts of different words have statistics at right angles.
std::string Word(int i) {
  return std::string{static_cast<char>('a' + i / 16), static_cast<char>('a' + i % 16)};
}

// Long enough to be clipped.
std::string Text(int term) { return absl::StrJoin(std::vector<std::string>(30, Word(term)), " "); }

std::string Line(const std::string& owner, const std::string& id, int term, const std::string& ward,
                 const std::string& day) {
  return absl::StrCat(R"({"owner": ")", owner, R"(", "id": ")", id, R"(", "text": ")", Text(term),
                      R"(", "ward": ")", ward, R"(", "month": ")", day, "\"}\n");
}

// Sums of documents apart by their values of two attributes, each with three.
class NeighbouringAttributesTest : public ::testing::Test {
 protected:
  NeighbouringAttributesTest() {
    std::string words;
    for (int i = 0; i < kTerms; ++i) absl::StrAppend(&words, Word(i), "\n");
    folder_.Write("words", words);
    v1::PrevalenceOptions options;
    EXPECT_TRUE(
        options.mutable_topics()->ParseFromString(proto::LdaOptionBytes(kTopics, {0.3}, 20, 1e-3)));
    options.add_attributes(0);
    options.add_attributes(1);
    std::vector<float> values;
    for (int i = 0; i < kTopics * kTerms; ++i) values.push_back(-1.0f - static_cast<float>(i % 4));
    const auto model = model::MakeModel("prevalence", options.SerializeAsString(),
                                        {.vocabulary_size = kTerms, .attribute_sizes = {3, 3}});
    EXPECT_OK(model);
    inference_ = *(*model)->Bind(values, 1);
  }

  // The exact sum over what ingestion makes of the lines.
  Grid SumOfLines(const std::vector<std::string>& lines, v1::DuplicateRule rule) {
    const std::string path = folder_.Path(absl::StrCat("corpus-", next_++));
    EXPECT_OK(corpus::Ingest({.format = corpus::DocumentFormat::kJsonLines,
                              .documents = folder_.Write("lines", absl::StrJoin(lines, "")),
                              .vocabulary = folder_.Path("words"),
                              .privacy_unit = v1::PRIVACY_UNIT_OWNER,
                              .strict = false,
                              .duplicates = rule,
                              .attributes = corpus::WardAndMonth()},
                             key_, path, nullptr));
    const auto store = corpus::CorpusStore::Open(path, key_);
    EXPECT_OK(store);
    EXPECT_OK((*store)->RequireUndamaged());
    return executor::GridOf(
        **store, *inference_,
        {.unit = {.vocabulary_size = kTerms, .max_words = 1000, .max_documents = 1'000'000},
         .has_weights = false,
         .num_threads = 1,
         .attribute_sizes = corpus::ShapeOf((*store)->description()).attribute_sizes},
        kNoise, /*clip_norm=*/6);
  }

  // In which cells, of 9, a sum has documents: the last column, behind those of the topics.
  static std::vector<int> CellsOf(const Grid& sum) {
    std::vector<int> cells;
    for (int cell = 0; cell < 9; ++cell) {
      if (sum[static_cast<size_t>(kTopics * 9 + cell)] != 0) cells.push_back(cell);
    }
    return cells;
  }

  testing::TemporaryDirectory folder_;
  const sealing::CustodianKey key_ = corpus::NewKey();
  std::unique_ptr<model::Inference> inference_;
  int next_ = 0;
};

TEST_F(NeighbouringAttributesTest, ADocumentIsInTheCellThatItsLineNames) {
  const auto cells = [this](const std::string& ward, const std::string& day) {
    return CellsOf(SumOfLines({Line("ann", "1", 3, ward, day)}, v1::DUPLICATE_RULE_REFUSE));
  };
  EXPECT_THAT(cells("north", "2024-01-01"), ::testing::ElementsAre(0));
  EXPECT_THAT(cells("north", "2024-02-29"), ::testing::ElementsAre(1));
  EXPECT_THAT(cells("south", "2024-03-01"), ::testing::ElementsAre(5));
  EXPECT_THAT(cells("west", "2024-01-31T12:00"), ::testing::ElementsAre(6));
  EXPECT_THAT(cells("", ""), ::testing::ElementsAre(8));
}

TEST_F(NeighbouringAttributesTest, DocumentsOfOneOwnerAreEachInTheirOwnCell) {
  EXPECT_THAT(CellsOf(SumOfLines({Line("ann", "1", 3, "north", "2024-01-01"),
                                  Line("ann", "2", 3, "south", "2024-03-01")},
                                 v1::DUPLICATE_RULE_REFUSE)),
              ::testing::ElementsAre(0, 5));
}

// Whatever Ann's lines say of her documents, the sum changes by her own vector and by nothing else.
TEST_F(NeighbouringAttributesTest, AUnitsAttributesReachNobodyElses) {
  std::vector<std::string> others;
  for (int i = 0; i < 12; ++i) {
    others.push_back(Line(absl::StrCat("owner-", i), "1", i, i % 2 == 0 ? "north" : "south",
                          i % 3 == 0 ? "2024-01-15" : "2024-02-15"));
    others.push_back(
        Line(absl::StrCat("owner-", i), "1", i, i % 4 == 0 ? "north" : "south", "2024-02-15"));
  }
  const std::vector<std::vector<std::string>> anns = {
      {Line("ann", "1", 40, "north", "2024-01-15")},
      {Line("ann", "1", 40, "west", "never"), Line("ann", "2", 41, "south", "2024-02-15")},
      {Line("ann", "1", 40, "north", "2024-01-15"), Line("ann", "1", 40, "south", "2024-01-15"),
       Line("ann", "1", 40, "north", "2024-01-15"), Line("ann", "3", 42, "north", "2024-02-15")}};
  const double most = static_cast<double>(mechanism::IntegerSensitivity(kNoise)) * kPriced;
  for (const v1::DuplicateRule rule : {v1::DUPLICATE_RULE_MERGE, v1::DUPLICATE_RULE_LEAVE_OUT}) {
    const Grid without = SumOfLines(others, rule);
    for (const std::vector<std::string>& own : anns) {
      const Grid alone = SumOfLines(own, rule);
      EXPECT_LE(LengthOf(alone), most);
      EXPECT_GT(LengthOf(alone), 0);
      const Grid expected = executor::Plus(without, alone);
      std::vector<std::string> with = own;
      with.insert(with.end(), others.begin(), others.end());
      EXPECT_EQ(SumOfLines(with, rule), expected);
      std::reverse(with.begin(), with.end());
      EXPECT_EQ(SumOfLines(with, rule), expected);
    }
  }
}

}  // namespace neighbouring_attributes_test
}  // namespace topicwall::server
