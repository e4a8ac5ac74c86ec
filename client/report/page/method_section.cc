#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"

namespace topicwall::client {
namespace {

constexpr char kPaper[] =
    "@article{park2016private,\n"
    "  title   = {Private Topic Modeling},\n"
    "  author  = {Park, Mijung and Foulds, James and Chaudhuri, Kamalika and Welling, Max},\n"
    "  journal = {arXiv preprint arXiv:1609.04120},\n"
    "  year    = {2016}\n"
    "}\n";

bool WasMerged(const v1::ReportedModel& model) {
  return model.fitted_topics() > 0 && model.fitted_topics() != model.num_topics();
}

// There to be copied, of a model that may come from anybody: it holds numbers, and names as
// ParseModelFile checked them.
std::string FitCommand(const v1::ReportedModel& model) {
  // Of documents of one's own, which no command finds again.
  if (model.plan_id().empty()) return "";
  // All that were asked for, of which an unfinished fit has seen some.
  const int64_t iterations =
      int64_t{model.has_vectors() ? model.vectors().iterations() : model.iterations()} +
      model.unfinished().releases() - model.unfinished().releases_done();
  // By its price alone: what it took depends on what was spent before.
  std::string command =
      absl::StrCat("topicwall fit ", model.corpus(), " --algorithm ", model.algorithm(),
                   " --topics ", WasMerged(model) ? model.fitted_topics() : model.num_topics(),
                   " --iterations ", iterations, " --epsilon-alone ", model.epsilon());
  const auto add = [&command](const char* flag, const auto& value) {
    absl::StrAppend(&command, flag, value);
  };
  if (model.has_sampling_rate()) add(" --sampling-rate ", model.sampling_rate());
  if (model.has_clip_norm()) add(" --clip-norm ", model.clip_norm());
  // Of vectors no words are counted.
  if (model.max_words() > 0 && !model.has_vectors()) add(" --max-words ", model.max_words());
  if (model.held_out_share() > 0) add(" --held-out-share ", model.held_out_share());
  if (model.has_seed()) add(" --seed ", model.seed());
  // Files that the model does not name: their place in the command is kept for the reader's own.
  if (model.anchors_size() > 0) absl::StrAppend(&command, " --anchors anchors.json");
  if (model.has_initial_model()) absl::StrAppend(&command, " --init earlier.model");
  return absl::StrCat(command, " --model ", model.corpus(), ".model");
}

void AddRow(const std::string& name, const std::string& value, Html& html) {
  html.Open("tr").Add("th", {{"scope", "row"}}, name);
  html.Add("td", {{"class", "text"}}, value).Close();
}

void AddPlan(const std::string& name, int releases, const std::string& plan_id, Html& html) {
  AddRow(name, absl::StrCat(Counted(releases, "release", "releases"), " of plan ", plan_id), html);
}

std::string AnchorsText(const v1::ReportedModel& model) {
  std::vector<std::string> anchors;
  for (const v1::Anchor& anchor : model.anchors()) {
    anchors.push_back(absl::StrCat(anchor.name(), ": ", absl::StrJoin(anchor.words(), ", ")));
  }
  return absl::StrJoin(anchors, "; ");
}

std::string AlgorithmText(const v1::ReportedModel& model) {
  if (model.has_vectors()) {
    return absl::StrCat(model.algorithm(), ", ",
                        Counted(model.num_topics(), "component", "components"), " of vectors of ",
                        Counted(model.vocabulary_size(), "dimension", "dimensions"),
                        ", norm at most ", Rounded(model.vectors().norm_bound()));
  }
  return absl::StrCat(model.algorithm(), ", ", Counted(model.num_topics(), "topic", "topics"),
                      WasMerged(model) ? absl::StrCat(", merged from ", model.fitted_topics()) : "",
                      " of ", Thousands(model.vocabulary_size()), " words, tokenizer ",
                      model.tokenizer());
}

void AddModel(const v1::Report& report, Html& html) {
  const v1::ReportedModel& model = report.model();
  html.Open("div", {{"class", "wide"}}).Open("table", {{"class", "plain"}}).Open("tbody");
  AddRow("algorithm", AlgorithmText(model), html);
  if (model.anchors_size() > 0) AddRow("anchors", AnchorsText(model), html);
  if (!model.plan_id().empty()) {
    AddRow("corpus",
           absl::StrCat(model.corpus(), " of ", model.custodian_id(), ", version ",
                        model.corpus_version()),
           html);
    for (const v1::ReportedStage& stage : model.vectors().stages()) {
      AddPlan(stage.name(), stage.releases(), stage.plan_id(), html);
    }
    if (model.vectors().stages().empty()) {
      AddPlan(TopicsOf(model), model.iterations(), model.plan_id(), html);
    }
  }
  if (!model.unigram_plan_id().empty()) {
    AddPlan("word frequencies", 1, model.unigram_plan_id(), html);
  }
  for (const v1::ReportedEvaluation& evaluation : report.evaluations()) {
    AddPlan(model.has_vectors() ? "log density" : "perplexity", evaluation.releases(),
            evaluation.plan_id(), html);
  }
  for (const v1::ReportedPrevalence& prevalence : report.prevalences()) {
    AddPlan(absl::StrCat("prevalence", prevalence.attribute().empty() ? "" : " by ",
                         prevalence.attribute()),
            prevalence.releases(), prevalence.plan_id(), html);
  }
  if (report.has_ledger()) {
    AddRow("privacy",
           absl::StrCat(report.ledger().entries(), " entries, head ", report.ledger().head()),
           html);
  }
  AddRow("program", absl::StrCat("topicwall ", report.program_version()), html);
  html.Close().Close().Close();
}

// What was done, which is not the same of every algorithm, and for whom.
std::string MethodText(const v1::Report& report) {
  const v1::ReportedModel& model = report.model();
  if (model.plan_id().empty()) {
    return absl::StrCat(
        model.has_vectors() ? "A mixture of Gaussians of vectors" : "Topics of documents",
        " of one’s own, fitted at hand: no wall, no clip and no noise stood between these and the ",
        TopicsOf(model), ", which promise no privacy to anybody in them.",
        HasAnswers(report) ? " What is said of a corpus behind a wall is of sums that the "
                             "custodian’s server clipped and released with Gaussian noise."
                           : "");
  }
  return absl::StrCat(
      model.has_vectors()
          ? "A mixture of Gaussians with diagonal covariances across a wall: the custodian’s "
            "server "
            "infers of which components each unit’s vectors are, and what they add to the counts, "
            "sums and sums of squares of each,"
      : model.is_mixture()
          ? "A mixture across a wall, of whose components a document has one: the custodian’s "
            "server infers how likely each is for each unit’s documents,"
          : "Latent Dirichlet allocation across a wall: the custodian’s server infers the topics "
            "of each unit’s documents,",
      " clips what each adds, sums, and releases the sums with Gaussian noise. What is made of "
      "them here is post-processing and takes nothing from the budget.");
}

}  // namespace

void AddMethod(const v1::Report& report, Html& html) {
  html.Open("section", {{"id", "method"}});
  html.Add("h2", "Method");
  html.Add("p", MethodText(report));
  AddModel(report, html);
  const std::string command = FitCommand(report.model());
  if (!command.empty()) {
    html.Add("h3", "To fit it again");
    html.Add("pre", command);
    html.Add(
        "p", {{"class", "how"}},
        absl::StrCat("Another fit takes as much of the budget again, and its noise is another: ",
                     TopicsOf(report.model()), " that come again are the ones to rely on."));
  }
  html.Add("h3", "To check this page");
  html.Add("pre", absl::StrCat("topicwall report --verify FILE --model FOLDER",
                               report.has_ledger() ? " --corpus NAME" : "",
                               report.has_comparison() ? " --compare OTHER" : ""));
  html.Add("p", {{"class", "how"}},
           "The page is drawn anew from the numbers at its end and compared byte by byte; the "
           "numbers are gathered anew from the model and the ledger and compared one by one.");
  // It is of topics behind a wall, and of nothing else.
  if (!report.model().plan_id().empty() && !report.model().is_mixture()) {
    html.Add("h3", "To cite");
    html.Add("pre", kPaper);
  }
  html.Close();
}

}  // namespace topicwall::client
