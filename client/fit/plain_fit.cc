#include "client/fit/plain_fit.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/for_each_block.h"
#include "base/status_macros.h"
#include "model/lda/topics/initial_topics.h"
#include "model/lda/topics/learned_prior.h"
#include "model/lda/topics/online_trainer.h"

namespace topicwall::client {
namespace {

constexpr double kTau0 = 10;
constexpr double kKappa = 0.7;
constexpr int64_t kBatchesPerPass = 14;
constexpr int64_t kLeastBatch = 64;
constexpr int64_t kMostBatch = 4096;
constexpr size_t kPriorDocuments = 4000;

// Those that have words, in random order: files are often sorted by something.
lda::DocumentList Shuffled(const lda::DocumentList& documents, uint64_t seed) {
  std::vector<size_t> order(documents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937_64 engine(seed);
  // Not std::shuffle, whose draws are every library's own.
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
  lda::DocumentList shuffled;
  for (const size_t i : order) {
    if (!documents[i].empty()) shuffled.Append(documents[i]);
  }
  return shuffled;
}

// With α learned from some of the documents, which are in random order.
absl::StatusOr<lda::TopicModel> WithLearnedPrior(lda::TopicModel model,
                                                 const lda::DocumentList& documents) {
  lda::DocumentList some;
  // The first ones are as good as any, after the shuffle.
  for (size_t i = 0; i < std::min(documents.size(), kPriorDocuments); ++i) {
    some.Append(documents[i]);
  }
  TW_ASSIGN_OR_RETURN(
      lda::LearnedPrior learned,
      lda::LearnDocumentTopicPrior(model, some, {.num_threads = lda::NumProcessors()}));
  return std::move(model).WithDocumentTopicPrior(std::move(learned.prior));
}

}  // namespace

absl::StatusOr<lda::TopicModel> FitPlainly(const PlainCorpus& corpus,
                                           const PlainFitSettings& settings) {
  if (settings.passes < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("passes must be at least 1; got ", settings.passes, "."));
  }
  const lda::DocumentList documents = Shuffled(corpus.documents, settings.seed);
  if (documents.empty()) {
    return absl::FailedPreconditionError("no document has a word of the vocabulary.");
  }
  TW_ASSIGN_OR_RETURN(std::vector<float> topics,
                      lda::TopicsFromDocuments(documents, settings.num_topics,
                                               corpus.vocabulary_size, settings.seed));
  const double prior = 1.0 / settings.num_topics;
  // Without the empty ones: the online algorithm scales a batch up to the corpus, and they add
  // nothing.
  const auto size = static_cast<int64_t>(documents.size());
  const lda::EStepOptions e_step = {
      .document_topic_prior = prior, .max_iterations = 100, .mean_change_threshold = 1e-3};
  const lda::OnlineTrainerParams params = {.num_topics = settings.num_topics,
                                           .vocabulary_size = corpus.vocabulary_size,
                                           .topic_term_prior = prior,
                                           .corpus_size = size,
                                           .tau0 = kTau0,
                                           .kappa = kKappa,
                                           .e_step = e_step,
                                           .num_threads = lda::NumProcessors()};
  TW_ASSIGN_OR_RETURN(
      lda::OnlineTrainer trainer,
      lda::OnlineTrainer::Create(params, lda::InitialMStepState(std::move(topics))));
  const int64_t batch = std::clamp(size / kBatchesPerPass, kLeastBatch, kMostBatch);
  for (int pass = 1; pass <= settings.passes; ++pass) {
    TW_RETURN_IF_ERROR(trainer.Pass(documents, batch));
    if (settings.on_progress) settings.on_progress(pass);
  }
  return WithLearnedPrior(trainer.Model(), documents);
}

}  // namespace topicwall::client
