// What is asked of a wall about a finished model: one plan of J releases that all ask the same,
// agreed to once and paid once, whatever is interrupted.
//
//   TW_ASSIGN_OR_RETURN(PlanQuote quote, BeginQuote(wall, "notes", model));
//   quote.plan = …;                                          // but for its noise
//   TW_RETURN_IF_ERROR(PriceAtMost(wall, {.spend = spend}, quote));
//   … agreed to, and noted in a file of its own …
//   TW_RETURN_IF_ERROR(FinishPlan(wall, {.plan = file.plan(), .write = …, .take = …}));
//
// What is durable when is as for a fit (client/fit/trainer.cc): plan and request_id before the
// reservation is sent, plan_id once it was answered, what a release says once it was checked. So a
// crash repeats a question and never a payment.
//
// PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_PAID_PLAN_H_
#define TOPICWALL_CLIENT_EVALUATE_PAID_PLAN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/audit/spend.h"
#include "client/wall/wall_port.h"
#include "model/data/corpus_shape.h"
#include "proto/model.pb.h"
#include "proto/models/lda.pb.h"

namespace topicwall::client {

// What is about to be reserved; the wall's word, but for the plan.
struct PlanQuote {
  v1::CorpusDescription description;
  v1::BudgetStatus budget;
  v1::ReleaseSpec plan;
  v1::PlanPrice price;
  Taking taking;     // this side's own
  std::string less;  // why it takes less than was to be spent; "" if it does not
};

// Description and budget. INVALID_ARGUMENT if the model is not of the corpus's words;
// FAILED_PRECONDITION if no budget is open; the wall's.
absl::StatusOr<PlanQuote> BeginQuote(WallPort& wall, const std::string& corpus,
                                     const v1::ModelFile& model);

// How topics of the model are to be asked about: its K and α, and the E-step as for documents of
// one's own (evaluator.h), within the custodian's limits.
v1::LdaOptions TopicsToAsk(const v1::ModelFile& model, const v1::Limits& limits);

// Exactly one of the three: what to take of the budget, ε of the plan alone, or σ of each release.
struct PlanNoise {
  std::optional<Spend> spend = {};
  std::optional<double> epsilon = {};
  std::optional<double> noise_multiplier = {};

  bool IsGiven() const {
    return spend.has_value() || epsilon.has_value() || noise_multiplier.has_value();
  }
};
absl::Status CheckNoise(const PlanNoise& noise);  // INVALID_ARGUMENT

// Gives quote.plan the noise, quote.price its price and quote.taking what it takes, at most what
// was asked for. INTERNAL if the wall's price contradicts its own policy; the errors of spend.h.
absl::Status PriceAtMost(WallPort& wall, const PlanNoise& noise, PlanQuote& quote);

// Of a quote: with a request_id, not yet reserved.
absl::StatusOr<v1::FitPlan> NewPlan(const PlanQuote& quote);

// FAILED_PRECONDITION if the corpus has another version than when the plan was made.
absl::Status CheckVersion(WallPort& wall, const v1::ReleaseSpec& plan);

// A plan as it stands in a file, and what to do with the file.
struct PaidPlan {
  v1::FitPlan& plan;
  double clip_norm;                          // C
  model::CorpusShape corpus;                 // that it is of
  absl::Span<const float> parameters;        // of every release
  std::function<int()> releases;             // that the file holds
  std::function<absl::Status()> write;       // makes the file durable
  std::function<absl::Status()> remove;      // nothing was reserved, for good
  std::function<void(const Release&)> take;  // into the file
  std::function<void()> on_progress;         // reserved, or one release more; may be empty
  std::function<bool()> should_stop;         // asked before each release; may be empty
};

// From wherever the file is to its end. Errors: the wall's; those of paid_release.h; CANCELLED if
// it was stopped, all that was paid being kept.
absl::Status FinishPlan(WallPort& wall, const PaidPlan& paid);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_PAID_PLAN_H_
