#include "server/audit/pairs/pair_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::audit {
namespace {

constexpr int kMostDocuments = 12;
// Of a document, about.
constexpr uint64_t kMostTerms = 2000;

}  // namespace

double PairSearch::LogUniform(double low, double high) {
  return std::min(high, low * std::pow(high / low, Uniform()));
}

// A few terms, or all of a small vocabulary; once each, as in a text, or as often as can be.
std::vector<lda::TermCount> PairSearch::Counts(int vocabulary_size) {
  const uint64_t most = OneOf<uint64_t>({1, 8, 1000, std::numeric_limits<uint32_t>::max()});
  const auto terms = static_cast<uint64_t>(vocabulary_size);
  const uint64_t one_in = OneOf<uint64_t>({1, 3, 12}) * (terms / kMostTerms + 1);
  std::vector<lda::TermCount> counts;
  for (int term = 0; term < vocabulary_size; ++term) {
    if (!OneIn(one_in)) continue;
    const auto count = static_cast<uint32_t>(OneIn(3) ? most : stream_.NextBelow(most) + 1);
    counts.push_back({static_cast<uint32_t>(term), count});
  }
  if (counts.empty()) {
    counts.push_back(
        {static_cast<uint32_t>(stream_.NextBelow(terms)), static_cast<uint32_t>(most)});
  }
  return counts;
}

void PairSearch::ChooseOthers(NeighbouringPair* pair) {
  pair->others.clear();
  const uint64_t documents = stream_.NextBelow(kMostDocuments) + 1;
  for (uint64_t i = 0; i < documents; ++i) {
    pair->others.push_back({.id = absl::StrCat("other-", i),
                            .owner = absl::StrCat("owner-", i / 2),
                            .counts = Counts(pair->vocabulary_size)});
  }
}

void PairSearch::ChooseUnit(NeighbouringPair* pair) {
  pair->unit.clear();
  pair->privacy_unit = OneIn(3) ? corpus::PrivacyUnit::kOwner : corpus::PrivacyUnit::kDocument;
  const bool owner = pair->privacy_unit == corpus::PrivacyUnit::kOwner;
  const uint64_t documents = owner ? stream_.NextBelow(kMostDocuments) + 1 : 1;
  pair->max_documents_per_unit = OneOf<int64_t>({1, 3, 100});
  for (uint64_t i = 0; i < documents; ++i) {
    pair->unit.push_back(
        {.id = absl::StrCat("unit-", i), .owner = "unit", .counts = Counts(pair->vocabulary_size)});
  }
}

void PairSearch::ChooseTopics(NeighbouringPair* pair) {
  const auto num_topics = static_cast<std::size_t>(pair->num_topics());
  const std::size_t entries = num_topics * static_cast<std::size_t>(pair->vocabulary_size);
  const double deepest = OneOf({0.0, 10.0, 1e4, 1e30});
  pair->log_topics.clear();
  for (std::size_t i = 0; i < entries; ++i) {
    pair->log_topics.push_back(OneIn(3) ? 0 : static_cast<float>(-deepest * Uniform()));
  }
  std::vector<double> prior(OneIn(2) ? num_topics : 1);
  for (double& alpha : prior) alpha = LogUniform(1e-6, 1e3);
  pair->document_topic_prior = {prior.begin(), prior.end()};
  pair->max_e_step_iterations = OneOf({1, 10, 100});
  pair->mean_change_threshold = OneOf({0.0, 1e-3, 1.0});
}

void PairSearch::ChooseMechanism(NeighbouringPair* pair) {
  ledger::PaidMechanism& paid = pair->mechanism;
  paid.sampling_rate = OneOf({1.0, 1.0, 0.9, 0.5});
  paid.noise_multiplier = LogUniform(OneIn(8) ? mechanism::kMinNoiseMultiplier : 0.25,
                                     OneIn(8) ? mechanism::kMaxNoiseMultiplier : 64);
  paid.histogram_noise_multiplier = std::nullopt;
  if (OneIn(2)) paid.histogram_noise_multiplier = LogUniform(0.5, 1000);
  paid.max_words = OneOf<int64_t>({1, 10, 500, std::numeric_limits<int64_t>::max()});
  pair->clip_norm =
      OneIn(2) ? LogUniform(1, 1000) : LogUniform(mechanism::kMinClipNorm, mechanism::kMaxClipNorm);
  paid.weights.clear();
  if (OneIn(2)) return;
  const bool ends = OneIn(2);
  for (int term = 0; term < pair->vocabulary_size; ++term) {
    const double weight = ends ? OneOf<double>({mechanism::kMinWeight, 1, mechanism::kMaxWeight})
                               : LogUniform(0.1, 10);
    paid.weights.push_back(static_cast<float>(weight));
  }
}

NeighbouringPair PairSearch::Random() {
  NeighbouringPair pair = {};
  pair.name = absl::StrCat("made up, number ", ++made_);
  pair.vocabulary_size = Between(shapes_.min_terms, shapes_.max_terms);
  pair.log_topics.resize(static_cast<std::size_t>(pair.vocabulary_size) *
                         static_cast<std::size_t>(Between(shapes_.min_topics, shapes_.max_topics)));
  ChooseOthers(&pair);
  ChooseUnit(&pair);
  ChooseTopics(&pair);
  ChooseMechanism(&pair);
  return pair;
}

NeighbouringPair PairSearch::Varied(NeighbouringPair pair) {
  pair.name = absl::StrCat("made up, number ", ++made_);
  pair.arrives_at_full_length = false;
  switch (stream_.NextBelow(4)) {
    case 0:
      ChooseOthers(&pair);
      break;
    case 1:
      ChooseUnit(&pair);
      break;
    case 2:
      ChooseTopics(&pair);
      break;
    default:
      ChooseMechanism(&pair);
  }
  return pair;
}

}  // namespace topicwall::audit
