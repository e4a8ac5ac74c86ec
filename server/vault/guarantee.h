// What a budget promises, in sentences: for descriptions, statements and the custodian's terminal.
//
// PUBLIC: functions of what the ledger records. Pure functions, any thread.
#ifndef TOPICWALL_SERVER_VAULT_GUARANTEE_H_
#define TOPICWALL_SERVER_VAULT_GUARANTEE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "accountant/events/privacy_params.h"
#include "proto/wall.pb.h"
#include "server/ledger/ledger_requests.h"

namespace topicwall::server {

// The guarantee of an open budget in one sentence.
std::string GuaranteeSentence(v1::PrivacyUnit unit, double epsilon, double delta);

// What is left of it for people who are in other budgets too; empty if there is no other.
std::string SumSentence(const v1::BudgetSum& sum);

// That the ledger was lost once, and on what the count of what was spent then rests.
std::string RestorationSentence(const ledger::Restoration& restoration);
// Every one that the budget's chain tells of, oldest first: before it was opened, since, and the
// one that nobody has thawed yet.
std::vector<std::string> RestorationSentences(const ledger::CorpusStatus& corpus_status);

// All of them behind each other, for a budget with a policy.
std::string GuaranteeOf(v1::PrivacyUnit unit, const ledger::CorpusStatus& corpus_status);

// The sum as one (ε, δ), for what follows from one. Its δ may be 1 or more, which promises nothing
// and fails accountant::Validate.
accountant::PrivacyParams ParamsOf(const v1::BudgetSum& sum);

// 2026-11-23, in UTC.
std::string DateOf(int64_t time_ms);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_GUARANTEE_H_
