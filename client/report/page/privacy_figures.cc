#include "client/report/page/privacy_figures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 130;
constexpr double kLeft = 22;
constexpr double kRight = 712;
constexpr double kTop = 22;
constexpr double kBase = 108;

constexpr int kPeople = 100;
constexpr int kPeopleInARow = 20;
constexpr double kCell = 11;

std::string HeightAt(double epsilon, double total) {
  return Fixed(kBase - (kBase - kTop) * std::clamp(epsilon / total, 0.0, 1.0), 1);
}

void AddScale(const v1::ReportedLedger& ledger, Html& html) {
  const std::string top = HeightAt(ledger.epsilon(), ledger.epsilon());
  html.Add("path", {{"class", "total"},
                    {"d", absl::StrCat("M", Fixed(kLeft, 0), " ", top, "H", Fixed(kRight, 0))}});
  html.Add(
      "path",
      {{"class", "axis"},
       {"d", absl::StrCat("M", Fixed(kLeft, 0), " ", Fixed(kBase, 0), "H", Fixed(kRight, 0))}});
  html.Add("text", {{"x", Fixed(kLeft - 6, 0)}, {"y", Fixed(kBase + 4, 0)}, {"class", "end"}}, "0");
  html.Add("text", {{"x", Fixed(kRight, 0)}, {"y", Fixed(kTop - 7, 0)}, {"class", "end"}},
           absl::StrCat(proto::EpsilonText(ledger.epsilon()),
                        ", the whole budget: nothing beyond is ever admitted"));
}

// One little person, whose place is `index` of 100.
void AddPerson(int index, const char* kind, Html& html) {
  const double x = kCell * (index % kPeopleInARow);
  const double y = 2 * kCell * (index / kPeopleInARow);
  html.Add("path", {{"class", kind},
                    {"d", absl::StrCat("M", Fixed(x + 5.5, 1), " ", Fixed(y + 2, 0),
                                       "a2.6 2.6 0 1 1 -.01 0zm-4 16v-6a4 4 0 0 1 8 0v6z")}});
}

// `known` of them without any release, and all releases make it `found`, as `text` says.
void AddPeople(const char* question, int known, int found, const std::string& text, Html& html) {
  html.Open("div").Add("h4", question);
  html.Open("svg", {{"viewBox", absl::StrCat("-1 -4 ", Fixed(kCell * kPeopleInARow + 2, 0), " ",
                                             Fixed(2 * kCell * kPeople / kPeopleInARow + 2, 0))},
                    {"role", "img"},
                    {"aria-label", text}});
  for (int i = 0; i < kPeople; ++i) {
    AddPerson(i, i < known ? "known" : i < found ? "gained" : "safe", html);
  }
  html.Close().Add("p", {{"class", "small"}}, text).Close();
}

// Rounded up: no person is left out.
int PeopleOf(double share) {
  // A product that is a whole number but for rounding stays that number.
  return static_cast<int>(std::clamp(std::ceil(kPeople * share - 1e-9), 0.0, double{kPeople}));
}

}  // namespace

void AddStepsFigure(const v1::ReportedLedger& ledger, int first, Html& html) {
  const int count = ledger.plans_size() - first;
  // Room for what came after the last plan, and of few plans no step wider than a quarter.
  const double step = (kRight - kLeft) / std::max(count + 1, 4);
  std::string path = absl::StrCat("M", Fixed(kLeft, 1), " ",
                                  HeightAt(ledger.plans(first).spent_before(), ledger.epsilon()));
  html.Open("svg", {{"class", "steps"},
                    {"viewBox", absl::StrCat("0 0 ", Fixed(kWidth, 0), " ", Fixed(kHeight, 0))},
                    {"role", "img"},
                    {"aria-label",
                     "What was spent, a step for each plan, below the whole budget; the "
                     "numbers are in the table below"}});
  for (int i = 0; i < count; ++i) {
    const v1::ReportedPlan& plan = ledger.plans(first + i);
    const double x = kLeft + step * (i + 0.5);
    // Also up to what others took between two plans, so that a step is what its own plan took.
    absl::StrAppend(&path, "V", HeightAt(plan.spent_before(), ledger.epsilon()), "H", Fixed(x, 1),
                    "V", HeightAt(plan.spent_after(), ledger.epsilon()));
    html.Add("text", {{"x", Fixed(x, 1)}, {"y", Fixed(kHeight - 8, 0)}, {"class", "middle"}},
             ShortId(plan.plan_id()));
  }
  // The last plan's own step has its width before what came after it.
  absl::StrAppend(&path, "H", Fixed(kLeft + step * (count + 0.5), 1), "V",
                  HeightAt(SpentOf(ledger), ledger.epsilon()), "H", Fixed(kRight, 1));
  html.Add("path", {{"class", "area"},
                    {"d", absl::StrCat(path, "V", Fixed(kBase, 0), "H", Fixed(kLeft, 0), "Z")}});
  html.Add("path", {{"class", "step"}, {"d", path}});
  AddScale(ledger, html);
  html.Close();
}

void AddGuessFigure(const v1::AttackBounds& attack, Html& html) {
  const int right = PeopleOf(attack.best_posterior_at_even_odds());
  const std::string text = absl::StrCat(
      "Of 100 people of whom a coin was tossed whether they are in, guessing is right "
      "of 50, and with all releases of at most ",
      right, " (", PercentAtMost(attack.best_posterior_at_even_odds()), ").");
  AddPeople("Is this person in?", 50, right, text, html);
}

void AddFoundFigure(const v1::AttackBounds& attack, Html& html) {
  const int found = PeopleOf(attack.true_positive_rate_at_fpr_1_percent());
  const std::string text = absl::StrCat(
      "Of 100 people who are in, whoever accuses 1 of 100 innocents finds 1 by chance, "
      "and with all releases at most ",
      found, " (", PercentAtMost(attack.true_positive_rate_at_fpr_1_percent()), ").");
  AddPeople("Who is in?", 1, found, text, html);
}

}  // namespace topicwall::client
