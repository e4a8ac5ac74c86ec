#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>

#include "absl/strings/str_cat.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::audit {
namespace {

constexpr int kMostDocuments = 12;
constexpr uint64_t kMostTerms = 2000;  // of a document, about

class Maker {
 public:
  explicit Maker(random::Keystream& choices) : choices_(choices) {}

  double Uniform() { return static_cast<double>(choices_.NextBits(53)) * 0x1p-53; }
  bool OneIn(uint64_t n) { return choices_.NextBelow(n) == 0; }
  int Between(int low, int high) {
    return low + static_cast<int>(choices_.NextBelow(static_cast<uint64_t>(high - low) + 1));
  }
  // The power may round to just above `high`, which may be the end of a valid range.
  double LogUniform(double low, double high) {
    return std::min(high, low * std::pow(high / low, Uniform()));
  }
  template <typename Value>
  Value OneOf(std::initializer_list<Value> values) {
    return *(values.begin() + choices_.NextBelow(values.size()));
  }

  // A few terms, or all of a small vocabulary; once each, as in a text, or as often as can be.
  std::vector<lda::TermCount> Counts(int vocabulary_size) {
    // By sizes apart in kind: a uniform count would hardly ever be small.
    const uint64_t most = OneOf<uint64_t>({1, 8, 1000, std::numeric_limits<uint32_t>::max()});
    const auto terms = static_cast<uint64_t>(vocabulary_size);
    const uint64_t one_in = OneOf<uint64_t>({1, 3, 12}) * (terms / kMostTerms + 1);
    std::vector<lda::TermCount> counts;
    for (uint32_t term = 0; term < terms; ++term) {
      if (!OneIn(one_in)) continue;
      counts.push_back(
          {term, static_cast<uint32_t>(OneIn(3) ? most : choices_.NextBelow(most) + 1)});
    }
    if (counts.empty()) counts.push_back({0, static_cast<uint32_t>(most)});
    return counts;
  }

 private:
  random::Keystream& choices_;
};

void ChooseDocuments(Maker& maker, NeighbouringPair* pair) {
  const int others = maker.Between(1, kMostDocuments);
  for (int i = 0; i < others; ++i) {
    pair->others.push_back({.id = absl::StrCat("other-", i),
                            .owner = absl::StrCat("owner-", i / 2),
                            .counts = maker.Counts(pair->vocabulary_size)});
  }
  const bool owner = maker.OneIn(3);
  pair->privacy_unit = owner ? v1::PRIVACY_UNIT_OWNER : v1::PRIVACY_UNIT_DOCUMENT;
  pair->max_documents_per_unit = maker.OneOf<int64_t>({1, 3, 100});
  const int documents = owner ? maker.Between(1, kMostDocuments) : 1;
  for (int i = 0; i < documents; ++i) {
    pair->unit.push_back({.id = absl::StrCat("unit-", i),
                          .owner = "unit",
                          .counts = maker.Counts(pair->vocabulary_size)});
  }
}

void ChooseTopics(int num_topics, Maker& maker, NeighbouringPair* pair) {
  // From topics that are all alike to words that a topic cannot have.
  const double deepest = maker.OneOf({0.0, 10.0, 1e4, 1e30});
  for (int i = 0; i < num_topics * pair->vocabulary_size; ++i) {
    pair->log_topics.push_back(maker.OneIn(3) ? 0 : static_cast<float>(-deepest * maker.Uniform()));
  }
  pair->document_topic_prior.resize(maker.OneIn(2) ? static_cast<std::size_t>(num_topics) : 1);
  for (double& alpha : pair->document_topic_prior) alpha = maker.LogUniform(1e-6, 1e3);
  pair->max_e_step_iterations = maker.OneOf({1, 10, 100});
  pair->mean_change_threshold = maker.OneOf({0.0, 1e-3, 1.0});
}

void ChooseMechanism(Maker& maker, NeighbouringPair* pair) {
  ledger::PaidMechanism& paid = pair->mechanism;
  // Not small: a unit that is not drawn moves nothing, and the pair has tried nothing.
  paid.sampling_rate = maker.OneOf({1.0, 1.0, 0.9, 0.5});
  paid.noise_multiplier = maker.LogUniform(maker.OneIn(8) ? mechanism::kMinNoiseMultiplier : 0.25,
                                           maker.OneIn(8) ? mechanism::kMaxNoiseMultiplier : 64);
  if (maker.OneIn(2)) paid.histogram_noise_multiplier = maker.LogUniform(0.5, 1000);
  paid.max_words = maker.OneOf<int64_t>({1, 10, 500, std::numeric_limits<int64_t>::max()});
  pair->clip_norm = maker.OneIn(2)
                        ? maker.LogUniform(1, 1000)
                        : maker.LogUniform(mechanism::kMinClipNorm, mechanism::kMaxClipNorm);
  if (paid.noise_multiplier >= 1 && maker.OneIn(3)) {
    pair->direction_noise =
        maker.LogUniform(mechanism::kMinDirectionNoise, mechanism::kMaxDirectionNoise);
  }
  if (maker.OneIn(2)) return;
  // Weights at both ends of what a client may send, side by side, or ordinary ones.
  const bool ends = maker.OneIn(2);
  for (int term = 0; term < pair->vocabulary_size; ++term) {
    paid.weights.push_back(static_cast<float>(
        ends ? maker.OneOf<double>({mechanism::kMinWeight, 1, mechanism::kMaxWeight})
             : maker.LogUniform(0.1, 10)));
  }
}

}  // namespace

NeighbouringPair MakeUpPair(const PairShapes& shapes, random::Keystream& choices) {
  Maker maker(choices);
  NeighbouringPair pair = {};
  pair.name = "made up";
  pair.vocabulary_size = maker.Between(shapes.min_terms, shapes.max_terms);
  ChooseDocuments(maker, &pair);
  ChooseTopics(maker.Between(shapes.min_topics, shapes.max_topics), maker, &pair);
  ChooseMechanism(maker, &pair);
  return pair;
}

}  // namespace topicwall::audit
