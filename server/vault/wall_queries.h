// The wall's answers that touch no document: descriptions, prices, budgets.
//
// Privacy: every answer is a function of configuration, public description and ledger.
// `grant` is what Authorizer::Authorize gave for this corpus.
// Threads: may be called from many threads at once. Cost, without the ledger's lock, in
// compositions of loss distributions (pld_accountant.h: mostly below 0.1 s, the dearest some 6 s):
// PricePlan one for the accountants; of a budget of vouchers four more, under an analyst's cap up
// to a dozen beyond these, and the first time that anybody asks some 30. ReservePlan of such a
// budget one for a cap and up to a dozen for a refusal; GetBudget one a principal shown. The rest
// is look-ups. What composes goes through the gate (pricing_gate.h): UNAVAILABLE if too many wait,
// CANCELLED once `cancelled` says that nobody waits for the answer, which is asked before each
// composition. The same question about the same state of the ledger is answered from memory
// (answer_cache.h).
#ifndef TOPICWALL_SERVER_VAULT_WALL_QUERIES_H_
#define TOPICWALL_SERVER_VAULT_WALL_QUERIES_H_

#include "absl/status/statusor.h"
#include "proto/wall.pb.h"
#include "server/access/authorizer.h"
#include "server/vault/lines/pricing_gate.h"
#include "server/vault/wall.h"

namespace topicwall::server {

absl::StatusOr<v1::CorpusDescription> DescribeCorpus(Wall& wall, const CorpusGrant& grant,
                                                     const ServedCorpus& corpus);

// INVALID_ARGUMENT as ReservePlan would give it; a plan that does not fit is no error.
absl::StatusOr<v1::PlanPrice> PricePlan(Wall& wall, const CorpusGrant& grant,
                                        const ServedCorpus& corpus, const v1::ReleaseSpec& plan,
                                        const Cancelled& cancelled);

absl::StatusOr<v1::PlanState> ReservePlan(Wall& wall, const CorpusGrant& grant,
                                          const ServedCorpus& corpus,
                                          const v1::ReservePlanRequest& request,
                                          const Cancelled& cancelled);

absl::StatusOr<v1::BudgetStatus> GetBudget(Wall& wall, const CorpusGrant& grant,
                                           const ServedCorpus& corpus,
                                           const v1::GetBudgetRequest& request,
                                           const Cancelled& cancelled);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_WALL_QUERIES_H_
