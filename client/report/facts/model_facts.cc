#include "client/report/facts/model_facts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "base/hex.h"
#include "base/status_macros.h"
#include "client/fit/fit_spec.h"
#include "client/report/facts/component_facts.h"
#include "client/report/facts/topic_map.h"
#include "client/topics/topic_reading.h"
#include "model/lda/reading/topic_matching.h"
#include "model/lda/reading/word_relevance.h"

namespace topicwall::client {
namespace {

constexpr int kNeighbours = 3;
constexpr int kCommonWords = 30;

// So that the command that fits it again says them. A model that no wall was asked for has none.
void AddChoices(const v1::FitSpec& spec, v1::ReportedModel& model) {
  FitSpec bare;
  bare.algorithm = spec.algorithm();
  const absl::StatusOr<FitSpec> usual = WithDefaults(bare);
  if (!usual.ok()) return;
  // What is at its default is left out: the command says what differs.
  if (spec.sampling_rate() != usual->sampling_rate) model.set_sampling_rate(spec.sampling_rate());
  if (spec.clip_norm() != usual->clip_norm) model.set_clip_norm(spec.clip_norm());
  if (spec.seed() != usual->seed) model.set_seed(spec.seed());
  // Always: where nobody asked for a number the wall's limit was taken, which may be another now.
  model.set_max_words(spec.max_words());
}

void AddModel(const v1::ModelFile& file, const std::string& sha256, v1::ReportedModel& model) {
  model.set_sha256(sha256);
  model.set_corpus(file.corpus());
  model.set_corpus_version(base::Hex(file.corpus_version()));
  model.set_custodian_id(file.custodian_id());
  model.set_algorithm(file.algorithm());
  model.set_tokenizer(file.tokenizer());
  model.set_num_topics(file.num_topics());
  model.set_vocabulary_size(file.vocabulary_size());
  model.set_iterations(file.iterations());
  model.set_plan_id(file.plan_id());
  model.set_unigram_plan_id(file.unigram_plan_id());
  if (std::isfinite(file.epsilon())) {  // otherwise no privacy is promised, and none is told
    model.set_epsilon(file.epsilon());
    model.set_delta(file.delta());
  }
  model.set_held_out_share(file.held_out_share());
  if (file.has_sum()) *model.mutable_sum() = file.sum();
  model.set_is_mixture(!file.component_weights().empty());
  *model.mutable_anchors() = file.spec().anchors();
  model.set_has_initial_model(file.has_warm_start() || !file.spec().initial_model_sha256().empty());
  model.set_fitted_topics(file.spec().num_topics());
  AddChoices(file.spec(), model);
  if (file.has_unfinished()) *model.mutable_unfinished() = file.unfinished();
}

// Whoever reads the page moves the relevance: it holds every word that is among the first at some
// step of it, and the page orders them anew.
void AddWords(const TopicReading& reading, int topic, v1::ReportedTopic& reported) {
  std::set<uint32_t> chosen;
  // In the order of the default step, in which they stand before anything is moved.
  for (const double step : {0.0, 0.2, 0.4, lda::kRelevance, 0.8, 1.0}) {
    for (const ReadWord& word : reading.Words(topic, {.relevance = step, .count = kWordsShown})) {
      chosen.insert(word.term);
    }
  }
  const int all = reading.model().vocabulary_size();
  for (const ReadWord& word : reading.Words(topic, {.relevance = lda::kRelevance, .count = all})) {
    if (chosen.count(word.term) == 0) continue;
    v1::ReportedWord& added = *reported.add_words();
    added.set_term(reading.terms()[word.term]);
    added.set_probability(static_cast<float>(word.probability));
    added.set_corpus_share(static_cast<float>(reading.corpus()[word.term]));
    if (word.low.has_value()) {
      added.set_low(static_cast<float>(*word.low));
      added.set_high(static_cast<float>(*word.high));
    }
    // 0 is "not known" as well: `knows_noise` says which, and the page looks at it first.
    added.set_above(static_cast<float>(word.probability_above.value_or(0)));
  }
}

void AddNeighbours(const Eigen::MatrixXd& likeness, int topic, v1::ReportedTopic& reported) {
  std::vector<int> others(static_cast<size_t>(likeness.rows()));
  std::iota(others.begin(), others.end(), 0);
  // Before the sort, in which the topic itself would be its own nearest.
  others.erase(others.begin() + topic);
  std::stable_sort(others.begin(), others.end(),
                   [&](int a, int b) { return likeness(topic, a) > likeness(topic, b); });
  others.resize(std::min(others.size(), static_cast<size_t>(kNeighbours)));
  for (const int other : others) {
    v1::ReportedNeighbour& neighbour = *reported.add_neighbours();
    neighbour.set_number(other + 1);
    neighbour.set_likeness(likeness(topic, other));
  }
}

void AddTopics(const TopicReading& reading, v1::Report& report) {
  const lda::OwnWords own = lda::OwnWordsOf(reading.model(), reading.corpus());
  const std::vector<double> likenesses = lda::Likenesses(own, own);
  const auto likeness =
      Eigen::Map<const Eigen::MatrixXd>(likenesses.data(), own.num_topics, own.num_topics);
  const std::vector<MapPlace> places = PlacesOf(likeness);
  double recurring = 0;
  for (int k = 0; k < reading.model().num_topics(); ++k) {
    const ReadTopic& read = reading.topic(k);
    v1::ReportedTopic& topic = *report.add_topics();
    topic.set_number(k + 1);
    if (read.share.has_value()) topic.set_share(*read.share);
    topic.set_share_margin(read.margin.value_or(0));
    topic.set_typical_words(read.typical_words.value_or(0));
    topic.set_recurs(read.comes_again.value_or(0));
    topic.set_is_weak(read.is_weak.value_or(false));
    topic.set_x(places[static_cast<size_t>(k)].x);
    topic.set_y(places[static_cast<size_t>(k)].y);
    // Known for all topics or for none.
    if (read.comes_again.has_value()) report.mutable_model()->set_knows_recurrence(true);
    recurring += topic.recurs();
    AddNeighbours(likeness, k, topic);
    AddWords(reading, k, topic);
  }
  report.mutable_model()->set_recurring(recurring);
}

void AddCommonWords(const TopicReading& reading, v1::Report& report) {
  std::vector<uint32_t> terms(reading.corpus().size());
  std::iota(terms.begin(), terms.end(), 0U);
  std::stable_sort(terms.begin(), terms.end(), [&](uint32_t a, uint32_t b) {
    return reading.corpus()[a] > reading.corpus()[b];
  });
  terms.resize(std::min(terms.size(), static_cast<size_t>(kCommonWords)));
  for (const uint32_t term : terms) {
    v1::ReportedCommonWord& word = *report.add_common_words();
    word.set_term(reading.terms()[term]);
    word.set_corpus_share(static_cast<float>(reading.corpus()[term]));
    int topics = 0;
    for (int k = 0; k < reading.model().num_topics(); ++k) {
      topics += reading.word(k, term).probability_above.value_or(0) >= kSureAbove ? 1 : 0;
    }
    word.set_topics(topics);
  }
}

}  // namespace

absl::Status AddModelFacts(const v1::ModelFile& file, const std::string& sha256,
                           v1::Report& report) {
  AddModel(file, sha256, *report.mutable_model());
  if (file.has_gaussian()) {
    AddComponentFacts(file, report);
    return absl::OkStatus();
  }
  TW_ASSIGN_OR_RETURN(const std::optional<ModelNoise> noise, NoiseOf(file));
  // An interval is of the noise: where that is not known, none is drawn.
  TW_ASSIGN_OR_RETURN(const TopicReading reading,
                      TopicReading::Of(file, noise.has_value() ? TopicReading::Intervals::kYes
                                                               : TopicReading::Intervals::kNo));
  report.mutable_model()->set_knows_noise(reading.knows_noise());
  AddTopics(reading, report);
  AddCommonWords(reading, report);
  return absl::OkStatus();
}

}  // namespace topicwall::client
