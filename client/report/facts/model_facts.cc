// The numbers of words and topics are those of `topicwall topics`: the same functions compute them.
#include "client/report/facts/model_facts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "base/hex.h"
#include "base/status_macros.h"
#include "client/fit/model_file.h"
#include "client/report/facts/word_judgement.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::client {
namespace {

constexpr int kNeighbours = 3;
constexpr int kCommonWords = 30;

// What words and topics are judged by.
struct JudgedModel {
  const v1::ModelFile& file;
  const lda::TopicModel& topics;
  const std::vector<double>& corpus_shares;
  std::optional<WordJudgement> judgement;  // of a model that knows its noise
};

void AddModel(const v1::ModelFile& file, const std::string& sha256, bool knows_noise,
              v1::ReportedModel& model) {
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
  model.set_epsilon(file.epsilon());
  model.set_delta(file.delta());
  model.set_held_out_share(file.held_out_share());
  if (file.has_sum()) *model.mutable_sum() = file.sum();
  model.set_knows_noise(knows_noise);
  model.set_is_mixture(file.component_weights_size() > 0);
}

struct Candidate {
  size_t term;
  double log_probability;
  double log_lift;

  double relevance(double step) const {
    return step * log_probability + (1 - step) * log_lift;
  }
};

// Those that the topic has beyond the corpus's share.
std::vector<Candidate> CandidatesOf(const JudgedModel& judged, int topic) {
  const absl::Span<const float> lambda = judged.topics.topic(topic);
  const double sum = judged.topics.topic_sum(topic);
  std::vector<Candidate> candidates;
  for (size_t v = 0; v < lambda.size(); ++v) {
    const double probability = static_cast<double>(lambda[v]) / sum;
    const double lift = probability / judged.corpus_shares[v];
    const bool is_typical = judged.judgement.has_value()
                                ? judged.judgement->Z(topic, static_cast<uint32_t>(v)) > 0
                                : lift > 1;
    if (is_typical) candidates.push_back({v, std::log(probability), std::log(lift)});
  }
  return candidates;
}

std::vector<size_t> WordsOf(const JudgedModel& judged, int topic) {
  std::vector<Candidate> candidates = CandidatesOf(judged, topic);
  std::set<size_t> chosen;
  const auto order_by = [&candidates](double step) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [step](const Candidate& a, const Candidate& b) {
                       return a.relevance(step) > b.relevance(step);
                     });
  };
  for (const double step : {0.0, 0.2, 0.4, kUsualStep, 0.8, 1.0}) {
    order_by(step);
    const size_t count = std::min(candidates.size(), static_cast<size_t>(kWordsShown));
    for (size_t i = 0; i < count; ++i) chosen.insert(candidates[i].term);
  }
  order_by(kUsualStep);
  std::vector<size_t> words;
  for (const Candidate& candidate : candidates) {
    if (chosen.count(candidate.term) > 0) words.push_back(candidate.term);
  }
  return words;
}

void AddWords(const JudgedModel& judged, int topic, v1::ReportedTopic& reported) {
  for (const size_t v : WordsOf(judged, topic)) {
    v1::ReportedWord& word = *reported.add_words();
    word.set_term(judged.file.terms(static_cast<int>(v)));
    word.set_probability(static_cast<float>(static_cast<double>(judged.topics.topic(topic)[v]) /
                                            judged.topics.topic_sum(topic)));
    word.set_corpus_share(static_cast<float>(judged.corpus_shares[v]));
    if (!judged.judgement.has_value()) continue;
    const auto term = static_cast<uint32_t>(v);
    word.set_deviation(static_cast<float>(judged.judgement->Deviation(topic, term)));
    word.set_z(static_cast<float>(judged.judgement->Z(topic, term)));
    word.set_above(static_cast<float>(judged.judgement->ProbabilityAbove(topic, term)));
  }
}

