// What is asked of a wall beside a fit, and paid for: evaluations, prevalences and lengths
// (client/evaluate/). Each runs on a thread of its own, as a fit does.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/commands/json/told_json.h"
#include "client/commands/prevalence_text.h"
#include "client/commands/questions/lengths_text.h"
#include "client/commands/spending.h"
#include "client/evaluate/lengths_file.h"
#include "client/evaluate/wall_evaluation.h"
#include "client/evaluate/wall_lengths.h"
#include "client/evaluate/wall_prevalence.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/model_file.h"
#include "client/fit/receipted_folder.h"
#include "client/python/bindings.h"
#include "client/python/connection.h"
#include "client/python/errors.h"
#include "client/python/options.h"
#include "client/python/paid_job.h"
#include "client/wall/topics_asked.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

// `of_what`: the error is a standard error of that.
base::JsonObject QuoteJson(const PlanQuote& quote, const std::optional<double>& error,
                           absl::string_view of_what) {
  base::JsonObject json = TakingJson(quote);
  json.SetString("corpus", quote.plan.corpus())
      .SetInteger("releases", quote.plan.iterations())
      .SetNumber("sigma", quote.plan.gaussian().noise_multiplier())
      .SetString("less", quote.less)
      .SetRaw("sum", SumJson(quote.description.sum()))
      .SetRaw("expected_error", error.has_value() ? base::JsonNumber(*error) : "null")
      .SetString("error_of", of_what);
  return json;
}

// Of what is shown while it goes on, and kept in the folder `path`. `quote_of`: as JSON.
template <typename Result, typename Wish, typename Quote, typename QuoteOf>
absl::StatusOr<Result> Pay(const Connection& connection, PaidJob& job, const std::string& path,
                           const char* stage,
                           absl::StatusOr<Result> (*ask)(WallPort&, ModelDirectory&, const Wish&,
                                                         const PaidHooks<Quote>&),
                           const Wish& wish, const QuoteOf& quote_of) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ReceiptedFolder> folder,
                      connection.OpenFolder(path, NewsFor(job)));
  const PaidHooks<Quote> hooks = {
      .agree = [&](const Quote& quote) { return job.Agree(quote_of(quote).Text()); },
      .on_progress =
          [&](const v1::FitPlan& plan, int releases) {
            job.Show({.stage = stage,
                      .plan_id = plan.plan_id(),
                      .done = releases,
                      .total = plan.plan().iterations()});
          },
      .should_stop = [&job] { return job.stopped(); }};
  absl::StatusOr<Result> result = ask(folder->wall(), folder->directory(), wish, hooks);
  TW_RETURN_IF_ERROR(folder->Told(result.status(), wish.corpus));
  if (!result->was_finished) TW_RETURN_IF_ERROR(folder->NoteEnd(wish.corpus).status());
  return result;
}

// Of that share the model has seen nobody.
absl::Status TakeShareOf(const v1::ModelFile& model, EvaluationWish& wish) {
  if (wish.held_out_share != 0) return absl::OkStatus();
  wish.held_out_share = model.held_out_share();
  if (wish.held_out_share != 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the fit held no units out. Fit again with held_out=0.1, or give held_out_share here: the "
      "model has then seen them, and looks better than it is.");
}

absl::StatusOr<std::string> Evaluate(const Connection& connection, PaidJob& job,
                                     const std::string& path, EvaluationWish wish) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile model, ReadModelSoFar(path));
  // All that the model's file can refuse comes before a wall is connected to.
  TW_RETURN_IF_ERROR(TakeShareOf(model, wish));
  TW_ASSIGN_OR_RETURN(
      const WallEvaluation asked,
      Pay(connection, job, path, "evaluation", EvaluateBehindTheWall, wish,
          [](const EvaluationQuote& quote) {
            const bool of_vectors = quote.plan.model() == kGaussianLikelihood;
            return QuoteJson(quote, ExpectedError(quote),
                             of_vectors ? "the mean log density" : "the perplexity, relative to it")
                .SetBool("was_trained_on", quote.was_trained_on);
          }));
  return EvaluationJson(asked).Text();
}

// What was paid for before, by more attributes too, costs nothing; without a price nothing else is
// looked for.
absl::StatusOr<v1::PrevalenceFile> PaidPrevalence(Connection& connection, PaidJob& job,
                                                  const std::string& path,
                                                  const PrevalenceWish& wish,
                                                  const v1::ModelFile& model) {
  if (!wish.noise.SaysWhatToSpend()) {
    TW_ASSIGN_OR_RETURN(std::optional<v1::PrevalenceFile> paid, FindPaid(path, wish, model));
    if (paid.has_value()) {
      TW_RETURN_IF_ERROR(connection.Ask([&](WallPort& wall) {
        return CheckPaidHere(wall, wish.corpus, path, model.custodian_id());
      }));
      return *std::move(paid);
    }
    return absl::InvalidArgumentError(absl::StrCat("nothing that was paid for says this of ",
                                                   wish.corpus,
                                                   ". Leave out what was asked for otherwise, or "
                                                   "give spend, which spends budget."));
  }
  TW_ASSIGN_OR_RETURN(WallPrevalence asked,
                      Pay(connection, job, path, "prevalence", AskPrevalence, wish,
                          [](const PrevalenceQuote& quote) {
                            return QuoteJson(
                                quote, ExpectedError(quote),
                                absl::StrCat("an average topic's share of an average group, ",
                                             AssumptionOf(quote)));
                          }));
  return std::move(asked.file);
}

