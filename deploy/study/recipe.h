// One way to train private topics: every choice as a number, so that a line of text names it.
//
//   absl::StatusOr<Recipe> recipe = ParseRecipe("epsilon=0.932 iterations=40 clip_quantile=.3");
//
// What is not named has the value below, the recommended default. EXPERIMENTS.md has what the
// alternatives gave. INVALID_ARGUMENT names a choice that there is not, or a value that is no
// number.
#ifndef TOPICWALL_DEPLOY_STUDY_RECIPE_H_
#define TOPICWALL_DEPLOY_STUDY_RECIPE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::study {

struct Recipe {
  std::string text;  // as it was given

  // The budget.
  double epsilon = 0.932;
  double delta = 1e-4;
  double enforced = 1;         // 1: μ by the adaptive filter; 0: by the exact Gaussian curve
  double unigram_share = .03;  // of μ²; 0: the true unigram (not private)
  double histogram_share = .02;
  double growth = 1;     // each iteration's share of μ² ÷ that of the one before
  double scale = 1;      // noise as of a corpus so many times larger: for quick looks at small ones
  double no_noise = 0;   // 1: neither noise nor clip, for the yardstick
  double online = 0;     // passes of client/plain_fit.h, instead of all below
  double only_clip = 0;  // 1: no noise, but the clip

  // The model.
  double num_topics = 50;
  double alpha = .02;
  double eta = 1;          // in words a term, unless
  double eta_share = .12;  // > 0: η as a share of the average topic's mass

  // The plan.
  double iterations = 20;
  double unigram_clip = 5;
  double first_clip = .7;
  double clip_quantile = .4;
  double weight_exponent = .25;
  double weight_floor = .2;
  double e_step_iterations = 20;
  double threshold = .01;

  // What is made of the releases.
  double rho = 0;    // constant step size after the first; 0: by `power`
  double power = 3;  // ρ_t = (power + 1)/(t + power): weights of past sums grow like t^power
  double final_power = -1;       // >= 0: the model that is scored averages with this power
  double denoise = 1;            // 0: max(Y, 0)
  double ratios_per_octave = 0;  // 0: the nine of lda/noise_denoiser.h
  double num_term_types = 3;
  double column_power = 0;    // of p_v·ΣM/Σ_k mean, which the means of a term are multiplied by
  double sharpness = .2;      // of the first request's ℓ (lda/annealing.h); 1: no annealing
  double anneal_until = .9;   // share of the iterations in which it rises to 1
  double last_sharpness = 1;  // to which it rises instead
  double em_iterations = 12;
  double refine_unigram = 1;  // 1: with the sums over topics of the average, from the third on
  double init_shape = 10;     // of the Gamma draws that the first topics differ by

  double seed = 1;
};

absl::StatusOr<Recipe> ParseRecipe(absl::string_view text);

// The names that ParseRecipe knows, in the order above.
std::vector<std::string> RecipeChoices();

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_RECIPE_H_
