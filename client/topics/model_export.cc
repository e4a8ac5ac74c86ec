#include "client/topics/model_export.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/topics/numpy_archive.h"
#include "client/wall/mock_custodian.h"

namespace topicwall::client {
namespace {

// What a model says of its noise, as far as it does: of merged topics the margins alone.
void AddNoise(const TopicReading& reading, NumpyArchive* archive) {
  const auto topics = static_cast<size_t>(reading.model().num_topics());
  const size_t terms = reading.terms().size();
  std::vector<double> margins, again, z;
  for (int k = 0; k < reading.model().num_topics(); ++k) {
    const ReadTopic& topic = reading.topic(k);
    if (topic.margin.has_value()) margins.push_back(*topic.margin);
    if (topic.comes_again.has_value()) again.push_back(*topic.comes_again);
    for (size_t v = 0; v < terms; ++v) {
      if (!reading.marks_words()) break;
      z.push_back(*reading.word(k, static_cast<uint32_t>(v)).z);
    }
  }
  // Of a mixture neither is known, and of an only topic neither z nor whether it comes again.
  if (!margins.empty()) archive->Add("share_margins", margins, {topics});
  if (reading.grades_topics()) archive->Add("comes_again", again, {topics});
  if (reading.marks_words()) archive->Add("z", z, {topics, terms});
}

absl::StatusOr<std::string> AsNpz(const TopicReading& reading) {
  const lda::TopicModel& model = reading.model();
  const auto topics = static_cast<size_t>(model.num_topics());
  std::vector<double> prior, shares;
  for (int k = 0; k < model.num_topics(); ++k) {
    const ReadTopic& topic = reading.topic(k);
    prior.push_back(topic.prior);
    if (topic.share.has_value()) shares.push_back(*topic.share);
  }
  // An array of one: an archive holds arrays alone.
  const double eta = model.topic_term_prior();
  NumpyArchive archive;
  archive.Add("components", model.topic_parameters(), {topics, reading.terms().size()});
  archive.Add("document_topic_prior", prior, {topics});
  archive.Add("topic_word_prior", absl::MakeConstSpan(&eta, 1), {1});
  archive.AddTexts("vocabulary", reading.terms());
  archive.Add("corpus", reading.corpus(), {reading.terms().size()});
  if (reading.knows_shares()) archive.Add("shares", shares, {topics});
  if (reading.is_of_a_mock()) archive.AddTexts("MOCK", {kMockRemark});
  AddNoise(reading, &archive);
  return archive.Bytes();
}

std::string CsvOf(const std::optional<double>& number) {
  return number.has_value() ? base::CsvNumber(*number) : "";
}

absl::StatusOr<std::string> AsCsv(const TopicReading& reading) {
  // A mark of a mock would be a row of data here and an argument below: the command alone tells it
  // (ReadModelShown).
  std::string csv = "topic,term,probability,lift,z,probability_above\r\n";
  for (int k = 0; k < reading.model().num_topics(); ++k) {
    for (size_t v = 0; v < reading.terms().size(); ++v) {
      const ReadWord word = reading.word(k, static_cast<uint32_t>(v));
      absl::StrAppend(&csv, k + 1, ",", base::CsvField(reading.terms()[v]), ",",
                      base::CsvNumber(word.probability), ",", base::CsvNumber(word.lift), ",",
                      CsvOf(word.z), ",", CsvOf(word.probability_above), "\r\n");
    }
  }
  return csv;
}

// Column by column, as the format has its dense matrices.
absl::StatusOr<std::string> AsMatrixMarket(const TopicReading& reading) {
  const int topics = reading.model().num_topics();
  std::string text = absl::StrCat(
      "%%MatrixMarket matrix array real general\n",
      reading.is_of_a_mock() ? absl::StrCat("% ", kMockRemark, "\n") : "",
      "% Probabilities of words: row k is topic k, columns are the words in the vocabulary's "
      "order.\n",
      topics, " ", reading.terms().size(), "\n");
  for (size_t v = 0; v < reading.terms().size(); ++v) {
    for (int k = 0; k < topics; ++k) {
      absl::StrAppend(&text, base::CsvNumber(reading.word(k, static_cast<uint32_t>(v)).probability),
                      "\n");
    }
  }
  return text;
}

std::string JsonNumbers(size_t count, const std::function<double(size_t)>& number) {
  std::vector<std::string> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(base::JsonNumber(number(i)));
  return base::JsonArray(numbers);
}

absl::StatusOr<std::string> AsPyLdaVis(const TopicReading& reading) {
  if (!reading.knows_shares()) {
    return absl::FailedPreconditionError(
        "pyldavis draws topics by their shares, and those of this model are not known: all its "
        "sums together are no more than noise. npz, csv and mm have its words.");
  }
  // Of documents that are made up: only the ratios mean anything. Noise makes less than nothing of
  // a weak topic, and pyLDAvis draws no document below a word.
  constexpr double kWords = 1e6;
  const auto topics = static_cast<size_t>(reading.model().num_topics());
  // Shares of words are asked for, and a mixture's are of documents.
  const auto length = [&](size_t k) {
    const ReadTopic& topic = reading.topic(static_cast<int>(k));
    return std::max(kWords * topic.share_of_words.value_or(*topic.share), 1.0);
  };
  std::vector<std::string> of_topics, of_documents;
  for (size_t k = 0; k < topics; ++k) {
    const int topic = static_cast<int>(k);
    of_topics.push_back(JsonNumbers(reading.terms().size(), [&reading, topic](size_t v) {
      return reading.word(topic, static_cast<uint32_t>(v)).probability;
    }));
    of_documents.push_back(JsonNumbers(topics, [k](size_t j) { return j == k ? 1 : 0; }));
  }
  return base::JsonObject()
      .SetRaw("topic_term_dists", base::JsonArray(of_topics))
      .SetRaw("doc_topic_dists", base::JsonArray(of_documents))
      .SetRaw("doc_lengths", JsonNumbers(topics, length))
      .SetStrings("vocab", reading.terms())
      .SetRaw("term_frequency",
              JsonNumbers(reading.terms().size(),
                          [&reading](size_t v) { return kWords * reading.corpus()[v]; }))
      .SetBool("sort_topics", false)
      .Text();
}

struct Format {
  const char* name;
  absl::StatusOr<std::string> (*bytes)(const TopicReading&);
};

constexpr Format kFormats[] = {
    {"npz", AsNpz}, {"csv", AsCsv}, {"mm", AsMatrixMarket}, {"pyldavis", AsPyLdaVis}};

const Format* FindFormat(absl::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [name](const Format& known) { return name == known.name; });
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace

std::vector<std::string> ExportFormats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

absl::Status CheckExportFormat(absl::string_view format) {
  if (FindFormat(format) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "format must be one of ", absl::StrJoin(ExportFormats(), ", "), "; got \"", format,
      "\". Models of gensim and scikit-learn are made in Python: topicwall.load(\"notes.model\") "
      "has to_gensim() and to_sklearn()."));
}

absl::StatusOr<std::string> ExportModel(const TopicReading& reading, absl::string_view format) {
  TW_RETURN_IF_ERROR(CheckExportFormat(format));
  return FindFormat(format)->bytes(reading);
}

}  // namespace topicwall::client
