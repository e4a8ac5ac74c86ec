#include "client/topics/model_export.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/csv.h"
#include "client/topics/numpy_archive.h"

namespace topicwall::client {
namespace {

// What a model says of its noise, if it does.
void AddNoise(const TopicReading& reading, NumpyArchive* archive) {
  if (!reading.knows_noise()) return;
  const auto topics = static_cast<size_t>(reading.model().num_topics());
  const size_t terms = reading.terms().size();
  std::vector<double> margins, again, z;
  for (int k = 0; k < reading.model().num_topics(); ++k) {
    const ReadTopic& topic = reading.topic(k);
    if (topic.margin.has_value()) margins.push_back(*topic.margin);
    if (topic.comes_again.has_value()) again.push_back(*topic.comes_again);
    for (size_t v = 0; v < terms; ++v) {
      z.push_back(*reading.word(k, static_cast<uint32_t>(v)).z);
    }
  }
  if (!reading.is_mixture()) {
    archive->Add("share_margins", margins, {topics});
    archive->Add("comes_again", again, {topics});
  }
  archive->Add("z", z, {topics, terms});
}

absl::StatusOr<std::string> AsNpz(const TopicReading& reading) {
  const lda::TopicModel& model = reading.model();
  const auto topics = static_cast<size_t>(model.num_topics());
  std::vector<double> prior, shares;
  for (int k = 0; k < model.num_topics(); ++k) {
    prior.push_back(reading.topic(k).prior);
    shares.push_back(reading.topic(k).share);
  }
  // An array of one: an archive holds arrays alone.
  const double eta = model.topic_term_prior();
  NumpyArchive archive;
  archive.Add("components", model.topic_parameters(), {topics, reading.terms().size()});
  archive.Add("document_topic_prior", prior, {topics});
  archive.Add("topic_word_prior", absl::MakeConstSpan(&eta, 1), {1});
  archive.AddTexts("vocabulary", reading.terms());
  archive.Add("corpus", reading.corpus(), {reading.terms().size()});
  archive.Add("shares", shares, {topics});
  AddNoise(reading, &archive);
  return archive.Bytes();
}

absl::StatusOr<std::string> AsCsv(const TopicReading& reading) {
  std::string csv = "topic,term,probability,lift,z,probability_above\r\n";
  for (int k = 0; k < reading.model().num_topics(); ++k) {
    for (size_t v = 0; v < reading.terms().size(); ++v) {
      const ReadWord word = reading.word(k, static_cast<uint32_t>(v));
      absl::StrAppend(&csv, k + 1, ",", base::CsvField(reading.terms()[v]), ",",
                      base::CsvNumber(word.probability), ",", base::CsvNumber(word.lift), ",",
                      word.z.has_value() ? base::CsvNumber(*word.z) : "", ",");
      absl::StrAppend(&csv, word.z.has_value() ? base::CsvNumber(*word.probability_above) : "",
                      "\r\n");
    }
  }
  return csv;
}

// Column by column, as the format has its dense matrices.
absl::StatusOr<std::string> AsMatrixMarket(const TopicReading& reading) {
  const int topics = reading.model().num_topics();
  std::string text = absl::StrCat(
      "%%MatrixMarket matrix array real general\n"
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

struct Format {
  const char* name;
  absl::StatusOr<std::string> (*bytes)(const TopicReading&);
};

constexpr Format kFormats[] = {{"npz", AsNpz}, {"csv", AsCsv}, {"mm", AsMatrixMarket}};

}  // namespace

std::vector<std::string> ExportFormats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

absl::StatusOr<std::string> ExportModel(const TopicReading& reading, absl::string_view format) {
  const auto* const found =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [format](const Format& known) { return format == known.name; });
  if (found != std::end(kFormats)) return found->bytes(reading);
  return absl::InvalidArgumentError(absl::StrCat(
      "format must be one of ", absl::StrJoin(ExportFormats(), ", "), "; got \"", format, "\"."));
}

}  // namespace topicwall::client
