// Receipts as an honest custodian would sign them, of any entry of a chain, for tests that then
// spoil them. Nothing of the server is in it.
#ifndef TOPICWALL_TESTS_CLIENT_RECEIPT_PRESS_H_
#define TOPICWALL_TESTS_CLIENT_RECEIPT_PRESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/ed25519.h"
#include "proto/ledger.pb.h"
#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "proto/signature.h"
#include "proto/signed_head.h"

namespace topicwall::client {

class ReceiptPress {
 public:
  // Presses of different numbers are different custodians.
  explicit ReceiptPress(char number = 1)
      : pair_(*base::SigningKey::Create(
            std::vector<uint8_t>(base::kSigningKeySize, static_cast<uint8_t>(number)))) {}

  const std::string& key() const { return pair_.public_key(); }

  v1::SignedReceipt Sign(const v1::Receipt& receipt) const {
    v1::SignedReceipt signed_receipt;
    signed_receipt.set_receipt(receipt.SerializeAsString());
    signed_receipt.set_signature(
        SignatureOf(proto::SignedMatter::kReceipt, signed_receipt.receipt()));
    signed_receipt.set_public_key(key());
    return signed_receipt;
  }

  v1::SignedHead SignHead(const v1::HeadStatement& statement) const {
    v1::SignedHead head;
    head.set_statement(proto::BytesOf(statement));
    head.set_signature(SignatureOf(proto::SignedMatter::kHead, head.statement()));
    head.set_public_key(key());
    return head;
  }

  // Of entry `sequence` of the chain, with `spent` after it.
  v1::SignedReceipt Of(const std::vector<v1::LedgerEntry>& chain, int64_t sequence,
                       const std::vector<uint64_t>& spent = {5}) const {
    v1::Receipt receipt;
    *receipt.mutable_entry() = chain.at(static_cast<size_t>(sequence - 1));
    receipt.set_previous_head(sequence == 1 ? proto::GenesisHead()
                                            : chain.at(static_cast<size_t>(sequence - 2)).head());
    v1::LedgerEvent event;
    event.ParseFromString(receipt.entry().event());
    for (const v1::LedgerEntry& entry : chain) {
      v1::LedgerEvent other;
      other.ParseFromString(entry.event());
      if (other.has_plan_reserved() &&
          other.plan_reserved().plan_id() == proto::SubjectOf(event).plan_id) {
        *receipt.mutable_plan() = other.plan_reserved();
      }
    }
    receipt.mutable_spent()->Assign(spent.begin(), spent.end());
    return Sign(receipt);
  }

 private:
  std::string SignatureOf(proto::SignedMatter matter, const std::string& bytes) const {
    return *pair_.Sign(proto::TextToSign(matter, bytes));
  }

  base::SigningKey pair_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_RECEIPT_PRESS_H_
