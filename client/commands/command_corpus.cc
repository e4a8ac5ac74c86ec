// `topicwall describe`, `vocabulary` and `budget`: what the wall says of a corpus and its budget.
// What each plan took is told from the chain and its receipts, unchecked; `ledger` recounts it. The
// sum over budgets is right below the promise of one: who is in several is promised the sum alone.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/audit/spend.h"
#include "client/audit/takings.h"
#include "client/commands/command.h"
#include "client/commands/json/told_json.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/json.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

std::string UnitName(v1::PrivacyUnit unit) {
  switch (unit) {
    case v1::PRIVACY_UNIT_DOCUMENT:
      return "one document";
    case v1::PRIVACY_UNIT_OWNER:
      return "all documents of one owner";
    default:
      // A newer wall may know units that this program does not.
      return "unknown";
  }
}

std::string StateName(v1::CorpusState state) {
  switch (state) {
    case v1::CORPUS_STATE_OPEN:
      return "open";
    case v1::CORPUS_STATE_NO_BUDGET:
      return "no budget is open yet";
    case v1::CORPUS_STATE_PAUSED:
      return "paused: by the custodian, after overruns, or because documents cannot be read";
    case v1::CORPUS_STATE_FROZEN:
      return "frozen: restored from a backup, not thawed; what was charged since is not counted";
    default:
      return "unknown";
  }
}

// What the releases so far had less of than the next one will have.
std::string WorstOf(const v1::CorpusDescription& corpus) {
  if (!corpus.has_worst_protection()) return "";
  const v1::Protection& worst = corpus.worst_protection();
  const int64_t interval_ms = worst.release_interval_ms();
  const int free = worst.free_processors();
  if (interval_ms == 0) return "; when some so far came depended on the documents";
  const bool was_less =
      interval_ms < corpus.release_interval_ms() || free < corpus.free_processors();
  return was_less ? absl::StrCat("; so far at least ", interval_ms, " ms and ", free) : "";
}

// What of the protection of timing did not hold stands in the same sentence as the protection.
std::string TimingOf(const v1::CorpusDescription& corpus) {
  if (corpus.timing_protection() == v1::TIMING_PROTECTION_NONE) {
    return "none: when a release comes depends on the documents";
  }
  if (corpus.timing_protection() != v1::TIMING_PROTECTION_SCHEDULE) return "the wall does not say";
  return absl::StrCat("a release is readable every ", corpus.release_interval_ms(), " ms; ",
                      corpus.overruns(), " missed their instant, ", corpus.restarts(),
                      " waited for a restarted server, ", corpus.voided(), " were voided; ",
                      corpus.free_processors(), " processors are kept free of computing",
                      WorstOf(corpus));
}

std::string DuplicatesOf(const v1::CorpusDescription& corpus) {
  const std::string ids = corpus.unjoinable() ? "; they came without ids of their own" : "";
  switch (corpus.duplicates()) {
    case v1::DUPLICATE_RULE_REFUSE:
      return "none: a second document of one name was refused" + ids;
    case v1::DUPLICATE_RULE_MERGE:
      return "all lines of one name are one document" + ids;
    case v1::DUPLICATE_RULE_LEAVE_OUT:
      return "a unit's conflicting lines are one document" + ids;
    default:
      return "the wall does not say" + ids;
  }
}

// With its first values: lists may be long.
std::string AttributeText(const v1::Attribute& attribute) {
  constexpr int kValuesShown = 12;
  const auto& values = attribute.values();
  std::string text = absl::StrCat(attribute.name(), attribute.is_date() ? ", periods from " : ": ");
  absl::StrAppend(
      &text,
      absl::StrJoin(values.begin(), values.begin() + std::min(values.size(), kValuesShown), ", "));
  if (values.size() > kValuesShown) {
    absl::StrAppend(&text, ", … ", values.Get(values.size() - 1), " (", values.size(), " in all)");
  }
  return absl::StrCat(text,
                      attribute.is_date() ? ", the last one's end; else other" : "; or other");
}

