#include "client/topics/topic_masses.h"

#include <algorithm>
#include <numeric>

#include "client/fit/model_file.h"

namespace topicwall::client {

std::vector<double> MassesBeyondPrior(const v1::ModelFile& file, const lda::TopicModel& model) {
  const std::vector<double> priors = TermPriors(file);
  const double prior = std::accumulate(priors.begin(), priors.end(), 0.0);
  std::vector<double> masses;
  for (int k = 0; k < model.num_topics(); ++k) {
    masses.push_back(std::max(model.topic_sum(k) - prior, 0.0));
  }
  return masses;
}

}  // namespace topicwall::client
