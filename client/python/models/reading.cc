// What a model says, as columns of the tables that Python makes of it.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/python/arrays.h"
#include "client/python/bindings.h"
#include "client/python/errors.h"
#include "client/python/models/fitted_model.h"
#include "client/topics/model_export.h"
#include "client/topics/model_match.h"
#include "client/topics/topic_reading.h"
#include "client/topics/topic_tree.h"
#include "model/lda/reading/quality_calibration.h"
#include "model/lda/reading/topic_matching.h"
#include "model/lda/reading/word_relevance.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

TopicReading Read(const FittedModel& model, bool intervals) {
  return ValueOrThrow(Unlocked([&] {
    return TopicReading::Of(
        model.file, intervals ? TopicReading::Intervals::kYes : TopicReading::Intervals::kNo);
  }));
}

// What is not known is NaN, as pandas has it.
double OrNan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

template <typename T>
py::array Column(std::vector<T> values) {
  const auto rows = static_cast<py::ssize_t>(values.size());
  return Given(std::move(values), {rows});
}

// A row for each word of some topics.
class WordColumns {
 public:
  void Add(int topic, int rank, const ReadWord& word) {
    topics_.push_back(topic + 1);
    ranks_.push_back(rank);
    terms_.push_back(word.term);
    p_.push_back(word.probability);
    lift_.push_back(word.lift);
    z_.push_back(OrNan(word.z));
    above_.push_back(OrNan(word.probability_above));
    low_.push_back(OrNan(word.low));
    high_.push_back(OrNan(word.high));
  }

  py::dict Columns() && {
    py::dict columns;
    columns["topic"] = Column(std::move(topics_));
    columns["rank"] = Column(std::move(ranks_));
    columns["term"] = Column(std::move(terms_));
    columns["p"] = Column(std::move(p_));
    columns["lift"] = Column(std::move(lift_));
    columns["z"] = Column(std::move(z_));
    columns["probability"] = Column(std::move(above_));
    columns["low"] = Column(std::move(low_));
    columns["high"] = Column(std::move(high_));
    return columns;
  }

 private:
  std::vector<int64_t> topics_, ranks_, terms_;
  std::vector<double> p_, lift_, z_, above_, low_, high_;
};

py::dict Words(const TopicReading& reading, int count, double relevance) {
  WordColumns columns;
  for (const int k : reading.HeaviestFirst()) {
    int rank = 0;
    for (const ReadWord& word : reading.Words(k, {.relevance = relevance, .count = count})) {
      columns.Add(k, ++rank, word);
    }
  }
  return std::move(columns).Columns();
}

py::dict Places(const TopicReading& reading, const std::string& word) {
  WordColumns columns;
  int rank = 0;
  for (const WordPlace& place : ValueOrThrow(PlacesOf(reading, word))) {
    columns.Add(place.topic, ++rank, place.word);
  }
  return std::move(columns).Columns();
}

py::dict Topics(const TopicReading& reading) {
  std::vector<int64_t> numbers;
  std::vector<double> shares, margins, priors, typical, again;
  py::list weak;
  for (const int k : reading.HeaviestFirst()) {
    const ReadTopic& topic = reading.topic(k);
    numbers.push_back(k + 1);
    shares.push_back(OrNan(topic.share));
    margins.push_back(OrNan(topic.margin));
    priors.push_back(topic.prior);
    // A double, for the sake of NaN; the package makes whole numbers of the column again.
    typical.push_back(topic.typical_words.has_value() ? *topic.typical_words : OrNan({}));
    again.push_back(OrNan(topic.comes_again));
    weak.append(topic.is_weak.has_value() ? py::cast(*topic.is_weak) : py::none());
  }
  py::dict columns;
  columns["topic"] = Column(std::move(numbers));
  columns["share"] = Column(std::move(shares));
  columns["share_margin"] = Column(std::move(margins));
  columns["document_topic_prior"] = Column(std::move(priors));
  columns["typical_words"] = Column(std::move(typical));
  columns["comes_again"] = Column(std::move(again));
  // A list: a column of truth values could not say None.
  columns["is_weak"] = weak;
  return columns;
}

py::tuple Match(const TopicReading& a, const TopicReading& b) {
  // By the threshold that comes_again was measured with (quality_calibration.h).
  const ModelMatch match = ValueOrThrow(Unlocked([&] { return MatchModels(a, b, lda::kAlike); }));
  py::list pairs;
  for (const lda::TopicPair& pair : match.pairs) {
    pairs.append(py::make_tuple(pair.of_a + 1, pair.of_b + 1, pair.likeness));
  }
  return py::make_tuple(pairs, match.common_words);
}

// As scipy.cluster.hierarchy has it: (K - 1) x 4.
py::array Tree(const TopicReading& reading) {
  std::vector<double> rows;
  for (const TopicJoint& joint : Unlocked([&] { return TopicTree(reading); })) {
    // Numbered from 0, unlike topics everywhere else: SciPy's functions take a node for an index.
    rows.insert(rows.end(), {static_cast<double>(joint.left), static_cast<double>(joint.right),
                             joint.distance, static_cast<double>(joint.topics)});
  }
  const auto joints = static_cast<py::ssize_t>(rows.size() / 4);
  return Given(std::move(rows), {joints, 4});
}

py::bytes Export(const TopicReading& reading, const std::string& format) {
  return ValueOrThrow(Unlocked([&] { return ExportModel(reading, format); }));
}

}  // namespace

void BindReading(py::module_& module) {
  // So that the package's default is the commands'.
  module.attr("RELEVANCE") = lda::kRelevance;
  py::class_<TopicReading>(module, "Reading", "What a model says of its topics.")
      .def(py::init(&Read), py::arg("model"), py::arg("intervals"))
      .def_property_readonly("corpus",
                             [](const py::object& self) {
                               const auto& corpus = self.cast<const TopicReading&>().corpus();
                               return Lent(absl::Span<const double>(corpus),
                                           {static_cast<py::ssize_t>(corpus.size())}, self);
                             })
      .def("words", &Words, py::arg("count"), py::arg("relevance"))
      .def("places", &Places, py::arg("word"))
      .def("topics", &Topics)
      .def("match", &Match, py::arg("other"))
      .def("tree", &Tree)
      .def("export", &Export, py::arg("format"));
}

}  // namespace topicwall::client
