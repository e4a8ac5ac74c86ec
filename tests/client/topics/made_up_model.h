// A denoised model whose truth is known: three topics over 40 words, of which topic k has five of
// its own, and "the", as frequent in all of them.
#ifndef TOPICWALL_TESTS_CLIENT_TOPICS_MADE_UP_MODEL_H_
#define TOPICWALL_TESTS_CLIENT_TOPICS_MADE_UP_MODEL_H_

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/denoised_model.h"
#include "proto/matrix_codec.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kMadeUpTopics = 3, kMadeUpTerms = 40;

// Words expected of topic k and word v: word 0 is "the", words 1 + 5k … 5 + 5k are topic k's own.
inline double MadeUpSum(int topic, int term) {
  if (term == 0) return 1000;
  return term >= 1 + 5 * topic && term <= 5 + 5 * topic ? 1500 : 15;
}

// With noise of deviation `tau`, from a seed; 0: none.
inline v1::ModelFile MadeUpModel(uint64_t seed, float tau) {
  std::vector<float> sums;
  std::vector<double> corpus(kMadeUpTerms);
  double total = 0;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  for (int k = 0; k < kMadeUpTopics; ++k) {
    for (int v = 0; v < kMadeUpTerms; ++v) {
      sums.push_back(static_cast<float>(MadeUpSum(k, v) + tau * normal(engine)));
      corpus[static_cast<size_t>(v)] += MadeUpSum(k, v);
      total += MadeUpSum(k, v);
    }
  }
  for (double& p : corpus) p /= total;
  const std::vector<float> deviations(kMadeUpTerms, tau);
  const lda::NoisyTopics noisy = {.num_topics = kMadeUpTopics,
                                  .vocabulary_size = kMadeUpTerms,
                                  .values = sums,
                                  .noise_deviations = deviations};
  const lda::TopicModel model =
      *lda::DenoisedModel({.noisy = noisy,
                           .term_probabilities = corpus,
                           .document_topic_prior = 0.5,
                           .topic_term_prior = lda::PriorOfShare(noisy, 0.12)},
                          {});
  std::vector<std::string> terms = {"the"};
  for (int v = 1; v < kMadeUpTerms; ++v) {
    terms.push_back(absl::StrCat("word", std::string(1, static_cast<char>('a' + v / 26)),
                                 std::string(1, static_cast<char>('a' + v % 26))));
  }
  v1::CorpusDescription description;
  description.set_tokenizer("words-1");
  v1::ModelFile file = MakeModelFile(model, *lda::Vocabulary::Create(terms),
                                     {.description = description,
                                      .algorithm = "denoised",
                                      .iterations = 9,
                                      .epsilon = 2,
                                      .delta = 1e-6});
  file.set_noisy_statistics(proto::FloatsToLittleEndian(sums));
  file.mutable_noise_deviations()->Assign(deviations.begin(), deviations.end());
  file.mutable_term_probabilities()->Assign(corpus.begin(), corpus.end());
  return file;
}

// Of its first topic alone.
inline v1::ModelFile OfOneTopic(v1::ModelFile file) {
  file.set_num_topics(1);
  file.mutable_topic_parameters()->resize(kMadeUpTerms * sizeof(float));
  file.mutable_noisy_statistics()->resize(kMadeUpTerms * sizeof(float));
  return file;
}

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_TOPICS_MADE_UP_MODEL_H_
