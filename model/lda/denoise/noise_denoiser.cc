// In three loops over threads. FitBand: for each octave of p, how likely every ratio R_j made each
// entry, and from that by EM the types of its terms (prior/term_types.h). FitCoupling: how much
// terms that are related in one way have in common (prior/term_coupling.h). DenoiseFamilies: how
// probable each type is for a term, by all its entries; what an entry says of its ratio by itself
// and its term's types (its belief); what those of the related ones say of it; and the posterior,
// which is a mixture over ratios of truncated normals (prior/truncated_normal.h). A family is all
// that has to be read together.
#include "model/lda/denoise/noise_denoiser.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/lda/denoise/prior/entry_mixture.h"
#include "model/lda/denoise/prior/term_coupling.h"
#include "model/lda/denoise/prior/term_types.h"

namespace topicwall::lda {
namespace {

constexpr int kMostTypes = 16;
// EM looks at no more entries of a band than this, of terms at even distances.
constexpr size_t kMostEntriesOfBand = size_t{1} << 14;
// And at no more pairs of entries of a kind of relation, of pairs of terms at even distances.
constexpr size_t kMostPairsOfKind = size_t{1} << 14;
constexpr int kCouplingIterations = 8;
// That a thread denoises at a time.
constexpr size_t kFamiliesPerBlock = 32;

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

// A term's entries, one for each topic, as they were read.
struct Column {
  std::vector<float> likelihoods;           // K×J
  std::vector<TruncatedNormal> components;  // K×J
  std::vector<double> types;                // S: how probable they are
  std::vector<double> belief;  // J, in one topic: P(ratio | its entry, its term's types)
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
        couplings_(kKindsOfRelation) {}

  size_t num_bands() const { return bands_.size(); }
  size_t num_families() const { return relations_.families().size(); }

  // Finds the types of one band. Bands know nothing of each other.
  void FitBand(size_t band) {
    const std::vector<size_t>& terms = bands_.terms(band);
    // Every stride-th term with all its topics, not every stride-th entry: types are seen in whole
    // columns.
    const size_t stride = terms.size() * masses_.size() / kMostEntriesOfBand + 1;
    EntryLikelihoods likelihoods = {
        .num_topics = masses_.size(), .num_ratios = mixture_.size(), .values = {}};
    Column column;
    for (size_t t = 0; t < terms.size(); t += stride) {
      if (!IsNoisy(terms[t])) continue;
      ReadColumn(terms[t], &column);
      likelihoods.values.insert(likelihoods.values.end(), column.likelihoods.begin(),
                                column.likelihoods.end());
    }
    types_[band].emplace(TermTypes::Fit(likelihoods, mixture_.log_ratios(), options_.num_term_types,
                                        options_.em_iterations));
  }

  // Of one kind of relation, from pairs at even distances in all topics. After all bands.
  void FitCoupling(size_t kind) {
    std::vector<RelatedPair> pairs;
    absl::c_copy_if(options_.related_terms, std::back_inserter(pairs),
                    [kind](const RelatedPair& pair) { return pair.kind == kind; });
    const size_t stride = pairs.size() * masses_.size() / kMostPairsOfKind + 1;
    CouplingSamples samples(mixture_.size());
    Column one, other;
    for (size_t i = 0; i < pairs.size(); i += stride) {
      if (!IsNoisy(pairs[i].first) || !IsNoisy(pairs[i].second)) continue;
      ReadTerm(pairs[i].first, &one);
      ReadTerm(pairs[i].second, &other);
      for (size_t k = 0; k < masses_.size(); ++k) {
        Believe(pairs[i].first, k, &one);
        Believe(pairs[i].second, k, &other);
        samples.Add(one.belief, other.belief);
      }
    }
    couplings_[kind].emplace(TermCoupling::Fit(samples, kCouplingIterations));
  }

  // All topics of the families begin … end. After all couplings.
  void DenoiseFamilies(size_t begin, size_t end, DenoisedTopics* denoised) const {
    std::vector<Column> columns(kMostOfAFamily);
    for (size_t i = begin; i < end; ++i) {
      const std::vector<uint32_t>& family = relations_.families()[i];
      for (size_t f = 0; f < family.size(); ++f) {
        if (IsNoisy(family[f])) ReadTerm(family[f], &columns[f]);
      }
      for (size_t k = 0; k < masses_.size(); ++k) {
        for (size_t f = 0; f < family.size(); ++f) {
          if (IsNoisy(family[f])) Believe(family[f], k, &columns[f]);
        }
        for (size_t f = 0; f < family.size(); ++f) DenoiseEntry(k, family, f, columns, denoised);
      }
    }
  }

