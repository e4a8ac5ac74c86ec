#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"
#include "model/lda/reading/quality_calibration.h"

namespace topicwall::client {
namespace {

void AddHeadRow(std::initializer_list<const char*> names, Html& html) {
  html.Open("thead").Open("tr");
  for (const char* name : names) html.Add("th", {{"scope", "col"}}, name);
  html.Close().Close();
}

struct Grade {
  int topics = 0;
  double share = 0;
};

// The last step takes what is above all bounds, and NaN with it.
size_t StepOf(double recurs) {
  size_t step = 0;
  while (step + 1 < std::size(lda::kComesAgainChecked) &&
         !(recurs < lda::kComesAgainChecked[step].below)) {
    ++step;
  }
  return step;
}

// How many topics have each probability of coming again, and how often it held elsewhere.
void AddGrades(const v1::Report& report, Html& html) {
  constexpr size_t kSteps = std::size(lda::kComesAgainChecked);
  std::array<Grade, kSteps> grades;
  for (const v1::ReportedTopic& topic : report.topics()) {
    Grade& grade = grades[StepOf(topic.recurs())];
    ++grade.topics;
    grade.share += topic.share();
  }
  html.Add("h3", "Topics that another fit would find again");
  html.Add("p", {{"class", "how"}},
           "How many topics of this model are said to come again in another fit of the same price, "
           "how surely; and, of topics of which as much was said, how many did, in fits of public "
           "documents that the statement was not made from.");
  if (report.model().num_topics() < lda::kLeastTopicsJudged) {
    html.Add("p", {{"class", "how"}},
             "Those fits were of 50 topics. Of as few as these more come again than is said, and "
             "none is called weak.");
  }
  OpenWide("Topics that another fit would find again", html);
  html.Open("table", {{"class", "plain"}});
  AddHeadRow({"said to come again", "topics", "their share", "did: Debian’s packages",
              "did: arXiv’s abstracts"},
             html);
  html.Open("tbody");
  // The surest first, as people read.
  for (size_t step = kSteps; step-- > 0;) {
    const lda::CheckedStep& checked = lda::kComesAgainChecked[step];
    const double least = step == 0 ? 0 : lda::kComesAgainChecked[step - 1].below;
    html.Open("tr").Add("th", {{"scope", "row"}},
                        absl::StrCat(Fixed(100 * least, 0), " to ", Percent(checked.below, 0)));
    html.Add("td", absl::StrCat(grades[step].topics)).Add("td", Percent(grades[step].share));
    html.Add("td", Percent(checked.debian, 0)).Add("td", Percent(checked.arxiv, 0)).Close();
  }
  // Their sum, and not a count of the surer ones: of ten topics at 60 % six are expected.
  html.Open("tr", {{"class", "sum"}}).Add("th", {{"scope", "row"}}, "expected in all");
  html.Add("td", Fixed(report.model().recurring(), 1));
  html.Add("td", "").Add("td", "").Add("td", "").Close();
  html.Close().Close().Close();
  AddSource(SourceOfTopics(report.model()), html);
}

void AddSignal(const v1::ReportedSignal& signal, Html& html) {
  // Nothing is expected where the planner's formula is not of the plan (signal_facts.cc): 0 is no
  // number of it.
  const auto number = [](double value) { return value > 0 ? Rounded(value) : std::string("–"); };
  const auto ratio = [&number](double over, double under) {
    return number(under > 0 ? over / under : 0);
  };
  html.Open("tr").Add("th", {{"scope", "row"}}, Thousands(signal.rank()));
  html.Add("td", number(signal.expected_signal())).Add("td", number(signal.signal()));
  html.Add("td", number(signal.expected_noise())).Add("td", number(signal.noise()));
  html.Add("td", ratio(signal.expected_signal(), signal.expected_noise()));
  html.Open("td").Add("b", ratio(signal.signal(), signal.noise())).Close();
  html.Close();
}

void AddSignals(const v1::Report& report, Html& html) {
  html.Add("h3", "Signal and noise of words");
  html.Add("p", {{"class", "how"}},
           "What a word has in a topic that has it, and one deviation of the noise there, both in "
           "words, by how common the word is in the corpus. Expected: of the plan that was bought, "
           "in a corpus of as many words whose frequencies fall as Zipf’s. Where signal ÷ noise is "
           "below 1 to 2, what a topic shows of a word is mostly the corpus.");
  OpenWide("Signal and noise of words", html);
  html.Open("table", {{"class", "plain"}}).Open("thead").Open("tr");
  html.Add("th", {{"scope", "col"}, {"rowspan", "2"}}, "rank of the word");
  for (const char* what : {"signal", "noise", "signal ÷ noise"}) {
    html.Add("th", {{"scope", "colgroup"}, {"colspan", "2"}}, what);
  }
  html.Close().Open("tr");
  for (int column = 0; column < 3; ++column) {
    html.Add("th", {{"scope", "col"}, {"class", "number"}}, "expected");
    html.Add("th", {{"scope", "col"}, {"class", "number"}}, "got");
  }
  html.Close().Close();
  html.Open("tbody");
  for (const v1::ReportedSignal& signal : report.signals()) AddSignal(signal, html);
  html.Close().Close().Close();
  AddSource(SourceOfTopics(report.model()), html);
}

std::string EstimateText(const v1::ReportedEvaluation& evaluation) {
  if (!evaluation.has_log_density()) return Fixed(evaluation.perplexity(), 1);
  // A minus sign, which no line is broken behind.
  const double density = evaluation.log_density();
  return absl::StrCat(density < 0 ? "−" : "", Fixed(std::fabs(density), 3));
}

void AddEvaluation(const v1::ReportedEvaluation& evaluation, bool of_vectors, Html& html) {
  html.Open("tr").Add("th", {{"scope", "row"}}, evaluation.corpus());
  // A number whose noise is as large as itself would be read as one.
  if (evaluation.is_drowned()) {
    html.Add("td", "drowned by noise");
  } else {
    html.Open("td").Add("b", EstimateText(evaluation));
    html.Text(absl::StrCat(" ± ", Fixed(2 * evaluation.standard_error(), of_vectors ? 3 : 1)))
        .Close();
  }
  html.Add("td", absl::StrCat(Thousands(std::llround(evaluation.words())), " ± ",
                              Thousands(std::llround(2 * evaluation.words_deviation()))));
  if (!of_vectors) html.Add("td", Rounded(evaluation.words_per_unit()));
  html.Add("td",
           absl::StrCat(Percent(evaluation.held_out_share()),
                        evaluation.was_trained_on()
                            ? "; the model was fitted to some of them, and looks better than it is"
                            : ""));
  html.Add("td", PairText(evaluation.epsilon(), evaluation.delta()));
  html.Add("td", ReleasesText(evaluation.releases(), evaluation.plan_id()));
  html.Close();
}

void AddEvaluations(const v1::Report& report, Html& html) {
  const bool of_vectors = report.model().has_vectors();
  const bool has_seen_some =
      std::any_of(report.evaluations().begin(), report.evaluations().end(),
                  [](const v1::ReportedEvaluation& one) { return one.was_trained_on(); });
  html.Add("h3", absl::StrCat(of_vectors ? "Vectors " : "Documents ",
                              has_seen_some ? "behind the wall" : "that the fit has not seen"));
  html.Add("p", {{"class", "how"}},
           of_vectors
               ? "Mean logarithm of the density of held-out vectors behind the wall, natural base, "
                 "in units of the norm bound; higher is better. ± 2 deviations of the noise. "
                 "Vectors far from what the mixture expects count for less: only values of the "
                 "same vectors can be compared."
               : "Perplexity of held-out units behind the wall: half of each document from the "
                 "other half, lower is better. ± 2 deviations, of a perplexity by the noise alone: "
                 "another split of the words gives another number; more releases average over "
                 "splits. Of words: by the noise and the split. Units of about as many words as "
                 "were assumed of one, and more, count for less: only values under one assumption "
                 "can be compared, and none with that of documents of one’s own.");
  const char* const what =
      of_vectors ? "Log density behind the wall" : "Perplexity behind the wall";
  OpenWide(what, html);
  html.Open("table", {{"class", "plain"}});
  if (of_vectors) {
    AddHeadRow({"corpus", "log density", "vectors scored", "of the units", "price alone", "from"},
               html);
  } else {
    AddHeadRow({"corpus", "perplexity", "words scored", "words assumed of a unit", "of the units",
                "price alone", "from"},
               html);
  }
  html.Open("tbody");
  for (const v1::ReportedEvaluation& evaluation : report.evaluations()) {
    AddEvaluation(evaluation, of_vectors, html);
  }
  html.Close().Close().Close();
}

}  // namespace

bool HasQuality(const v1::Report& report) {
  return report.model().knows_recurrence() || report.signals_size() > 0 ||
         report.evaluations_size() > 0;
}

void AddQuality(const v1::Report& report, Html& html) {
  if (!HasQuality(report)) return;
  html.Open("section", {{"id", "quality"}});
  html.Add("h2", "Quality");
  if (report.model().knows_recurrence()) AddGrades(report, html);
  if (report.signals_size() > 0) AddSignals(report, html);
  if (report.evaluations_size() > 0) AddEvaluations(report, html);
  html.Close();
}

}  // namespace topicwall::client
