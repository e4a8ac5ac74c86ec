// One recipe from beginning to end: trained, scored and told.
//
//   absl::StatusOr<Outcome> outcome = RunRecipe(recipe, experiment, /*num_threads=*/1);
//   std::puts(TextOf(*outcome, …).c_str());     // a line for people
//   std::puts(JsonOf(*outcome, …).c_str());     // a line for deploy/study/report.py
//
// Errors: those of the training. PUBLIC: everything here is of public documents.
#ifndef TOPICWALL_DEPLOY_STUDY_OUTCOME_H_
#define TOPICWALL_DEPLOY_STUDY_OUTCOME_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "deploy/study/experiment.h"
#include "deploy/study/recipe.h"
#include "deploy/study/score.h"
#include "deploy/study/training.h"

namespace topicwall::study {

struct Outcome {
  Recipe recipe;
  Trained trained;
  Scores scores;               // document completion (score.h)
  double bound;                // the paper's (lda::ComputePerplexityBound); exact, of a mixture
  std::optional<Scores> paid;  // of the private unigram, where there is one
  double cpu_seconds;          // of the training
};

absl::StatusOr<Outcome> RunRecipe(const Recipe& recipe, const Experiment& experiment,
                                  int num_threads);

// yardstick: perplexity of the best model without privacy, or 0.
std::string TextOf(const Outcome& outcome, const Scores& unigram, double yardstick);

// The topics that the words of other models are shown beside.
struct Reference {
  lda::TopicModel model;
  std::vector<int> topics;
};
// With the ten most probable words of the topics most like those of `reference`.
std::string JsonOf(const Outcome& outcome, const Experiment& experiment,
                   const Reference& reference);

// The corpus itself, for the same reader.
std::string JsonOf(const Experiment& experiment, const Scores& unigram);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_OUTCOME_H_
