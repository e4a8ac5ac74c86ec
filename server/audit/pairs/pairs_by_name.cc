#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model/data/bounded_vector.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::audit {
namespace {

constexpr uint32_t kTerms = 16;  // V
constexpr uint32_t kManyWords = 1'000'000;
constexpr int64_t kNoCut = std::numeric_limits<int64_t>::max();

std::vector<lda::TermCount> EveryTerm(uint32_t count) {
  std::vector<lda::TermCount> counts;
  for (uint32_t term = 0; term < kTerms; ++term) counts.push_back({term, count});
  return counts;
}

// Some ordinary neighbours.
PlantedDocuments Neighbours(uint32_t documents) {
  PlantedDocuments others;
  for (uint32_t i = 0; i < documents; ++i) {
    others.push_back({.id = absl::StrCat("other-", i),
                      .owner = absl::StrCat("owner-", i / 3),
                      .counts = {{i % 7, i % 5 + 1}, {7 + i % 9, 2}}});
  }
  return others;
}

// The pair that breaks a batch clip: what all others vary. Even terms belong to topic 0 alone, odd
// ones to topic 1.
NeighbouringPair BatchAtTheClipNorm() {
  NeighbouringPair pair = {.name = "batch at the clip norm, unit orthogonal to it",
                           .vocabulary_size = kTerms,
                           .others = {{.id = "cat", .owner = "cat", .counts = {{0, 50}}}},
                           .unit = {{.id = "unit", .owner = "unit", .counts = {{1, 500}}}},
                           .log_topics = {},
                           .mechanism = {.sampling_rate = 1,
                                         .noise_multiplier = 1.24,
                                         .histogram_noise_multiplier = 3,
                                         .max_words = 500,
                                         .weights = {}},
                           .clip_norm = 50,
                           .arrives_at_full_length = true};
  for (uint32_t i = 0; i < 2 * kTerms; ++i) {
    pair.log_topics.push_back(i % 2 == i / kTerms ? 0 : -1e4F);
  }
  return pair;
}

class Names {
 public:
  // A pair like the first, among twenty neighbours.
  NeighbouringPair& Add(std::string name) {
    pairs_.push_back(BatchAtTheClipNorm());
    pairs_.back().name = std::move(name);
    pairs_.back().others = Neighbours(20);
    return pairs_.back();
  }
  // One whose unit is one document of those words.
  NeighbouringPair& AddUnit(std::string name, std::vector<lda::TermCount> counts,
                            int64_t max_words = kNoCut) {
    NeighbouringPair& pair = Add(std::move(name));
    pair.unit[0].counts = std::move(counts);
    pair.mechanism.max_words = max_words;
    return pair;
  }
  // One whose unit is sixty documents of one owner.
  void AddOwner(int most_documents) {
    NeighbouringPair& pair = Add(absl::StrCat("an owner of sixty documents, cap ", most_documents));
    pair.privacy_unit = corpus::PrivacyUnit::kOwner;
    pair.max_documents_per_unit = most_documents;
    pair.unit.clear();
    for (uint32_t i = 0; i < 60; ++i) {
      pair.unit.push_back(
          {.id = absl::StrCat("unit-", i), .owner = "unit", .counts = {{i % kTerms, 40 + i}}});
    }
  }
  std::vector<NeighbouringPair> pairs() && { return std::move(pairs_); }

