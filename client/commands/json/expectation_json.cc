#include "client/commands/json/expectation_json.h"

#include <vector>

#include "base/json.h"
#include "client/fit/algorithms/gaussian_plan.h"
#include "client/fit/fit_planner.h"

namespace topicwall::client {

std::string ExpectationJson(const std::optional<lda::ExpectedSignal>& expected) {
  if (!expected.has_value()) return "null";
  std::vector<base::JsonObject> terms;
  for (const lda::ExpectedTerm& term : expected->terms) {
    terms.push_back(base::JsonObject()
                        .SetInteger("rank", term.rank)
                        .SetNumber("signal", term.signal)
                        .SetNumber("noise", term.noise)
                        .SetNumber("signal_to_noise", term.signal_to_noise));
  }
  return base::JsonObject()
      .SetBool("stops_before_topics", expected->CountsAreNoise())
      .SetBool("may_be_below_word_frequencies", expected->MayBeBelowWordFrequencies())
      .SetInteger("judged_rank", expected->judged.rank)
      .SetNumber("signal_to_noise", expected->judged.signal_to_noise)
      .SetNumber("least_signal_to_noise", lda::kLeastSignal)
      .SetNumber("counts_signal", expected->counts_signal)
      .SetNumber("clip_norm", expected->clip_norm)
      .SetNumber("noise", expected->noise)
      .SetObjects("terms", terms)
      .Text();
}

std::string ExpectationJson(const std::optional<gaussian::ExpectedComponents>& expected) {
  if (!expected.has_value()) return "null";
  std::vector<base::JsonObject> sizes;
  for (const gaussian::ExpectedComponent& size : expected->sizes) {
    sizes.push_back(base::JsonObject()
                        .SetNumber("vectors", size.vectors)
                        .SetNumber("weight_error", size.weight_error)
                        .SetNumber("mean_error", size.mean_error)
                        .SetNumber("signal_to_noise", size.signal));
  }
  return base::JsonObject()
      .SetBool("may_stop_with_nothing", MayStopWithNothing(*expected))
      .SetNumber("counts_signal", expected->counts_signal)
      .SetNumber("least_signal_to_noise", kLeastComponentSignal)
      .SetObjects("sizes", sizes)
      .Text();
}

}  // namespace topicwall::client
