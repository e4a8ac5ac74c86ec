#include "lda/noise_denoiser.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lda/array_math_choice.h"
#include "lda/for_each_block.h"
#include "lda/portable_exp.h"
#include "lda/truncated_normal.h"

namespace topicwall::lda {
namespace {

constexpr size_t kMostRatios = 32;
// EM looks at no more entries of a band than this, of terms at even distances.
constexpr size_t kMostEntriesOfBand = size_t{1} << 17;
// Terms of a topic that a thread denoises at a time.
constexpr size_t kTermsPerBlock = 1024;
// A component's mean is at least this many noise deviations: a smaller one is nothing as well, and
// z stays finite.
constexpr double kSmallestMean = 1e-9;

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
  if (options.em_iterations >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("em_iterations must be at least 0; got ", options.em_iterations));
}

// One entry as the mixture sees it.
struct Entry {
  double y;
  double tau;   // > 0
  double base;  // M_k p_v
};

class Mixture {
 public:
  explicit Mixture(const std::vector<double>& ratios) : ratios_(ratios) {
    for (const double ratio : ratios) {
      // array_math.h takes normal positive numbers only, which these are.
      log_ratios_.push_back(FastestArrayMath().log(ratio));
    }
  }

  size_t size() const { return ratios_.size(); }

  TruncatedNormal Component(const Entry& entry, size_t j) const {
    const double mean = std::max(ratios_[j] * entry.base / entry.tau, kSmallestMean);
    return TruncatedNormalAt(entry.y / entry.tau - 1 / mean);
  }

  // ln of component j's density of y, but for a term common to all.
  double LogDensity(const TruncatedNormal& component, size_t j) const {
    return component.log_mass - log_ratios_[j];
  }

