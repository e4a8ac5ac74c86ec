#include "client/fit/fit_planner.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "client/fit/algorithms/denoised_plans.h"
#include "client/fit/algorithms/gaussian_plan.h"
#include "client/fit/fit_algorithm.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

constexpr int kTopicsToPropose[] = {5, 10, 20, 50, 100, 200, 500};
constexpr double kSecondsPerHour = 3600;
constexpr int64_t kMostWordsOfUnit = int64_t{1} << 40;

int64_t StatedOr(int64_t limit, int64_t most) { return limit < 1 ? most : std::min(limit, most); }

absl::Status CheckPlanning(const FitSpec& spec, const v1::CorpusDescription& description,
                           double delta) {
  const Planning& planning = spec.planning;
  TW_RETURN_IF_ERROR(CheckAboveZero("epsilon-alone", spec.epsilon));
  TW_RETURN_IF_ERROR(CheckAboveZero("hours", planning.hours));
  TW_RETURN_IF_ERROR(CheckAboveZero("seconds-per-release", planning.seconds_per_release));
  // What is proposed turns on them, and a mixture's texts are far from the usual assumption.
  if (spec.algorithm == kMixture && !spec.num_topics && !planning.words_per_unit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "words-per-unit must be given for a proposal of algorithm mixture, whose texts are short: ",
        WordsOf(spec, description), " would be assumed, where titles have some ",
        kWordsPerShortText, ". Give a number, measure it (`topicwall lengths ", spec.corpus,
        "`), or give topics."));
  }
  // A smaller δ than the budget's is a promise that nobody made; a larger one is kept, and more.
  if (planning.delta.has_value() && !(*planning.delta >= delta)) {
    return absl::InvalidArgumentError(
        absl::StrCat("delta must be at least the budget's, ", delta, ", at which everything is ",
                     "priced; got ", *planning.delta, ". Only the custodian could open another."));
  }
  return absl::OkStatus();
}

absl::Status CheckWithin(absl::string_view name, int value, int most) {
  if (value >= 1 && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be in [1, ", most, "], the wall's limit; got ", value, "."));
}

// Releases that there is time for, at most `most`. Of doubles the least: so many hours may have
// been typed that an integer would not hold the releases.
int64_t ReleasesInTime(const Planning& planning, double seconds, int64_t most) {
  if (!planning.hours.has_value()) return most;
  const double releases = std::floor(*planning.hours * kSecondsPerHour / seconds);
  return static_cast<int64_t>(std::min(releases, static_cast<double>(most)));
}

// As many iterations, of at most `most`, as so many releases are enough for; 0 if for none.
int IterationsWithin(int64_t releases, int most) {
  // At most those of the algorithm, or the wall's limit of iterations, times round.
  while (most > 0 && DenoisedReleases(most) > releases) --most;
  return most;
}

// To this caller; one with nothing left is refused by the wall, which then says whose share it was.
int64_t ReleasesLeft(const v1::CorpusDescription& description) {
  const int64_t own = description.own_releases_left();
  return own > 0 ? std::min(own, description.releases_left()) : description.releases_left();
}

absl::StatusOr<int> ChooseIterations(const v1::CorpusDescription& description,
                                     const FitSpec& spec) {
  const int limit = description.limits().max_iterations();
  if (spec.iterations.has_value()) {
    TW_RETURN_IF_ERROR(CheckWithin("iterations", *spec.iterations, limit));
  }
  // All releases of a fit are priced as those of one plan (fit_quote.h).
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(spec.algorithm));
  const int useful = std::max(1, IterationsWithin(limit, method->iterations));
  const int wanted = spec.iterations.value_or(useful);
  // A J that was typed is kept or refused; only one that is proposed may shrink.
  const int least = spec.iterations.has_value() ? wanted : 1;
  const double seconds = SecondsPerRelease(description, spec.planning);
  if (spec.planning.hours.has_value() && !(seconds > 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "hours need seconds-per-release too, or iterations instead: ", description.corpus(),
        " has no release interval; got ", *spec.planning.hours, " hours."));
  }
  const int64_t in_time = ReleasesInTime(spec.planning, seconds, DenoisedReleases(wanted));
  const int64_t left = ReleasesLeft(description);
  const int possible = IterationsWithin(std::min(in_time, left), wanted);
  if (possible >= least) return possible;
  const std::string needs =
      absl::StrCat("a fit of ", least, " iterations takes ", DenoisedReleases(least), " releases");
  return absl::FailedPreconditionError(
      left < in_time
          ? absl::StrCat(needs, ", and the corpus has ", left, " left. Ask the custodian for more.")
          : absl::StrCat(needs, " of ", seconds, " s each, and ", *spec.planning.hours,
                         " hours are enough for ", in_time, ". Give more hours."));
}