void AddNeighbours(const Eigen::MatrixXd& likeness, int topic, v1::ReportedTopic& reported) {
  std::vector<int> others(static_cast<size_t>(likeness.rows()));
  std::iota(others.begin(), others.end(), 0);
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

void AddTopics(const JudgedModel& judged, v1::Report& report) {
  const Eigen::MatrixXd likeness =
      Likeness(PartsOf(judged.topics, judged.corpus_shares),
               PartsOf(judged.topics, judged.corpus_shares));
  const std::vector<MapPlace> places = PlacesOf(likeness);
  double total = 0;
  for (int k = 0; k < judged.topics.num_topics(); ++k) total += judged.topics.topic_sum(k);
  double recurring = 0;
  for (int k = 0; k < judged.topics.num_topics(); ++k) {
    v1::ReportedTopic& topic = *report.add_topics();
    topic.set_number(k + 1);
    topic.set_share(report.model().is_mixture() ? judged.file.component_weights(k)
                                                : judged.topics.topic_sum(k) / total);
    topic.set_x(places[static_cast<size_t>(k)].x);
    topic.set_y(places[static_cast<size_t>(k)].y);
    if (judged.judgement.has_value()) {
      const TopicGrade grade = judged.judgement->GradeOf(k);
      topic.set_share_error(report.model().is_mixture() ? 0 : grade.share_error);
      topic.set_typical_words(grade.typical_words);
      topic.set_recurs(grade.recurs);
      topic.set_is_weak(grade.is_weak);
      recurring += grade.recurs;
    }
    AddNeighbours(likeness, k, topic);
    AddWords(judged, k, topic);
  }
  report.mutable_model()->set_recurring(recurring);
}

void AddCommonWords(const JudgedModel& judged, v1::Report& report) {
  std::vector<size_t> terms(judged.corpus_shares.size());
  std::iota(terms.begin(), terms.end(), size_t{0});
  std::stable_sort(terms.begin(), terms.end(), [&](size_t a, size_t b) {
    return judged.corpus_shares[a] > judged.corpus_shares[b];
  });
  terms.resize(std::min(terms.size(), static_cast<size_t>(kCommonWords)));
  for (const size_t v : terms) {
    v1::ReportedCommonWord& word = *report.add_common_words();
    word.set_term(judged.file.terms(static_cast<int>(v)));
    word.set_corpus_share(static_cast<float>(judged.corpus_shares[v]));
    if (!judged.judgement.has_value()) continue;
    int topics = 0;
    for (int k = 0; k < judged.topics.num_topics(); ++k) {
      topics += judged.judgement->IsTypical(k, static_cast<uint32_t>(v)) ? 1 : 0;
    }
    word.set_topics(topics);
  }
}

}  // namespace

absl::StatusOr<std::vector<double>> CorpusSharesOf(const v1::ModelFile& file) {
  if (file.term_probabilities_size() > 0) {
    return std::vector<double>(file.term_probabilities().begin(), file.term_probabilities().end());
  }
  TW_ASSIGN_OR_RETURN(const lda::TopicModel topics, ModelOf(file));
  std::vector<double> shares(static_cast<size_t>(topics.vocabulary_size()), 0.0);
  double total = 0;
  for (int k = 0; k < topics.num_topics(); ++k) {
    total += topics.topic_sum(k);
    const absl::Span<const float> lambda = topics.topic(k);
    for (size_t v = 0; v < shares.size(); ++v) shares[v] += static_cast<double>(lambda[v]);
  }
  for (double& share : shares) share /= total;
  return shares;
}

absl::StatusOr<DistinctParts> DistinctPartsOf(const v1::ModelFile& file) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel topics, ModelOf(file));
  TW_ASSIGN_OR_RETURN(const std::vector<double> shares, CorpusSharesOf(file));
  return PartsOf(topics, shares);
}

absl::Status AddModelFacts(const v1::ModelFile& file, const std::string& sha256,
                           v1::Report& report) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel topics, ModelOf(file));
  TW_ASSIGN_OR_RETURN(const std::vector<double> shares, CorpusSharesOf(file));
  TW_ASSIGN_OR_RETURN(const std::optional<ModelNoise> noise, NoiseOf(file));
  JudgedModel judged = {
      .file = file, .topics = topics, .corpus_shares = shares, .judgement = std::nullopt};
  if (noise.has_value()) {
    TW_ASSIGN_OR_RETURN(judged.judgement, WordJudgement::Create(*noise, topics));
  }
  AddModel(file, sha256, noise.has_value(), *report.mutable_model());
  AddTopics(judged, report);
  AddCommonWords(judged, report);
  return absl::OkStatus();
}

}  // namespace topicwall::client
