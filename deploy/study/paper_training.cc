#include "deploy/study/paper_training.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/denoise/clip_choice.h"
#include "model/lda/denoise/running_statistic.h"
#include "model/lda/topics/initial_topics.h"
#include "model/lda/topics/m_step.h"

namespace topicwall::study {
namespace {

lda::MStepShape ShapeOf(const Recipe& recipe, const TrainingTask& task) {
  return {.num_topics = static_cast<int>(recipe.num_topics),
          .vocabulary_size = task.vocabulary_size,
          .document_topic_prior = 1 / recipe.num_topics,
          .topic_term_prior = 1 / recipe.num_topics,
          .sampling_rate = recipe.batch / static_cast<double>(task.num_documents)};
}

// From releases to topics.
class Rule {
 public:
  virtual ~Rule() = default;
  virtual absl::Status Update(absl::Span<const float> noisy_sum) = 0;
  virtual absl::StatusOr<lda::TopicModel> Model() const = 0;
};

class AsPublished : public Rule {
 public:
  explicit AsPublished(lda::PaperMStep m_step) : m_step_(std::move(m_step)) {}

  absl::Status Update(absl::Span<const float> noisy_sum) override {
    return m_step_.Update(noisy_sum);
  }
  absl::StatusOr<lda::TopicModel> Model() const override { return m_step_.Model(); }

 private:
  lda::PaperMStep m_step_;
};

class Signed : public Rule {
 public:
  Signed(const Recipe& recipe, lda::RunningStatistic average, std::vector<float> first_topics)
      : recipe_(recipe), average_(std::move(average)), first_topics_(std::move(first_topics)) {}

  absl::Status Update(absl::Span<const float> noisy_sum) override {
    const auto t = static_cast<double>(average_.state().updates + 1);
    // Kept with its sign until a model is asked for: what is cut off at 0 in every step adds up to
    // a bias.
    return average_.Update({.noisy_sum = noisy_sum,
                            .noise_deviation = 0,  // nobody asks for it
                            .term_weights = {},
                            .step_size = std::pow(recipe_.tau0 + t, -recipe_.kappa)});
  }

  absl::StatusOr<lda::TopicModel> Model() const override {
    const double prior = 1 / recipe_.num_topics;
    std::vector<float> lambda = first_topics_;
    if (average_.state().updates > 0) {
      const std::vector<float>& values = average_.state().values;
      std::transform(values.begin(), values.end(), lambda.begin(),
                     [prior](float y) { return std::max(y, 0.0F) + static_cast<float>(prior); });
    }
    return lda::TopicModel::Create({.num_topics = average_.shape().num_topics,
                                    .vocabulary_size = average_.shape().vocabulary_size,
                                    .document_topic_prior = prior,
                                    .topic_term_prior = prior,
                                    .topic_parameters = std::move(lambda)});
  }

 private:
  const Recipe& recipe_;
  lda::RunningStatistic average_;
  const std::vector<float> first_topics_;
};

absl::StatusOr<std::unique_ptr<Rule>> MakeRule(const Recipe& recipe, const TrainingTask& task) {
  const lda::MStepShape shape = ShapeOf(recipe, task);
  TW_ASSIGN_OR_RETURN(std::vector<float> topics,
                      lda::RandomTopics(shape.num_topics, shape.vocabulary_size,
                                        static_cast<uint64_t>(recipe.seed)));
  if (recipe.signed_average == 0) {
    TW_ASSIGN_OR_RETURN(
        lda::PaperMStep m_step,
        lda::PaperMStep::Create({.shape = shape, .tau0 = recipe.tau0, .kappa = recipe.kappa},
                                lda::InitialMStepState(std::move(topics))));
    m_step.UseThreads(task.num_threads);
    return std::make_unique<AsPublished>(std::move(m_step));
  }
  TW_ASSIGN_OR_RETURN(lda::RunningStatistic average,
                      lda::RunningStatistic::Create({.num_topics = shape.num_topics,
                                                     .vocabulary_size = shape.vocabulary_size,
                                                     .sampling_rate = shape.sampling_rate},
                                                    {}));
  return std::make_unique<Signed>(recipe, std::move(average), std::move(topics));
}

SimulatedRequest FirstRequest(const Recipe& recipe, double sampling_rate) {
  const bool exact = recipe.no_noise != 0;
  return {.e_step = {.document_topic_prior = 1 / recipe.num_topics,
                     .max_iterations = 20,
                     .mean_change_threshold = 1e-3},
          .clip_norm = exact ? std::numeric_limits<double>::infinity() : recipe.clip,
          .term_weights = {},
          .noise_multiplier = exact ? 0 : recipe.sigma,
          .histogram_noise_multiplier = 0,
          .sampling_rate = sampling_rate,
          .clip_whole_batch = recipe.whole_batch != 0};
}

}  // namespace

absl::StatusOr<Trained> TrainAsPublished(const Recipe& recipe, const TrainingTask& task) {
  if (!(recipe.batch > 0 && recipe.batch <= static_cast<double>(task.num_documents))) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch must be from 1 to the number of documents, ", task.num_documents,
                     "; got ", recipe.batch, "."));
  }
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<Rule> rule, MakeRule(recipe, task));
  const double sampling_rate = recipe.batch / static_cast<double>(task.num_documents);
  SimulatedRequest request = FirstRequest(recipe, sampling_rate);
  const bool chooses = recipe.unpaid_quantile > 0;
  if (chooses) request.clip_norm = 1;
  double kept_words = 1;
  // One pass over the documents, as in the paper.
  const auto iterations = static_cast<int>(std::lround(1 / sampling_rate));
  // A choice of C needs a release before the first.
  for (int t = chooses ? 0 : 1; t <= iterations; ++t) {
    TW_ASSIGN_OR_RETURN(lda::TopicModel model, rule->Model());
    TW_ASSIGN_OR_RETURN(
        const SimulatedRelease release,
        task.wall.Release(lda::ExpectedLogBeta(std::move(model), task.num_threads), request));
    kept_words = release.kept_words;
    if (t > 0) TW_RETURN_IF_ERROR(rule->Update(release.noisy_sum));
    if (!chooses || t == iterations) continue;
    TW_ASSIGN_OR_RETURN(
        request.clip_norm,
        lda::ChooseClipNorm({.noisy_counts = release.norm_histogram, .noise_deviation = 0},
                            recipe.unpaid_quantile));
  }
  TW_ASSIGN_OR_RETURN(lda::TopicModel model, rule->Model());
  return Trained{.model = std::move(model),
                 .clip_norm = recipe.no_noise != 0 ? 0 : request.clip_norm,
                 .kept_words = kept_words,
                 .noise_multiplier = request.noise_multiplier};
}

}  // namespace topicwall::study