// As many iterations, of at most those of `spec`, as there are vouchers for, and as what is to be
// spent pays for: more releases take more vouchers, whatever their noise.
int IterationsByVouchers(const Account& account, const v1::CorpusDescription& description,
                         FitSpec spec) {
  int most = IterationsWithin(account.vouchers_left(), *spec.iterations);
  const auto fits = [&](int iterations) {
    spec.iterations = iterations;
    return NoiseFor(account, description, spec).ok();
  };
  if (!spec.spend.has_value() || most < 1 || fits(most)) return std::max(1, most);
  int enough = 1;  // if none is, who asks for the noise is told why
  while (enough + 1 < most) {
    const int middle = (enough + most) / 2;
    (fits(middle) ? enough : most) = middle;
  }
  return enough;
}

// The most topics that a fit like `spec`, of so many, is expected to carry.
absl::StatusOr<double> TopicsCarried(const FitSpec& spec,
                                     const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(const std::optional<lda::ExpectedSignal> words,
                      ExpectationOf(spec, description));
  if (words.has_value()) {
    const double per_signal = spec.algorithm == kMixture ? kComponentsPerSignal : kTopicsPerSignal;
    return per_signal * words->judged.signal_to_noise;
  }
  TW_ASSIGN_OR_RETURN(const std::optional<gaussian::ExpectedComponents> components,
                      ExpectedComponentsOf(spec, description));
  if (components.has_value()) {
    return *spec.num_topics * components->sizes.front().signal / kLeastComponentSignal;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the custodian of ", description.corpus(),
                   " states no nominal size, and without one nothing can be expected. Give your "
                   "own assumption with --nominal-size."));
}

int MostTopics(const FitSpec& spec, const v1::CorpusDescription& description) {
  if (spec.algorithm == kGaussian) return MostComponents(description);
  return MostRows(description, spec.algorithm == kMixture);
}

int ChooseTopics(double carried, int limit) {
  int chosen = std::min(kTopicsToPropose[0], limit);
  for (const int topics : kTopicsToPropose) {
    if (topics <= limit && topics <= carried) chosen = topics;
  }
  return chosen;
}

// Units that give something, as far as anybody says: of all, those that are not held out.
absl::StatusOr<std::optional<double>> UnitsFitted(const FitSpec& spec,
                                                  const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(const std::optional<int64_t> units, DocumentsOf(description, spec.planning));
  if (!units.has_value()) return std::nullopt;
  return std::optional<double>(static_cast<double>(*units) * (1 - spec.held_out_share));
}

}  // namespace

// Each of them pays for one release, and J of what it looks for.
bool CanBePlanned(absl::string_view algorithm) {
  const absl::StatusOr<const FitMethod*> method = FindMethod(algorithm);
  return method.ok() && (*method)->can_be_planned;
}

absl::StatusOr<FitSpec> ProposeFit(const Account& account, const v1::CorpusDescription& description,
                                   const FitSpec& spec) {
  TW_RETURN_IF_ERROR(CheckPlanning(spec, description, account.policy.budget().delta));
  const int most_topics = MostTopics(spec, description);
  if (spec.num_topics.has_value()) {
    TW_RETURN_IF_ERROR(CheckWithin("topics", *spec.num_topics, most_topics));
  }
  FitSpec proposed = spec;
  proposed.sampling_rate = 1;
  TW_ASSIGN_OR_RETURN(proposed.iterations, ChooseIterations(description, spec));
  if (account.policy.inventory() != nullptr && !spec.iterations.has_value()) {
    proposed.iterations = IterationsByVouchers(account, description, proposed);
  }
  // What would be expected of a few topics. How many are carried does not depend on K
  // (noise_model.h, expected_components.h), so it can be asked before K is chosen by it.
  FitSpec few = proposed;
  few.num_topics = spec.num_topics.value_or(std::min(kTopicsToPropose[0], most_topics));
  TW_ASSIGN_OR_RETURN(few.noise_multiplier, NoiseFor(account, description, few));
  TW_ASSIGN_OR_RETURN(const double carried, TopicsCarried(few, description));
  if (!spec.num_topics.has_value()) proposed.num_topics = ChooseTopics(carried, most_topics);
  return proposed;
}

absl::StatusOr<double> NoiseFor(const Account& account, const v1::CorpusDescription& description,
                                const FitSpec& spec) {
  TW_ASSIGN_OR_RETURN(const int64_t releases, NumReleases(spec));
  return NoiseFor(account, spec,
                  NoiseTarget{.sampling_rate = *spec.sampling_rate,
                              .releases = releases,
                              .min_noise_multiplier = description.limits().min_noise_multiplier()});
}

double SecondsPerRelease(const v1::CorpusDescription& description, const Planning& planning) {
  const double interval = static_cast<double>(description.release_interval_ms()) / 1000;
  return std::max(interval, planning.seconds_per_release.value_or(0));
}

