// A model's file: from where it comes, where it goes, and what it says as it stands. What is read
// out of it is in reading.cc, what is computed with it in topics.cc.
#include "client/python/models/fitted_model.h"

#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/evaluate/document_reader.h"
#include "client/evaluate/document_shares.h"
#include "client/evaluate/evaluator.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "client/fit/plain_fit.h"
#include "client/python/arrays.h"
#include "client/python/bindings.h"
#include "client/python/errors.h"
#include "client/topics/topic_merge.h"
#include "client/wall/mock_custodian.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

// The file holds λ as little-endian float32, and NumPy is handed those bytes.
static_assert(std::endian::native == std::endian::little, "components are a view of the file");

FittedModel Load(const std::string& path) {
  return {.file = ValueOrThrow(Unlocked([&] { return ReadModelSoFar(path); })),
          .path = path,
          .labels = {}};
}

absl::StatusOr<TopicLabels> LabelsOf(const FittedModel& model) {
  // Read at each call: somebody may have named topics since the model was loaded.
  if (!model.path.empty()) return ReadLabels(model.path, model.file);
  TopicLabels labels = model.labels;
  labels.resize(static_cast<size_t>(model.file.num_topics()));
  return labels;
}

absl::Status SaveTo(const std::string& path, const FittedModel& model) {
  TW_ASSIGN_OR_RETURN(const TopicLabels labels, LabelsOf(model));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> directory,
                      ModelDirectory::OpenNew(path));
  // The labels first: a folder with a model is finished.
  TW_RETURN_IF_ERROR(WriteLabels(path, labels));
  return directory->Finish(model.file);
}

FittedModel Save(const FittedModel& model, const std::string& path) {
  ThrowUnlessOk(Unlocked([&] { return SaveTo(path, model); }));
  return {.file = model.file, .path = path, .labels = {}};
}

py::tuple StateOf(const FittedModel& model) {
  return py::make_tuple(py::bytes(model.file.SerializeAsString()), model.path, model.labels);
}

FittedModel OfState(const py::tuple& state) {
  const auto path = state[1].cast<std::string>();
  return {.file = ValueOrThrow(ParseModelFile(state[0].cast<std::string>(),
                                              path.empty() ? "the pickled model" : path)),
          .path = path,
          // A pickle made before labels went along has two entries.
          .labels = state.size() > 2 ? state[2].cast<TopicLabels>() : TopicLabels()};
}

// λ where it lies in the file, of which one byte string holds all.
py::array Components(const py::object& self) {
  const auto& file = self.cast<const FittedModel&>().file;
  ThrowUnlessOk(CheckIsOfWords(file));
  const auto topics = static_cast<py::ssize_t>(file.num_topics());
  const auto terms = static_cast<py::ssize_t>(file.vocabulary_size());
  // As long as K·V: a file of another length was refused when it was parsed.
  const auto* const values = reinterpret_cast<const float*>(file.topic_parameters().data());
  return Lent(absl::Span<const float>(values, static_cast<size_t>(topics * terms)), {topics, terms},
              self);
}

// A field of the file; none if it is empty.
template <const google::protobuf::RepeatedField<float>& (v1::ModelFile::*kField)() const>
py::object Numbers(const py::object& self) {
  const auto& numbers = (self.cast<const FittedModel&>().file.*kField)();
  if (numbers.empty()) return py::none();
  return Lent(absl::Span<const float>(numbers), {numbers.size()}, self);
}

// Releases done and of how many, of a fit that is not finished; none of one that is.
py::object Unfinished(const FittedModel& model) {
  if (!model.file.has_unfinished()) return py::none();
  const v1::UnfinishedFit& progress = model.file.unfinished();
  return py::make_tuple(progress.releases_done(), progress.releases());
}

py::tuple TermsOf(const FittedModel& model) {
  py::tuple terms(model.file.terms_size());
  for (int v = 0; v < model.file.terms_size(); ++v) {
    terms[static_cast<size_t>(v)] = py::str(model.file.terms(v));
  }
  return terms;
}

absl::StatusOr<lda::DocumentList> CountedBy(const v1::ModelFile& file,
                                            const std::vector<std::string>& texts) {
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, VocabularyOf(file));
  return CountTexts(texts, {.vocabulary = vocabulary, .tokenizer = file.tokenizer()});
}

// Three arrays of a sparse matrix, n × V.
py::tuple Count(const FittedModel& model, const std::vector<std::string>& texts) {
  const lda::DocumentList documents =
      ValueOrThrow(Unlocked([&] { return CountedBy(model.file, texts); }));
  std::vector<int32_t> terms;
  std::vector<int64_t> counts;
  for (const lda::TermCount& entry : documents.entries) {
    terms.push_back(static_cast<int32_t>(entry.term));
    counts.push_back(entry.count);
  }
  const auto entries = static_cast<py::ssize_t>(terms.size());
  const auto starts = static_cast<py::ssize_t>(documents.offsets.size());
  return py::make_tuple(
      Given(std::vector<int64_t>(documents.offsets.begin(), documents.offsets.end()), {starts}),
      Given(std::move(terms), {entries}), Given(std::move(counts), {entries}));
}

absl::StatusOr<Evaluation> EvaluationOf(const v1::ModelFile& file,
                                        const lda::DocumentList& documents, uint64_t seed) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  const EvaluationOptions options = {.seed = seed, .term_probabilities = CorpusOf(file)};
  const absl::Span<const double> components = file.component_weights();
  // Documents of a mixture have one topic each, and are scored under one.
  return components.empty() ? Evaluate(model, documents, options)
                            : EvaluateMixture(model, components, documents, options);
}

