// Small made-up topics and documents for the tests; the same for the same seed.
#ifndef TOPICWALL_TESTS_MODEL_LDA_SYNTHETIC_CORPUS_H_
#define TOPICWALL_TESTS_MODEL_LDA_SYNTHETIC_CORPUS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "model/data/document.h"

namespace topicwall::lda::testing {

class SyntheticCorpus {
 public:
  explicit SyntheticCorpus(uint64_t seed) : engine_(seed) {}

  double Uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  size_t Below(size_t n) { return static_cast<size_t>(engine_() % n); }

  // K×V positive parameters whose sizes span e^(±spread) within a topic, as trained topics' do.
  std::vector<float> Parameters(int num_topics, int vocabulary_size, double spread) {
    std::vector<float> parameters;
    for (int i = 0; i < num_topics * vocabulary_size; ++i) {
      parameters.push_back(static_cast<float>(std::exp(spread * (2 * Uniform() - 1))));
    }
    return parameters;
  }

  // Logarithms of such parameters after each topic is normalised: K×V.
  std::vector<float> LogTopicValues(int num_topics, int vocabulary_size, double spread) {
    std::vector<float> values = Parameters(num_topics, vocabulary_size, spread);
    const auto terms = static_cast<size_t>(vocabulary_size);
    for (size_t begin = 0; begin < values.size(); begin += terms) {
      double sum = 0;
      for (size_t v = 0; v < terms; ++v) sum += double{values[begin + v]};
      for (size_t v = 0; v < terms; ++v) {
        values[begin + v] = static_cast<float>(std::log(values[begin + v] / sum));
      }
    }
    return values;
  }

  // `tokens` independent words, each from one of the lowest terms more often than from the others.
  std::vector<TermCount> Document(int tokens, int vocabulary_size) {
    std::map<uint32_t, uint32_t> counts;
    for (int i = 0; i < tokens; ++i) {
      const double u = Uniform();
      ++counts[static_cast<uint32_t>(u * u * vocabulary_size)];
    }
    return FromCounts(counts);
  }

  DocumentList Documents(int documents, int tokens, int vocabulary_size) {
    DocumentList list;
    for (int i = 0; i < documents; ++i) list.Append(Document(tokens, vocabulary_size));
    return list;
  }

  // `tokens` words of which a share of 0.9 is from topic `mostly` and the rest from `partly`; the
  // terms of topic k are k·block … k·block + block − 1, all equally likely.
  std::vector<TermCount> PlantedDocument(int tokens, int block, int mostly, int partly) {
    std::map<uint32_t, uint32_t> counts;
    for (int i = 0; i < tokens; ++i) {
      const int topic = Uniform() < 0.9 ? mostly : partly;
      ++counts[static_cast<uint32_t>(topic * block) +
               static_cast<uint32_t>(Below(static_cast<size_t>(block)))];
    }
    return FromCounts(counts);
  }

  // Such documents of 40 tokens, every pair of topics in turn.
  DocumentList PlantedDocuments(int documents, int block, int num_topics) {
    DocumentList list;
    for (int i = 0; i < documents; ++i) {
      list.Append(PlantedDocument(40, block, i % num_topics, (i / num_topics) % num_topics));
    }
    return list;
  }

 private:
  static std::vector<TermCount> FromCounts(const std::map<uint32_t, uint32_t>& counts) {
    std::vector<TermCount> document;
    for (const auto& [term, count] : counts) document.push_back({.term = term, .count = count});
    return document;
  }

  std::mt19937_64 engine_;
};

}  // namespace topicwall::lda::testing

#endif  // TOPICWALL_TESTS_MODEL_LDA_SYNTHETIC_CORPUS_H_