absl::StatusOr<std::optional<int64_t>> DocumentsOf(const v1::CorpusDescription& description,
                                                   const Planning& planning) {
  TW_RETURN_IF_ERROR(CheckFromOne("nominal-size", planning.num_documents));
  if (planning.num_documents.has_value()) return planning.num_documents;
  if (description.nominal_size() < 1) return std::nullopt;  // nor if none is stated
  return description.nominal_size();
}

int64_t MostWordsPerUnit(const v1::CorpusDescription& description,
                         std::optional<int64_t> max_words) {
  const v1::Limits& limits = description.limits();
  int64_t words = StatedOr(limits.max_tokens(), kMostWordsOfUnit);
  words = std::max<int64_t>(1, std::min(words, max_words.value_or(kMostWordsOfUnit)));
  if (description.has_vectors()) words = 1;
  if (description.privacy_unit() != v1::PRIVACY_UNIT_OWNER) return words;
  const int64_t documents = StatedOr(limits.max_documents_per_unit(), kMostWordsOfUnit);
  // By division: the product may overflow.
  return documents > kMostWordsOfUnit / words ? kMostWordsOfUnit : words * documents;
}

double WordsOf(const FitSpec& spec, const v1::CorpusDescription& description) {
  const int64_t most = MostWordsPerUnit(description, spec.max_words);
  return std::min(spec.planning.WordsPerUnit(), static_cast<double>(most));
}

absl::StatusOr<std::optional<lda::ExpectedSignal>> ExpectationOf(
    const FitSpec& spec, const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(const std::optional<double> documents, UnitsFitted(spec, description));
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(spec.algorithm));
  const bool of_words = method->can_be_planned && !method->of_vectors;
  if (!documents.has_value() || !of_words) return std::nullopt;
  const double words = WordsOf(spec, description);
  if (!(words >= 1 && std::isfinite(words))) {
    return absl::InvalidArgumentError(
        absl::StrCat("words-per-unit must be at least 1 and finite; got ", words, "."));
  }
  // Of an empty plan: only how the noise is divided is looked at.
  TW_ASSIGN_OR_RETURN(const DenoisedPlans plans, PlanDenoised({}, *spec.noise_multiplier));
  return lda::ExpectSignal(
      {.num_documents = *documents,
       .words_per_document = words,
       .vocabulary_size = static_cast<int>(description.vocabulary_size())},
      {.num_topics = *spec.num_topics,
       .iterations = *spec.iterations,
       .sampling_rate = *spec.sampling_rate,
       .noise_multiplier = plans.topics.gaussian().noise_multiplier(),
       .counts_noise_multiplier = plans.unigram.gaussian().noise_multiplier(),
       .counts_clip_norm = kUnigramClipNorm,
       .first_clip_norm = spec.clip_norm,
       .histogram_noise_multiplier = plans.topics.gaussian().histogram_noise_multiplier()});
}

absl::StatusOr<std::optional<gaussian::ExpectedComponents>> ExpectedComponentsOf(
    const FitSpec& spec, const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(const std::optional<double> vectors, UnitsFitted(spec, description));
  if (!vectors.has_value() || spec.algorithm != kGaussian) return std::nullopt;
  return gaussian::ExpectComponents({.num_vectors = *vectors,
                                     .dimension = static_cast<int>(description.vocabulary_size()),
                                     .num_components = *spec.num_topics},
                                    NoiseOfComponents(spec, description),
                                    NoiseOfAllCounts(spec, description));
}

std::string WarningOf(const lda::ExpectedSignal& expected, double epsilon) {
  if (!expected.MayBeBelowWordFrequencies()) return "";
  // Said first, for it is worse: such a fit ends after its first release, which is paid.
  if (expected.CountsAreNoise()) {
    return absl::StrFormat(
        "warning: at epsilon %s even the counts of all words are expected to drown in noise "
        "(%s deviations of it, at least %g are needed): the fit would stop before its "
        "topics, with nothing. It takes a larger epsilon or a larger corpus.",
        proto::EpsilonText(epsilon), proto::TwoDigitsDown(expected.counts_signal),
        lda::kLeastCountsSignal);
  }
  // Signal to noise is close to proportional to epsilon.
  return absl::StrFormat(
      "warning: at epsilon %s (alone) it depends on how clear the topics of the corpus are "
      "whether this fit is better than word frequencies: a word of rank %d has %s deviations of "
      "the noise in its topics. Below %g, fits of Debian's package descriptions were up to a "
      "quarter worse than word frequencies, and those of abstracts, whose topics are much clearer, "
      "a tenth better. An epsilon of about %s, or a larger corpus, has enough for either.",
      proto::EpsilonText(epsilon), expected.judged.rank,
      proto::TwoDigitsDown(expected.judged.signal_to_noise), lda::kLeastSignal,
      proto::TwoDigitsUp(epsilon * lda::kLeastSignal / expected.judged.signal_to_noise));
}

}  // namespace topicwall::client
