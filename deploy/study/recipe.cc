#include "deploy/study/recipe.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/fit/algorithms/mixture_fit.h"

namespace topicwall::study {
namespace {

struct Choice {
  const char* name;
  double Recipe::*value;
};

constexpr Choice kChoices[] = {
    {"num_topics", &Recipe::num_topics},
    {"seed", &Recipe::seed},
    {"no_noise", &Recipe::no_noise},
    {"epsilon", &Recipe::epsilon},
    {"delta", &Recipe::delta},
    {"inventory", &Recipe::inventory},
    {"scale", &Recipe::scale},
    {"alpha", &Recipe::alpha},
    {"iterations", &Recipe::iterations},
    {"first_clip", &Recipe::first_clip},
    {"weight_exponent", &Recipe::weight_exponent},
    {"e_step_iterations", &Recipe::e_step_iterations},
    {"threshold", &Recipe::threshold},
    {"warm_up_share", &Recipe::warm_up_share},
    {"clip_quantile", &Recipe::clip_quantile},
    {"direction_noise", &Recipe::direction_noise},
    {"long_documents", &Recipe::long_documents},
    {"step_power", &Recipe::step_power},
    {"first_exponent", &Recipe::first_exponent},
    {"last_exponent", &Recipe::last_exponent},
    {"anneal_until", &Recipe::anneal_until},
    {"prior_share", &Recipe::prior_share},
    {"gamma_shape", &Recipe::gamma_shape},
    {"num_term_types", &Recipe::num_term_types},
    {"em_iterations", &Recipe::em_iterations},
    {"related_terms", &Recipe::related_terms},
    {"batch", &Recipe::batch},
    {"sigma", &Recipe::sigma},
    {"clip", &Recipe::clip},
    {"tau0", &Recipe::tau0},
    {"kappa", &Recipe::kappa},
    {"signed_average", &Recipe::signed_average},
    {"unpaid_quantile", &Recipe::unpaid_quantile},
    {"whole_batch", &Recipe::whole_batch},
    {"passes", &Recipe::passes},
};

absl::Status Set(absl::string_view name, absl::string_view value, Recipe* recipe) {
  if (name == "model") {
    recipe->model = std::string(value);
    return absl::OkStatus();
  }
  if (name == "algorithm") {
    if (value != kDenoised && value != kMixture && value != kPaper && value != kOnline &&
        value != kFile) {
      return absl::InvalidArgumentError(absl::StrCat(
          "algorithm must be denoised, mixture, paper, online or file; got \"", value, "\"."));
    }
    // Its own defaults; what stands behind it in the recipe still overrides them.
    if (value == kMixture) {
      recipe->first_exponent = client::MixtureRecipe().first_exponent;
      recipe->gamma_shape = client::MixtureRecipe().gamma_shape;
      recipe->direction_noise = client::MixtureRecipe().direction_noise;
    }
    recipe->algorithm = std::string(value);
    return absl::OkStatus();
  }
  const auto* const choice = std::find_if(std::begin(kChoices), std::end(kChoices),
                                          [name](const Choice& c) { return name == c.name; });
  if (choice == std::end(kChoices)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a recipe has no choice \"", name, "\"; --choices lists them."));
  }
  if (absl::SimpleAtod(value, &(recipe->*(choice->value)))) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " must be a number; got \"", value, "\"."));
}

}  // namespace

absl::StatusOr<Recipe> ParseRecipe(absl::string_view text) {
  Recipe recipe;
  recipe.text = std::string(text);
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (absl::Status status = Set(parts.first, parts.second, &recipe); !status.ok()) return status;
  }
  return recipe;
}

std::vector<std::string> RecipeChoices() {
  const Recipe defaults;
  std::vector<std::string> choices = {absl::StrCat("algorithm=", defaults.algorithm), "model="};
  for (const Choice& choice : kChoices) {
    choices.push_back(absl::StrCat(choice.name, "=", defaults.*(choice.value)));
  }
  return choices;
}

}  // namespace topicwall::study
