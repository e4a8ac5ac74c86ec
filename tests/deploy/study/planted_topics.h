// Documents of five topics that have 20 terms each, for the tests of training.
#ifndef TOPICWALL_TESTS_DEPLOY_STUDY_PLANTED_TOPICS_H_
#define TOPICWALL_TESTS_DEPLOY_STUDY_PLANTED_TOPICS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "deploy/study/score.h"
#include "deploy/study/simulated_wall.h"
#include "deploy/study/training.h"
#include "model/data/document.h"
#include "model/lda/topics/held_out_perplexity.h"

namespace topicwall::study {

inline constexpr int kPlantedTerms = 100;

inline lda::DocumentList PlantedDocuments(uint64_t seed, int count) {
  std::mt19937_64 engine(seed);
  lda::DocumentList documents;
  for (int d = 0; d < count; ++d) {
    const auto topic = static_cast<uint32_t>(engine() % 5);
    std::vector<lda::TermCount> document;
    for (uint32_t i = static_cast<uint32_t>(engine() % 4); i < 20; i += 4) {
      document.push_back({.term = topic * 20 + i, .count = 1});
    }
    documents.Append(document);
  }
  return documents;
}

// A corpus behind a simulated wall.
class PlantedWall {
 public:
  explicit PlantedWall(int count)
      : documents_(PlantedDocuments(1, count)),
        unigram_(kPlantedTerms, 1.0 / kPlantedTerms),
        wall_({.documents = documents_,
               .vocabulary_size = kPlantedTerms,
               .seed = 5,
               .num_threads = 1}) {}

  TrainingTask task() {
    return {.wall = wall_,
            .num_documents = static_cast<int64_t>(documents_.size()),
            .vocabulary_size = kPlantedTerms,
            .true_unigram = unigram_,
            .num_threads = 1};
  }

 private:
  const lda::DocumentList documents_;
  const std::vector<double> unigram_;
  SimulatedWall wall_;
};

// Of other documents. 100 under the unigram; knowing the topic leaves 20 terms.
inline double PlantedPerplexity(const lda::TopicModel& model) {
  return ScoreModel(model, lda::SplitTokens(PlantedDocuments(2, 500), 1), 1)->perplexity;
}

}  // namespace topicwall::study

#endif  // TOPICWALL_TESTS_DEPLOY_STUDY_PLANTED_TOPICS_H_
