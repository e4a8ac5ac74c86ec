// In three loops over threads. FitBand: for each octave of p, how likely every ratio R_j made each
// entry, and from that by EM the types of its terms (prior/term_types.h). FindTypes: how probable
// each type is for a term, by all its entries. DenoiseTopic: what the entries of a topic say of
// their ratios, each by itself and its term's types (its belief); then of each term what its
// related ones say of it (prior/term_couplings.h), and the posterior, which is a mixture over
// ratios of truncated normals (prior/truncated_normal.h).
#include "model/lda/denoise/noise_denoiser.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/threads/for_each_block.h"
#include "model/lda/denoise/prior/entry_mixture.h"
#include "model/lda/denoise/prior/term_couplings.h"
#include "model/lda/denoise/prior/term_types.h"

namespace topicwall::lda {
namespace {

constexpr int kMostTypes = 16;
// EM looks at no more entries of a band than this, of terms at even distances.
constexpr size_t kMostEntriesOfBand = size_t{1} << 14;
// And at no more pairs of entries of a kind of relation, of pairs of terms at even distances.
constexpr size_t kMostPairsOfKind = size_t{1} << 14;
constexpr int kCouplingIterations = 8;
// Terms whose types a thread finds at a time.
constexpr size_t kTermsPerBlock = 64;

absl::Status CheckOptions(const DenoiserOptions& options) {
  if (options.ratios.empty() || options.ratios.size() > kMostRatios) {
    return absl::InvalidArgumentError(
        absl::StrCat("ratios must be 1 to ", kMostRatios, " numbers; got ", options.ratios.size()));
  }
  double before = 0;
  for (const double ratio : options.ratios) {
    if (!(ratio >= 1e-6 && ratio <= 1e6 && ratio > before)) {
      return absl::InvalidArgumentError(
          absl::StrCat("ratios must rise and be in [1e-6, 1e6]; got ", ratio));
    }
    before = ratio;
  }
  if (options.num_term_types < 1 || options.num_term_types > kMostTypes) {
    return absl::InvalidArgumentError(absl::StrCat("num_term_types must be in [1, ", kMostTypes,
                                                   "]; got ", options.num_term_types));
  }
  if (options.em_iterations >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("em_iterations must be at least 0; got ", options.em_iterations));
}

// M_k, at least a tenth of the average topic's and at least the noise of all of them.
// A topic that was drowned has a mass near 0 or below, at which every ratio would stand for
// nothing: the floor gives it the size of a small topic, and the data may say otherwise.
std::vector<double> FlooredMasses(const NoisyTopics& noisy) {
  std::vector<double> masses = TopicMasses(noisy);
  double total = 0, variance = noisy.num_topics * MassVariance(noisy);
  for (const double mass : masses) total += std::max(mass, 0.0);
  for (const float m : noisy.mass_deviations) variance += double{m} * m;
  total = std::max(total, std::sqrt(variance));
  for (double& mass : masses) mass = std::max(mass, 0.1 * total / noisy.num_topics);
  return masses;
}

// The terms of each octave of p_v.
class Bands {
 public:
  explicit Bands(absl::Span<const double> probabilities) : band_of_(probabilities.size()) {
    int lowest = 0;  // std::ilogb is exact
    for (const double p : probabilities) lowest = std::min(lowest, std::ilogb(p));
    terms_.resize(static_cast<size_t>(1 - lowest));
    for (size_t v = 0; v < probabilities.size(); ++v) {
      band_of_[v] = static_cast<size_t>(std::ilogb(probabilities[v]) - lowest);
      terms_[band_of_[v]].push_back(v);
    }
  }

  size_t size() const { return terms_.size(); }
  const std::vector<size_t>& terms(size_t band) const { return terms_[band]; }
  size_t band_of(size_t term) const { return band_of_[term]; }

 private:
  std::vector<size_t> band_of_;
  std::vector<std::vector<size_t>> terms_;
};

class Denoiser {
 public:
  Denoiser(const NoisyTopics& noisy, absl::Span<const double> probabilities,
           const DenoiserOptions& options)
      : noisy_(noisy),
        probabilities_(probabilities),
        options_(options),
        mixture_(options.ratios),
        masses_(FlooredMasses(noisy)),
        bands_(probabilities),
        relations_(options.related_terms, probabilities.size()),
        types_(bands_.size()),
        types_of_(probabilities.size()) {}

