// Receipts as an honest custodian would sign them, of any entry of a chain, for tests that then
// spoil them. Signs with OpenSSL alone: nothing of the server is in it.
#ifndef TOPICWALL_TESTS_CLIENT_RECEIPT_PRESS_H_
#define TOPICWALL_TESTS_CLIENT_RECEIPT_PRESS_H_

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "proto/ledger.pb.h"
#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "proto/signature.h"
#include "proto/signed_head.h"

namespace topicwall::client {

class ReceiptPress {
 public:
  // Presses of different numbers are different custodians.
  explicit ReceiptPress(char number = 1) : seed_(32, number) {
    pair_.reset(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, Bytes(seed_), 32));
    size_t size = key_.size();
    EVP_PKEY_get_raw_public_key(pair_.get(), reinterpret_cast<unsigned char*>(key_.data()), &size);
  }

  const std::string& key() const { return key_; }

  v1::SignedReceipt Sign(const v1::Receipt& receipt) const {
    v1::SignedReceipt signed_receipt;
    signed_receipt.set_receipt(receipt.SerializeAsString());
    signed_receipt.set_signature(
        SignatureOf(proto::SignedMatter::kReceipt, signed_receipt.receipt()));
    signed_receipt.set_public_key(key_);
    return signed_receipt;
  }

  v1::SignedHead SignHead(const v1::HeadStatement& statement) const {
    v1::SignedHead head;
    head.set_statement(proto::BytesOf(statement));
    head.set_signature(SignatureOf(proto::SignedMatter::kHead, head.statement()));
    head.set_public_key(key_);
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
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  std::string SignatureOf(proto::SignedMatter matter, const std::string& bytes) const {
    const std::string text = proto::TextToSign(matter, bytes);
    std::string signature(proto::kSignatureSize, '\0');
    size_t size = signature.size();
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EVP_DigestSignInit(context, nullptr, nullptr, nullptr, pair_.get());
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, Bytes(text),
                   text.size());
    EVP_MD_CTX_free(context);
    return signature;
  }
  static const unsigned char* Bytes(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }

  std::string seed_;
  std::unique_ptr<EVP_PKEY, Free> pair_;
  std::string key_ = std::string(32, '\0');
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_RECEIPT_PRESS_H_