 private:
  const std::vector<double>& ratios_;
  std::vector<double> log_ratios_;
};

// x ← exp(x − max x).
void ExpFromLargest(double* x, size_t n) {
  const double largest = *std::max_element(x, x + n);
  for (size_t j = 0; j < n; ++j) x[j] = PortableExp(x[j] - largest);
}

// M_k: Σ_v y, at least a tenth of the average topic's and at least the noise of all of them.
std::vector<double> TopicMasses(const NoisyTopics& noisy) {
  std::vector<double> masses;
  double total = 0, variance = 0;
  const auto terms = static_cast<size_t>(noisy.vocabulary_size);
  for (int k = 0; k < noisy.num_topics; ++k) {
    const float* const row = noisy.values.data() + static_cast<size_t>(k) * terms;
    masses.push_back(FastestArrayMath().sum(row, terms));
    total += std::max(masses.back(), 0.0);
  }
  for (const float tau : noisy.noise_deviations) variance += double{tau} * tau;
  total = std::max(total, std::sqrt(noisy.num_topics * variance));
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
        em_iterations_(options.em_iterations),
        mixture_(options.ratios),
        masses_(TopicMasses(noisy)),
        bands_(probabilities),
        weights_(bands_.size()) {}

  // Finds π of one band. Bands know nothing of each other.
  void FitBand(size_t band) {
    const size_t components = mixture_.size();
    std::vector<double>& weights = weights_[band];
    weights.assign(components, 1.0 / static_cast<double>(components));
    const std::vector<float> densities = Densities(bands_.terms(band));
    std::vector<double> counts(components), shares(components);
    for (int i = 0; i < em_iterations_; ++i) {
      std::fill(counts.begin(), counts.end(), 1.0);
      for (size_t at = 0; at < densities.size(); at += components) {
        double sum = 0;
        for (size_t j = 0; j < components; ++j) sum += shares[j] = weights[j] * densities[at + j];
        for (size_t j = 0; j < components; ++j) counts[j] += shares[j] / sum;
      }
      double total = 0;
      for (const double count : counts) total += count;
      for (size_t j = 0; j < components; ++j) weights[j] = counts[j] / total;
    }
  }

  // Terms begin … end of a topic.
  void DenoiseTerms(size_t topic, size_t begin, size_t end, DenoisedTopics* denoised) const {
    for (size_t v = begin; v < end; ++v) {
      const size_t i = topic * probabilities_.size() + v;
      const Moments moments = noisy_.noise_deviations[v] > 0
                                  ? Posterior(EntryOf(topic, v), weights_[bands_.band_of(v)])
                                  : Moments{std::max(double{noisy_.values[i]}, 0.0), 0};
      denoised->means[i] = static_cast<float>(moments.mean);
      denoised->deviations[i] = static_cast<float>(moments.deviation);
    }
  }

  size_t num_bands() const { return bands_.size(); }

 private:
  struct Moments {
    double mean;
    double deviation;
  };

  Entry EntryOf(size_t topic, size_t term) const {
    return {.y = noisy_.values[topic * probabilities_.size() + term],
            .tau = noisy_.noise_deviations[term],
            .base = masses_[topic] * probabilities_[term]};
  }

  // Each component's density of the entries of these terms (or of some of them), entry by entry,
  // the largest 1.
  std::vector<float> Densities(const std::vector<size_t>& terms) const {
    const size_t topics = masses_.size(), components = mixture_.size();
    const size_t stride = terms.size() * topics / kMostEntriesOfBand + 1;
    std::vector<float> densities;
    double logs[kMostRatios];
    for (size_t t = 0; t < terms.size(); t += stride) {
      if (!(noisy_.noise_deviations[terms[t]] > 0)) continue;
      for (size_t k = 0; k < topics; ++k) {
        const Entry entry = EntryOf(k, terms[t]);
        for (size_t j = 0; j < components; ++j) {
          logs[j] = mixture_.LogDensity(mixture_.Component(entry, j), j);
        }
        ExpFromLargest(logs, components);
        for (size_t j = 0; j < components; ++j) densities.push_back(static_cast<float>(logs[j]));
      }
    }
    return densities;
  }

  Moments Posterior(const Entry& entry, const std::vector<double>& weights) const {
    const size_t components = mixture_.size();
    TruncatedNormal of[kMostRatios];
    double shares[kMostRatios];
    for (size_t j = 0; j < components; ++j) {
      of[j] = mixture_.Component(entry, j);
      shares[j] = mixture_.LogDensity(of[j], j);
    }
    ExpFromLargest(shares, components);
    double sum = 0, mean = 0;
    for (size_t j = 0; j < components; ++j) {
      shares[j] *= weights[j];
      sum += shares[j];
      mean += shares[j] * of[j].mean;
    }
    mean /= sum;
    double variance = 0;  // within components and between them
    for (size_t j = 0; j < components; ++j) {
      const double off = of[j].mean - mean;
      variance += shares[j] * (of[j].variance + off * off);
    }
    return {.mean = entry.tau * mean, .deviation = entry.tau * std::sqrt(variance / sum)};
  }

  const NoisyTopics& noisy_;
  const absl::Span<const double> probabilities_;
  const int em_iterations_;
  const Mixture mixture_;
  const std::vector<double> masses_;
  const Bands bands_;
  std::vector<std::vector<double>> weights_;  // π, by band
};

}  // namespace

absl::StatusOr<DenoisedTopics> Denoise(const NoisyTopics& noisy,
                                       absl::Span<const double> term_probabilities,
                                       const DenoiserOptions& options) {
  for (const absl::Status& status :
       {CheckNoisyTopics(noisy), CheckTermProbabilities(term_probabilities, noisy.vocabulary_size),
        CheckOptions(options)}) {
    if (!status.ok()) return status;
  }
  Denoiser denoiser(noisy, term_probabilities, options);
  ForEachBlock(denoiser.num_bands(), options.num_threads,
               [&](size_t band, size_t) { denoiser.FitBand(band); });
  DenoisedTopics denoised;
  denoised.means.resize(noisy.values.size());
  denoised.deviations.resize(noisy.values.size());
  const size_t terms = term_probabilities.size();
  const size_t blocks_per_topic = (terms + kTermsPerBlock - 1) / kTermsPerBlock;
  ForEachBlock(blocks_per_topic * static_cast<size_t>(noisy.num_topics), options.num_threads,
               [&](size_t block, size_t) {
                 const size_t begin = block % blocks_per_topic * kTermsPerBlock;
                 denoiser.DenoiseTerms(block / blocks_per_topic, begin,
                                       std::min(terms, begin + kTermsPerBlock), &denoised);
               });
  return denoised;
}

}  // namespace topicwall::lda
