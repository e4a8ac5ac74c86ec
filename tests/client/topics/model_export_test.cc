#include "client/topics/model_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/matrix_codec.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::topicwall::testing::StatusIs;

TEST(ModelExportTest, CsvHasARowForEachTopicAndWordWithTheNumbersOfTheReading) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 10)));
  ASSERT_OK_AND_ASSIGN(const auto csv, ExportModel(reading, "csv"));
  const std::vector<std::string> rows = absl::StrSplit(csv, "\r\n");
  ASSERT_EQ(rows.size(), size_t{1 + kMadeUpTopics * kMadeUpTerms + 1});
  EXPECT_EQ(rows[0], "topic,term,probability,lift,z,probability_above");
  const std::vector<std::string> fields = absl::StrSplit(rows[1 + kMadeUpTerms + 7], ',');
  const ReadWord word = reading.word(1, 7);
  ASSERT_EQ(fields.size(), 6U);
  EXPECT_EQ(fields[0], "2");
  EXPECT_EQ(fields[1], "wordah");
  EXPECT_EQ(std::stod(fields[2]), word.probability);
  EXPECT_EQ(std::stod(fields[4]), *word.z);
  EXPECT_EQ(std::stod(fields[5]), *word.probability_above);
}

// How probable it is was counted of words that are shown, which are all above the corpus.
TEST(ModelExportTest, OfAWordBelowTheCorpusNoProbabilityIsToldThatItIsAbove) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 10)));
  ASSERT_OK_AND_ASSIGN(const auto csv, ExportModel(reading, "csv"));
  const std::vector<std::string> rows = absl::StrSplit(csv, "\r\n");
  int below = 0;
  for (size_t i = 1; i + 1 < rows.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(rows[i], ',');
    ASSERT_EQ(fields.size(), 6U);
    const bool is_below = std::stod(fields[4]) < 0;
    EXPECT_EQ(fields[5].empty(), is_below) << rows[i];
    below += is_below ? 1 : 0;
  }
  EXPECT_GT(below, 0);
}

// Where a format has a place for it; a column more would be another table.
TEST(ModelExportTest, AMocksSaysSo) {
  v1::ModelFile file = MadeUpModel(1, 10);
  file.set_custodian_id("MOCK");
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file));
  EXPECT_THAT(*ExportModel(reading, "mm"),
              StartsWith("%%MatrixMarket matrix array real general\n% MOCK: of documents"));
  EXPECT_THAT(*ExportModel(reading, "npz"), HasSubstr("MOCK.npy"));
  EXPECT_THAT(*ExportModel(reading, "csv"), StartsWith("topic,term,"));
}

TEST(ModelExportTest, NpzNamesItsArraysAndHasThoseOfTheNoiseOnlyWhereThereIsOne) {
  v1::ModelFile file = MadeUpModel(1, 10);
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file));
  ASSERT_OK_AND_ASSIGN(const auto npz, ExportModel(reading, "npz"));
  EXPECT_THAT(npz, StartsWith("PK"));
  for (const char* name : {"components", "document_topic_prior", "topic_word_prior", "vocabulary",
                           "corpus", "shares", "share_margins", "comes_again", "z"}) {
    EXPECT_THAT(npz, HasSubstr(absl::StrCat(name, ".npy")));
  }
  // λ stands in it as it is in the model.
  EXPECT_THAT(npz, HasSubstr(file.topic_parameters()));
  file.clear_noisy_statistics();
  file.clear_noise_deviations();
  file.clear_term_probabilities();
  ASSERT_OK_AND_ASSIGN(const auto silent, TopicReading::Of(file));
  ASSERT_OK_AND_ASSIGN(const auto less, ExportModel(silent, "npz"));
  EXPECT_THAT(less, Not(HasSubstr("comes_again.npy")));
  EXPECT_THAT(less, HasSubstr("shares.npy"));
}

TEST(ModelExportTest, OfAnOnlyTopicItIsNotSaidWhetherItComesAgain) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(OfOneTopic(MadeUpModel(1, 10))));
  ASSERT_OK_AND_ASSIGN(const auto npz, ExportModel(reading, "npz"));
  EXPECT_THAT(npz, AllOf(HasSubstr("share_margins.npy"), Not(HasSubstr("comes_again.npy")),
                         Not(HasSubstr("z.npy"))));
}

