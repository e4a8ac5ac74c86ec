#include "client/commands/quote_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topicwall::client {
namespace quote_text_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A pair of δ = 1 holds of anything; its ε would look like a promise.
TEST(QuoteTextTest, WhereDeltaIsOneNoEpsilonIsPrinted) {
  FitQuote quote;
  quote.spec.clip_norm = 1;
  quote.stages.emplace_back();
  quote.price.set_replace_one_epsilon(48);
  quote.price.set_replace_one_delta(1);
  v1::GroupGuarantee& group = *quote.price.add_groups();
  group.set_units(5);
  group.set_epsilon(40);
  group.set_delta(1);
  const std::string nothing = "no promise (delta would be 1)";
  EXPECT_THAT(
      QuoteText(quote, /*explain=*/false),
      AllOf(HasSubstr("one unit by another: " + nothing), HasSubstr("5 units together: " + nothing),
            Not(HasSubstr("48.0000")), Not(HasSubstr("40.0000"))));
  quote.price.set_replace_one_delta(0.5);
  EXPECT_THAT(QuoteText(quote, /*explain=*/false),
              HasSubstr("one unit by another: epsilon 48.0000 at delta 0.5"));
}

}  // namespace quote_text_test
}  // namespace topicwall::client
