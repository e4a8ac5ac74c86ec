#include "server/audit/pairs/production_pairs.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::audit {
namespace {

constexpr int64_t kAnyNumberOfWords = std::numeric_limits<int64_t>::max();
constexpr int kNeighbours = 40;

// `number` terms of V, evenly far apart.
std::vector<lda::TermCount> Spread(uint32_t vocabulary_size, uint32_t number, uint32_t count) {
  std::vector<lda::TermCount> counts;
  const uint32_t stride = vocabulary_size / number;
  for (uint32_t i = 0; i < number; ++i) counts.push_back({i * stride, count});
  return counts;
}

PlantedDocuments Neighbours(int vocabulary_size) {
  PlantedDocuments others;
  const auto terms = static_cast<uint32_t>(vocabulary_size);
  for (uint32_t i = 0; i < kNeighbours; ++i) {
    others.push_back({.id = absl::StrCat("other-", i),
                      .owner = absl::StrCat("owner-", i / 3),
                      .counts = Spread(terms, 50 + 7 * i, i % 5 + 1)});
  }
  others.push_back({.id = "ends", .owner = "ends", .counts = {{0, 9}, {terms - 1, 9}}});
  return others;
}

// Term v belongs to topic v mod K.
std::vector<float> TopicsApart(int num_topics, int vocabulary_size) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(num_topics) * static_cast<std::size_t>(vocabulary_size));
  for (int topic = 0; topic < num_topics; ++topic) {
    for (int term = 0; term < vocabulary_size; ++term) {
      values.push_back(term % num_topics == topic ? 0 : -1e4F);
    }
  }
  return values;
}

NeighbouringPair PairOf(std::string name, int num_topics, int vocabulary_size,
                        std::vector<lda::TermCount> unit) {
  return {.name = absl::StrCat(name, ", K = ", num_topics, ", V = ", vocabulary_size),
          .vocabulary_size = vocabulary_size,
          .others = Neighbours(vocabulary_size),
          .unit = {{.id = "unit", .owner = "unit", .counts = std::move(unit)}},
          .log_topics = TopicsApart(num_topics, vocabulary_size),
          .mechanism = {.sampling_rate = 1,
                        .noise_multiplier = 1.24,
                        .histogram_noise_multiplier = 3,
                        .max_words = kAnyNumberOfWords,
                        .weights = {}},
          .clip_norm = 50,
          .arrives_at_full_length = true};
}

// K·V for which two threads share one matrix, and terms on both sides of 2^15 and 2^16.
NeighbouringPair TermsAtTheEnds() {
  return PairOf(
      "terms at the ends of integers", 128, 65'537,
      {{0, 1000}, {32'767, 1000}, {32'768, 1000}, {65'534, 1000}, {65'535, 1000}, {65'536, 1000}});
}

NeighbouringPair SparseDocument() {
  return PairOf("a sparse document", 100, 50'000, Spread(50'000, 300, 10));
}

// Every word belongs to every topic: half a million entries.
NeighbouringPair EveryTopic() {
  NeighbouringPair pair = PairOf("5,000 terms of every topic, as often as can be", 101, 50'021,
                                 Spread(50'021, 5'000, std::numeric_limits<uint32_t>::max()));
  pair.log_topics.assign(pair.log_topics.size(), -1);
  return pair;
}

NeighbouringPair ManyDocuments() {
  NeighbouringPair pair = PairOf("an owner of sixty documents", 103, 50'000, {});
  pair.privacy_unit = corpus::PrivacyUnit::kOwner;
  pair.max_documents_per_unit = 20;
  pair.unit.clear();
  for (uint32_t i = 0; i < 60; ++i) {
    pair.unit.push_back(
        {.id = absl::StrCat("unit-", i), .owner = "unit", .counts = Spread(50'000, 100 + i, 20)});
  }
  return pair;
}

NeighbouringPair WeightedTerms() {
  NeighbouringPair pair = PairOf("term weights", 100, 50'000, Spread(50'000, 1000, 10));
  for (int term = 0; term < pair.vocabulary_size; ++term) {
    pair.mechanism.weights.push_back(term % 7 == 0 ? mechanism::kMaxWeight : 0.5F);
  }
  return pair;
}

}  // namespace

std::vector<std::function<NeighbouringPair()>> ProductionPairs() {
  return {TermsAtTheEnds, SparseDocument, EveryTopic,
          ManyDocuments,  WeightedTerms,  [] { return EvaluationOf(SparseDocument()); }};
}

}  // namespace topicwall::audit