TEST(ModelExportTest, SharesThatAreNotKnownAreInNoExport) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 10000)));
  ASSERT_OK_AND_ASSIGN(const auto npz, ExportModel(reading, "npz"));
  EXPECT_THAT(
      npz, AllOf(HasSubstr("z.npy"), Not(HasSubstr("share")), Not(HasSubstr("comes_again.npy"))));
  EXPECT_THAT(ExportModel(reading, "pyldavis"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not known")));
}

// Row by row it would be read as another matrix of the same size.
TEST(ModelExportTest, MatrixMarketHasTheProbabilitiesColumnByColumn) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 10)));
  ASSERT_OK_AND_ASSIGN(const auto mm, ExportModel(reading, "mm"));
  const std::vector<std::string> lines = absl::StrSplit(mm, '\n');
  ASSERT_EQ(lines.size(), size_t{3 + kMadeUpTopics * kMadeUpTerms + 1});
  EXPECT_EQ(lines[0], "%%MatrixMarket matrix array real general");
  EXPECT_THAT(lines[1], StartsWith("% "));
  EXPECT_EQ(lines[2], absl::StrCat(kMadeUpTopics, " ", kMadeUpTerms));
  EXPECT_EQ(std::stod(lines[3 + 7 * kMadeUpTopics + 1]), reading.word(1, 7).probability);
  EXPECT_EQ(lines.back(), "");
}

// Noise makes of a weak topic's words fewer than none; pyLDAvis draws nothing of a length below 0.
TEST(ModelExportTest, PyldavisGetsNoLengthBelowZero) {
  v1::ModelFile file = MadeUpModel(1, 10);
  std::vector<float> sums = *proto::FloatsFromLittleEndian(file.noisy_statistics());
  for (size_t v = 0; v < size_t{kMadeUpTerms}; ++v) sums[v] = -sums[v] / 10;
  file.set_noisy_statistics(proto::FloatsToLittleEndian(sums));
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(file));
  ASSERT_LT(reading.topic(0).share.value_or(0), 0);
  ASSERT_OK_AND_ASSIGN(const auto text, ExportModel(reading, "pyldavis"));
  const std::vector<double> lengths = nlohmann::json::parse(text)["doc_lengths"];
  ASSERT_EQ(lengths.size(), size_t{kMadeUpTopics});
  EXPECT_EQ(lengths[0], 1);
  EXPECT_EQ(lengths[1], 1e6 * *reading.topic(1).share);
}

// Of words, as pyLDAvis draws them, and not of the documents that a mixture's shares are of.
TEST(ModelExportTest, PyldavisOfAMixtureHasComponentsAsLargeAsTheirWords) {
  const v1::ModelFile topics = MadeUpModel(1, 10);
  v1::ModelFile mixture = topics;
  for (int k = 0; k < kMadeUpTopics; ++k) mixture.add_component_weights(k + 1);
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(mixture));
  ASSERT_OK_AND_ASSIGN(const auto exported, ExportModel(reading, "pyldavis"));
  ASSERT_OK_AND_ASSIGN(const auto lambda, proto::FloatsFromLittleEndian(topics.topic_parameters()));
  std::vector<double> words(kMadeUpTopics, 0);
  for (size_t i = 0; i < lambda.size(); ++i) words[i / kMadeUpTerms] += double{lambda[i]};
  const double all = std::accumulate(words.begin(), words.end(), 0.0);
  const size_t begin = exported.find("\"doc_lengths\":[") + 15;
  const std::vector<std::string> told =
      absl::StrSplit(exported.substr(begin, exported.find(']', begin) - begin), ',');
  ASSERT_EQ(told.size(), words.size());
  for (size_t k = 0; k < words.size(); ++k) {
    EXPECT_NEAR(std::stod(told[k]), 1e6 * words[k] / all, 1e-3 * 1e6);
  }
}

TEST(ModelExportTest, AnotherFormatIsRefusedWithThoseThereAre) {
  ASSERT_OK_AND_ASSIGN(const auto reading, TopicReading::Of(MadeUpModel(1, 10)));
  EXPECT_THAT(ExportModel(reading, "xml"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("npz, csv, mm, pyldavis")));
}

}  // namespace
}  // namespace topicwall::client
