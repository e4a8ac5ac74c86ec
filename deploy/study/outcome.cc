#include "deploy/study/outcome.h"

#include <cstdint>
#include <ctime>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "client/fit/plain_fit.h"
#include "deploy/study/denoised_training.h"
#include "deploy/study/mixture_training.h"
#include "deploy/study/paper_training.h"
#include "deploy/study/topic_matching.h"
#include "model/lda/reading/word_relevance.h"

namespace topicwall::study {
namespace {

constexpr int kWords = 10;

absl::StatusOr<lda::TopicModel> ReadFitted(const Recipe& recipe, const Experiment& experiment) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, client::ReadModel(recipe.model));
  TW_ASSIGN_OR_RETURN(lda::TopicModel model, client::ModelOf(file));
  if (model.vocabulary_size() == experiment.vocabulary_size()) return model;
  return absl::InvalidArgumentError(
      absl::StrFormat("%s has %d terms; the experiment's vocabulary has %d.", recipe.model,
                      model.vocabulary_size(), experiment.vocabulary_size()));
}

absl::StatusOr<Trained> Train(const Recipe& recipe, const Experiment& experiment, int num_threads) {
  const int terms = experiment.vocabulary_size();
  const auto seed = static_cast<uint64_t>(recipe.seed);
  if (recipe.algorithm == kFile) {
    TW_ASSIGN_OR_RETURN(lda::TopicModel model, ReadFitted(recipe, experiment));
    return Trained{.model = std::move(model)};
  }
  if (recipe.algorithm == kOnline) {
    TW_ASSIGN_OR_RETURN(
        client::PlainFit fit,
        client::FitPlainly({.documents = experiment.documents, .vocabulary_size = terms},
                           {.num_topics = static_cast<int>(recipe.num_topics),
                            .passes = static_cast<int>(recipe.passes),
                            .seed = seed}));
    return Trained{.model = std::move(fit.model)};
  }
  SimulatedWall wall({.documents = experiment.documents,
                      .vocabulary_size = terms,
                      .seed = seed * 104729 + 7,  // not that of the topics
                      .num_threads = num_threads,
                      .units = experiment.units});
  const TrainingTask task = {.wall = wall,
                             .num_documents = static_cast<int64_t>(experiment.documents.size()),
                             .vocabulary_size = terms,
                             .true_unigram = experiment.unigram,
                             .related_terms = experiment.related_terms,
                             .num_threads = num_threads};
  if (recipe.algorithm == kMixture) return TrainMixture(recipe, task);
  return recipe.algorithm == kPaper ? TrainAsPublished(recipe, task) : TrainDenoised(recipe, task);
}

struct Judged {
  Scores scores;
  double bound;
};

absl::StatusOr<Judged> Judge(const Trained& trained, const Experiment& experiment,
                             int num_threads) {
  if (!trained.component_weights.empty()) {
    TW_ASSIGN_OR_RETURN(const mixture::FittedMixture fitted,
                        mixture::FittedMixture::Create(trained.model, trained.component_weights));
    TW_ASSIGN_OR_RETURN(const lda::ScoredPerplexity whole, fitted.Perplexity(experiment.held_out));
    return Judged{.scores = ScoreMixture(fitted, experiment.split), .bound = whole.perplexity};
  }
  TW_ASSIGN_OR_RETURN(const Scores scores,
                      ScoreModel(trained.model, experiment.split, num_threads));
  TW_ASSIGN_OR_RETURN(const lda::ScoredPerplexity bound,
                      lda::ComputePerplexityBound(trained.model, experiment.held_out,
                                                  {.num_threads = num_threads}));
  return Judged{.scores = scores, .bound = bound.perplexity};
}