std::string TextOf(const v1::CorpusDescription& corpus) {
  const v1::Limits& limits = corpus.limits();
  base::Table table;
  table.AddRow({"corpus", corpus.corpus()});
  table.AddRow({"version", base::Hex(corpus.corpus_version())});
  table.AddRow({"custodian", corpus.custodian_id()});
  if (!corpus.signing_key().empty()) {
    table.AddRow({"custodian's key", base::Hex(corpus.signing_key())});
  }
  table.AddRow({"state", StateName(corpus.state())});
  table.AddRow({"privacy unit", UnitName(corpus.privacy_unit())});
  table.AddRow({"guarantee", corpus.guarantee()});
  AddSumRow(corpus.sum(), table);
  table.AddRow({"vocabulary",
                absl::StrCat(corpus.vocabulary_size(), " terms, tokenizer ", corpus.tokenizer())});
  if (corpus.has_nominal_size()) {
    table.AddRow(
        {"nominal size", absl::StrCat(corpus.nominal_size(), " units, says the custodian")});
  }
  if (corpus.has_vectors()) {
    table.AddRow({"vectors", absl::StrCat(corpus.vectors().dimension(), " dimensions, norm bound ",
                                          corpus.vectors().norm_bound())});
  }
  for (const v1::Attribute& attribute : corpus.attributes()) {
    table.AddRow({"attribute", AttributeText(attribute)});
  }
  table.AddRow({"timing", TimingOf(corpus)});
  table.AddRow({"duplicates", DuplicatesOf(corpus)});
  table.AddRow({"releases left", absl::StrCat(corpus.releases_left(), " of ", limits.max_releases(),
                                              " to all, ", corpus.own_releases_left(), " to you")});
  const bool is_unit = corpus.privacy_unit() == v1::PRIVACY_UNIT_DOCUMENT;
  const std::string of_unit =
      is_unit ? "" : absl::StrCat(", ", limits.max_documents_per_unit(), " documents of a unit");
  table.AddRow({"limits",
                absl::StrCat(limits.max_parameters_per_term(), " topics, ", limits.max_iterations(),
                             " iterations a plan, noise multiplier at least ",
                             limits.min_noise_multiplier(), of_unit)});
  const std::string words = absl::StrCat(limits.max_tokens(), " words of a document");
  if (!corpus.has_vectors()) table.AddRow({"", words});
  return table.Text();
}

void AddPrincipal(const v1::PrincipalBudget& principal, base::Table& table) {
  table.AddRow({principal.principal(),
                absl::StrCat("epsilon ", proto::EpsilonText(principal.epsilon_spent()),
                             " alone, of at most ", proto::EpsilonText(principal.epsilon_cap()))});
}

// More may count as drawn than there were, after a restore; and the counts are the wall's word, so
// that neither a negative one nor a list too short may do harm here.
void AddVouchers(const v1::BudgetStatus& budget, base::Table& table) {
  const auto& kinds = budget.inventory().kinds();
  for (int i = 0; i < std::min(kinds.size(), budget.spent_size()); ++i) {
    const auto count = static_cast<uint64_t>(std::max<int64_t>(0, kinds[i].count()));
    table.AddRow({i == 0 ? "vouchers" : "",
                  absl::StrCat(count - std::min(count, uint64_t{budget.spent(i)}), " of ", count,
                               " left: noise multiplier at least ", kinds[i].noise_multiplier(),
                               ", sampling rate at most ", kinds[i].sampling_rate())});
  }
}

// The plans of one who asks for them; the last row makes the sum what is spent.
void AddTakings(const Takings& takings, bool names, base::Table& table) {
  for (size_t i = 0; i < takings.plans.size(); ++i) {
    const PlanTaking& plan = takings.plans[i];
    table.AddRow({i == 0 ? "of which" : "",
                  absl::StrCat(absl::StrFormat("%.4f", plan.taken.told), " by plan ", plan.plan_id,
                               names ? " of " + plan.principal : "",
                               plan.is_cancelled ? ", cancelled" : "")});
  }
  // By what words tell: a difference below four digits would be a row of 0.0000.
  if (takings.others.told == 0) return;
  const char* const whose = takings.is_forfeited ? " or the custodian's declaration" : "";
  table.AddRow({takings.plans.empty() ? "of which" : "",
                absl::StrFormat("%.4f by others%s", takings.others.told, whose)});
}

