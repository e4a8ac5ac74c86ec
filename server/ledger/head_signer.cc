#include "server/ledger/head_signer.h"

#include "proto/ledger.pb.h"
#include "proto/signature.h"
#include "proto/signed_head.h"
#include "server/ledger/audit_chain.h"

namespace topicwall::ledger {

absl::StatusOr<v1::SignedHead> SignHead(SqliteConnection& connection, const base::SigningKey& key,
                                        const BudgetRow& budget) {
  TW_ASSIGN_OR_RETURN(const v1::LedgerEvent opening, EventAt(connection, budget.budget_id, 1));
  v1::HeadStatement statement;
  statement.set_custodian_id(opening.budget_opened().custodian_id());
  statement.set_budget_id(budget.budget_id);
  statement.set_sequence(budget.events);
  statement.set_head(budget.head);
  v1::SignedHead head;
  head.set_statement(proto::BytesOf(statement));
  TW_ASSIGN_OR_RETURN(*head.mutable_signature(),
                      key.Sign(proto::TextToSign(proto::SignedMatter::kHead, head.statement())));
  head.set_public_key(key.public_key());
  return head;
}

}  // namespace topicwall::ledger
