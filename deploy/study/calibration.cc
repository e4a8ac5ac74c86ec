#include "deploy/study/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "deploy/study/simulated_wall.h"
#include "model/lda/math/normal_tail.h"
#include "model/lda/reading/quality_calibration.h"
#include "model/lda/reading/topic_quality.h"
#include "model/lda/reading/word_intervals.h"
#include "model/lda/reading/word_relevance.h"
#include "model/lda/topics/held_out_perplexity.h"

namespace topicwall::study {
namespace {

constexpr size_t kBins = 10;

// The sums at the model's own topics, without noise and clip: K×V.
absl::StatusOr<std::vector<float>> ExactSums(const lda::TopicModel& model,
                                             const Experiment& experiment, int num_threads) {
  SimulatedWall wall({.documents = experiment.documents,
                      .vocabulary_size = experiment.vocabulary_size(),
                      .seed = 1,  // nothing is drawn
                      .num_threads = num_threads});
  TW_ASSIGN_OR_RETURN(SimulatedRelease release,
                      wall.Release(lda::LogMeanTopics(model, num_threads),
                                   {.e_step = lda::UsualEStep(model.document_topic_prior()),
                                    .clip_norm = kNoClip,
                                    .term_weights = {},
                                    .noise_multiplier = 0,
                                    .histogram_noise_multiplier = 0}));
  return std::move(release.noisy_sum);
}

std::vector<double> RowSums(const std::vector<float>& matrix, size_t columns) {
  std::vector<double> sums(matrix.size() / columns);
  for (size_t i = 0; i < matrix.size(); ++i) sums[i / columns] += matrix[i];
  return sums;
}

// A recipe without its seed.
std::vector<std::string> ButForTheSeed(const Recipe& recipe) {
  std::vector<std::string> words = absl::StrSplit(recipe.text, ' ', absl::SkipEmpty());
  words.erase(
      std::remove_if(words.begin(), words.end(),
                     [](const std::string& word) { return word.compare(0, 5, "seed=") == 0; }),
      words.end());
  return words;
}

std::string TableOf(const char* what, const std::vector<Statement>& statements) {
  const Reliability reliability = ReliabilityOf(statements);
  std::string text =
      absl::StrFormat("%s: %d, ECE %.3f, by chance %.3f\n  said    found   how many\n", what,
                      statements.size(), reliability.error, reliability.by_chance);
  for (const Reliability::Bin& bin : reliability.bins) {
    if (bin.statements == 0) continue;
    absl::StrAppendFormat(&text, "  %.3f   %.3f   %d\n", bin.said, bin.found, bin.statements);
  }
  return text;
}

}  // namespace

Reliability ReliabilityOf(const std::vector<Statement>& statements) {
  Reliability reliability = {.bins = std::vector<Reliability::Bin>(kBins)};
  std::vector<double> variances(kBins);  // of the sum of what is found in each
  for (const Statement& statement : statements) {
    // 1 itself belongs to the last bin.
    const double tenth = statement.said * static_cast<double>(kBins);
    const auto place = static_cast<size_t>(std::clamp(tenth, 0.0, double{kBins - 1}));
    Reliability::Bin& bin = reliability.bins[place];
    // Of a share found among so many trials, if what was said were true.
    variances[place] += statement.said * (1 - statement.said) / std::max(statement.trials, 1);
    ++bin.statements;
    bin.said += statement.said;
    bin.found += statement.found;
  }
  for (const double variance : variances) {  // the mean of a normal's absolute value
    reliability.by_chance += std::sqrt(2 / M_PI * variance) /
                             static_cast<double>(std::max<size_t>(statements.size(), 1));
  }
  for (Reliability::Bin& bin : reliability.bins) {
    if (bin.statements == 0) continue;
    reliability.error += std::fabs(bin.said - bin.found) / static_cast<double>(statements.size());
    bin.said /= bin.statements;
    bin.found /= bin.statements;
  }
  return reliability;
}

absl::Status Calibration::Add(const Outcome& outcome) {
  const std::vector<float>& deviations = outcome.trained.noise_deviations;
  const bool knows_noise = std::any_of(deviations.begin(), deviations.end(),
                                       [](float deviation) { return deviation > 0; });
  if (outcome.trained.exact_sums.empty() || !knows_noise) {
    return absl::FailedPreconditionError(
        "--calibrate takes recipes of algorithm=denoised with noise; got \"" + outcome.recipe.text +
        "\".");
  }
  Fit fit = {.recipe = outcome.recipe,
             .own = lda::OwnWordsOf(outcome.trained.model, outcome.trained.unigram),
             .words = {},
             .topics = {}};
  TW_ASSIGN_OR_RETURN(const std::vector<float> exact,
                      ExactSums(outcome.trained.model, experiment_, num_threads_));
  TW_RETURN_IF_ERROR(Judge(outcome, exact, &fit));
  fits_.push_back(std::move(fit));
  return absl::OkStatus();
}

absl::Status Calibration::Judge(const Outcome& outcome, const std::vector<float>& exact,
                                Fit* fit) const {
  const Trained& trained = outcome.trained;
  const size_t terms = trained.unigram.size();
  const lda::NoisyTopics noisy = {.num_topics = trained.model.num_topics(),
                                  .vocabulary_size = static_cast<int>(terms),
                                  .values = trained.noisy_sums,
                                  .noise_deviations = trained.noise_deviations,
                                  .mass_deviations = trained.mass_deviations};
  TW_ASSIGN_OR_RETURN(const lda::TopicQuality quality,
                      lda::TopicQuality::Create(trained.model, noisy, trained.unigram));
  TW_ASSIGN_OR_RETURN(
      const lda::WordIntervals intervals,
      lda::WordIntervals::Create(noisy, trained.unigram, experiment_.related_terms, num_threads_));
  const std::vector<double> averaged_masses = RowSums(trained.exact_sums, terms);
  const std::vector<double> masses = RowSums(exact, terms);
  double total = 0;
  for (const double mass : masses) total += mass;
  for (int k = 0; k < trained.model.num_topics(); ++k) {
    const auto row = static_cast<size_t>(k);
    const lda::TopicQuality::Topic& topic = quality.topic(k);
    fit->topics.push_back({.distance = topic.distance,
                           .nearest = topic.nearest,
                           .carrying_words = topic.carrying_words,
                           .grade = topic.grade,
                           .typical_words = topic.typical_words,
                           .said = topic.comes_again,
                           .share = topic.share,
                           .share_deviation = topic.share_deviation,
                           .true_share = masses[row] / total});
    for (const uint32_t term : lda::MostRelevant(
             trained.model, k, trained.unigram, {.weight = lda::kRelevance, .count = kShownWords},
             [&](uint32_t v) { return quality.Excess(k, v) > 0; })) {
      // By the sums without noise at the same topics: what the fit would have seen.
      const double share = exact[row * terms + term] / masses[row];
      const double averaged = trained.exact_sums[row * terms + term] / averaged_masses[row];
      const lda::WordIntervals::Interval interval =
          intervals.of(k, term, double{trained.model.topic(k)[term]} / trained.model.topic_sum(k));
      fit->words.push_back({.z = quality.Excess(k, term),
                            .said = quality.ProbabilityAbove(k, term),
                            .is_above = share > experiment_.unigram[term],
                            .is_covered = interval.low <= averaged && averaged <= interval.high,
                            .is_sharper = interval.high < share});
    }
  }
  return absl::OkStatus();
}

std::vector<const Calibration::Fit*> Calibration::OthersOf(const Fit& fit) const {
  std::vector<const Fit*> others;
  for (const Fit& other : fits_) {
    if (&other == &fit || ButForTheSeed(other.recipe) != ButForTheSeed(fit.recipe)) continue;
    others.push_back(&other);
  }
  return others;
}

Statement Calibration::FoundAgain(const Fit& fit, int topic) const {
  const std::vector<const Fit*> others = OthersOf(fit);
  int found = 0;
  for (const Fit* other : others) {
    if (lda::MostAlike(fit.own, topic, other->own).likeness >= lda::kAlike) ++found;
  }
  const auto trials = static_cast<int>(others.size());
  return {.said = fit.topics[static_cast<size_t>(topic)].said,
          .found = trials == 0 ? 0 : static_cast<double>(found) / trials,
          .trials = trials};
}

std::vector<Statement> Calibration::Words() const {
  std::vector<Statement> statements;
  for (const Fit& fit : fits_) {
    for (const Word& word : fit.words) {
      statements.push_back({.said = word.said, .found = word.is_above ? 1.0 : 0.0});
    }
  }
  return statements;
}

std::vector<Statement> Calibration::Topics() const {
  std::vector<Statement> statements;
  for (const Fit& fit : fits_) {
    for (size_t k = 0; k < fit.topics.size(); ++k) {
      statements.push_back(FoundAgain(fit, static_cast<int>(k)));
    }
  }
  return statements;
}

double Calibration::ShareCoverage() const {
  double covered = 0, all = 0;
  for (const Fit& fit : fits_) {
    for (const Topic& topic : fit.topics) {
      all += 1;
      const double off = std::fabs(topic.share - topic.true_share);
      if (off <= lda::UsualPoint() * topic.share_deviation) covered += 1;
    }
  }
  return all > 0 ? covered / all : 0;
}

double Calibration::WordCoverage() const {
  return ShareOfWords([](const Word& word) { return word.is_covered; });
}

double Calibration::SharperWords() const {
  return ShareOfWords([](const Word& word) { return word.is_sharper; });
}

double Calibration::ShareOfWords(absl::FunctionRef<bool(const Word&)> is_one) const {
  double ones = 0, all = 0;
  for (const Fit& fit : fits_) {
    for (const Word& word : fit.words) {
      all += 1;
      if (is_one(word)) ones += 1;
    }
  }
  return all > 0 ? ones / all : 0;
}

std::string Calibration::Tables() const {
  return TableOf("words above their share of the corpus", Words()) +
         TableOf("topics that come again", Topics()) +
         absl::StrFormat(
             "95 %% intervals that cover: %.1f %% of shares, %.1f %% of words; another E-step "
             "would put %.1f %% of words above theirs",
             100 * ShareCoverage(), 100 * WordCoverage(), 100 * SharperWords());
}

std::string Calibration::JsonOfFit(size_t number) const {
  const Fit& fit = fits_[number];
  std::vector<base::JsonObject> words, topics;
  for (const Word& word : fit.words) {
    words.push_back(base::JsonObject()
                        .SetNumber("z", word.z)
                        .SetNumber("probability_above", word.said)
                        .SetBool("above", word.is_above));
  }
  for (size_t k = 0; k < fit.topics.size(); ++k) {
    const Topic& topic = fit.topics[k];
    topics.push_back(base::JsonObject()
                         .SetNumber("distance", topic.distance)
                         .SetNumber("nearest", topic.nearest)
                         .SetNumber("carrying_words", topic.carrying_words)
                         .SetNumber("grade", topic.grade)
                         .SetInteger("typical_words", topic.typical_words)
                         .SetNumber("comes_again", topic.said)
                         .SetNumber("came_again", FoundAgain(fit, static_cast<int>(k)).found)
                         .SetNumber("share", topic.share)
                         .SetNumber("share_deviation", topic.share_deviation)
                         .SetNumber("true_share", topic.true_share));
  }
  return base::JsonObject()
      .SetString("recipe", fit.recipe.text)
      .SetObjects("words", words)
      .SetObjects("topics", topics)
      .Text();
}

}  // namespace topicwall::study
