#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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
    pair.privacy_unit = v1::PRIVACY_UNIT_OWNER;
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

}  // namespace topicwall::audit
