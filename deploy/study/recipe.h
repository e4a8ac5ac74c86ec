// One way to train topics: every choice as a number, so that a line of text names it.
//
//   absl::StatusOr<Recipe> recipe = ParseRecipe("algorithm=denoised epsilon=0.932 iterations=40");
//
// What is not named has the value below, which for `denoised` is what `topicwall fit` does.
// EXPERIMENTS.md has what other values gave. INVALID_ARGUMENT names a choice that there is not, or
// a value that it cannot have.
#ifndef TOPICWALL_DEPLOY_STUDY_RECIPE_H_
#define TOPICWALL_DEPLOY_STUDY_RECIPE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/lda/denoise/denoised_trainer.h"

namespace topicwall::study {

// denoised: model/lda/denoise/denoised_trainer.h with the plans of `topicwall fit`
// (denoised_training.h); mixture: the same with the plans of `fit --algorithm mixture`
// (mixture_training.h; to be named first, it changes some of the values below); paper: Algorithm 1
// (paper_training.h); online: client/fit/plain_fit.h, without privacy; file: no training, a model
// that a fit left.
inline constexpr char kDenoised[] = "denoised";
inline constexpr char kMixture[] = "mixture";
inline constexpr char kPaper[] = "paper";
inline constexpr char kOnline[] = "online";
inline constexpr char kFile[] = "file";

struct Recipe {
  std::string text;  // as it was given
  std::string algorithm = kDenoised;
  std::string model;  // of `file`: the folder

  double num_topics = 50;
  double seed = 1;
  double no_noise = 0;  // 1: neither noise nor clip, and the true unigram

  // denoised: the budget. (ε, δ) buys J + 1 releases of one price.
  double epsilon = 0.932;
  double delta = 1e-4;
  double inventory = 0;  // 1: priced as vouchers, exactly; 0: by the adaptive filter
  double scale = 1;      // noise as of a corpus so many times larger: for quick looks at small ones

  // denoised: the plan and its requests. α = 2/K, as in a plan of `fit`, unless given.
  double alpha = 0;
  double iterations = 40;
  double first_clip = 0.7;
  double weight_exponent = 0.25;
  double e_step_iterations = 20;
  double threshold = 0.01;
  // denoised: what is made of the releases, by the names of lda::DenoisedRecipe.
  double warm_up_share = lda::DenoisedRecipe().warm_up_share;
  double clip_quantile = lda::DenoisedRecipe().clip_quantile;
  double direction_noise = lda::DenoisedRecipe().direction_noise;
  double long_documents = lda::DenoisedRecipe().long_documents;
  double step_power = lda::DenoisedRecipe().step_power;
  double first_exponent = lda::DenoisedRecipe().first_exponent;
  double last_exponent = lda::DenoisedRecipe().last_exponent;
  double anneal_until = lda::DenoisedRecipe().anneal_until;
  double prior_share = lda::DenoisedRecipe().prior_share;
  double gamma_shape = lda::DenoisedRecipe().gamma_shape;
  double num_term_types = lda::DenoisedRecipe().num_term_types;
  double em_iterations = lda::DenoisedRecipe().em_iterations;

  double related_terms = 1;  // 0: how words are spelled is of no effect

  // paper: the constants of the paper, and how the best-tuned form differs from them.
  double batch = 20000;  // S, in documents; ν = S/D, and one epoch
  double sigma = 1.24;
  double clip = 50;    // C = aN, in words
  double tau0 = 1024;  // ρ_t = (τ0 + t)^−κ
  double kappa = 0.7;
  double signed_average = 0;   // 1: sums are averaged signed, and clamped once
  double unpaid_quantile = 0;  // > 0: C is this quantile of the norms themselves (not private)
  double whole_batch = 0;      // 1: the sum of the batch is clipped, to the letter of the paper

  // online
  double passes = 3;
};

absl::StatusOr<Recipe> ParseRecipe(absl::string_view text);

// The choices that ParseRecipe knows with their defaults, in the order above.
std::vector<std::string> RecipeChoices();

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_RECIPE_H_
