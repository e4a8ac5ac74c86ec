#include "client/report/page/sections.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "accountant/ledger/price_record.h"
#include "client/report/text/numbers.h"
#include "client/wall/mock_custodian.h"

namespace topicwall::client {
namespace {

constexpr int kWordsOfALabel = 3;

struct Colour {
  double red, green, blue;  // 0 … 255
};
constexpr Colour kGrey = {222, 226, 231};
constexpr Colour kAccent = {24, 78, 119};

Colour ColourOf(double strength) {
  const double s = std::clamp(strength, 0.0, 1.0);
  return {kGrey.red + s * (kAccent.red - kGrey.red),
          kGrey.green + s * (kAccent.green - kGrey.green),
          kGrey.blue + s * (kAccent.blue - kGrey.blue)};
}

// A channel without the gamma of sRGB, as the relative luminance of WCAG 2 is made of.
double Linear(double channel) {
  const double c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::string WhoIsProtected(const v1::ReportedLedger& ledger) {
  return ledger.privacy_unit() == v1::PRIVACY_UNIT_OWNER
             ? "whether or not all documents of any one owner are in it"
             : "whether or not any one document is in it";
}

std::string OfOnesOwn(const v1::ReportedModel& model) {
  return absl::StrCat("The ", TopicsOf(model), " are of ",
                      model.has_vectors() ? "vectors" : "documents",
                      " of one’s own, fitted without a wall: nothing is promised to the people in "
                      "those. ");
}

// Of all that is told of the corpus, and of the other budgets that may concern the same people.
std::string PromiseOf(const v1::ReportedLedger& ledger, const v1::ReportedModel& model) {
  const bool is_shared = ledger.has_sum();
  const double epsilon = is_shared ? ledger.sum().epsilon() : ledger.epsilon();
  const double delta = is_shared ? ledger.sum().delta() : ledger.delta();
  const std::string own = model.plan_id().empty() ? OfOnesOwn(model) : "";
  const std::string all = absl::StrCat(
      " that all analysts together ever learn from ",
      model.plan_id().empty() ? "the corpus that was asked" : "this corpus",
      is_shared
          ? absl::StrCat(" and from ",
                         Counted(ledger.sum().budgets_size(), "other budget", "other budgets"),
                         " that may concern the same people")
          : "");
  if (!accountant::ledger::IsAPromise({.epsilon = epsilon, .delta = delta})) {
    return absl::StrCat(own, "Of all", all,
                        " nothing is promised (δ would be 1); the budget of the corpus alone "
                        "promises ",
                        PairText(ledger.epsilon(), ledger.delta()), ".");
  }
  return absl::StrCat(
      own, "Everything", all, " is as likely, but for a factor of at most e^ε and a chance of δ, ",
      WhoIsProtected(ledger), ": differentially private with ", PairText(epsilon, delta), ".");
}

}  // namespace

std::string LabelOf(const v1::ReportedTopic& topic) {
  if (!topic.label().empty()) return topic.label();
  if (topic.has_component()) return absl::StrCat("component ", topic.number());
  std::string label;
  for (int i = 0; i < std::min(topic.words_size(), kWordsOfALabel); ++i) {
    absl::StrAppend(&label, i == 0 ? "" : " ", topic.words(i).term());
  }
  return label.empty() ? "no word of its own" : label;
}

std::string ShareText(const v1::ReportedTopic& topic) {
  return topic.has_share() ? Percent(topic.share()) : "share not known";
}

std::vector<const v1::ReportedTopic*> ByShare(const v1::Report& report) {
  std::vector<const v1::ReportedTopic*> topics;
  for (const v1::ReportedTopic& topic : report.topics()) topics.push_back(&topic);
  std::stable_sort(topics.begin(), topics.end(),
                   [](const auto* a, const auto* b) { return a->share() > b->share(); });
  return topics;
}

std::string ReleasesText(int releases, const std::string& plan_id) {
  return absl::StrCat(releases == 1 ? "release 1" : absl::StrCat("releases 1–", releases),
                      " of plan ", ShortId(plan_id));
}

void OpenWide(const std::string& what, Html& html) {
  html.Open("div",
            {{"class", "wide"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", what}});
}

void AddSource(const std::string& source, Html& html) {
  if (!source.empty()) html.Add("p", {{"class", "source"}}, absl::StrCat("From ", source, "."));
}

std::string SourceOfTopics(const v1::ReportedModel& model) {
  if (model.plan_id().empty()) return "";
  std::vector<std::string> of_stages;
  for (const v1::ReportedStage& stage : model.vectors().stages()) {
    of_stages.push_back(ReleasesText(stage.releases(), stage.plan_id()));
  }
  if (!of_stages.empty()) return absl::StrJoin(of_stages, ", ");
  std::string source = ReleasesText(model.iterations(), model.plan_id());
  if (!model.unigram_plan_id().empty()) {
    absl::StrAppend(&source, " and ", ReleasesText(1, model.unigram_plan_id()));
  }
  return source;
}

std::string FileOf(bool is_checkpoint) { return is_checkpoint ? "checkpoint.pb" : "model.pb"; }

void AddHeadingOf(const v1::ReportedPrevalence& prevalence, Html& html) {
  html.Open("h3");
  if (prevalence.attribute().empty()) {
    html.Text("All documents of ");
  } else {
    html.Text("By ").Add("i", prevalence.attribute()).Text(", of ");
  }
  html.Add("i", prevalence.corpus()).Close();
}

bool IsOfAMock(const v1::Report& report) {
  return IsMock(report.model().custodian_id()) || IsMock(report.ledger().custodian_id());
}

std::string TopicsOf(const v1::ReportedModel& model) {
  return model.has_vectors() ? "components" : "topics";
}

std::string TitleOf(const v1::Report& report) {
  const v1::ReportedModel& model = report.model();
  return absl::StrCat(IsOfAMock(report) ? "MOCK: " : "", model.num_topics(), " ", TopicsOf(model),
                      model.corpus().empty() ? "" : " of ", model.corpus());
}

bool HasAnswers(const v1::Report& report) {
  return report.evaluations_size() > 0 || report.prevalences_size() > 0;
}

std::string PromiseText(double epsilon, double delta) {
  return accountant::ledger::IsAPromise({.epsilon = epsilon, .delta = delta})
             ? PairText(epsilon, delta)
             : "no promise";
}

std::string GuaranteeSentence(const v1::Report& report) {
  if (IsOfAMock(report)) {
    return "MOCK: made of documents that do not exist, to try a script on. It says nothing of the "
           "corpus, nothing was spent, and nothing is promised to anybody.";
  }
  const v1::ReportedModel& model = report.model();
  if (report.has_ledger()) return PromiseOf(report.ledger(), model);
  if (model.plan_id().empty() && HasAnswers(report)) {
    return absl::StrCat(OfOnesOwn(model),
                        "What a wall told of its documents beside them is differentially private; "
                        "what is promised for its corpus is in its ledger.");
  }
  if (model.plan_id().empty()) {
    return "This model was fitted to documents of one's own, without a wall: nothing is promised "
           "to the people in them.";
  }
  if (model.has_sum() && model.sum().budgets_size() > 0) {
    return absl::StrCat("The budget of this corpus and ",
                        Counted(model.sum().budgets_size(), "other", "others"),
                        " that may concern the same people promise ",
                        accountant::ledger::IsAPromise(
                            {.epsilon = model.sum().epsilon(), .delta = model.sum().delta()})
                            ? absl::StrCat("differential privacy with ",
                                           PairText(model.sum().epsilon(), model.sum().delta()))
                            : "nothing (δ would be 1)",
                        " together.");
  }
  return absl::StrCat("The releases of this model alone are differentially private with ",
                      PairText(model.epsilon(), model.delta()),
                      "; what is promised for the corpus is in its ledger.");
}

bool KnowsAllSpent(const v1::ReportedLedger& ledger) {
  return ledger.unseen_entries() == 0 || ledger.has_spent_by_all();
}

double SpentOf(const v1::ReportedLedger& ledger) {
  return ledger.has_spent_by_all() ? ledger.spent_by_all() : ledger.spent();
}

std::string FillOf(double strength) {
  const Colour colour = ColourOf(strength);
  const auto byte = [](double channel) { return static_cast<int>(std::lround(channel)); };
  return absl::StrFormat("#%02x%02x%02x", byte(colour.red), byte(colour.green), byte(colour.blue));
}

std::string InkOn(double strength) {
  const Colour colour = ColourOf(strength);
  const double luminance =
      0.2126 * Linear(colour.red) + 0.7152 * Linear(colour.green) + 0.0722 * Linear(colour.blue);
  // Of the two the one with more contrast, which is 4.58 at least.
  return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? "#fff" : "#000";
}

}  // namespace topicwall::client
