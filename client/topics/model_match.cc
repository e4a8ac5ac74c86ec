#include "client/topics/model_match.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"

namespace topicwall::client {
namespace {

// Numbers of the same word in a and in b.
using CommonTerms = std::vector<std::pair<uint32_t, uint32_t>>;

CommonTerms CommonTermsOf(const TopicReading& a, const TopicReading& b) {
  std::unordered_map<std::string, uint32_t> numbers;
  for (size_t v = 0; v < b.terms().size(); ++v) {
    numbers.emplace(b.terms()[v], static_cast<uint32_t>(v));
  }
  CommonTerms common;
  for (size_t v = 0; v < a.terms().size(); ++v) {
    const auto found = numbers.find(a.terms()[v]);
    if (found != numbers.end()) common.emplace_back(static_cast<uint32_t>(v), found->second);
  }
  return common;
}

// Own words of the model as it would be if it had the listed terms alone.
absl::StatusOr<lda::OwnWords> OwnWordsAmong(const TopicReading& reading,
                                            const std::vector<uint32_t>& terms) {
  std::vector<float> lambda;
  std::vector<double> corpus;
  double sum = 0;
  // Scaled to 1 among the common words, as the topics are by their own sums (OwnWordsOf compares
  // shares).
  for (const uint32_t term : terms) sum += reading.corpus()[term];
  for (const uint32_t term : terms) corpus.push_back(reading.corpus()[term] / sum);
  for (int k = 0; k < reading.model().num_topics(); ++k) {
    for (const uint32_t term : terms) lambda.push_back(reading.model().topic(k)[term]);
  }
  TW_ASSIGN_OR_RETURN(
      const lda::TopicModel among,
      lda::TopicModel::Create({.num_topics = reading.model().num_topics(),
                               .vocabulary_size = static_cast<int>(terms.size()),
                               // Of no influence on likeness; a TopicModel has to have one.
                               .document_topic_prior = reading.model().document_topic_prior(),
                               .topic_term_prior = reading.model().topic_term_prior(),
                               .topic_parameters = std::move(lambda)}));
  return lda::OwnWordsOf(among, corpus);
}

}  // namespace

absl::StatusOr<ModelMatch> MatchModels(const TopicReading& a, const TopicReading& b, double least) {
  const CommonTerms common = CommonTermsOf(a, b);
  if (common.empty()) {
    return absl::FailedPreconditionError(
        "the two models have no word in common; only models over lists that share words can be "
        "matched.");
  }
  std::vector<uint32_t> of_a, of_b;
  for (const auto& [in_a, in_b] : common) {
    of_a.push_back(in_a);
    of_b.push_back(in_b);
  }
  TW_ASSIGN_OR_RETURN(const lda::OwnWords own_a, OwnWordsAmong(a, of_a));
  TW_ASSIGN_OR_RETURN(const lda::OwnWords own_b, OwnWordsAmong(b, of_b));
  ModelMatch match = {.common_words = static_cast<int>(common.size()),
                      .pairs = lda::MatchTopics(own_a, own_b, least),
                      .only_in_a = {},
                      .only_in_b = {}};
  std::vector<bool> taken_a(static_cast<size_t>(own_a.num_topics));
  std::vector<bool> taken_b(static_cast<size_t>(own_b.num_topics));
  for (const lda::TopicPair& pair : match.pairs) {
    taken_a[static_cast<size_t>(pair.of_a)] = taken_b[static_cast<size_t>(pair.of_b)] = true;
  }
  for (size_t k = 0; k < taken_a.size(); ++k) {
    if (!taken_a[k]) match.only_in_a.push_back(static_cast<int>(k));
  }
  for (size_t k = 0; k < taken_b.size(); ++k) {
    if (!taken_b[k]) match.only_in_b.push_back(static_cast<int>(k));
  }
  return match;
}

}  // namespace topicwall::client