 private:
  std::vector<NeighbouringPair> pairs_ = {BatchAtTheClipNorm()};
};

void AddUnits(Names& names) {
  // Sums that would overflow or lose their last digits.
  names.AddUnit("every term as often as can be", EveryTerm(std::numeric_limits<uint32_t>::max()));
  names.AddUnit("a million words cut to 500", EveryTerm(kManyWords), 500);
  names.AddUnit("sixteen terms alike, twice the clip norm", EveryTerm(25));
  names.AddUnit("one word, exactly the clip norm", {{3, 1}}).clip_norm = 1;
  names.AddUnit("one word", {{3, 1}}).arrives_at_full_length = false;
  names.AddOwner(5);
  names.AddOwner(1000);
  // One more of many alike must move the sum by as much as the first.
  NeighbouringPair& copies = names.Add("twenty copies of the unit");
  for (PlantedDocument& other : copies.others) other.counts = copies.unit[0].counts;
  NeighbouringPair& longer = names.AddUnit("neighbours a thousand times as long", {{1, 500}});
  for (PlantedDocument& other : longer.others) other.counts = EveryTerm(kManyWords);
  // What is read block by block.
  names.Add("six hundred neighbours, three blocks").others = Neighbours(600);
}

void AddEndsOfRanges(Names& names) {
  // Whether the unit is drawn is chance: what it adds may be nothing.
  for (const double rate : {0.5, 1e-12}) {
    NeighbouringPair& pair = names.Add(absl::StrCat("drawn at a rate of ", rate));
    pair.mechanism.sampling_rate = rate;
    pair.arrives_at_full_length = false;
  }
  for (const float value : {0.0F, -1e30F}) {
    NeighbouringPair& pair = names.Add(absl::StrCat("all log topics ", value));
    pair.log_topics.assign(pair.log_topics.size(), value);
  }
  for (const double clip_norm : {mechanism::kMinClipNorm, mechanism::kMaxClipNorm}) {
    NeighbouringPair& pair = names.Add(absl::StrCat("clip norm ", clip_norm));
    pair.clip_norm = clip_norm;
    pair.arrives_at_full_length = clip_norm < 1;
  }
  for (const double sigma : {mechanism::kMinNoiseMultiplier, mechanism::kMaxNoiseMultiplier}) {
    NeighbouringPair& pair = names.Add(absl::StrCat("noise multiplier ", sigma));
    pair.mechanism.noise_multiplier = sigma;
    pair.mechanism.histogram_noise_multiplier = sigma;
  }
  for (const double prior : {1e-6, 1e3}) {  // what the model takes
    NeighbouringPair& pair = names.Add(absl::StrCat("document-topic prior ", prior));
    pair.document_topic_prior = {prior};
    pair.max_e_step_iterations = 1;
    pair.mean_change_threshold = 0;
  }
  NeighbouringPair& weighted = names.AddUnit("term weights at both ends", EveryTerm(30));
  for (uint32_t term = 0; term < kTerms; ++term) {
    weighted.mechanism.weights.push_back(term % 3 == 0 ? mechanism::kMinWeight
                                                       : mechanism::kMaxWeight);
  }
}

}  // namespace

std::vector<NeighbouringPair> PairsByName() {
  Names names;
  AddUnits(names);
  AddEndsOfRanges(names);
  return std::move(names).pairs();
}

NeighbouringPair AlongOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("along topics: ", pair.name);
  pair.direction_noise = 5;
  pair.mechanism.noise_multiplier = std::max(pair.mechanism.noise_multiplier, 1.0);
  // Of documents like their topic the noise covers so much that they are within the clip norm.
  pair.arrives_at_full_length = false;
  return pair;
}

NeighbouringPair EvaluationOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("evaluated: ", pair.name);
  ledger::PaidMechanism& paid = pair.mechanism;
  pair.model = AskedModel::kDocumentCompletion;
  pair.direction_noise = 0;
  paid.held_out_only = true;
  paid.held_out_share = 1;
  paid.weights = {0.02F, 0.1F};  // a typical unit: 50 nats, 10 words
  paid.max_words = std::min<int64_t>(paid.max_words, 100'000);
  pair.arrives_at_full_length = false;
  return pair;
}

