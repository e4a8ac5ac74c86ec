// The guarantee begins at the input file: what one privacy unit's lines change in it, through
// ingestion, down to the exact integers that noise is added to.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/models.h"
#include "proto/models/lda_options.h"
#include "proto/models/prevalence.pb.h"
#include "server/corpus/ingest/corpus_importer.h"
#include "server/executor/thread_executor.h"
#include "server/mechanism/grid_scale.h"
#include "tests/server/corpus/scratch_folder.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/server/mechanism/small_release.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace neighbouring_inputs_test {

using corpus::DuplicateRule;
using corpus::PrivacyUnit;
using Grid = std::vector<uint64_t>;

constexpr int kTopics = 2;
constexpr int kTerms = 128;
constexpr double kNoise = 1.24;

// Term i is a word of two letters; two texts of different words have statistics at right angles.
std::string Word(int i) {
  return std::string{static_cast<char>('a' + i / 16), static_cast<char>('a' + i % 16)};
}

// Long enough to be clipped.
std::string Text(int term, int times = 30) {
  return absl::StrJoin(std::vector<std::string>(static_cast<size_t>(times), Word(term)), " ");
}

std::string Line(const std::string& owner, const std::string& id, const std::string& text) {
  return absl::StrCat(R"({"id": ")", id, R"(", "owner": ")", owner, R"(", "text": ")", text,
                      "\"}\n");
}

struct Input {
  corpus::DocumentFormat format = corpus::DocumentFormat::kJsonLines;
  PrivacyUnit unit = PrivacyUnit::kOwner;
  DuplicateRule duplicates = DuplicateRule::kRefuse;
  std::vector<model::Attribute> attributes = {};
};

class NeighbouringInputsTest : public ::testing::Test {
 protected:
  NeighbouringInputsTest() {
    std::string words;
    for (int i = 0; i < kTerms; ++i) absl::StrAppend(&words, Word(i), "\n");
    folder_.Write("words", words);
    Bind("lda", proto::LdaOptionBytes(kTopics, {0.3}, 20, 1e-3), {.vocabulary_size = kTerms});
  }

  // Sums are of this model from here on.
  void Bind(const std::string& name, const std::string& options, const model::CorpusShape& shape) {
    std::vector<float> values;
    for (int i = 0; i < kTopics * kTerms; ++i) values.push_back(-1.0f - static_cast<float>(i % 4));
    const auto model = model::MakeModel(name, options, shape);
    ASSERT_OK(model);
    inference_ = *(*model)->Bind(values, 1);
  }

  // The exact sum over what ingestion makes of `documents`; nothing if it refuses them.
  std::optional<Grid> SumOf(const std::string& documents, const Input& input) {
    const std::string path = folder_.Path(absl::StrCat("corpus-", next_++));
    const auto report = corpus::Ingest({.format = input.format,
                                        .documents = documents,
                                        .vocabulary = folder_.Path("words"),
                                        .privacy_unit = input.unit,
                                        .strict = false,
                                        .duplicates = input.duplicates,
                                        .attributes = input.attributes},
                                       key_, path, nullptr);
    if (!report.ok()) {
      EXPECT_FALSE(std::filesystem::exists(path));
      return std::nullopt;
    }
    const auto store = corpus::CorpusStore::Open(path, key_);
    EXPECT_OK(store);
    EXPECT_OK((*store)->RequireUndamaged());
    return SumOf(**store);
  }

  Grid SumOf(const corpus::CorpusStore& store) const {
    const mechanism::ReleaseKeys keys =
        mechanism::SplitForTest(mechanism::SmallReceipt([](ledger::ChargeTerms& terms) {
          terms.mechanism.noise_multiplier = kNoise;
          terms.mechanism.histogram_noise_multiplier.reset();
        }));
    const corpus::DecodedBlocks none;
    auto executor = executor::ThreadExecutor::Reserve(
        *inference_,
        {.corpus = store,
         .decoded = none,
         .bounds = {.unit = {.vocabulary_size = kTerms,
                             .max_words = 1'000'000,
                             .max_documents = 1'000'000},
                    .has_weights = false,
                    .num_threads = 1,
                    .attribute_sizes = corpus::ShapeOf(store.description()).attribute_sizes}});
    EXPECT_OK(executor);
    const auto units = executor->Sum(
        {.coins = keys.coins, .clip_norm = 6, .max_documents_per_unit = 1'000'000, .shards = {0}});
    EXPECT_OK(units);
    return mechanism::PartialSumTestPeer::Grid(units->sum);
  }

