#include "client/commands/json/fit_json.h"

#include <cmath>
#include <limits>

#include "base/hex.h"
#include "base/json.h"
#include "client/audit/budget_sum.h"

namespace topicwall::client {

std::string FitJson(const FitResult& result, const std::string& directory) {
  const v1::ModelFile& model = result.model;
  base::JsonObject object;
  object.SetString("model", directory)
      .SetBool("was_finished", result.was_finished)
      .SetString("corpus", model.corpus())
      .SetString("corpus_version", base::Hex(model.corpus_version()))
      .SetString("plan_id", model.plan_id())
      .SetInteger("topics", model.num_topics())
      .SetInteger("terms", model.vocabulary_size())
      .SetInteger("iterations", model.iterations())
      .SetString("algorithm", model.algorithm())
      // Of the budget, beside what was spent already; epsilon_alone is no part of any sum.
      .SetNumber("taken", model.epsilon_taken())
      .SetNumber("epsilon_alone", model.epsilon())
      // Without privacy it is 1, which is no number to compare with others.
      .SetNumber("delta", std::isfinite(model.epsilon()) ? model.delta()
                                                         : std::numeric_limits<double>::quiet_NaN())
      .SetRaw("sum", SumJson(model.sum()));
  if (model.has_warm_start()) {
    object
        .SetBool("initial_model_used", model.warm_start().outcome() == v1::WarmStart::OUTCOME_USED)
        .SetNumber("initial_model_divergence", model.warm_start().divergence());
  }
  return object.Text();
}

}  // namespace topicwall::client
