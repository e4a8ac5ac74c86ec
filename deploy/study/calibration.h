// How often what is said of a fit is true: the numbers that `topicwall topics` prints beside a
// topic and its words (model/lda/reading/quality_calibration.h), held to public documents.
//
//   Calibration calibration(experiment, /*num_threads=*/1);
//   for each recipe: calibration.Add(outcome);      // the same recipe with several seeds
//   std::puts(calibration.Tables().c_str());
//
// What is true:
//   of a word that is shown (the kShownWords most relevant ones of each topic, which `topicwall
//     topics` shows): its share of the topic's exact sums at the same topics, of all documents and
//     without noise and clip, is above its share of all words;
//   of a topic: of the other fits of the same recipe but for the seed, the share that has a topic
//     at least lda::kAlike like it;
//   of a share: that of the same exact sums;
//   of a word's share of its topic: that of what the model was made of, without the noise: of the
//     same requests and clips (Trained::exact_sums).
// ECE, the expected calibration error: mean of |said − found| over what is in each tenth of what
// was said. Weights are of words and topics alike. Beside it what chance alone would leave of it if
// all that is said were true: a topic is looked for in a few fits only. (Topics of one fit are not
// independent, so that chance may leave more.)
//
// Errors: those of the E-step; FAILED_PRECONDITION for a recipe without noise. PUBLIC: everything
// is of public documents. Cost of Add: an E-step of all documents to its end.
#ifndef TOPICWALL_DEPLOY_STUDY_CALIBRATION_H_
#define TOPICWALL_DEPLOY_STUDY_CALIBRATION_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "deploy/study/experiment.h"
#include "deploy/study/outcome.h"
#include "model/lda/reading/topic_matching.h"

namespace topicwall::study {

inline constexpr int kShownWords = 20;

// A statement, with how sure it was and whether it was true (of topics: how often).
struct Statement {
  double said;
  double found;
  int trials = 1;  // of which `found` is the mean
};

// Statements by tenths of what was said.
struct Reliability {
  struct Bin {
    int statements = 0;
    double said = 0;  // means
    double found = 0;
  };
  std::vector<Bin> bins;  // ten
  double error = 0;       // ECE
  double by_chance = 0;   // its mean if what is said were true
};
Reliability ReliabilityOf(const std::vector<Statement>& statements);

class Calibration {
 public:
  Calibration(const Experiment& experiment, int num_threads)
      : experiment_(experiment), num_threads_(num_threads) {}

  absl::Status Add(const Outcome& outcome);

  // For people; and every statement, a JSON object for each fit.
  std::string Tables() const;
  std::string JsonOfFit(size_t fit) const;
  size_t num_fits() const { return fits_.size(); }

  // Of all fits.
  std::vector<Statement> Words() const;
  std::vector<Statement> Topics() const;
  // The share of the topics whose true share is within its 95 % interval.
  double ShareCoverage() const;
  // Of the words that are shown, those whose true share of their topic is.
  double WordCoverage() const;
  // Those whose share of the exact sums at the model's topics is above it: what more E-steps would
  // sharpen.
  double SharperWords() const;

 private:
  struct Word {
    double z;
    double said;
    bool is_above;
    bool is_covered;
    bool is_sharper;
  };
  struct Topic {
    double distance;        // from the corpus
    double nearest;         // likeness to the most alike of its fit
    double carrying_words;  // of its own part
    double grade;
    int typical_words;
    double said;
    double share;
    double share_deviation;
    double true_share;
  };
  struct Fit {
    Recipe recipe;
    lda::OwnWords own;
    std::vector<Word> words;
    std::vector<Topic> topics;
  };

  absl::Status Judge(const Outcome& outcome, const std::vector<float>& exact, Fit* fit) const;
  double ShareOfWords(absl::FunctionRef<bool(const Word&)> is_one) const;
  // Other fits of the same recipe but for the seed.
  std::vector<const Fit*> OthersOf(const Fit& fit) const;
  Statement FoundAgain(const Fit& fit, int topic) const;

  const Experiment& experiment_;
  const int num_threads_;
  std::vector<Fit> fits_;
};

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_CALIBRATION_H_
