#include "deploy/study/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

TEST(RecipeTest, WhatIsNotNamedIsTheDefault) {
  ASSERT_OK_AND_ASSIGN(const auto recipe, ParseRecipe("  iterations=7 epsilon=.5 "));
  EXPECT_EQ(recipe.iterations, 7);
  EXPECT_EQ(recipe.epsilon, .5);
  EXPECT_EQ(recipe.delta, Recipe().delta);
  EXPECT_EQ(recipe.clip_quantile, Recipe().clip_quantile);
  EXPECT_EQ(recipe.algorithm, kDenoised);
}

TEST(RecipeTest, NamesTheAlgorithmAndAModel) {
  ASSERT_OK_AND_ASSIGN(const auto recipe, ParseRecipe("algorithm=file model=some/folder"));
  EXPECT_EQ(recipe.algorithm, kFile);
  EXPECT_EQ(recipe.model, "some/folder");
  EXPECT_THAT(ParseRecipe("algorithm=best"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"best\"")));
}

TEST(RecipeTest, EveryChoiceThatIsListedCanBeMade) {
  for (const std::string& choice : RecipeChoices()) EXPECT_OK(ParseRecipe(choice)) << choice;
}

TEST(RecipeTest, RefusesUnknownChoicesAndWhatIsNoNumber) {
  EXPECT_THAT(ParseRecipe("iteration=7"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"iteration\"")));
  EXPECT_THAT(ParseRecipe("iterations=many"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"many\"")));
  EXPECT_THAT(ParseRecipe("iterations"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::study
