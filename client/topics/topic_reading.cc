#include "client/topics/topic_reading.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "client/topics/topic_masses.h"
#include "client/wall/mock_custodian.h"
#include "model/lda/denoise/prior/related_terms.h"
#include "model/lda/math/normal_tail.h"
#include "model/lda/reading/word_relevance.h"
#include "model/lda/topics/held_out_perplexity.h"

namespace topicwall::client {
namespace {

// In words; of topics that were merged as they were read before.
absl::StatusOr<std::vector<double>> MassesOf(const v1::ModelFile& file,
                                             const lda::TopicModel& model) {
  if (!file.has_merged()) return MassesBeyondPrior(file, model);
  std::vector<double> masses(file.merged().masses().begin(), file.merged().masses().end());
  const auto& variances = file.merged().mass_variances();
  // Sums with noise may be below 0.
  const bool are_good =
      std::all_of(masses.begin(), masses.end(),
                  [&](double x) { return std::isfinite(x) && (x >= 0 || !variances.empty()); }) &&
      std::all_of(variances.begin(), variances.end(),
                  [](double x) { return std::isfinite(x) && x >= 0; });
  if (are_good) return masses;
  return absl::InvalidArgumentError(
      "sizes of merged topics must be finite, at least 0 if they are without noise, and their "
      "variances at least 0. Merge the topics of the first model again.");
}

// Of nothing all have as much.
double ShareOf(double mass, double total, int num_topics) {
  return total > 0 ? mass / total : 1.0 / num_topics;
}

}  // namespace

absl::StatusOr<TopicReading> TopicReading::Of(const v1::ModelFile& file, Intervals intervals) {
  TW_ASSIGN_OR_RETURN(lda::TopicModel model, ModelOf(file));
  TW_ASSIGN_OR_RETURN(std::optional<ModelNoise> noise, NoiseOf(file));
  TopicReading reading(std::move(model), file);
  if (noise.has_value()) {
    TW_RETURN_IF_ERROR(reading.JudgeBy(*std::move(noise)));
    if (intervals == Intervals::kYes) {
      TW_ASSIGN_OR_RETURN(reading.intervals_,
                          lda::WordIntervals::Create(
                              reading.noise_->topics(reading.model_.num_topics()), reading.corpus_,
                              lda::FindRelatedTerms(reading.terms_), lda::NumProcessors()));
    }
  }
  TW_RETURN_IF_ERROR(reading.ReadTopics(file));
  reading.GradeTopics();
  return reading;
}

TopicReading::TopicReading(lda::TopicModel model, const v1::ModelFile& file)
    : model_(std::move(model)),
      terms_(file.terms().begin(), file.terms().end()),
      is_mixture_(!file.component_weights().empty()),
      is_of_a_mock_(IsMock(file.custodian_id())),
      corpus_(CorpusOf(file).begin(), CorpusOf(file).end()) {
  if (corpus_.empty()) corpus_ = lda::MarginalTermProbabilities(model_);
}

absl::Status TopicReading::JudgeBy(ModelNoise noise) {
  noise_ = std::make_unique<const ModelNoise>(std::move(noise));
  TW_ASSIGN_OR_RETURN(lda::TopicQuality quality,
                      lda::TopicQuality::Create(model_, noise_->topics(model_.num_topics()),
                                                noise_->term_probabilities));
  quality_ = std::move(quality);
  return absl::OkStatus();
}

absl::Status TopicReading::ReadTopics(const v1::ModelFile& file) {
  TW_ASSIGN_OR_RETURN(const std::vector<double> masses, MassesOf(file, model_));
  const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
  const absl::Span<const double> variances = file.merged().mass_variances();
  const bool knows_sums = quality_.has_value() || !variances.empty();
  std::vector<lda::TopicShare> of_sums;  // none where they are noise
  if (knows_sums) {
    of_sums = quality_.has_value() ? quality_->shares() : lda::SharesOfMasses(masses, variances);
  }
  for (int k = 0; k < model_.num_topics(); ++k) {
    const auto place = static_cast<size_t>(k);
    ReadTopic topic = {.share = {},
                       .margin = {},
                       .share_of_words = {},
                       .prior = model_.document_topic_prior().of(place),
                       .typical_words = {},
                       .comes_again = {},
                       .is_weak = {}};
    if (is_mixture_) {
      topic.share = file.component_weights(k);
      topic.share_of_words = ShareOf(masses[place], total, model_.num_topics());
    } else if (!knows_sums) {
      topic.share = ShareOf(masses[place], total, model_.num_topics());
    } else if (!of_sums.empty()) {
      topic.share = of_sums[place].share;
      topic.margin = lda::UsualPoint() * of_sums[place].deviation;
    }
    topics_.push_back(topic);
  }
  return absl::OkStatus();
}

// The grade was found by fits of topics (quality_calibration.h); of a mixture's components nobody
// has measured how often they come again.
void TopicReading::GradeTopics() {
  for (int k = 0; k < model_.num_topics(); ++k) {
    ReadTopic& topic = topics_[static_cast<size_t>(k)];
    if (marks_words()) topic.typical_words = quality_->topic(k).typical_words;
    if (grades_topics()) topic.comes_again = quality_->topic(k).comes_again;
    if (judges_topics()) topic.is_weak = quality_->topic(k).is_weak;
  }
}

ReadWord TopicReading::word(int topic, uint32_t term) const {
  const double lambda = model_.topic(topic)[term];
  const double probability = lambda / model_.topic_sum(topic);
  ReadWord word = {.term = term,
                   .probability = probability,
                   .lift = probability / corpus_[term],
                   .z = {},
                   .probability_above = {},
                   .low = {},
                   .high = {}};
  if (marks_words()) {
    word.z = quality_->Excess(topic, term);
    // Of words that are shown it was counted, and none of those is below the corpus.
    if (*word.z >= 0) word.probability_above = quality_->ProbabilityAbove(topic, term);
  }
  if (!intervals_.has_value()) return word;
  const lda::WordIntervals::Interval interval = intervals_->of(topic, term, probability);
  word.low = interval.low;
  word.high = interval.high;
  return word;
}

// Below what the corpus alone would give, a word says nothing for its topic.
bool TopicReading::IsAvoided(int topic, uint32_t term) const {
  if (model_.num_topics() == 1) return false;
  // z is of the sums as they were released: smoothing may take a word below the corpus all the
  // same.
  if (quality_.has_value() && !(quality_->Excess(topic, term) > 0)) return true;
  const double probability = double{model_.topic(topic)[term]} / model_.topic_sum(topic);
  return !(probability / corpus_[term] > 1);
}

std::vector<ReadWord> TopicReading::Words(int topic, const WordOrder& order) const {
  // What is more of an only topic than of the corpus is the clip of long documents.
  const double weight = model_.num_topics() == 1 ? 1 : order.relevance;
  std::vector<ReadWord> words;
  for (const uint32_t term :
       lda::MostRelevant(model_, topic, corpus_, {.weight = weight, .count = order.count},
                         [&](uint32_t v) { return !IsAvoided(topic, v); })) {
    words.push_back(word(topic, term));
  }
  return words;
}

// Equal ones by number.
std::vector<int> TopicReading::HeaviestFirst() const {
  std::vector<int> order(topics_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [this](int a, int b) { return topic(a).share > topic(b).share; });
  return order;
}

int TopicReading::NumWeakTopics() const {
  return static_cast<int>(std::count_if(topics_.begin(), topics_.end(), [](const ReadTopic& topic) {
    return topic.is_weak == true;
  }));
}

absl::StatusOr<std::vector<WordPlace>> PlacesOf(const TopicReading& reading,
                                                absl::string_view word) {
  const auto found = std::find(reading.terms().begin(), reading.terms().end(), word);
  if (found == reading.terms().end()) {
    return absl::NotFoundError(
        absl::StrCat("\"", word, "\" is not among the ", reading.terms().size(),
                     " words of the model; a word list is of whole words, mostly in lower case."));
  }
  const auto term = static_cast<uint32_t>(found - reading.terms().begin());
  std::vector<WordPlace> places;
  for (int k = 0; k < reading.model().num_topics(); ++k) {
    if (!reading.IsAvoided(k, term)) places.push_back({.topic = k, .word = reading.word(k, term)});
  }
  std::stable_sort(places.begin(), places.end(), [](const WordPlace& a, const WordPlace& b) {
    return a.word.lift > b.word.lift;
  });
  return places;
}

}  // namespace topicwall::client