std::string TextOf(const v1::BudgetStatus& budget, const Takings& takings, bool explain) {
  base::Table table;
  table.AddRow({"state", StateName(budget.state())});
  table.AddRow({"total", absl::StrCat("epsilon ", proto::EpsilonText(budget.epsilon_total()),
                                      " at delta ", proto::DeltaText(budget.delta()))});
  AddSumRow(budget.sum(), table);
  const Taking now = {
      .total = budget.epsilon_total(), .before = budget.epsilon_spent(), .after = 0};
  table.AddRow({"left", LeftText(now)});
  // Told where the cap binds before the budget does: else it would be the same number.
  const double own_left = budget.own().epsilon_cap() - budget.own().epsilon_spent();
  if (budget.has_own() && own_left < now.total - now.before) {
    table.AddRow(
        {"", OwnText({.left = std::max(0.0, own_left), .cap = budget.own().epsilon_cap()})});
  }
  table.AddRow({"spent", absl::StrCat(proto::EpsilonText(budget.epsilon_spent()),
                                      " (charged or reserved)")});
  AddTakings(takings, !budget.principals().empty(), table);
  AddVouchers(budget, table);
  if (explain) {
    const bool is_known = budget.state() != v1::CORPUS_STATE_FROZEN;
    const std::string told = proto::EpsilonText(budget.odometer_epsilon());
    table.AddRow({"odometer", is_known ? told + " (a looser bound, at any moment)" : "not known"});
  }
  table.AddRow(
      {"ledger", absl::StrCat(budget.events(), " entries, head ", base::Hex(budget.chain_head()))});
  if (budget.has_own()) AddPrincipal(budget.own(), table);
  for (const v1::PrincipalBudget& principal : budget.principals()) AddPrincipal(principal, table);
  return table.Text();
}

absl::Status ShowVocabulary(const std::string& corpus, const Invocation& invocation,
                            Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall->DescribeCorpus(corpus));
  if (description.has_vectors()) {
    return absl::FailedPreconditionError(
        absl::StrCat("corpus ", corpus,
                     " is of vectors, which have no words. `topicwall describe` shows them."));
  }
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary words, FetchVocabulary(*wall, description));
  terminal.Print(invocation.json
                     ? base::JsonObject()
                           .SetString("corpus", corpus)
                           .SetString("corpus_version", base::Hex(description.corpus_version()))
                           .SetString("tokenizer", description.tokenizer())
                           .SetStrings("words", words.terms())
                           .Text()
                     : absl::StrJoin(words.terms(), "\n"));
  return absl::OkStatus();
}

absl::Status ShowBudget(const std::string& corpus, const Invocation& invocation,
                        Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(v1::BudgetStatus budget, wall->GetBudget(corpus));
  budget.set_corpus(corpus);
  TW_ASSIGN_OR_RETURN(const Takings takings, TakingsOf(*wall, budget));
  if (invocation.json) {
    base::JsonObject object = BudgetJson(budget, takings);
    // As the wall sent it: the policy and the vector, by which all of this can be counted again.
    if (invocation.explain) object.SetRaw("status", JsonOf(budget));
    terminal.Print(object.Text());
  } else {
    terminal.Print(TextOf(budget, takings, invocation.explain));
  }
  return absl::OkStatus();
}

absl::Status ShowDescription(const std::string& corpus, const Invocation& invocation,
                             Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall->DescribeCorpus(corpus));
  terminal.Print(invocation.json ? JsonOf(description) : TextOf(description));
  return absl::OkStatus();
}

}  // namespace

void AddDescribe(base::Command app, Invocation& invocation) {
  auto [command, corpus] = AddWallCommand(
      app, invocation,
      {.name = "describe",
       .description = "What is public about a corpus: unit, guarantee, vocabulary, limits",
       .example = "topicwall describe notes"},
      ShowDescription);
  command.Add("corpus", *corpus, "Name of the corpus").Required();
}

void AddVocabulary(base::Command app, Invocation& invocation) {
  auto [command, corpus] = AddWallCommand(
      app, invocation,
      {.name = "vocabulary",
       .description =
           "The word list of a corpus, which is public: a word a line, in the order of its "
           "numbers, checked against the digest in the description",
       .example = "topicwall vocabulary notes > words.txt"},
      ShowVocabulary);
  command.Add("corpus", *corpus, "Name of the corpus").Required();
}

void AddBudget(base::Command app, Invocation& invocation) {
  auto [command, corpus] =
      AddWallCommand(app, invocation,
                     {.name = "budget",
                      .description = "What is left, and what each plan took, as the wall states it "
                                     "(`ledger` recounts it)",
                      .example = "topicwall budget notes"},
                     ShowBudget);
  command.Add("corpus", *corpus, "Name of the corpus").Required();
  AddExplain(command, invocation);
}

}  // namespace topicwall::client