  // Length of what the lines of one unit change, in units of M, which is what is priced; nothing
  // if either file is refused, so that there is no release of it.
  std::optional<double> Moved(const std::string& with, const std::string& without,
                              const Input& input) {
    const std::optional<Grid> a = SumOf(with, input);
    const std::optional<Grid> b = SumOf(without, input);
    if (!a.has_value() || !b.has_value()) return std::nullopt;
    double squares = 0;
    for (size_t i = 0; i < a->size(); ++i) {
      squares += std::pow(static_cast<double>(static_cast<int64_t>((*a)[i] - (*b)[i])), 2);
    }
    return std::sqrt(squares) / static_cast<double>(mechanism::IntegerSensitivity(kNoise));
  }

  std::optional<double> MovedByLines(const std::vector<std::string>& with,
                                     const std::vector<std::string>& without, const Input& input) {
    return Moved(folder_.Write("with", absl::StrJoin(with, "")),
                 folder_.Write("without", absl::StrJoin(without, "")), input);
  }

  corpus::ScratchFolder folder_;
  const sealing::CustodianKey key_ = corpus::NewKey();
  std::unique_ptr<model::Inference> inference_;
  int next_ = 0;
};

constexpr double kPriced = 1 + 1e-12;  // the norm is computed in floating point here

// Ann uses the ids of a hundred other people, before, between and behind their lines.
TEST_F(NeighbouringInputsTest, AnOwnerWhoUsesAHundredOthersIdsMovesNoMoreThanIsPriced) {
  std::vector<std::string> others;
  std::vector<std::string> anns;
  for (int i = 0; i < 100; ++i) {
    others.push_back(Line(absl::StrCat("owner-", i), absl::StrCat("id-", i), Text(i)));
    anns.push_back(Line("ann", absl::StrCat("id-", i), Text(100 + i % 28)));
  }
  for (const int ahead : {0, 50, 100}) {
    std::vector<std::string> with(others.begin(), others.begin() + ahead);
    with.insert(with.end(), anns.begin(), anns.end());
    with.insert(with.end(), others.begin() + ahead, others.end());
    for (const DuplicateRule rule :
         {DuplicateRule::kRefuse, DuplicateRule::kMerge, DuplicateRule::kLeaveOut}) {
      const std::optional<double> moved = MovedByLines(with, others, {.duplicates = rule});
      ASSERT_TRUE(moved.has_value());
      EXPECT_LE(*moved, kPriced) << ahead;
      EXPECT_GT(*moved, 0.9);
    }
  }
}

TEST_F(NeighbouringInputsTest, OwnersAndIdsThatReadAlikeTogetherStayApart) {
  const std::vector<std::string> others = {Line("ab", "c", Text(1)), Line("abc", "1", Text(2)),
                                           Line("b", "ca", Text(3))};
  std::vector<std::string> with = {Line("a", "bc", Text(4)), Line("a", "bc1", Text(5)),
                                   Line("a", "c", Text(6)), Line("a", "b", Text(7))};
  with.insert(with.end(), others.begin(), others.end());
  const std::optional<double> moved = MovedByLines(with, others, {});
  ASSERT_TRUE(moved.has_value());
  EXPECT_LE(*moved, kPriced);
}

