// An answer that composes: from memory if it is there, else when it is this call's turn.
//
//   return FromMemoryOrInTurn<v1::BudgetStatus>(
//       wall.answers(), wall.pricing(), principal, KeyOf("budget", corpus_status, purse, ...),
//       cancelled,
//       [&] { return wall.ledger().Budget(query); });
//
// PUBLIC. Threads: any. Errors of the work are not kept.
#ifndef TOPICWALL_SERVER_VAULT_LINES_ANSWER_IN_TURN_H_
#define TOPICWALL_SERVER_VAULT_LINES_ANSWER_IN_TURN_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "server/acts/answer_cache.h"
#include "server/ledger/ledger_requests.h"
#include "server/vault/lines/pricing_gate.h"

namespace topicwall::server {

// A key of an acts::AnswerCache: a digest of everything that an answer depends on.
class AnswerKey {
 public:
  explicit AnswerKey(absl::string_view question) { Add(question); }
  AnswerKey& Add(absl::string_view text) {
    hash_.UpdateString(text);
    return *this;
  }
  AnswerKey& Add(double number) {
    hash_.UpdateNumber(number);
    return *this;
  }
  std::string Finish() { return base::DigestBytes(std::move(hash_).Finish()); }

 private:
  base::Sha256 hash_;
};

// Of an answer to this reader about the budget as it is now: the head of the chain stands for all
// that the ledger knows. `plan` may be empty.
inline std::string KeyOf(absl::string_view question, const ledger::CorpusStatus& corpus_status,
                         const ledger::Purse& purse, bool is_auditor, absl::string_view plan) {
  return AnswerKey(question)
      .Add(corpus_status.corpus_version)
      .Add(corpus_status.head)
      .Add(purse.principal)
      .Add(purse.epsilon_cap.value_or(-1))
      .Add(static_cast<double>(purse.max_releases))
      .Add(is_auditor ? 1.0 : 0.0)
      .Add(plan)
      .Finish();
}

// The answer to `key`, from memory, or worked out when it is this call's turn.
template <typename Answer>
absl::StatusOr<Answer> FromMemoryOrInTurn(acts::AnswerCache& answers, PricingGate& gate,
                                          absl::string_view principal, const std::string& key,
                                          const Cancelled& cancelled,
                                          absl::FunctionRef<absl::StatusOr<Answer>()> work_out) {
  Answer answer;
  if (const auto known = answers.Find(key); known.has_value()) {
    if (answer.ParseFromString(known->front())) return answer;
  }
  TW_ASSIGN_OR_RETURN(const PricingGate::Turn turn, gate.Enter(principal, cancelled));
  // Somebody may have asked the same meanwhile.
  if (const auto known = answers.Find(key); known.has_value()) {
    if (answer.ParseFromString(known->front())) return answer;
  }
  TW_ASSIGN_OR_RETURN(answer, work_out());
  answers.Keep(key, {answer.SerializeAsString()});
  return answer;
}

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_LINES_ANSWER_IN_TURN_H_
