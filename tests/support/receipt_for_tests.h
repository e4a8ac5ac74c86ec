// Receipts without a ledger, for tests only: the one friend of ChargeReceipt beside the
// ledger itself.
//
//   ledger::ChargeReceipt receipt = ledger::ChargeReceiptTestPeer::Make(terms, key);
//   ledger::NoisedReceipt noised = ledger::ChargeReceiptTestPeer::Noised(std::move(receipt));
#ifndef TOPICWALL_TESTS_SUPPORT_RECEIPT_FOR_TESTS_H_
#define TOPICWALL_TESTS_SUPPORT_RECEIPT_FOR_TESTS_H_

#include <utility>

#include "server/ledger/charge_receipt.h"

namespace topicwall::ledger {

struct ChargeReceiptTestPeer {
  static ChargeReceipt Make(ChargeTerms terms, random::SecretKey release_key) {
    return ChargeReceipt(std::move(terms), std::move(release_key));
  }

  // Skips the noise: for tests of what comes after it.
  static NoisedReceipt Noised(ChargeReceipt&& receipt) { return NoisedReceipt(std::move(receipt)); }
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_TESTS_SUPPORT_RECEIPT_FOR_TESTS_H_
