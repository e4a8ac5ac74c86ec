// What a model says, with how far to believe it: all that is shown of topics and their words.
//
//   absl::StatusOr<TopicReading> reading = TopicReading::Of(file);
//   for (const int k : reading->HeaviestFirst())
//     for (const ReadWord& word : reading->Words(k, {.relevance = lda::kRelevance, .count = 10})) …
//
// Topics have the number of their row in λ, from 1 where they are shown, in every output.
//   share        of all words, by the noisy sums; of a mixture, of all documents; of other models,
//                by what λ has beyond its prior
//   probability  the mean topic's, λ_kv/Σ_v λ_kv
//   lift         probability ÷ the word's share of the corpus: the private unigram that the model
//                was made with, otherwise the model's own marginal
//
// Where topics were merged (client/topics/topic_merge.h), share, margin and the corpus are those of
// the model before, of a merged topic the sum.
//
// What only a model says that knows its noise (algorithms `denoised` and `mixture`) is empty for
// others: z and the probability of being above the corpus, a 95 % interval of the word's share of
// the topic (model/lda/reading/word_intervals.h), the margin of a share and whether a topic comes
// again. The last two are of LDA alone; model/lda/reading/topic_quality.h says what they are.
//
// Where all sums together are no more than noise, no share is known, and nothing that follows from
// one.
//
// A word that the topic avoids is never among its words: lift <= 1, or z <= 0 where there is one.
// An only topic avoids none: its words are in the order of their probability, without z.
//
// Errors: INVALID_ARGUMENT of what the file holds. PUBLIC. Threads: immutable. Cost: a pass over
// K×V; with intervals one more of some µs an entry.
#ifndef TOPICWALL_CLIENT_TOPICS_TOPIC_READING_H_
#define TOPICWALL_CLIENT_TOPICS_TOPIC_READING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/fit/model_file.h"
#include "model/lda/reading/quality_calibration.h"
#include "model/lda/reading/topic_quality.h"
#include "model/lda/reading/word_intervals.h"
#include "model/lda/topics/topic_model.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct ReadWord {
  uint32_t term;
  double probability;
  double lift;
  std::optional<double> z;
  std::optional<double> probability_above;  // where z is and is at least 0
  std::optional<double> low, high;          // the probability is within; with intervals
};

struct ReadTopic {
  std::optional<double> share;           // of all topics or of none
  std::optional<double> margin;          // of the share, 95 %; where the noise of sums is known
  std::optional<double> share_of_words;  // of a mixture beside that of documents: by λ
  double prior;                          // α
  std::optional<int> typical_words;      // of several topics, as what follows
  std::optional<double> comes_again;
  std::optional<bool> is_weak;  // where TopicReading::judges_topics
};

struct WordOrder {
  double relevance;  // λ of word_relevance.h; 1: by probability
  int count;
};

class TopicReading {
 public:
  enum class Intervals { kNo, kYes };
  // `file` is parsed (ParseModelFile); the reading keeps none of it.
  static absl::StatusOr<TopicReading> Of(const v1::ModelFile& file,
                                         Intervals intervals = Intervals::kNo);

  const lda::TopicModel& model() const { return model_; }
  const std::vector<std::string>& terms() const { return terms_; }
  // p: V, sum 1.
  const std::vector<double>& corpus() const { return corpus_; }
  bool knows_noise() const { return noise_ != nullptr; }
  // Whether words are told by how surely a topic has them above the corpus: an only topic is the
  // corpus, as far as long documents count, and nothing can be above it.
  bool marks_words() const { return knows_noise() && model_.num_topics() > 1; }
  bool knows_shares() const { return topics_.front().share.has_value(); }
  bool knows_margins() const { return topics_.front().margin.has_value(); }
  bool is_mixture() const { return is_mixture_; }
  bool is_of_a_mock() const { return is_of_a_mock_; }  // of documents that do not exist
  // Whether topics are told to come again; and whether, by that, some are called weak, as only of
  // models of about as many topics as that was measured of (quality_calibration.h).
  bool grades_topics() const {
    return knows_noise() && knows_shares() && !is_mixture() && model_.num_topics() > 1;
  }
  bool judges_topics() const {
    return grades_topics() && model_.num_topics() >= lda::kLeastTopicsJudged;
  }

  // 0 <= topic < K, term < V.
  const ReadTopic& topic(int topic) const { return topics_[static_cast<size_t>(topic)]; }
  ReadWord word(int topic, uint32_t term) const;
  bool IsAvoided(int topic, uint32_t term) const;

  std::vector<ReadWord> Words(int topic, const WordOrder& order) const;
  std::vector<int> HeaviestFirst() const;
  int NumWeakTopics() const;

 private:
  TopicReading(lda::TopicModel model, const v1::ModelFile& file);
  absl::Status JudgeBy(ModelNoise noise);
  absl::Status ReadTopics(const v1::ModelFile& file);
  void GradeTopics();

  lda::TopicModel model_;
  std::vector<std::string> terms_;
  bool is_mixture_;
  bool is_of_a_mock_;
  std::vector<double> corpus_;
  // Of a model that knows it; the quality keeps views of the noise.
  std::unique_ptr<const ModelNoise> noise_;
  std::optional<lda::TopicQuality> quality_;
  std::optional<lda::WordIntervals> intervals_;
  std::vector<ReadTopic> topics_;
};

struct WordPlace {
  int topic;  // from 0
  ReadWord word;
};
// Topics that do not avoid the word, that with the largest lift first, equal ones by number.
// NOT_FOUND for a word that the model does not have. Cost: a search of the word list.
absl::StatusOr<std::vector<WordPlace>> PlacesOf(const TopicReading& reading,
                                                absl::string_view word);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_TOPIC_READING_H_
