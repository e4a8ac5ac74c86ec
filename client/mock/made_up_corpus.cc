#include "client/mock/made_up_corpus.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "base/sha256.h"

namespace topicwall::client {
namespace {

constexpr int kMostTopics = 20;
constexpr int kTermsOfTopic = 10;  // at least, where there are that many
constexpr double kOneTopic = 0.7;  // of the documents
constexpr double kSharedWords = 0.2;
constexpr double kFewestWords = 40;
constexpr double kMeanMoreWords = 60;
// Centres and spread lie well within the bound of 1, so that hardly a vector is shortened.
constexpr double kCentreNorm = 0.6;
constexpr double kSpread = 0.25;  // of a vector around its centre, all dimensions together

using Engine = std::mt19937_64;

// Of the words alone: the same vocabulary gives the same documents, whatever the corpus's version.
Engine EngineOf(const v1::CorpusDescription& description) {
  base::Sha256 hash;
  hash.UpdateString("topicwall made-up corpus");
  hash.UpdateString(description.vocabulary_sha256());
  const base::Digest digest = std::move(hash).Finish();
  std::seed_seq seed(digest.begin(), digest.end());
  return Engine(seed);
}

int NumTopics(int64_t terms) {
  return static_cast<int>(std::clamp<int64_t>(terms / kTermsOfTopic, 1, kMostTopics));
}

// By Zipf's law: the first is drawn most often.
class RankDraws {
 public:
  explicit RankDraws(size_t count) {
    std::vector<double> weights(count);
    // Mandelbrot's form of it: of 1,000 words the first is one in 18 then, and not one in 7.
    for (size_t i = 0; i < count; ++i) weights[i] = 1 / (static_cast<double>(i) + 3);
    draws_ = std::discrete_distribution<size_t>(weights.begin(), weights.end());
  }
  size_t operator()(Engine& engine) { return draws_(engine); }

 private:
  std::discrete_distribution<size_t> draws_;
};

// Topic t has the terms at places t, t + T, t + 2T … of a shuffled vocabulary.
class Words {
 public:
  Words(size_t num_terms, int num_topics, Engine& engine)
      : terms_(num_terms), topics_(static_cast<size_t>(num_topics)), shared_(num_terms) {
    std::iota(terms_.begin(), terms_.end(), 0U);
    std::shuffle(terms_.begin(), terms_.end(), engine);
    for (size_t t = 0; t < topics_; ++t) {
      // As many as there are places t, t + T … below the size.
      own_.emplace_back((num_terms - t + topics_ - 1) / topics_);
    }
  }

  uint32_t Draw(size_t topic, Engine& engine) {
    if (std::bernoulli_distribution(kSharedWords)(engine)) return terms_[shared_(engine)];
    return terms_[topic + topics_ * own_[topic](engine)];
  }

 private:
  std::vector<uint32_t> terms_;
  size_t topics_;
  RankDraws shared_;
  std::vector<RankDraws> own_;
};

// Each value of an attribute has more of some topics, and less of others.
size_t DrawTopic(int num_topics, const std::vector<uint16_t>& attributes, Engine& engine) {
  std::vector<double> weights(static_cast<size_t>(num_topics));
  for (size_t t = 0; t < weights.size(); ++t) {
    weights[t] = 1 / std::sqrt(static_cast<double>(t) + 1);
    // So that a prevalence has something to find.
    for (const uint16_t value : attributes) weights[t] *= (t + value) % 3 == 0 ? 2 : 1;
  }
  return std::discrete_distribution<size_t>(weights.begin(), weights.end())(engine);
}

std::vector<lda::TermCount> DrawDocument(Words& words, size_t first, size_t second,
                                         Engine& engine) {
  const double more = std::exponential_distribution<double>(1 / kMeanMoreWords)(engine);
  const int length = static_cast<int>(kFewestWords + std::min(more, 10 * kMeanMoreWords));
  std::map<uint32_t, uint32_t> counts;
  // A third of the words are of the second topic, where there is one.
  for (int i = 0; i < length; ++i) ++counts[words.Draw(i % 3 == 2 ? second : first, engine)];
  std::vector<lda::TermCount> document;
  for (const auto& [term, count] : counts) document.push_back({.term = term, .count = count});
  return document;
}

std::vector<float> DrawVector(const std::vector<double>& centre, double deviation, Engine& engine) {
  std::normal_distribution<double> noise(0, deviation);
  std::vector<double> drawn;
  double squares = 0;
  for (const double middle : centre) {
    drawn.push_back(middle + noise(engine));
    squares += drawn.back() * drawn.back();
  }
  // A little below 1, which no float may pass.
  const double scale = squares > 0.999 ? std::sqrt(0.999 / squares) : 1;
  std::vector<float> vector;
  for (const double value : drawn) vector.push_back(static_cast<float>(scale * value));
  return vector;
}

std::vector<std::vector<double>> DrawCentres(int count, int dimension, Engine& engine) {
  std::normal_distribution<double> direction;
  std::vector<std::vector<double>> centres;
  for (int c = 0; c < count; ++c) {
    std::vector<double> centre(static_cast<size_t>(dimension));
    double squares = 0;
    for (double& value : centre) {
      value = direction(engine);
      squares += value * value;
    }
    for (double& value : centre) value *= kCentreNorm / std::sqrt(squares);
    centres.push_back(std::move(centre));
  }
  return centres;
}

model::CorpusShape ShapeOf(const v1::CorpusDescription& description) {
  model::CorpusShape shape = {.vocabulary_size = description.vocabulary_size(),
                              .vector_dimension = description.vectors().dimension()};
  for (const v1::Attribute& attribute : description.attributes()) {
    // "other" is behind all values, and a date has a period fewer than boundaries.
    shape.attribute_sizes.push_back(attribute.values_size() + (attribute.is_date() ? 0 : 1));
  }
  return shape;
}

}  // namespace

MadeUpCorpus MakeUpCorpus(const v1::CorpusDescription& description) {
  MadeUpCorpus corpus = {
      .shape = ShapeOf(description), .documents = {}, .vectors = {}, .attributes = {}, .weight = 1};
  const auto nominal = static_cast<double>(description.nominal_size());
  corpus.weight = std::max(1.0, nominal / static_cast<double>(kMadeUpUnits));
  Engine engine = EngineOf(description);
  const int dimension = corpus.shape.vector_dimension;
  const int topics = dimension > 0 ? kMostTopics : NumTopics(corpus.shape.vocabulary_size);
  Words words(static_cast<size_t>(corpus.shape.vocabulary_size), topics, engine);
  const std::vector<std::vector<double>> centres =
      dimension > 0 ? DrawCentres(topics, dimension, engine) : std::vector<std::vector<double>>();
  for (size_t d = 0; d < kMadeUpUnits; ++d) {
    std::vector<uint16_t> attributes;
    for (const int size : corpus.shape.attribute_sizes) {  // none is "other", the last
      attributes.push_back(
          std::uniform_int_distribution<uint16_t>(0, static_cast<uint16_t>(size - 2))(engine));
    }
    const size_t first = DrawTopic(topics, attributes, engine);
    if (dimension > 0) {
      corpus.vectors.push_back(DrawVector(centres[first], kSpread / std::sqrt(dimension), engine));
    } else {
      const bool one = std::bernoulli_distribution(kOneTopic)(engine);
      const size_t second = one ? first : DrawTopic(topics, attributes, engine);
      corpus.documents.Append(DrawDocument(words, first, second, engine));
    }
    corpus.attributes.push_back(std::move(attributes));
  }
  return corpus;
}

}  // namespace topicwall::client
