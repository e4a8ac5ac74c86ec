// In two loops over threads. FitBand: for each octave of p, how likely every ratio R_j made each
// entry (Read), and from that by EM the types of its terms (term_types.h). DenoiseTerms: the
// posterior of each entry, which is a mixture over types and ratios of truncated normals
// (truncated_normal.h).
//
// Everything is in units of τ: z = y/τ − τ/μ with μ = R·M·p. Densities are kept as logarithms until
// the largest of an entry is divided out; e^{z²/2} alone overflows at z = 38, and signals are
// larger.
#include "model/lda/denoise/noise_denoiser.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/threads/for_each_block.h"
#include "model/lda/denoise/term_types.h"
#include "model/lda/denoise/truncated_normal.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/math/portable_exp.h"

namespace topicwall::lda {
namespace {

constexpr size_t kMostRatios = 32;
constexpr int kMostTypes = 16;
// EM looks at no more entries of a band than this, of terms at even distances.
constexpr size_t kMostEntriesOfBand = size_t{1} << 14;
// Terms that a thread denoises at a time.
constexpr size_t kTermsPerBlock = 64;
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
  if (options.num_term_types < 1 || options.num_term_types > kMostTypes) {
    return absl::InvalidArgumentError(absl::StrCat("num_term_types must be in [1, ", kMostTypes,
                                                   "]; got ", options.num_term_types));
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
  absl::Span<const double> log_ratios() const { return log_ratios_; }

  TruncatedNormal Component(const Entry& entry, size_t j) const {
    const double mean = std::max(ratios_[j] * entry.base / entry.tau, kSmallestMean);
    return TruncatedNormalAt(entry.y / entry.tau - 1 / mean);
  }

  // ln of component j's density of y, but for a term common to all.
  double LogDensity(const TruncatedNormal& component, size_t j) const {
    // Density Φ(z)e^{z²/2}/μ up to e^{−y²/2τ²}, which all components share, as they do M·p/τ of μ/τ
    // = R·M·p/τ.
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
        types_(bands_.size()) {}

  size_t num_bands() const { return bands_.size(); }

  // Finds the types of one band. Bands know nothing of each other.
  void FitBand(size_t band) {
    const std::vector<size_t>& terms = bands_.terms(band);
    // Every stride-th term with all its topics, not every stride-th entry: types are seen in whole
    // columns.
    const size_t stride = terms.size() * masses_.size() / kMostEntriesOfBand + 1;
    EntryLikelihoods likelihoods = {
        .num_topics = masses_.size(), .num_ratios = mixture_.size(), .values = {}};
    Column column(masses_.size() * mixture_.size());
    for (size_t t = 0; t < terms.size(); t += stride) {
      if (!(noisy_.noise_deviations[terms[t]] > 0)) continue;
      Read(terms[t], &column);
      likelihoods.values.insert(likelihoods.values.end(), column.likelihoods.begin(),
                                column.likelihoods.end());
    }
    types_[band].emplace(TermTypes::Fit(likelihoods, mixture_.log_ratios(), options_.num_term_types,
                                        options_.em_iterations));
  }

  // All topics of the terms begin … end.
  void DenoiseTerms(size_t begin, size_t end, DenoisedTopics* denoised) const {
    Column column(masses_.size() * mixture_.size());
    std::vector<double> type_posterior;
    for (size_t v = begin; v < end; ++v) {
      const bool is_noisy = noisy_.noise_deviations[v] > 0;
      const TermTypes& types = *types_[bands_.band_of(v)];
      if (is_noisy) {
        Read(v, &column);
        types.Posterior(column.likelihoods, &type_posterior);
      }
      for (size_t k = 0; k < masses_.size(); ++k) {
        const size_t i = k * probabilities_.size() + v;
        const Moments moments = is_noisy ? Posterior(column, k, types, type_posterior)
                                         : Moments{std::max(double{noisy_.values[i]}, 0.0), 0};
        const double tau = is_noisy ? double{noisy_.noise_deviations[v]} : 1.0;
        denoised->means[i] = static_cast<float>(tau * moments.mean);
        denoised->deviations[i] = static_cast<float>(tau * moments.deviation);
      }
    }
  }

 private:
  struct Moments {  // in noise deviations
    double mean;
    double deviation;
  };

  // The entries of one term: K×J.
  struct Column {
    explicit Column(size_t size) : likelihoods(size), components(size) {}
    std::vector<float> likelihoods;  // the largest of an entry is 1
    std::vector<TruncatedNormal> components;
  };

  void Read(size_t term, Column* column) const {
    const size_t ratios = mixture_.size();
    double logs[kMostRatios];
    for (size_t k = 0; k < masses_.size(); ++k) {
      const Entry entry = {.y = noisy_.values[k * probabilities_.size() + term],
                           .tau = noisy_.noise_deviations[term],
                           .base = masses_[k] * probabilities_[term]};
      for (size_t j = 0; j < ratios; ++j) {
        column->components[k * ratios + j] = mixture_.Component(entry, j);
        logs[j] = mixture_.LogDensity(column->components[k * ratios + j], j);
      }
      ExpFromLargest(logs, ratios);
      for (size_t j = 0; j < ratios; ++j) {
        column->likelihoods[k * ratios + j] = static_cast<float>(logs[j]);
      }
    }
  }

  static Moments Posterior(const Column& column, size_t topic, const TermTypes& types,
                           const std::vector<double>& type_posterior) {
    const size_t ratios = types.weights(0).size();
    const float* const likelihoods = column.likelihoods.data() + topic * ratios;
    const TruncatedNormal* const of = column.components.data() + topic * ratios;
    double shares[kMostRatios] = {};
    for (size_t s = 0; s < types.num_types(); ++s) {
      const absl::Span<const double> weights = types.weights(s);
      double sum = 0;
      for (size_t j = 0; j < ratios; ++j) sum += weights[j] * likelihoods[j];
      for (size_t j = 0; j < ratios; ++j) {
        // P(type | column)·P(ratio | type, entry). The type's posterior already contains this
        // entry, once.
        shares[j] += type_posterior[s] / sum * weights[j] * likelihoods[j];
      }
    }
    double mean = 0, variance = 0;  // within components and between them
    for (size_t j = 0; j < ratios; ++j) mean += shares[j] * of[j].mean;
    for (size_t j = 0; j < ratios; ++j) {
      const double off = of[j].mean - mean;
      variance += shares[j] * (of[j].variance + off * off);
    }
    return {.mean = mean, .deviation = std::sqrt(variance)};
  }

  const NoisyTopics& noisy_;
  const absl::Span<const double> probabilities_;
  const DenoiserOptions& options_;
  const Mixture mixture_;
  const std::vector<double> masses_;
  const Bands bands_;
  std::vector<std::optional<TermTypes>> types_;  // by band
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
  ForEachBlock((terms + kTermsPerBlock - 1) / kTermsPerBlock, options.num_threads,
               [&](size_t block, size_t) {
                 const size_t begin = block * kTermsPerBlock;
                 denoiser.DenoiseTerms(begin, std::min(terms, begin + kTermsPerBlock), &denoised);
               });
  return denoised;
}

}  // namespace topicwall::lda
