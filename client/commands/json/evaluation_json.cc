#include "client/commands/json/evaluation_json.h"

#include <limits>

#include "base/hex.h"
#include "client/audit/budget_sum.h"
#include "client/evaluate/evaluation_file.h"

namespace topicwall::client {

base::JsonObject EvaluationJson(const WallEvaluation& result, const v1::BudgetStatus* budget) {
  const v1::ReleaseSpec& plan = result.file.plan().plan();
  const PerplexityEstimate estimate = EstimateOf(result.file);
  // Where there is no number to tell, null is what a script must meet, and no 0.
  const double none = std::numeric_limits<double>::quiet_NaN();  // null
  base::JsonObject object;
  object.SetString("base", "e")
      .SetNumber("document_completion", estimate.perplexity.value_or(none))
      .SetNumber("standard_error", estimate.perplexity.has_value() ? estimate.standard_error : none)
      .SetNumber("words", estimate.words)
      .SetNumber("words_standard_deviation", estimate.words_deviation)
      .SetString("corpus", plan.corpus())
      .SetString("corpus_version", base::Hex(plan.corpus_version()))
      .SetNumber("held_out_share", plan.held_out_share())
      .SetBool("was_trained_on", result.was_trained_on)
      .SetString("plan_id", result.file.plan().plan_id())
      .SetInteger("releases", plan.iterations())
      .SetNumber("noise_multiplier", plan.gaussian().noise_multiplier())
      .SetNumber("taken", result.file.epsilon_taken())
      .SetNumber("epsilon_alone", result.file.epsilon())
      .SetNumber("delta", result.file.delta())
      .SetBool("was_finished", result.was_finished);
  if (budget != nullptr) {
    object.SetNumber("epsilon_spent", budget->epsilon_spent())
        .SetNumber("epsilon_total", budget->epsilon_total())
        .SetNumber("epsilon_left", budget->epsilon_left());
  }
  object.SetRaw("sum", SumJson(budget != nullptr ? budget->sum() : result.file.sum()));
  return object;
}

}  // namespace topicwall::client
