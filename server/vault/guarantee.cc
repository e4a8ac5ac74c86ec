// Every number comes from the ledger's record of what was promised and never from today's
// configuration, so that a sentence that was true once stays so.
#include "server/vault/guarantee.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "accountant/ledger/price_record.h"
#include "proto/told_numbers.h"

namespace topicwall::server {
namespace {

std::string RestsOn(const v1::BudgetThawed& thaw) {
  if (thaw.ground() == v1::BudgetThawed::FORFEITED || thaw.forfeited_unseen()) {
    return ", and all that was left counts as spent";
  }
  if (thaw.head().empty()) {
    return "; it is complete if what the custodian took for the newest entry was, which was not "
           "recorded then";
  }
  return absl::StrCat("; it is complete if entry ", thaw.head_sequence(), " (head ",
                      absl::BytesToHexString(thaw.head()), ") was the newest");
}

}  // namespace

std::string GuaranteeSentence(v1::PrivacyUnit unit, double epsilon, double delta) {
  return absl::StrCat(
      "Whatever all analysts together learn from this budget is (", proto::EpsilonText(epsilon),
      ", ", proto::DeltaText(delta), ")-differentially private under adding or removing ",
      unit == v1::PRIVACY_UNIT_OWNER ? "all documents of one owner" : "one document",
      ", against computationally bounded analysts.");
}

std::string SumSentence(const v1::BudgetSum& sum) {
  if (sum.budgets().empty()) return "";
  const bool one = sum.budgets_size() == 1;
  return absl::StrCat(
      "The same people may be in ", sum.budgets_size(), one ? " other budget" : " other budgets",
      " of this custodian; for whoever is in all of them, with one privacy unit of "
      "each, ",
      accountant::ledger::IsAPromise(ParamsOf(sum))
          ? absl::StrCat("the guarantee over them together is (", proto::EpsilonText(sum.epsilon()),
                         ", ", proto::DeltaText(sum.delta()), ").")
          : "there is no guarantee over them together (delta would be 1).");
}

// Whether a restored ledger is complete cannot be seen from inside. So the sentence says what it
// rests on, and says it for ever.
std::string RestorationSentence(const ledger::Restoration& restoration) {
  return absl::StrCat("The ledger was restored from a backup on ", DateOf(restoration.thawed_at_ms),
                      RestsOn(restoration.thaw),
                      ". Budgets opened between that backup and the loss may be missing from the "
                      "sum with this one.");
}

std::vector<std::string> RestorationSentences(const ledger::CorpusStatus& corpus_status) {
  std::vector<std::string> sentences;
  if (corpus_status.after_restore) {
    sentences.push_back(
        "The ledger was restored from a backup before this budget was opened; it is all that these "
        "documents spend if, as the custodian says, no budget of theirs was opened between that "
        "backup and the loss.");
  }
  for (const ledger::Restoration& restoration : corpus_status.restorations) {
    sentences.push_back(RestorationSentence(restoration));
  }
  if (corpus_status.state == v1::CORPUS_STATE_FROZEN) {
    sentences.push_back(
        "The ledger was restored from a backup and is not thawed: what was charged after that "
        "backup is not counted here.");
  }
  return sentences;
}

std::string GuaranteeOf(v1::PrivacyUnit unit, const ledger::CorpusStatus& corpus_status) {
  const accountant::PrivacyParams& budget = corpus_status.policy->budget();
  std::string text = GuaranteeSentence(unit, budget.epsilon, budget.delta);
  const std::string sum = SumSentence(corpus_status.sum);
  if (!sum.empty()) absl::StrAppend(&text, " ", sum);
  for (const std::string& sentence : RestorationSentences(corpus_status)) {
    absl::StrAppend(&text, " ", sentence);
  }
  return text;
}

accountant::PrivacyParams ParamsOf(const v1::BudgetSum& sum) {
  return {.epsilon = sum.epsilon(), .delta = sum.delta()};
}

std::string DateOf(int64_t time_ms) {
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(time_ms), absl::UTCTimeZone());
}

}  // namespace topicwall::server