absl::StatusOr<std::string> Prevalence(Connection& connection, PaidJob& job,
                                       const std::string& path, const PrevalenceWish& wish) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile model, ReadModelSoFar(path));
  TW_RETURN_IF_ERROR(CheckIsOfWords(model));
  TW_ASSIGN_OR_RETURN(const v1::PrevalenceFile file,
                      PaidPrevalence(connection, job, path, wish, model));
  TW_ASSIGN_OR_RETURN(const PrevalenceReport report, ReportOf(file, {.by = wish.by}));
  return JsonOf(report)
      .SetBool("by_date", std::any_of(report.by.begin(), report.by.end(),
                                      [](const model::Attribute& one) { return one.is_date; }))
      .SetBool("of_owners", file.privacy_unit() == v1::PRIVACY_UNIT_OWNER)
      .SetNumber("clip_norm", file.clip_norm())
      .SetNumber("taken", file.epsilon_taken())
      .Text();
}

// As Prevalence: without a price what was paid for before, or else the usual price, which is asked
// about.
absl::StatusOr<v1::LengthsFile> PaidLengths(Connection& connection, PaidJob& job,
                                            const std::string& path, LengthsWish wish,
                                            bool agreed) {
  if (!wish.noise.SaysWhatToSpend()) {
    TW_ASSIGN_OR_RETURN(std::optional<v1::LengthsFile> paid, FindMeasured(path, wish.corpus));
    if (paid.has_value()) {
      TW_RETURN_IF_ERROR(connection.Ask([&](WallPort& wall) {
        return CheckPaidHere(wall, wish.corpus, path, paid->custodian_id());
      }));
      return *std::move(paid);
    }
    if (agreed) {
      return absl::InvalidArgumentError(
          "buy=True agrees to a price, and none was named. Give spend.");
    }
    TW_ASSIGN_OR_RETURN(wish.noise.spend, ParseSpend(kUsualLengthsSpend));
  }
  TW_ASSIGN_OR_RETURN(
      WallLengths asked,
      Pay(connection, job, path, "lengths", AskLengths, wish, [](const LengthsQuote& quote) {
        const std::optional<double> error = ExpectedError(quote);
        return QuoteJson(quote, std::nullopt, "")
            .SetString("expected", error.has_value() ? ExpectedLengthsText(*error) : "");
      }));
  return std::move(asked.file);
}

absl::StatusOr<std::string> Lengths(Connection& connection, PaidJob& job, const std::string& path,
                                    const LengthsWish& wish, bool agreed) {
  TW_ASSIGN_OR_RETURN(const v1::LengthsFile file, PaidLengths(connection, job, path, wish, agreed));
  TW_ASSIGN_OR_RETURN(const lengths::LengthEstimate told, LengthsOf(file));
  return LengthsJson(file, told).SetNumber("taken", file.epsilon_taken()).Text();
}

std::string EvaluateOrThrow(const Connection& connection, PaidJob& job, const std::string& path,
                            const std::string& corpus, const py::dict& given) {
  EvaluationWish wish = {.corpus = corpus, .held_out_share = 0, .releases = 1};
  OptionReader options(given);
  options.TakeNoise(&wish.noise);
  options.Take("held_out_share", &wish.held_out_share);
  options.Take("releases", &wish.releases);
  options.Take("words_per_unit", &wish.words_per_unit);
  std::string words_folder;
  options.Take("words_folder", &words_folder);
  if (!words_folder.empty()) {
    wish.words_per_unit = ValueOrThrow(MeasuredWords(words_folder, corpus, connection.is_mock()));
  }
  options.Take("max_words", &wish.max_words);
  options.CheckAllTaken();
  return ValueOrThrow(Unlocked([&] { return Evaluate(connection, job, path, wish); }));
}

std::string PrevalenceOrThrow(Connection& connection, PaidJob& job, const std::string& path,
                              const std::string& corpus, const py::dict& given) {
  PrevalenceWish wish;
  wish.corpus = corpus;
  OptionReader options(given);
  options.TakeNoise(&wish.noise);
  options.Take("by", &wish.by);
  options.Take("releases", &wish.releases);
  options.Take("sampling_rate", &wish.sampling_rate);
  options.Take("typical_documents", &wish.typical_documents);
  options.Take("max_words", &wish.max_words);
  options.CheckAllTaken();
  return ValueOrThrow(Unlocked([&] { return Prevalence(connection, job, path, wish); }));
}

std::string LengthsOrThrow(Connection& connection, PaidJob& job, const std::string& path,
                           const std::string& corpus, const py::dict& given, bool agreed) {
  LengthsWish wish = {.corpus = corpus};
  OptionReader options(given);
  options.TakeNoise(&wish.noise);
  options.CheckAllTaken();
  return ValueOrThrow(Unlocked([&] { return Lengths(connection, job, path, wish, agreed); }));
}

}  // namespace

void BindQuestions(py::module_& module) {
  module.def("evaluate", &EvaluateOrThrow, py::arg("connection"), py::arg("job"), py::arg("path"),
             py::arg("corpus"), py::arg("options"));
  module.def("prevalence", &PrevalenceOrThrow, py::arg("connection"), py::arg("job"),
             py::arg("path"), py::arg("corpus"), py::arg("options"));
  module.def("lengths", &LengthsOrThrow, py::arg("connection"), py::arg("job"), py::arg("path"),
             py::arg("corpus"), py::arg("options"), py::arg("agreed"));
}

}  // namespace topicwall::client
