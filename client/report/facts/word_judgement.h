// Interim.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_WORD_JUDGEMENT_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_WORD_JUDGEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "client/fit/model_file.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::client {

struct TopicGrade {
  double share_error;
  int typical_words;
  double recurs;
  bool is_weak;
};

class WordJudgement {
 public:
  static absl::StatusOr<WordJudgement> Create(const ModelNoise& noise,
                                              const lda::TopicModel& topics);
  double Z(int topic, uint32_t term) const;
  double Deviation(int topic, uint32_t term) const;
  double ProbabilityAbove(int topic, uint32_t term) const;
  bool IsTypical(int topic, uint32_t term) const { return Z(topic, term) > 4.83; }
  TopicGrade GradeOf(int topic) const;

 private:
  const ModelNoise* noise_ = nullptr;
  std::vector<double> masses_;
  std::vector<TopicGrade> grades_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_WORD_JUDGEMENT_H_
