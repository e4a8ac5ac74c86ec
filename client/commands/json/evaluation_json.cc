#include "client/commands/json/evaluation_json.h"

#include <limits>
#include <utility>

#include "base/hex.h"
#include "client/commands/spending.h"
#include "client/evaluate/evaluation_file.h"

namespace topicwall::client {
namespace {

// Where there is no number to tell, null is what a script must meet, and no 0.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // null

void AddFound(const v1::EvaluationFile& file, base::JsonObject& object) {
  if (IsOfVectors(file)) {
    const LogLikelihoodEstimate found = LogLikelihoodOf(file);
    object.SetNumber("log_likelihood", found.log_likelihood.value_or(kNone))
        .SetNumber("standard_error",
                   found.log_likelihood.has_value() ? found.standard_error : kNone)
        .SetNumber("vectors", found.vectors)
        .SetNumber("vectors_standard_deviation", found.vectors_deviation);
    return;
  }
  const PerplexityEstimate found = EstimateOf(file);
  object.SetNumber("document_completion", found.perplexity.value_or(kNone))
      .SetNumber("standard_error", found.perplexity.has_value() ? found.standard_error : kNone)
      .SetNumber("words", found.words)
      .SetNumber("words_standard_deviation", found.words_deviation);
}

}  // namespace

base::JsonObject EvaluationJson(const WallEvaluation& result,
                                std::optional<v1::BudgetStatus> budget) {
  const v1::ReleaseSpec& plan = result.file.plan().plan();
  base::JsonObject object;
  object.SetString("base", "e");
  AddFound(result.file, object);
  object
      // 0 in the file where vectors are a unit each, of which nothing was assumed.
      .SetNumber("words_per_unit",
                 result.file.words_per_unit() > 0 ? result.file.words_per_unit() : kNone)
      .SetString("corpus", plan.corpus())
      .SetString("corpus_version", base::Hex(plan.corpus_version()))
      .SetNumber("held_out_share", plan.held_out_share())
      .SetBool("was_trained_on", result.was_trained_on)
      .SetString("plan_id", result.file.plan().plan_id())
      .SetInteger("releases", plan.iterations())
      .SetNumber("noise_multiplier", plan.gaussian().noise_multiplier());
  AddPaidJson(PaidFor(result.file),
              {.was_finished = result.was_finished, .budget = std::move(budget)}, object);
  return object;
}

}  // namespace topicwall::client
