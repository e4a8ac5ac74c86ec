// Quotes and fits (client/fit/). A fit runs on a thread of its own; what it asks and shows goes
// through its job (paid_job.h).
#include "client/fit/fit.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/commands/json/told_json.h"
#include "client/commands/quote_text.h"
#include "client/commands/spending.h"
#include "client/evaluate/lengths_file.h"
#include "client/exit_code.h"
#include "client/fit/fit_planner.h"
#include "client/fit/fit_quote.h"
#include "client/fit/initial_model.h"
#include "client/fit/model_directory.h"
#include "client/fit/receipted_folder.h"
#include "client/python/bindings.h"
#include "client/python/connection.h"
#include "client/python/errors.h"
#include "client/python/options.h"
#include "client/python/paid_job.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

// A number, or the folder of Corpus.lengths.
void TakeWords(OptionReader& options, const Connection& connection, const std::string& corpus,
               Planning* planning) {
  options.Take("words_per_unit", &planning->words_per_unit);
  options.Take("words_folder", &planning->words_folder);
  if (planning->words_folder.empty()) return;
  planning->words_per_unit =
      ValueOrThrow(MeasuredWords(planning->words_folder, corpus, connection.is_mock()));
}

// Options by their command-line names.
FitSpec SpecOf(const Connection& connection, const std::string& corpus, const py::dict& given) {
  FitSpec spec;
  spec.corpus = corpus;
  std::string init, anchors, plan;
  OptionReader options(given);
  options.Take("algorithm", &spec.algorithm);
  options.Take("topics", &spec.num_topics);
  options.Take("iterations", &spec.iterations);
  options.Take("sampling_rate", &spec.sampling_rate);
  options.TakeNoise(&spec);
  options.Take("clip_norm", &spec.clip_norm);
  options.Take("max_words", &spec.max_words);
  options.Take("held_out_share", &spec.held_out_share);
  options.Take("seed", &spec.seed);
  options.Take("init", &init);
  options.Take("anchors", &anchors);
  options.Take("plan", &plan);
  options.Take("hours", &spec.planning.hours);
  options.Take("seconds_per_release", &spec.planning.seconds_per_release);
  options.Take("nominal_size", &spec.planning.num_documents);
  TakeWords(options, connection, corpus, &spec.planning);
  options.CheckAllTaken();
  if (!plan.empty() && plan != "auto") {
    ThrowUnlessOk(absl::InvalidArgumentError(absl::StrCat("plan must be \"auto\"; got ", plan)));
  }
  spec.is_planned = plan == "auto";
  const Planning& planning = spec.planning;
  if (!spec.is_planned &&
      (planning.hours.has_value() || planning.seconds_per_release.has_value())) {
    ThrowUnlessOk(absl::InvalidArgumentError(
        "hours and seconds_per_release are for plan=\"auto\", which chooses iterations by them."));
  }
  if (!anchors.empty()) spec.anchors = ValueOrThrow(ParseAnchors(anchors));
  if (!init.empty()) {
    v1::ModelFile initial = ValueOrThrow(Unlocked([&] { return ReadInitialModel(init); }));
    spec.initial_model = std::make_shared<const v1::ModelFile>(std::move(initial));
  }
  return spec;
}

base::JsonObject QuoteJson(const FitQuote& quote) {
  const FitSpec& spec = quote.spec;
  int64_t releases = 0;
  for (const v1::FitStage& stage : quote.stages) releases += stage.plan().plan().iterations();
  base::JsonObject json = TakingJson(quote);
  json.SetString("corpus", spec.corpus)
      .SetString("algorithm", spec.algorithm)
      .SetInteger("topics", *spec.num_topics)
      .SetInteger("iterations", *spec.iterations)
      .SetInteger("releases", releases)
      .SetNumber("sampling_rate", *spec.sampling_rate)
      .SetNumber("sigma", quote.topics().gaussian().noise_multiplier())
      .SetNumber("effective_sigma", *spec.noise_multiplier)
      .SetNumber("clip_norm", *spec.clip_norm)
      .SetNumber("seconds", static_cast<double>(releases) *
                                SecondsPerRelease(quote.description, spec.planning))
      .SetInteger("most_releases", quote.price.most_iterations())
      .SetRaw("expected", ExpectationJson(quote.expected))
      .SetRaw("expected_components", ExpectationJson(quote.expected_components))
      .SetString("warning", WarningOf(quote))
      .SetString("less", quote.less)
      .SetString("assumption", quote.expected.has_value() || quote.expected_components.has_value()
                                   ? AssumptionOf(quote)
                                   : "")
      .SetRaw("sum", SumJson(quote.description.sum()))
      .SetString("text", QuoteText(quote, /*explain=*/false));
  return json;
}

// With the refusal, if there is one, as "code" and "error", for an exception to be made of it.
absl::StatusOr<std::string> QuoteOf(Connection& connection, const FitSpec& spec) {
  return connection.Ask([&spec](WallPort& wall) -> absl::StatusOr<std::string> {
    TW_ASSIGN_OR_RETURN(const FitQuote quote, MakeQuote(wall, spec));
    base::JsonObject json = QuoteJson(quote);
    const absl::Status refusal = RefusalOf(quote);
    if (!refusal.ok()) {
      json.SetRaw("refusal", base::JsonObject()
                                 .SetInteger("code", static_cast<int>(refusal.code()))
                                 .SetString("message", Explain(refusal))
                                 .SetString("document", ErrorJson(refusal))
                                 .Text());
    }
    return json.Text();
  });
}

FitHooks HooksOf(PaidJob& job) {
  return {.agree = [&job](const FitQuote& quote) { return job.Agree(QuoteJson(quote).Text()); },
          .on_progress =
              [&job](const v1::FitStage& stage) {
                job.Show({.stage = stage.name(),
                          .plan_id = stage.plan().plan_id(),
                          .done = stage.iterations_done(),
                          .total = stage.plan().plan().iterations()});
              },
          .should_stop = [&job] { return job.stopped(); }};
}

// Whether the folder held it, finished, before.
absl::StatusOr<bool> RunFit(const Connection& connection, PaidJob& job, const std::string& path,
                            const FitSpec& spec) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ReceiptedFolder> folder,
                      connection.OpenFolder(path, NewsFor(job)));
  const absl::StatusOr<FitResult> result =
      Fit(folder->wall(), folder->directory(), spec, HooksOf(job));
  TW_RETURN_IF_ERROR(folder->Told(result.status(), spec.corpus));
  if (!result->was_finished) TW_RETURN_IF_ERROR(folder->NoteEnd(spec.corpus).status());
  return result->was_finished;
}

}  // namespace

void BindFit(py::module_& module) {
  module.def("holds_fit", &HoldsFit, py::arg("path"));
  module.def(
      "quote",
      [](Connection& connection, const std::string& corpus, const py::dict& options) {
        const FitSpec spec = SpecOf(connection, corpus, options);
        return ValueOrThrow(Unlocked([&] { return QuoteOf(connection, spec); }));
      },
      py::arg("connection"), py::arg("corpus"), py::arg("options"));
  module.def(
      "fit",
      [](const Connection& connection, PaidJob& job, const std::string& path,
         const std::string& corpus, const py::dict& options) {
        const FitSpec spec = SpecOf(connection, corpus, options);
        return ValueOrThrow(Unlocked([&] { return RunFit(connection, job, path, spec); }));
      },
      py::arg("connection"), py::arg("job"), py::arg("path"), py::arg("corpus"),
      py::arg("options"));
}

}  // namespace topicwall::client
