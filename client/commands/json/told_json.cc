#include "client/commands/json/told_json.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "base/hex.h"
#include "client/audit/budget_sum.h"
#include "client/commands/spending.h"
#include "client/evaluate/evaluation_file.h"
#include "client/fit/algorithms/gaussian_plan.h"
#include "client/fit/fit_planner.h"

namespace topicwall::client {
namespace {

base::JsonObject PrincipalJson(const v1::PrincipalBudget& principal) {
  return base::JsonObject()
      .SetString("principal", principal.principal())
      .SetNumber("epsilon_spent", principal.epsilon_spent())
      .SetNumber("epsilon_cap", principal.epsilon_cap());
}

// Where there is no number to tell, null is what a script must meet, and no 0.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // null

void AddFound(const v1::EvaluationFile& file, base::JsonObject& object) {
  if (IsOfVectors(file)) {
    const LogLikelihoodEstimate found = LogLikelihoodOf(file);
    object.SetNumber("log_likelihood", found.log_likelihood.value_or(kNone))
        .SetNumber("standard_error",
                   found.log_likelihood.has_value() ? found.standard_error : kNone)
        .SetNumber("expected_log_likelihood", found.expected)
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

std::string EnumWord(absl::string_view name, absl::string_view prefix) {
  const bool is_known = absl::ConsumePrefix(&name, prefix) && name != "UNSPECIFIED";
  return is_known ? absl::AsciiStrToLower(name) : "unknown";
}

base::JsonObject BudgetJson(const v1::BudgetStatus& budget, const Takings& takings) {
  std::vector<base::JsonObject> plans;
  for (const PlanTaking& plan : takings.plans) {
    plans.push_back(base::JsonObject()
                        .SetString("plan_id", plan.plan_id)
                        .SetString("principal", plan.principal)
                        .SetString("corpus", plan.corpus)
                        .SetBool("cancelled", plan.is_cancelled)
                        // The whole number; the text of the command tells the one that adds up in
                        // four digits (takings.h).
                        .SetNumber("taken", plan.taken.exact));
  }
  std::vector<base::JsonObject> principals;
  for (const v1::PrincipalBudget& one : budget.principals()) {
    principals.push_back(PrincipalJson(one));
  }
  base::JsonObject object;
  object.SetString("corpus", budget.corpus())
      .SetString("state", StateWord(budget.state()))
      .SetNumber("epsilon_total", budget.epsilon_total())
      .SetNumber("epsilon_spent", budget.epsilon_spent())
      .SetNumber("epsilon_left", budget.epsilon_left())
      .SetNumber("delta", budget.delta())
      .SetObjects("plans", plans)
      .SetNumber("taken_by_others", takings.others.exact)
      .SetInteger("events", budget.events())
      .SetString("chain_head", base::Hex(budget.chain_head()))
      .SetRaw("sum", SumJson(budget.sum()));
  // An analyst is told of itself, an auditor of all: what the wall left out is no member, and no 0.
  if (budget.has_own()) object.SetObject("own", PrincipalJson(budget.own()));
  if (!principals.empty()) object.SetObjects("principals", principals);
  return object;
}

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