namespace {

// Longer documents are at the bound.
constexpr double kWordsOfTheNormBound = 50;

std::vector<float> VectorOf(const std::vector<lda::TermCount>& counts, std::size_t dimension) {
  std::vector<double> numbers(dimension);
  for (const lda::TermCount& word : counts) {
    // Both signs, where there are more terms than dimensions.
    const double sign = word.term / dimension % 2 == 0 ? 1 : -1;
    numbers[word.term % dimension] += sign * word.count;
  }
  std::vector<float> vector(dimension);
  model::ScaleToBound(numbers, kWordsOfTheNormBound, absl::MakeSpan(vector));
  return vector;
}

// Of each component log π, means up to ½ and precisions up to 16 where its topic's words are.
std::vector<float> ParametersOf(const NeighbouringPair& pair, std::size_t dimension) {
  const auto terms = static_cast<std::size_t>(pair.vocabulary_size);
  std::vector<float> parameters;
  for (std::size_t row = 0; row < pair.log_topics.size(); row += terms) {
    parameters.push_back(pair.log_topics[row]);
    for (std::size_t i = 0; i < 2 * dimension; ++i) {
      const float share = std::exp(pair.log_topics[row + i % dimension]);
      parameters.push_back(i < dimension ? share / 2 : 1 + 15 * share);
    }
  }
  return parameters;
}

// As clients weigh it, or those of the pair, over and over.
std::vector<float> VectorWeights(const std::vector<float>& of_pair, std::size_t dimension) {
  std::vector<float> weights(2 * dimension + 1, 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i > dimension) weights[i] = std::sqrt(static_cast<float>(dimension)) / 2;
    if (!of_pair.empty()) weights[i] = of_pair[i % of_pair.size()];
  }
  if (of_pair.empty()) weights[0] = 0.5F;
  return weights;
}

}  // namespace

NeighbouringPair GaussianOf(NeighbouringPair pair) {
  const int most = std::min(pair.vocabulary_size, model::kMaxVectorDimension);
  const auto dimension = static_cast<std::size_t>(most);
  pair.name = absl::StrCat("vectors: ", pair.name);
  for (PlantedDocuments* documents : {&pair.others, &pair.unit}) {
    for (PlantedDocument& document : *documents) {
      document.vector = VectorOf(document.counts, dimension);
      document.counts.clear();
    }
  }
  pair.log_topics = ParametersOf(pair, dimension);
  pair.mechanism.weights = VectorWeights(pair.mechanism.weights, dimension);
  pair.model = AskedModel::kGaussian;
  pair.direction_noise = 0;
  pair.vocabulary_size = most;
  // The numbers have a norm of at most 1, however many words there were.
  pair.clip_norm = std::max(pair.clip_norm / 100, mechanism::kMinClipNorm);
  pair.arrives_at_full_length = false;
  return pair;
}

int NeighbouringPair::rows() const {
  switch (model) {
    case AskedModel::kDocumentCompletion:
    case AskedModel::kMixtureCompletion:
    case AskedModel::kLengths:
      return 1;
    case AskedModel::kPrevalence:
      return std::accumulate(attribute_sizes.begin(), attribute_sizes.end(), 1,
                             std::multiplies<int>());
    default:
      return num_topics();
  }
}

NeighbouringPair PrevalenceOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("prevalence: ", pair.name);
  pair.model = AskedModel::kPrevalence;
  pair.direction_noise = 0;
  pair.attribute_sizes = {3, 2};
  for (PlantedDocuments* documents : {&pair.others, &pair.unit}) {
    for (std::size_t i = 0; i < documents->size(); ++i) {
      (*documents)[i].attributes = {static_cast<uint16_t>(i % 3), static_cast<uint16_t>(i / 3 % 2)};
    }
  }
  // As clients weigh it. A document has a norm of about 1, however many words it has.
  std::vector<float> weights(static_cast<std::size_t>(pair.num_topics()) + 1, 1.0F);
  weights.back() = 0.25F;
  pair.mechanism.weights = std::move(weights);
  pair.clip_norm = std::max(pair.clip_norm / 100, mechanism::kMinClipNorm);
  pair.arrives_at_full_length = false;
  return pair;
}

NeighbouringPair MixtureOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("mixture: ", pair.name);
  std::vector<float> parameters;
  for (std::size_t i = 0; i < pair.log_topics.size(); ++i) {
    parameters.push_back(pair.log_topics[i]);
    const bool ends_row = (i + 1) % static_cast<std::size_t>(pair.vocabulary_size) == 0;
    if (ends_row) parameters.push_back(0);
  }
  pair.log_topics = std::move(parameters);
  pair.model = AskedModel::kMixture;
  pair.direction_noise = 0;
  if (!pair.mechanism.weights.empty()) pair.mechanism.weights.push_back(0.5F);
  return pair;
}

NeighbouringPair MixtureEvaluationOf(NeighbouringPair pair) {
  pair = EvaluationOf(MixtureOf(std::move(pair)));
  pair.model = AskedModel::kMixtureCompletion;
  return pair;
}

}  // namespace topicwall::audit
