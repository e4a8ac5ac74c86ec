// A model of some topics, as a fit leaves it.
#ifndef TOPICWALL_TESTS_CLIENT_SMALL_MODEL_H_
#define TOPICWALL_TESTS_CLIENT_SMALL_MODEL_H_

#include <string>
#include <vector>

#include "client/fit/model_file.h"
#include "model/data/tokenizer.h"
#include "proto/matrix_codec.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// `topics`: λ, a number for each term, one topic after the other.
inline v1::ModelFile SmallModel(const std::vector<std::string>& terms,
                                const std::vector<float>& topics, double topic_word_prior = 0.5,
                                double document_topic_prior = 0.5) {
  v1::ModelFile model;
  model.set_format_version(kModelFormatVersion);
  model.set_num_topics(static_cast<int32_t>(topics.size() / terms.size()));
  model.set_vocabulary_size(static_cast<int64_t>(terms.size()));
  model.set_topic_parameters(proto::FloatsToLittleEndian(topics));
  model.set_topic_word_prior(topic_word_prior);
  model.add_document_topic_prior(document_topic_prior);
  model.mutable_terms()->Assign(terms.begin(), terms.end());
  model.set_tokenizer(lda::kTokenizerName);
  return model;
}

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_SMALL_MODEL_H_