  size_t num_bands() const { return bands_.size(); }

  // Finds the types of one band. Bands know nothing of each other.
  void FitBand(size_t band) {
    const std::vector<size_t>& terms = bands_.terms(band);
    // Every stride-th term with all its topics, not every stride-th entry: types are seen in whole
    // columns.
    const size_t stride = terms.size() * masses_.size() / kMostEntriesOfBand + 1;
    EntryLikelihoods likelihoods = {
        .num_topics = masses_.size(), .num_ratios = mixture_.size(), .values = {}};
    std::vector<float> column;
    for (size_t t = 0; t < terms.size(); t += stride) {
      if (!IsNoisy(terms[t])) continue;
      ReadColumn(terms[t], &column);
      likelihoods.values.insert(likelihoods.values.end(), column.begin(), column.end());
    }
    types_[band].emplace(TermTypes::Fit(likelihoods, mixture_.log_ratios(), options_.num_term_types,
                                        options_.em_iterations));
  }

  // How probable each type is for the terms begin … end.
  void FindTypes(size_t begin, size_t end) {
    std::vector<float> column;
    for (size_t v = begin; v < end; ++v) {
      if (!IsNoisy(v)) continue;
      ReadColumn(v, &column);
      TypesOf(v).Posterior(column, &types_of_[v]);
    }
  }

  // Of each kind of relation, from pairs at even distances in all topics.
  void FitCouplings() {
    CouplingSamples samples(mixture_.size());
    size_t pairs_of[kKindsOfRelation] = {}, seen[kKindsOfRelation] = {};
    for (const RelatedPair& pair : options_.related_terms) ++pairs_of[pair.kind];
    std::vector<double> one(mixture_.size()), other(mixture_.size());
    TruncatedNormal components[kMostRatios];
    for (const RelatedPair& pair : options_.related_terms) {
      const size_t stride = pairs_of[pair.kind] * masses_.size() / kMostPairsOfKind + 1;
      if (seen[pair.kind]++ % stride != 0 || !IsNoisy(pair.first) || !IsNoisy(pair.second))
        continue;
      for (size_t k = 0; k < masses_.size(); ++k) {
        Believe(k, pair.first, absl::MakeSpan(one), components);
        Believe(k, pair.second, absl::MakeSpan(other), components);
        samples.Add(pair.kind, one, other);
      }
    }
    couplings_ = TermCouplings::Fit(samples, kCouplingIterations);
  }

  // All terms of one topic.
  void DenoiseTopic(size_t topic, DenoisedTopics* denoised) const {
    const size_t terms = probabilities_.size(), ratios = mixture_.size();
    std::vector<double> beliefs(terms * ratios);
    std::vector<TruncatedNormal> components(terms * ratios);
    for (size_t v = 0; v < terms; ++v) {
      if (!IsNoisy(v)) continue;
      Believe(topic, v, absl::MakeSpan(beliefs).subspan(v * ratios, ratios),
              components.data() + v * ratios);
    }
    for (size_t v = 0; v < terms; ++v) {
      const size_t i = topic * terms + v;
      if (!IsNoisy(v)) {  // exactly known
        denoised->means[i] = std::max(noisy_.values[i], 0.0f);
        continue;
      }
      double shares[kMostRatios];
      std::copy_n(beliefs.data() + v * ratios, ratios, shares);
      HearRelatedTerms(v, beliefs, absl::MakeSpan(shares, ratios));
      const Moments moments = PosteriorOf(absl::MakeSpan(shares, ratios), &components[v * ratios]);
      const double tau = noisy_.noise_deviations[v];
      denoised->means[i] = static_cast<float>(tau * moments.mean);
      denoised->deviations[i] = static_cast<float>(tau * moments.deviation);
    }
  }

 private:
  struct Moments {  // in noise deviations
    double mean;
    double deviation;
  };

  bool IsNoisy(size_t term) const { return noisy_.noise_deviations[term] > 0; }
  const TermTypes& TypesOf(size_t term) const { return *types_[bands_.band_of(term)]; }

  void ReadEntry(size_t topic, size_t term, float* likelihoods, TruncatedNormal* components) const {
    mixture_.Read({.y = noisy_.values[topic * probabilities_.size() + term],
                   .tau = noisy_.noise_deviations[term],
                   .base = masses_[topic] * probabilities_[term]},
                  likelihoods, components);
  }

