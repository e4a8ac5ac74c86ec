#include "deploy/study/recipe.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace topicwall::study {
namespace {

struct Choice {
  const char* name;
  double Recipe::*value;
};

constexpr Choice kChoices[] = {
    {"epsilon", &Recipe::epsilon},
    {"delta", &Recipe::delta},
    {"enforced", &Recipe::enforced},
    {"unigram_share", &Recipe::unigram_share},
    {"histogram_share", &Recipe::histogram_share},
    {"growth", &Recipe::growth},
    {"scale", &Recipe::scale},
    {"no_noise", &Recipe::no_noise},
    {"online", &Recipe::online},
    {"only_clip", &Recipe::only_clip},
    {"num_topics", &Recipe::num_topics},
    {"alpha", &Recipe::alpha},
    {"eta", &Recipe::eta},
    {"eta_share", &Recipe::eta_share},
    {"iterations", &Recipe::iterations},
    {"unigram_clip", &Recipe::unigram_clip},
    {"first_clip", &Recipe::first_clip},
    {"clip_quantile", &Recipe::clip_quantile},
    {"weight_exponent", &Recipe::weight_exponent},
    {"weight_floor", &Recipe::weight_floor},
    {"e_step_iterations", &Recipe::e_step_iterations},
    {"threshold", &Recipe::threshold},
    {"rho", &Recipe::rho},
    {"power", &Recipe::power},
    {"final_power", &Recipe::final_power},
    {"denoise", &Recipe::denoise},
    {"ratios_per_octave", &Recipe::ratios_per_octave},
    {"num_term_types", &Recipe::num_term_types},
    {"column_power", &Recipe::column_power},
    {"sharpness", &Recipe::sharpness},
    {"anneal_until", &Recipe::anneal_until},
    {"last_sharpness", &Recipe::last_sharpness},
    {"refine_unigram", &Recipe::refine_unigram},
    {"em_iterations", &Recipe::em_iterations},
    {"init_shape", &Recipe::init_shape},
    {"seed", &Recipe::seed},
};

}  // namespace

absl::StatusOr<Recipe> ParseRecipe(absl::string_view text) {
  Recipe recipe;
  recipe.text = std::string(text);
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    const auto* const choice =
        std::find_if(std::begin(kChoices), std::end(kChoices),
                     [&parts](const Choice& c) { return parts.first == c.name; });
    if (choice == std::end(kChoices)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a recipe has no choice \"", parts.first, "\"; --choices lists them."));
    }
    if (!absl::SimpleAtod(parts.second, &(recipe.*(choice->value)))) {
      return absl::InvalidArgumentError(
          absl::StrCat(parts.first, " must be a number; got \"", parts.second, "\""));
    }
  }
  return recipe;
}

std::vector<std::string> RecipeChoices() {
  const Recipe defaults;
  std::vector<std::string> choices;
  for (const Choice& choice : kChoices) {
    choices.push_back(absl::StrCat(choice.name, "=", defaults.*(choice.value)));
  }
  return choices;
}

}  // namespace topicwall::study