 private:
  struct Moments {  // in noise deviations
    double mean;
    double deviation;
  };

  bool IsNoisy(size_t term) const { return noisy_.noise_deviations[term] > 0; }
  const TermTypes& TypesOf(size_t term) const { return *types_[bands_.band_of(term)]; }

  // Replaces likelihoods and components by those of the term's entries.
  void ReadColumn(size_t term, Column* column) const {
    const size_t ratios = mixture_.size();
    column->likelihoods.resize(masses_.size() * ratios);
    column->components.resize(masses_.size() * ratios);
    for (size_t k = 0; k < masses_.size(); ++k) {
      mixture_.Read({.y = noisy_.values[k * probabilities_.size() + term],
                     .tau = noisy_.noise_deviations[term],
                     .base = masses_[k] * probabilities_[term]},
                    &column->likelihoods[k * ratios], &column->components[k * ratios]);
    }
  }

  // The whole column.
  void ReadTerm(size_t term, Column* column) const {
    ReadColumn(term, column);
    TypesOf(term).Posterior(column->likelihoods, &column->types);
  }

  void Believe(size_t term, size_t topic, Column* column) const {
    column->belief.resize(mixture_.size());
    TypesOf(term).Believe(column->types, &column->likelihoods[topic * mixture_.size()],
                          absl::MakeSpan(column->belief));
  }

  // The f-th of a family whose beliefs in this topic are known.
  void DenoiseEntry(size_t topic, absl::Span<const uint32_t> family, size_t f,
                    absl::Span<const Column> columns, DenoisedTopics* denoised) const {
    const size_t i = topic * probabilities_.size() + family[f];
    if (!IsNoisy(family[f])) {  // exactly known
      denoised->means[i] = std::max(noisy_.values[i], 0.0f);
      return;
    }
    double room[kMostRatios];
    const absl::Span<double> shares(room, mixture_.size());
    absl::c_copy(columns[f].belief, shares.begin());
    HearRelatedTerms(family, f, columns, shares);
    const Moments moments = PosteriorOf(shares, &columns[f].components[topic * shares.size()]);
    const double tau = noisy_.noise_deviations[family[f]];
    denoised->means[i] = static_cast<float>(tau * moments.mean);
    denoised->deviations[i] = static_cast<float>(tau * moments.deviation);
  }

  // shares ← shares·message, with a sum of 1.
  void HearRelatedTerms(absl::Span<const uint32_t> family, size_t f,
                        absl::Span<const Column> columns, absl::Span<double> shares) const {
    bool heard = false;
    for (const RelationsOfTerms::Relation& relation : relations_.of(family[f])) {
      if (!IsNoisy(family[relation.place])) continue;
      couplings_[relation.kind]->Multiply(columns[relation.place].belief, shares);
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
  std::vector<std::optional<TermTypes>> types_;         // by band
  std::vector<std::optional<TermCoupling>> couplings_;  // by kind
};

}  // namespace

absl::StatusOr<DenoisedTopics> Denoise(const NoisyTopics& noisy,
                                       absl::Span<const double> term_probabilities,
                                       const DenoiserOptions& options) {
  TW_RETURN_IF_ERROR(CheckNoisyTopics(noisy));
  TW_RETURN_IF_ERROR(CheckTermProbabilities(term_probabilities, noisy.vocabulary_size));
  TW_RETURN_IF_ERROR(CheckOptions(options));
  TW_RETURN_IF_ERROR(CheckRelatedTerms(options.related_terms, noisy.vocabulary_size));
  Denoiser denoiser(noisy, term_probabilities, options);
  ForEachBlock(denoiser.num_bands(), options.num_threads,
               [&](size_t band, size_t) { denoiser.FitBand(band); });
  ForEachBlock(kKindsOfRelation, options.num_threads,
               [&](size_t kind, size_t) { denoiser.FitCoupling(kind); });
  DenoisedTopics denoised;
  denoised.means.resize(noisy.values.size());
  denoised.deviations.resize(noisy.values.size());
  ForEachPart(
      denoiser.num_families(), kFamiliesPerBlock, options.num_threads,
      [&](size_t begin, size_t end, size_t) { denoiser.DenoiseFamilies(begin, end, &denoised); });
  return denoised;
}

}  // namespace topicwall::lda