  // Replaces *likelihoods by those of the term's entries: K×J.
  void ReadColumn(size_t term, std::vector<float>* likelihoods) const {
    TruncatedNormal components[kMostRatios];
    likelihoods->resize(masses_.size() * mixture_.size());
    for (size_t k = 0; k < masses_.size(); ++k) {
      ReadEntry(k, term, likelihoods->data() + k * mixture_.size(), components);
    }
  }

  // P(ratio | its entry, its term's types).
  void Believe(size_t topic, size_t term, absl::Span<double> belief,
               TruncatedNormal* components) const {
    float likelihoods[kMostRatios];
    ReadEntry(topic, term, likelihoods, components);
    const TermTypes& types = TypesOf(term);
    std::fill(belief.begin(), belief.end(), 0.0);
    for (size_t s = 0; s < types.num_types(); ++s) {
      const absl::Span<const double> weights = types.weights(s);
      double sum = 0;
      for (size_t j = 0; j < belief.size(); ++j) sum += weights[j] * likelihoods[j];
      for (size_t j = 0; j < belief.size(); ++j) {
        // P(type | column)·P(ratio | type, entry). The type's posterior already contains this
        // entry, once.
        belief[j] += types_of_[term][s] / sum * weights[j] * likelihoods[j];
      }
    }
  }

  // shares ← shares·message, with a sum of 1.
  void HearRelatedTerms(size_t term, const std::vector<double>& beliefs,
                        absl::Span<double> shares) const {
    bool heard = false;
    for (const RelationsOfTerms::Relation& relation : relations_.of(term)) {
      if (!IsNoisy(relation.term)) continue;
      couplings_->Multiply(
          relation.kind,
          absl::MakeConstSpan(beliefs).subspan(relation.term * shares.size(), shares.size()),
          shares);
      heard = true;
    }
    if (!heard) return;
    double sum = 0;
    for (const double share : shares) sum += share;
    for (double& share : shares) share /= sum;
  }

  static Moments PosteriorOf(absl::Span<const double> shares, const TruncatedNormal* of) {
    double mean = 0, variance = 0;  // within components and between them
    for (size_t j = 0; j < shares.size(); ++j) mean += shares[j] * of[j].mean;
    for (size_t j = 0; j < shares.size(); ++j) {
      const double off = of[j].mean - mean;
      variance += shares[j] * (of[j].variance + off * off);
    }
    return {.mean = mean, .deviation = std::sqrt(variance)};
  }

  const NoisyTopics& noisy_;
  const absl::Span<const double> probabilities_;
  const DenoiserOptions& options_;
  const EntryMixture mixture_;
  const std::vector<double> masses_;
  const Bands bands_;
  const RelationsOfTerms relations_;
  std::vector<std::optional<TermTypes>> types_;  // by band
  std::vector<std::vector<double>> types_of_;    // by term: S
  std::optional<TermCouplings> couplings_;
};

}  // namespace

absl::StatusOr<DenoisedTopics> Denoise(const NoisyTopics& noisy,
                                       absl::Span<const double> term_probabilities,
                                       const DenoiserOptions& options) {
  for (const absl::Status& status :
       {CheckNoisyTopics(noisy), CheckTermProbabilities(term_probabilities, noisy.vocabulary_size),
        CheckOptions(options), CheckRelatedTerms(options.related_terms, noisy.vocabulary_size)}) {
    if (!status.ok()) return status;
  }
  Denoiser denoiser(noisy, term_probabilities, options);
  ForEachBlock(denoiser.num_bands(), options.num_threads,
               [&](size_t band, size_t) { denoiser.FitBand(band); });
  const size_t terms = term_probabilities.size();
  ForEachBlock((terms + kTermsPerBlock - 1) / kTermsPerBlock, options.num_threads,
               [&](size_t block, size_t) {
                 const size_t begin = block * kTermsPerBlock;
                 denoiser.FindTypes(begin, std::min(terms, begin + kTermsPerBlock));
               });
  denoiser.FitCouplings();
  DenoisedTopics denoised;
  denoised.means.resize(noisy.values.size());
  denoised.deviations.resize(noisy.values.size());
  ForEachBlock(static_cast<size_t>(noisy.num_topics), options.num_threads,
               [&](size_t topic, size_t) { denoiser.DenoiseTopic(topic, &denoised); });
  return denoised;
}

}  // namespace topicwall::lda
