#include "client/commands/audit/known_corpora.h"

#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/price_record.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/commands/json/told_json.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

std::string WordOf(v1::PrivacyUnit unit) {
  return EnumWord(v1::PrivacyUnit_Name(unit), "PRIVACY_UNIT_");
}

double EpsilonOf(const KnownCorpus& corpus) {
  if (!corpus.budget.has_value()) return kNotANumber;
  // The sum, where there is one: whoever is in several corpora is promised no part of it.
  return IsShared(corpus.budget->sum()) ? corpus.budget->sum().epsilon()
                                        : corpus.budget->epsilon_total();
}

std::string EpsilonTold(const KnownCorpus& corpus) {
  const v1::BudgetSum& sum = corpus.budget->sum();
  const bool is_promise = !IsShared(sum) || accountant::ledger::IsAPromise(
                                                {.epsilon = sum.epsilon(), .delta = sum.delta()});
  return is_promise ? proto::EpsilonText(EpsilonOf(corpus)) : "none";
}

double LeftOf(const KnownCorpus& corpus) {
  return corpus.budget.has_value() ? corpus.budget->epsilon_left() : kNotANumber;
}

absl::StatusOr<KnownCorpus> Ask(WallPort& wall, const std::string& name) {
  KnownCorpus corpus;
  TW_ASSIGN_OR_RETURN(corpus.description, wall.DescribeCorpus(name));
  corpus.description.set_corpus(name);
  if (corpus.description.state() == v1::CORPUS_STATE_NO_BUDGET) return corpus;
  TW_ASSIGN_OR_RETURN(corpus.budget, wall.GetBudget(name));
  return corpus;
}

}  // namespace

absl::StatusOr<std::vector<KnownCorpus>> KnownCorpora(WallPort& wall, const v1::HeadBook& notes,
                                                      const std::vector<std::string>& named) {
  TW_ASSIGN_OR_RETURN(const std::vector<v1::PlanState> plans, wall.ListPlans(""));
  std::set<std::string> known;
  for (const v1::PlanState& plan : plans) known.insert(plan.plan().corpus());
  for (const v1::NotedHead& note : notes.heads()) known.insert(note.corpus());
  std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& name : named) {
    if (known.insert(name).second) names.push_back(name);
  }
  std::vector<KnownCorpus> corpora;
  for (const std::string& name : names) {
    absl::StatusOr<KnownCorpus> corpus = Ask(wall, name);
    const bool is_denied =
        absl::IsPermissionDenied(corpus.status()) || absl::IsUnauthenticated(corpus.status());
    // What was noted once may be served to this caller no more; of what was named the refusal is
    // told.
    if (is_denied && std::find(named.begin(), named.end(), name) == named.end()) continue;
    // Which of them it is, the wall's word does not say.
    if (is_denied) {
      return absl::Status(corpus.status().code(),
                          absl::StrCat("corpus ", name, ": ", corpus.status().message()));
    }
    TW_RETURN_IF_ERROR(corpus.status());
    corpora.push_back(*std::move(corpus));
  }
  return corpora;
}

std::string CorporaText(const std::vector<KnownCorpus>& corpora) {
  if (corpora.empty()) {
    return "no corpora are known to this profile: name one that the custodian told you of";
  }
  base::Table table;
  table.AddRow({"corpus", "unit", "nominal size", "epsilon", "left", "state"});
  std::string sums;
  for (const KnownCorpus& corpus : corpora) {
    const v1::CorpusDescription& told = corpus.description;
    const bool has_budget = corpus.budget.has_value();
    table.AddRow({told.corpus(), WordOf(told.privacy_unit()),
                  told.has_nominal_size() ? absl::StrCat(told.nominal_size()) : "?",
                  has_budget ? EpsilonTold(corpus) : "",
                  has_budget ? proto::LeftText(LeftOf(corpus)) : "", StateWord(told.state())});
    if (!has_budget || !IsShared(corpus.budget->sum())) continue;
    absl::StrAppend(&sums, "\ntogether with others the budget of ", told.corpus(), ": ",
                    SumText(corpus.budget->sum()));
  }
  return table.Text() + sums;
}

std::string CorporaJson(const std::vector<KnownCorpus>& corpora) {
  std::vector<base::JsonObject> rows;
  for (const KnownCorpus& corpus : corpora) {
    const v1::CorpusDescription& told = corpus.description;
    base::JsonObject row;
    row.SetString("corpus", told.corpus()).SetString("unit", WordOf(told.privacy_unit()));
    if (told.has_nominal_size()) row.SetInteger("nominal_size", told.nominal_size());
    rows.push_back(row.SetNumber("epsilon", EpsilonOf(corpus))
                       .SetNumber("left", LeftOf(corpus))
                       .SetString("state", StateWord(told.state())));
  }
  return base::JsonObject().SetObjects("corpora", rows).Text();
}

}  // namespace topicwall::client
