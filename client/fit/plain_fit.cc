#include "client/fit/plain_fit.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/fit/algorithms/denoised_fit.h"
#include "client/fit/algorithms/mixture_fit.h"
#include "client/fit/fit_spec.h"
#include "client/fit/initial_model.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/denoised_trainer.h"
#include "model/lda/denoise/private_unigram.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/learned_prior.h"
#include "model/lda/topics/statistic_sum.h"
#include "model/lda/topics/step_size.h"
#include "model/mixture/component_weights.h"
#include "model/mixture/responsibilities.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

constexpr size_t kLeastBatch = 64;
constexpr size_t kPriorDocuments = 4000;
// Of every update: nothing is clipped, so that any will do.
constexpr double kAnyClipNorm = 1;

// Those that have words, in random order: files are often sorted by something. Of a mixture each
// with itself as one more term, V.
lda::DocumentList Shuffled(const lda::DocumentList& documents, int vocabulary_size,
                           const PlainFitSettings& settings) {
  std::vector<size_t> order(documents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937_64 engine(settings.seed);
  // Not std::shuffle, whose draws are every library's own.
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
  lda::DocumentList shuffled;
  std::vector<lda::TermCount> with_itself;
  for (const size_t i : order) {
    if (!settings.is_mixture) {
      if (!documents[i].empty()) shuffled.Append(documents[i]);
    } else if (mixture::WithItself(documents[i], vocabulary_size, &with_itself)) {
      shuffled.Append(with_itself);
    }
  }
  return shuffled;
}

// With α learned from some of the documents, which are in random order.
absl::StatusOr<lda::TopicModel> WithLearnedPrior(lda::TopicModel model,
                                                 const lda::DocumentList& documents,
                                                 int num_threads) {
  lda::DocumentList some;
  // The first ones are as good as any, after the shuffle.
  for (size_t i = 0; i < std::min(documents.size(), kPriorDocuments); ++i) {
    some.Append(documents[i]);
  }
  TW_ASSIGN_OR_RETURN(lda::LearnedPrior learned,
                      lda::LearnDocumentTopicPrior(model, some, {.num_threads = num_threads}));
  return std::move(model).WithDocumentTopicPrior(std::move(learned.prior));
}

// Batches of a pass.
size_t BatchesOf(size_t num_documents, int passes) {
  const int wanted = (kMostUsefulIterations + passes - 1) / passes;
  return std::clamp<size_t>(num_documents / kLeastBatch, 1, static_cast<size_t>(wanted));
}

lda::DenoisedRecipe RecipeOf(size_t batches, const PlainFitSettings& settings) {
  lda::DenoisedRecipe recipe =
      settings.is_mixture ? MixtureRecipe()
                          : lda::DenoisedRecipe{.first_exponent = 0.5, .anneal_until = 0.8};
  // The true unigram is counted beforehand: there is nothing that a warm-up would learn.
  recipe.warm_up_share = 0;
  // Without noise only the last sum counts, if it is of all documents; else those of about a pass.
  recipe.step_power = batches == 1 ? 1e9 : 2.0 * settings.passes;
  recipe.knows_unigram = true;
  return recipe;
}

absl::StatusOr<lda::PrivateUnigram> UnigramOf(const lda::DocumentList& documents,
                                              int vocabulary_size) {
  std::vector<double> sums(static_cast<size_t>(vocabulary_size));
  for (size_t d = 0; d < documents.size(); ++d) {
    for (const lda::TermCount& term : documents[d]) {
      // V is the document itself.
      if (term.term < sums.size()) sums[term.term] += term.count;
    }
  }
  const std::vector<float> counts(sums.begin(), sums.end());
  TW_ASSIGN_OR_RETURN(lda::PrivateUnigram unigram,
                      lda::PrivateUnigram::Create(vocabulary_size, {}));
  TW_RETURN_IF_ERROR(unigram.Add({.noisy_counts = counts, .noise_deviation = 0}));
  return unigram;
}

// What is the same in every batch.
struct Pass {
  const lda::DocumentList& documents;
  size_t batches;
  lda::EStepOptions e_step;  // of LDA
  lda::DenoisedRecipe recipe;
  int num_threads;
};

// What every batch changes.
struct Training {
  lda::DenoisedTrainer trainer;
  lda::StatisticSum sum;
  std::optional<mixture::ComponentWeights> components = {};  // of a mixture
};

void AddResponsibilities(const mixture::Responsibilities& e_step,
                         absl::Span<const lda::DocumentView> documents, int num_threads,
                         lda::StatisticSum& sum) {
  struct Thread {
    mixture::Responsibilities::Workspace workspace;
    std::vector<float> rows;
  };
  std::vector<Thread> threads(static_cast<size_t>(std::max(num_threads, 1)));
  const auto infer = [&](lda::DocumentView document, size_t thread) -> lda::DocumentRows {
    auto& [workspace, rows] = threads[thread];
    e_step.Infer(document, workspace);
    rows.resize(document.size() * workspace.components().size());
    workspace.FillProducts(rows.data());
    return {workspace.components(), rows.data()};
  };
  sum.Add(infer, documents, num_threads);
}

// Onto training.sum, which has a column more for a mixture: the documents of each component.
absl::Status AddDocuments(const Pass& pass, absl::Span<const lda::DocumentView> documents,
                          Training& training) {
  const lda::LogTopics log_topics = training.trainer.NextLogTopics();
  const int threads = pass.num_threads;
  if (!training.components.has_value()) {
    TW_ASSIGN_OR_RETURN(const lda::EStep e_step,
                        lda::EStep::Create(log_topics, pass.e_step, lda::ChosenKernel(), threads));
    training.sum.Add(e_step, documents, threads);
    return absl::OkStatus();
  }
  const std::vector<float> weights =
      mixture::WithWeights(log_topics.values(), training.components->Probabilities());
  const lda::LogTopicsView view = {.num_topics = log_topics.num_topics(),
                                   .vocabulary_size = log_topics.vocabulary_size() + 1,
                                   .values = weights};
  AddResponsibilities(mixture::Responsibilities(view, lda::ChosenKernel(), threads), documents,
                      threads, training.sum);
  return absl::OkStatus();
}

// The t-th update, from 1.
absl::Status TakeBatch(const Pass& pass, int64_t t, Training& training) {
  const size_t size = pass.documents.size();
  const size_t batch = static_cast<size_t>(t - 1) % pass.batches;
  std::vector<lda::DocumentView> documents;
  for (size_t d = size * batch / pass.batches; d < size * (batch + 1) / pass.batches; ++d) {
    documents.push_back(pass.documents[d]);
  }
  training.sum.Reset();
  TW_RETURN_IF_ERROR(AddDocuments(pass, documents, training));
  // A batch stands for all documents, as a sampled release does after the division by ν.
  const double scale = static_cast<double>(size) / static_cast<double>(documents.size());
  std::vector<float> words = training.sum.Scaled(scale, pass.num_threads);
  if (std::optional<mixture::ComponentWeights>& components = training.components) {
    TW_ASSIGN_OR_RETURN(mixture::NoisyMixture split,
                        mixture::Split(words, components->num_components()));
    TW_RETURN_IF_ERROR(
        components->Update({.documents = split.documents,
                            .sampling_rate = 1,
                            .step_size = lda::PolynomialStepSize(pass.recipe.step_power, t)}));
    words = std::move(split.words);
  }
  return training.trainer.Update({.noisy_sum = words,
                                  .noise_deviation = 0,
                                  .norm_histogram = {},
                                  .histogram_noise_deviation = 0});
}

absl::StatusOr<std::optional<v1::WarmStart>> DecidedStart(const PlainFitSettings& settings,
                                                          const lda::PrivateUnigram& unigram,
                                                          double gamma_shape) {
  if (!settings.warm_start.has_value()) return std::nullopt;
  TW_ASSIGN_OR_RETURN(const std::vector<double> probabilities, unigram.Probabilities());
  return DecideWarmStart(
      *settings.warm_start, probabilities,
      {.num_topics = settings.num_topics, .seed = settings.seed, .gamma_shape = gamma_shape});
}

// α of the fit: that of the initial model if it has one for each topic, else the one given; of a
// mixture always this one.
lda::DocumentTopicPrior PriorOf(const PlainFitSettings& settings,
                                const std::optional<v1::WarmStart>& start) {
  if (!settings.is_mixture && start.has_value() && start->document_topic_prior_size() > 0) {
    const auto& alphas = start->document_topic_prior();
    return lda::DocumentTopicPrior(std::vector<double>(alphas.begin(), alphas.end()));
  }
  return settings.document_topic_prior.value_or(kDenoisedTotalPrior / settings.num_topics);
}

absl::StatusOr<Training> Begin(const PlainCorpus& corpus, const PlainFitSettings& settings,
                               const Pass& pass, const lda::PrivateUnigram& unigram,
                               std::vector<float> first_topics) {
  TW_ASSIGN_OR_RETURN(
      lda::DenoisedTrainer trainer,
      lda::DenoisedTrainer::Create(
          {.num_topics = settings.num_topics,
           .vocabulary_size = corpus.vocabulary_size,
           .num_iterations = settings.passes * static_cast<int64_t>(pass.batches),
           .document_topic_prior = pass.e_step.document_topic_prior,
           .sampling_rate = 1,  // batches are scaled up
           .first_clip_norm = kAnyClipNorm,
           .term_weights = {},
           .seed = settings.seed,
           .num_threads = settings.num_threads,
           .recipe = pass.recipe,
           .initial_topics = std::move(first_topics),
           .anchors = settings.anchors},
          {.updates = 0, .unigram = unigram.state(), .average = {}, .clip_norm = kAnyClipNorm}));
  Training training = {
      .trainer = std::move(trainer),
      .sum = lda::StatisticSum(settings.num_topics,
                               corpus.vocabulary_size + (settings.is_mixture ? 1 : 0))};
  if (settings.is_mixture) {
    TW_ASSIGN_OR_RETURN(training.components,
                        mixture::ComponentWeights::Create(settings.num_topics, {}));
  }
  return training;
}

}  // namespace