py::dict EvaluateOn(const FittedModel& model, const lda::DocumentList& documents, uint64_t seed) {
  const Evaluation result =
      ValueOrThrow(Unlocked([&] { return EvaluationOf(model.file, documents, seed); }));
  py::dict found;
  found["document_completion"] = result.completion.perplexity;
  found["tokens"] = result.completion.tokens;
  found["unigram"] = result.unigram.perplexity;
  found["documents"] = result.documents;
  found["empty_documents"] = result.empty_documents;
  found["variational_bound"] =
      result.bound.has_value() ? py::cast(result.bound->perplexity) : py::none();
  found["whole_documents"] = result.whole_documents.has_value()
                                 ? py::cast(result.whole_documents->perplexity)
                                 : py::none();
  return found;
}

// n × K.
py::array Shares(const FittedModel& model, const lda::DocumentList& documents) {
  return Given(ValueOrThrow(Unlocked([&] { return SharesOfDocuments(model.file, documents); })),
               {static_cast<py::ssize_t>(documents.size()), model.file.num_topics()});
}

// Components from 1, and how likely each is.
py::tuple Assign(const FittedModel& model, const lda::DocumentList& documents) {
  const std::vector<mixture::Assignment> assigned =
      ValueOrThrow(Unlocked([&] { return AssignDocuments(model.file, documents); }));
  std::vector<int64_t> components;
  std::vector<double> probabilities;
  for (const mixture::Assignment& one : assigned) {
    components.push_back(static_cast<int64_t>(one.component) + 1);
    probabilities.push_back(one.probability);
  }
  const auto rows = static_cast<py::ssize_t>(documents.size());
  return py::make_tuple(Given(std::move(components), {rows}),
                        Given(std::move(probabilities), {rows}));
}

void CheckHasTopics(const FittedModel& model) {
  // As LDA of another library a mixture would mean something else.
  ThrowUnlessOk(CheckIsOfTopics(model.file, model.path.empty() ? "the model" : model.path));
}

FittedModel OfTopics(const lda::TopicModel& topics, std::vector<std::string> terms,
                     const std::string& tokenizer, int passes) {
  const lda::Vocabulary vocabulary = ValueOrThrow(MakeVocabulary(tokenizer, std::move(terms)));
  if (vocabulary.size() != static_cast<size_t>(topics.vocabulary_size())) {
    throw py::value_error(absl::StrCat("vocabulary must have ", topics.vocabulary_size(),
                                       " words, one for each column; got ", vocabulary.size(),
                                       "."));
  }
  v1::CorpusDescription description;
  // Nothing else: no wall has described these documents.
  description.set_tokenizer(tokenizer);
  return {
      .file = PlainModelFile(topics, vocabulary, description, passes), .path = "", .labels = {}};
}

TopicLabels Labels(const FittedModel& model) { return ValueOrThrow(LabelsOf(model)); }

// Topics from 0.
FittedModel Merge(const FittedModel& model, const std::vector<int>& topics) {
  v1::ModelFile file = ValueOrThrow(MergeTopics(model.file, {topics}));
  const std::vector<int> places = ValueOrThrow(PlacesAfterMerge(model.file.num_topics(), {topics}));
  return {.file = std::move(file), .path = "", .labels = LabelsAt(places, Labels(model))};
}

}  // namespace

void BindFittedModel(py::module_& module) {
  py::class_<FittedModel>(module, "FittedModel", "A model's file.")
      .def_static("load", &Load, py::arg("path"))
      .def_static("of_topics", &OfTopics, py::arg("topics"), py::arg("vocabulary"),
                  py::arg("tokenizer"), py::arg("passes"))
      .def("save", &Save, py::arg("path"))
      .def("merge", &Merge, py::arg("topics"))
      .def(py::pickle(&StateOf, &OfState))
      .def_readonly("path", &FittedModel::path)
      .def_property_readonly("unfinished", &Unfinished)
      // Python warns with it, where the commands print a remark.
      .def_property_readonly("remark",
                             [](const FittedModel& model) {
                               return model.file.has_unfinished()
                                          ? UnfinishedText(model.file.unfinished(), model.path)
                                          : "";
                             })
      .def_property_readonly(
          "is_mock", [](const FittedModel& model) { return IsMock(model.file.custodian_id()); })
      .def_property_readonly("components", &Components)
      .def_property_readonly("noise_deviations", &Numbers<&v1::ModelFile::noise_deviations>)
      .def_property_readonly("mass_deviations", &Numbers<&v1::ModelFile::mass_deviations>)
      .def_property_readonly(
          "released_topics",
          [](const FittedModel& model) { return ValueOrThrow(ModelOf(model.file)); })
      .def("check_is_of_topics", &CheckHasTopics)
      .def_property_readonly("terms", &TermsOf)
      .def("labels", &Labels)
      .def_property_readonly("algorithm", [](const FittedModel& m) { return m.file.algorithm(); })
      .def_property_readonly("tokenizer", [](const FittedModel& m) { return m.file.tokenizer(); })
      .def_property_readonly("corpus", [](const FittedModel& m) { return m.file.corpus(); })
      .def_property_readonly("epsilon", [](const FittedModel& m) { return m.file.epsilon(); })
      .def_property_readonly("delta", [](const FittedModel& m) { return m.file.delta(); })
      .def("count", &Count, py::arg("texts"))
      .def("shares", &Shares, py::arg("documents"))
      .def("assign", &Assign, py::arg("documents"))
      .def("evaluate", &EvaluateOn, py::arg("documents"), py::arg("seed"));
}

}  // namespace topicwall::client
