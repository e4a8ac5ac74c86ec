#include "server/audit/pairs/neighbouring_pair.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::audit {
namespace {

constexpr int kTerms = 16;  // V
constexpr int kTopics = 2;  // K
constexpr float kNever = -1e4F;
// What the model takes.
constexpr double kLeastPrior = 1e-6;
constexpr double kMostPrior = 1e3;
constexpr uint32_t kManyWords = 1'000'000;

// Even terms belong to topic 0 alone, odd ones to topic 1.
std::vector<float> TopicsApart() {
  std::vector<float> values;
  for (int topic = 0; topic < kTopics; ++topic) {
    for (int term = 0; term < kTerms; ++term) values.push_back(term % 2 == topic ? 0 : kNever);
  }
  return values;
}

PlantedDocuments OneDocument(std::vector<lda::TermCount> counts) {
  return {{.id = "unit", .owner = "unit", .counts = std::move(counts)}};
}

std::vector<lda::TermCount> EveryTerm(uint32_t count) {
  std::vector<lda::TermCount> counts;
  for (uint32_t term = 0; term < kTerms; ++term) counts.push_back({term, count});
  return counts;
}

// Some ordinary neighbours.
PlantedDocuments Neighbours(int documents) {
  PlantedDocuments others;
  for (int i = 0; i < documents; ++i) {
    const auto number = static_cast<uint32_t>(i);
    others.push_back({.id = absl::StrCat("other-", i),
                      .owner = absl::StrCat("owner-", i / 3),
                      .counts = {{number % 7, number % 5 + 1}, {7 + number % 9, 2}}});
  }
  return others;
}

// The pair that breaks a batch clip: what all others vary.
NeighbouringPair BatchAtTheClipNorm() {
  return {.name = "batch at the clip norm, unit orthogonal to it",
          .vocabulary_size = kTerms,
          .others = {{.id = "cat", .owner = "cat", .counts = {{0, 50}}}},
          .unit = OneDocument({{1, 500}}),
          .log_topics = TopicsApart(),
          .mechanism = {.sampling_rate = 1,
                        .noise_multiplier = 1.24,
                        .histogram_noise_multiplier = 3,
                        .max_words = 500,
                        .weights = {}},
          .clip_norm = 50,
          .arrives_at_full_length = true};
}

template <typename Change>
NeighbouringPair Varied(std::string name, Change change) {
  NeighbouringPair pair = BatchAtTheClipNorm();
  pair.name = std::move(name);
  pair.others = Neighbours(20);
  change(pair);
  return pair;
}

// The unit: sixty documents of one owner, of whom `max_documents` count.
void MakeOwner(int max_documents, NeighbouringPair* pair) {
  pair->privacy_unit = corpus::PrivacyUnit::kOwner;
  pair->max_documents_per_unit = max_documents;
  pair->unit.clear();
  for (uint32_t i = 0; i < 60; ++i) {
    pair->unit.push_back(
        {.id = absl::StrCat("unit-", i), .owner = "unit", .counts = {{i % kTerms, 40 + i}}});
  }
}

void AddDocumentsOfUnusualSize(std::vector<NeighbouringPair>* pairs) {
  pairs->push_back(Varied("a million words of one term", [](NeighbouringPair& pair) {
    pair.unit = OneDocument({{3, kManyWords}});
    pair.mechanism.max_words = std::numeric_limits<int64_t>::max();
  }));
  pairs->push_back(Varied("every term as often as can be", [](NeighbouringPair& pair) {
    pair.unit = OneDocument(EveryTerm(std::numeric_limits<uint32_t>::max()));
    pair.mechanism.max_words = std::numeric_limits<int64_t>::max();
  }));
  pairs->push_back(Varied("a million words cut to 500", [](NeighbouringPair& pair) {
    pair.unit = OneDocument(EveryTerm(kManyWords));
  }));
  pairs->push_back(Varied("one word", [](NeighbouringPair& pair) {
    pair.unit = OneDocument({{3, 1}});
    pair.arrives_at_full_length = false;
  }));
  pairs->push_back(Varied("one word, exactly the clip norm", [](NeighbouringPair& pair) {
    pair.unit = OneDocument({{3, 1}});
    pair.clip_norm = 1;
  }));
  pairs->push_back(Varied("sixteen terms alike, twice the clip norm",
                          [](NeighbouringPair& pair) { pair.unit = OneDocument(EveryTerm(25)); }));
  pairs->push_back(Varied("an owner of sixty documents, cap five",
                          [](NeighbouringPair& pair) { MakeOwner(/*max_documents=*/5, &pair); }));
  pairs->push_back(Varied("an owner of sixty documents, no cap", [](NeighbouringPair& pair) {
    MakeOwner(/*max_documents=*/1000, &pair);
  }));
}

void AddNeighbourhoods(std::vector<NeighbouringPair>* pairs) {
  pairs->push_back(Varied("twenty copies of the unit", [](NeighbouringPair& pair) {
    for (PlantedDocument& other : pair.others) other.counts = pair.unit[0].counts;
  }));
  pairs->push_back(Varied("neighbours a thousand times as long", [](NeighbouringPair& pair) {
    for (PlantedDocument& other : pair.others) other.counts = EveryTerm(kManyWords);
    pair.mechanism.max_words = std::numeric_limits<int64_t>::max();
  }));
  pairs->push_back(Varied("six hundred neighbours, three blocks",
                          [](NeighbouringPair& pair) { pair.others = Neighbours(600); }));
  pairs->push_back(Varied("half of all drawn, by the same coins", [](NeighbouringPair& pair) {
    pair.mechanism.sampling_rate = 0.5;
    pair.arrives_at_full_length = false;
  }));
  pairs->push_back(Varied("nobody drawn", [](NeighbouringPair& pair) {
    pair.mechanism.sampling_rate = 1e-12;
    pair.arrives_at_full_length = false;
  }));
}

void AddEndsOfRanges(std::vector<NeighbouringPair>* pairs) {
  for (const float value : {0.0F, kNever, -1e30F}) {
    pairs->push_back(Varied(absl::StrCat("all log topics ", value), [&](NeighbouringPair& pair) {
      pair.log_topics.assign(pair.log_topics.size(), value);
    }));
  }
  for (const double clip_norm : {mechanism::kMinClipNorm, mechanism::kMaxClipNorm}) {
    pairs->push_back(Varied(absl::StrCat("clip norm ", clip_norm), [&](NeighbouringPair& pair) {
      pair.clip_norm = clip_norm;
      pair.arrives_at_full_length = clip_norm < 1;
    }));
  }
  for (const double sigma : {mechanism::kMinNoiseMultiplier, mechanism::kMaxNoiseMultiplier}) {
    pairs->push_back(Varied(absl::StrCat("noise multiplier ", sigma), [&](NeighbouringPair& pair) {
      pair.mechanism.noise_multiplier = sigma;
      pair.mechanism.histogram_noise_multiplier = sigma;
    }));
  }
  pairs->push_back(Varied("term weights at both ends", [](NeighbouringPair& pair) {
    pair.unit = OneDocument(EveryTerm(30));
    for (int term = 0; term < kTerms; ++term) {
      pair.mechanism.weights.push_back(term % 3 == 0 ? mechanism::kMinWeight
                                                     : mechanism::kMaxWeight);
    }
  }));
  for (const double prior : {kLeastPrior, kMostPrior}) {
    pairs->push_back(
        Varied(absl::StrCat("document-topic prior ", prior), [&](NeighbouringPair& pair) {
          pair.document_topic_prior = {prior};
          pair.max_e_step_iterations = 1;
          pair.mean_change_threshold = 0;
        }));
  }
}

}  // namespace

std::vector<NeighbouringPair> PairsByName() {
  std::vector<NeighbouringPair> pairs = {BatchAtTheClipNorm()};
  AddDocumentsOfUnusualSize(&pairs);
  AddNeighbourhoods(&pairs);
  AddEndsOfRanges(&pairs);
  return pairs;
}

NeighbouringPair EvaluationOf(NeighbouringPair pair) {
  pair.name = absl::StrCat("evaluated: ", pair.name);
  ledger::PaidMechanism& paid = pair.mechanism;
  pair.evaluates = true;
  paid.held_out_only = true;
  paid.held_out_share = 1;
  paid.weights = {0.02F, 0.1F};  // a typical unit: 50 nats, 10 words
  paid.max_words = std::min<int64_t>(paid.max_words, 100'000);
  pair.arrives_at_full_length = false;
  return pair;
}

}  // namespace topicwall::audit