base::JsonObject WordsOf(const lda::TopicModel& model, int topic, const Experiment& experiment) {
  std::vector<base::JsonObject> words;
  // By probability: relevance at λ = 1.
  for (const uint32_t term :
       lda::MostRelevant(model, topic, experiment.unigram, {.weight = 1, .count = kWords},
                         [](uint32_t) { return true; })) {
    words.push_back(
        base::JsonObject()
            .SetString("term", experiment.vocabulary.terms()[term])
            .SetNumber("probability", model.topic(topic)[term] / model.topic_sum(topic)));
  }
  return base::JsonObject().SetInteger("topic", topic).SetObjects("words", words);
}

}  // namespace

absl::StatusOr<Outcome> RunRecipe(const Recipe& recipe, const Experiment& experiment,
                                  int num_threads) {
  const std::clock_t start = std::clock();
  TW_ASSIGN_OR_RETURN(Trained trained, Train(recipe, experiment, num_threads));
  // Of the processor, all threads together: experiments run beside each other.
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  TW_ASSIGN_OR_RETURN(const Judged judged, Judge(trained, experiment, num_threads));
  Outcome outcome = {.recipe = recipe,
                     .trained = std::move(trained),
                     .scores = judged.scores,
                     .bound = judged.bound,
                     .paid = {},
                     .cpu_seconds = seconds};
  if (!outcome.trained.unigram.empty()) {
    outcome.paid = ScoreUnigram(outcome.trained.unigram, experiment.split.scored);
  }
  return outcome;
}

std::string TextOf(const Outcome& outcome, const Scores& unigram, double yardstick) {
  const Trained& trained = outcome.trained;
  std::string text = absl::StrFormat("%7.1f %7.1f bound %7.1f ", outcome.scores.perplexity,
                                     outcome.scores.document_perplexity, outcome.bound);
  if (yardstick > 0) {
    absl::StrAppendFormat(
        &text, "gap %6.2f ",
        100 * GapClosed(outcome.scores.perplexity, unigram.perplexity, yardstick));
  }
  if (outcome.paid.has_value()) {
    absl::StrAppendFormat(&text, "unigram %.1f weak %d ", outcome.paid->perplexity,
                          trained.weak_topics);
  }
  absl::StrAppendFormat(&text, "C %.2f kept %.3f cpu %.1f | %s", trained.clip_norm,
                        trained.kept_words, outcome.cpu_seconds, outcome.recipe.text);
  return text;
}

std::string JsonOf(const Outcome& outcome, const Experiment& experiment,
                   const Reference& reference) {
  const Trained& trained = outcome.trained;
  std::vector<base::JsonObject> topics;
  for (const int topic : reference.topics) {
    topics.push_back(
        WordsOf(trained.model, MostAlike(reference.model, topic, trained.model), experiment));
  }
  base::JsonObject json;
  json.SetString("recipe", outcome.recipe.text)
      .SetNumber("perplexity", outcome.scores.perplexity)
      .SetNumber("by_document", outcome.scores.document_perplexity)
      .SetNumber("bound", outcome.bound)
      .SetNumber("clip_norm", trained.clip_norm)
      .SetNumber("kept_words", trained.kept_words)
      .SetNumber("noise_multiplier", trained.noise_multiplier)
      .SetNumber("cpu_seconds", outcome.cpu_seconds);
  if (outcome.paid.has_value()) {
    json.SetNumber("paid_unigram", outcome.paid->perplexity)
        .SetInteger("weak_topics", trained.weak_topics);
  }
  return json.SetObjects("topics", topics).Text();
}

std::string JsonOf(const Experiment& experiment, const Scores& unigram) {
  return base::JsonObject()
      .SetInteger("documents", static_cast<int64_t>(experiment.documents.size()))
      .SetInteger("words", static_cast<int64_t>(lda::TokenCount(experiment.documents)))
      .SetInteger("terms", experiment.vocabulary_size())
      .SetInteger("held_out_documents", static_cast<int64_t>(experiment.held_out.size()))
      .SetNumber("unigram", unigram.perplexity)
      .SetNumber("unigram_by_document", unigram.document_perplexity)
      .Text();
}

}  // namespace topicwall::study