// One line more with an id that another document has: refused, or one document with it.
TEST_F(NeighbouringInputsTest, ADocumentThatTakesAnothersIdDisplacesNobody) {
  std::vector<std::string> lines;
  for (int i = 0; i < 20; ++i) {
    lines.push_back(Line("x", absl::StrCat("id-", i), Text(i, 5)));
  }
  for (const DuplicateRule rule :
       {DuplicateRule::kRefuse, DuplicateRule::kMerge, DuplicateRule::kLeaveOut}) {
    const Input input{.unit = PrivacyUnit::kDocument, .duplicates = rule};
    for (const size_t place : {size_t{0}, size_t{9}, size_t{20}}) {
      std::vector<std::string> with = lines;
      with.insert(with.begin() + static_cast<int64_t>(place), Line("y", "id-7", Text(99)));
      // All lines of the unit "id-7" against none.
      std::vector<std::string> without = lines;
      without.erase(without.begin() + 7);
      const std::optional<double> moved = MovedByLines(with, without, input);
      ASSERT_EQ(moved.has_value(), rule != DuplicateRule::kRefuse);
      if (!moved.has_value()) continue;
      EXPECT_LE(*moved, kPriced);
      // Which line came first has no say.
      std::vector<std::string> first = with;
      std::swap(first[place], first[place <= 7 ? 8 : 7]);
      EXPECT_EQ(MovedByLines(with, first, input), 0);
    }
  }
}

// Whatever Eve writes: repeated and others' ids, lines that are none, a unit beyond the cut.
TEST_F(NeighbouringInputsTest, NothingAnOwnerWritesReachesAnothersContent) {
  std::vector<std::string> others;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j <= i % 3; ++j) {
      others.push_back(Line(absl::StrCat("owner-", i), absl::StrCat("id-", j), Text(i + 12 * j)));
    }
  }
  others.push_back("no JSON at all\n");
  others.push_back(Line("owner-1", "id-9", "unknownword"));
  others.push_back("\n");
  std::string all_words;
  for (int i = 0; i < kTerms; ++i) absl::StrAppend(&all_words, Word(i), " ");
  std::vector<std::string> large;
  for (int i = 0; i < 3000; ++i) large.push_back(Line("eve", absl::StrCat(i), all_words));
  const std::vector<std::vector<std::string>> eves = {
      {Line("eve", "id-0", Text(120))},
      {Line("eve", "id-0", Text(120)), Line("eve", "id-0", Text(121)),
       Line("eve", "id-1", Text(122))},
      {Line("eve", "id-0", Text(120, 1)), Line("eve", "id-0", Text(120, 1))},
      {Line("eve", "id-0", "\xff"), Line("eve", "id-0", ""), Line("eve", "", Text(120)),
       R"({"id": "id-1", "id": "id-2", "owner": "eve", "text": "aa"})"
       "\n",
       Line("eve", "id-1", Text(121))},
      large};
  for (size_t i = 0; i < eves.size(); ++i) {
    for (const DuplicateRule rule :
         {DuplicateRule::kRefuse, DuplicateRule::kMerge, DuplicateRule::kLeaveOut}) {
      std::vector<std::string> ahead = eves[i];
      ahead.insert(ahead.end(), others.begin(), others.end());
      std::vector<std::string> mixed = others;
      for (size_t j = 0; j < eves[i].size(); ++j) {
        mixed.insert(mixed.begin() + static_cast<int64_t>(3 * j % (others.size() - 1)), eves[i][j]);
      }
      const Input input{.duplicates = rule};
      const std::optional<double> moved = MovedByLines(ahead, others, input);
      const bool repeats = i == 1 || i == 2;
      ASSERT_EQ(moved.has_value(), !(repeats && rule == DuplicateRule::kRefuse)) << i;
      if (!moved.has_value()) continue;
      EXPECT_LE(*moved, kPriced) << i;
      EXPECT_EQ(MovedByLines(ahead, mixed, input), 0) << i;
    }
  }
}

TEST_F(NeighbouringInputsTest, ABagOfWordsOrATextMoreIsOneUnitMore) {
  const auto bags = [](const std::vector<int>& documents) {
    std::string lines;
    for (const int document : documents) {
      absl::StrAppend(&lines, document, " ", document, " 30\n");
    }
    return absl::StrCat("9\n", kTerms, "\n", documents.size(), "\n", lines);
  };
  const Input input{.format = corpus::DocumentFormat::kBagOfWords, .unit = PrivacyUnit::kDocument};
  const std::optional<double> bag =
      Moved(folder_.Write("bags", bags({1, 2, 3, 4, 5, 6, 7, 8, 9})),
            folder_.Write("fewer", bags({1, 2, 3, 5, 6, 7, 8, 9})), input);
  ASSERT_TRUE(bag.has_value());
  EXPECT_LE(*bag, kPriced);
  EXPECT_GT(*bag, 0.9);

  for (const std::string folder : {"texts/", "others/"}) {
    for (int i = 0; i < 6; ++i) folder_.Write(absl::StrCat(folder, i, "/a.txt"), Text(i));
  }
  folder_.Write("texts/0.txt", Text(99));
  const std::optional<double> text =
      Moved(folder_.Path("texts"), folder_.Path("others"),
            {.format = corpus::DocumentFormat::kTextFolder, .unit = PrivacyUnit::kDocument});
  ASSERT_TRUE(text.has_value());
  EXPECT_LE(*text, kPriced);
  EXPECT_GT(*text, 0.9);
}

