// λ, η and α as they are computed with, and the trainer that needs no wall.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/threads/for_each_block.h"
#include "client/fit/plain_fit.h"
#include "client/python/arrays.h"
#include "client/python/bindings.h"
#include "client/python/errors.h"
#include "client/python/interpreter_lock.h"
#include "model/lda/reading/topic_proportions.h"
#include "model/lda/topics/dirichlet_prior.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/topic_model.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

using Floats = py::array_t<float, py::array::c_style>;

int ThreadsOf(std::optional<int> threads) { return threads.value_or(lda::NumProcessors()); }

lda::HeldOutOptions OptionsOf(std::optional<int> threads) {
  return {.num_threads = ThreadsOf(threads)};
}

lda::TopicModel TopicsOf(const Floats& components, const std::vector<double>& prior, double eta) {
  if (components.ndim() != 2) throw py::value_error("components must have two dimensions, K x V.");
  return ValueOrThrow(lda::TopicModel::Create(
      {.num_topics = static_cast<int>(components.shape(0)),
       .vocabulary_size = static_cast<int>(components.shape(1)),
       .document_topic_prior = lda::DocumentTopicPrior(prior),
       .topic_term_prior = eta,
       // A copy: the array stays its owner's, who may write to it.
       .topic_parameters = {components.data(), components.data() + components.size()}}));
}

// Between two passes: Ctrl-C ends the fit, and Python hears how far it is.
std::function<void(int)> ProgressOf(const py::object& on_progress) {
  return [on_progress](int passes_done) {
    const LockHeld locked;
    // The exception passes through FitPlainly, which calls this between two passes on the thread
    // that called it, and reaches Python once Unlocked has taken the lock back.
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!on_progress.is_none()) on_progress(passes_done);
  };
}

lda::TopicModel FitHere(const lda::DocumentList& documents, int num_terms,
                        const PlainFitSettings& settings) {
  // Without a copy of `settings`: it holds a Python function, whose references may be counted
  // under the lock alone.
  return ValueOrThrow(Unlocked([&] {
           return FitPlainly({.documents = documents, .vocabulary_size = num_terms}, settings);
         }))
      .model;
}

py::array Proportions(const lda::TopicModel& topics, const lda::DocumentList& documents,
                      std::optional<int> threads) {
  return Given(ValueOrThrow(Unlocked(
                   [&] { return lda::TopicProportions(topics, documents, OptionsOf(threads)); })),
               {static_cast<py::ssize_t>(documents.size()), topics.num_topics()});
}

py::tuple Bound(const lda::TopicModel& topics, const lda::DocumentList& documents,
                std::optional<int> threads) {
  const lda::ScoredPerplexity found = ValueOrThrow(
      Unlocked([&] { return lda::ComputePerplexityBound(topics, documents, OptionsOf(threads)); }));
  return py::make_tuple(found.perplexity, found.tokens);
}

py::tuple Completion(const lda::TopicModel& topics, const lda::DocumentList& documents,
                     uint64_t seed, std::optional<int> threads) {
  const lda::ScoredPerplexity found = ValueOrThrow(Unlocked([&] {
    return lda::DocumentCompletionPerplexity(topics, lda::SplitTokens(documents, seed),
                                             OptionsOf(threads));
  }));
  return py::make_tuple(found.perplexity, found.tokens);
}

}  // namespace

void BindTopics(py::module_& module) {
  // Of α, which other libraries call otherwise.
  module.attr("LEAST_PRIOR") = lda::kMinPrior;
  module.attr("MOST_PRIOR") = lda::kMaxPrior;
  py::class_<lda::TopicModel>(module, "Topics", "Topics as they are computed with.")
      .def(py::init(&TopicsOf), py::arg("components"), py::arg("document_topic_prior"),
           py::arg("topic_word_prior"))
      .def_property_readonly("components",
                             [](py::object self) {
                               const auto& topics = self.cast<const lda::TopicModel&>();
                               return Lent(topics.topic_parameters(),
                                           {topics.num_topics(), topics.vocabulary_size()}, self);
                             })
      .def_property_readonly(
          "document_topic_prior",
          [](const lda::TopicModel& topics) {
            std::vector<double> prior;
            // One α for each topic, also where the model has one for all.
            for (int k = 0; k < topics.num_topics(); ++k) {
              prior.push_back(topics.document_topic_prior().of(static_cast<size_t>(k)));
            }
            return Given(std::move(prior), {topics.num_topics()});
          })
      .def_property_readonly("topic_word_prior", &lda::TopicModel::topic_term_prior)
      .def("proportions", &Proportions, py::arg("documents"), py::arg("threads") = py::none())
      .def("bound", &Bound, py::arg("documents"), py::arg("threads") = py::none())
      .def("completion", &Completion, py::arg("documents"), py::arg("seed"),
           py::arg("threads") = py::none());
  module.def(
      "fit_plainly",
      [](const lda::DocumentList& documents, int num_terms, int num_topics, int passes,
         uint64_t seed, bool learns_prior, std::optional<int> threads,
         const py::object& on_progress, std::optional<double> document_topic_prior) {
        return FitHere(documents, num_terms,
                       {.num_topics = num_topics,
                        .passes = passes,
                        .seed = seed,
                        .num_threads = ThreadsOf(threads),
                        .document_topic_prior = document_topic_prior,
                        .learns_prior = learns_prior,
                        .on_progress = ProgressOf(on_progress)});
      },
      py::arg("documents"), py::arg("num_terms"), py::arg("num_topics"), py::arg("passes"),
      py::arg("seed"), py::arg("learns_prior"), py::arg("threads") = py::none(),
      py::arg("on_progress") = py::none(), py::arg("document_topic_prior") = py::none());
}

}  // namespace topicwall::client