absl::StatusOr<PlainFit> FitPlainly(const PlainCorpus& corpus, const PlainFitSettings& settings) {
  if (settings.passes < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("passes must be at least 1; got ", settings.passes, "."));
  }
  const lda::DocumentList documents = Shuffled(corpus.documents, corpus.vocabulary_size, settings);
  if (documents.empty()) {
    return absl::FailedPreconditionError("no document has a word of the vocabulary.");
  }
  TW_ASSIGN_OR_RETURN(const lda::PrivateUnigram unigram,
                      UnigramOf(documents, corpus.vocabulary_size));
  const size_t batches = BatchesOf(documents.size(), settings.passes);
  const lda::DenoisedRecipe recipe = RecipeOf(batches, settings);
  TW_ASSIGN_OR_RETURN(auto start, DecidedStart(settings, unigram, recipe.gamma_shape));
  std::vector<float> first_topics;
  if (start.has_value()) {
    TW_ASSIGN_OR_RETURN(first_topics, proto::FloatsFromLittleEndian(start->topics()));
  }
  const Pass pass = {.documents = documents,
                     .batches = batches,
                     .e_step = lda::UsualEStep(PriorOf(settings, start)),
                     .recipe = recipe,
                     .num_threads = settings.num_threads};
  TW_ASSIGN_OR_RETURN(Training training,
                      Begin(corpus, settings, pass, unigram, std::move(first_topics)));
  int64_t t = 0;
  for (int done = 1; done <= settings.passes; ++done) {
    for (size_t batch = 0; batch < batches; ++batch) {
      TW_RETURN_IF_ERROR(TakeBatch(pass, ++t, training));
    }
    if (settings.on_progress) settings.on_progress(done);
  }
  PlainFit fit = {.model = training.trainer.Model()};
  if (training.components.has_value()) {
    fit.component_weights = training.components->Probabilities();
  } else if (settings.learns_prior) {
    TW_ASSIGN_OR_RETURN(fit.model,
                        WithLearnedPrior(std::move(fit.model), documents, settings.num_threads));
  }
  if (start.has_value()) {
    // As large as the model that came of them, and of no use any more.
    start->clear_topics();
    start->clear_document_topic_prior();
  }
  fit.warm_start = std::move(start);
  return fit;
}

v1::ModelFile PlainModelFile(const lda::TopicModel& model, const lda::Vocabulary& vocabulary,
                             const v1::CorpusDescription& description, int passes) {
  return MakeModelFile(model, vocabulary,
                       {.description = description,
                        .algorithm = kNoPrivacy,
                        .iterations = passes,
                        // What no promise is, in numbers.
                        .epsilon = std::numeric_limits<double>::infinity(),
                        .delta = 1});
}

}  // namespace topicwall::client