// Sums of documents apart by their values of two attributes, each with three.
class NeighbouringAttributesTest : public NeighbouringInputsTest {
 protected:
  NeighbouringAttributesTest() {
    v1::PrevalenceOptions options;
    EXPECT_TRUE(
        options.mutable_topics()->ParseFromString(proto::LdaOptionBytes(kTopics, {0.3}, 20, 1e-3)));
    options.add_attributes(0);
    options.add_attributes(1);
    Bind("prevalence", options.SerializeAsString(),
         {.vocabulary_size = kTerms, .attribute_sizes = {3, 3}});
  }

  static std::string Line(const std::string& owner, const std::string& id, int term,
                          const std::string& ward, const std::string& day) {
    return absl::StrCat(R"({"owner": ")", owner, R"(", "id": ")", id, R"(", "text": ")", Text(term),
                        R"(", "ward": ")", ward, R"(", "month": ")", day, "\"}\n");
  }

  Grid SumOfLines(const std::vector<std::string>& lines, DuplicateRule rule) {
    const std::optional<Grid> sum =
        SumOf(folder_.Write("lines", absl::StrJoin(lines, "")),
              {.duplicates = rule, .attributes = corpus::WardAndMonth()});
    EXPECT_TRUE(sum.has_value());
    return *sum;
  }

  // In which cells, of 9, a sum has documents: the last column, behind those of the topics.
  static std::vector<int> CellsOf(const Grid& sum) {
    std::vector<int> cells;
    for (int cell = 0; cell < 9; ++cell) {
      if (sum[static_cast<size_t>(kTopics * 9 + cell)] != 0) cells.push_back(cell);
    }
    return cells;
  }
};

TEST_F(NeighbouringAttributesTest, ADocumentIsInTheCellThatItsLineNames) {
  const auto cells = [this](const std::string& ward, const std::string& day) {
    return CellsOf(SumOfLines({Line("ann", "1", 3, ward, day)}, DuplicateRule::kRefuse));
  };
  EXPECT_THAT(cells("north", "2024-01-01"), ::testing::ElementsAre(0));
  EXPECT_THAT(cells("north", "2024-02-29"), ::testing::ElementsAre(1));
  EXPECT_THAT(cells("south", "2024-03-01"), ::testing::ElementsAre(5));
  EXPECT_THAT(cells("west", "2024-01-31T12:00"), ::testing::ElementsAre(6));
  EXPECT_THAT(cells("", ""), ::testing::ElementsAre(8));
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
  for (const DuplicateRule rule : {DuplicateRule::kMerge, DuplicateRule::kLeaveOut}) {
    const Grid without = SumOfLines(others, rule);
    for (const std::vector<std::string>& own : anns) {
      const Grid alone = SumOfLines(own, rule);
      double squares = 0;
      for (const uint64_t value : alone) {
        squares += std::pow(static_cast<double>(static_cast<int64_t>(value)), 2);
      }
      EXPECT_LE(std::sqrt(squares), most);
      EXPECT_GT(std::sqrt(squares), 0);
      Grid expected = without;
      for (size_t i = 0; i < expected.size(); ++i) expected[i] += alone[i];
      std::vector<std::string> with = own;
      with.insert(with.end(), others.begin(), others.end());
      EXPECT_EQ(SumOfLines(with, rule), expected);
      std::reverse(with.begin(), with.end());
      EXPECT_EQ(SumOfLines(with, rule), expected);
    }
  }
}

}  // namespace neighbouring_inputs_test
}  // namespace topicwall::server
