// Receipts as their holder reads them: signed, whole, and in agreement with themselves.
//
//   absl::StatusOr<OpenedReceipt> opened = OpenReceipt(signed_receipt, custodians_key);
//   opened->event.iteration_charged().request_digest() == …
//
// A receipt holds one entry of the budget's chain in clear, the head before it, the plan it is
// about and what was spent right after it. OpenReceipt answers only for a receipt that
//  · is signed by the key that the reader expects (not merely by the one it carries);
//  · is of a plan reserved or cancelled, an iteration charged or a release published;
//  · can be opened in one way only: a salt of 16 bytes, and no field this program does not know;
//  · recomputes: commitment from salt and event, head from commitment and previous head;
//  · names the same plan throughout.
// It does not say that the entry is (still) in the custodian's chain: for that compare its
// sequence, commitment and head with the chain, or with other receipts.
//
// PUBLIC to the plan's analyst, whose principal it names. Pure functions, any thread.
#ifndef TOPICWALL_PROTO_RECEIPT_H_
#define TOPICWALL_PROTO_RECEIPT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ed25519.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::proto {

// Of v1::ReceiptFile.
inline constexpr int kReceiptFileFormat = 1;

struct OpenedReceipt {
  v1::Receipt receipt;
  v1::LedgerEvent event;  // of receipt.entry
};

// DATA_LOSS, saying what is wrong with it; FAILED_PRECONDITION (IsWrittenByNewer, strict_parse.h)
// if only that it says more than this program knows. `public_key`: 32 bytes.
absl::StatusOr<OpenedReceipt> OpenReceipt(const v1::SignedReceipt& signed_receipt,
                                          absl::string_view public_key);

// INTERNAL if OpenSSL fails.
absl::StatusOr<v1::SignedReceipt> SignReceipt(const base::SigningKey& key,
                                              const v1::Receipt& receipt);

// What a receipt can be about. `plan_id` and `iteration` (0 for a whole plan) of the act; an
// empty id for events of which there are no receipts.
struct ReceiptSubject {
  std::string plan_id;
  int32_t iteration = 0;
};
ReceiptSubject SubjectOf(const v1::LedgerEvent& event);

// "iteration 3 of plan 0123… charged": for messages.
std::string DescribeAct(const v1::LedgerEvent& event);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_RECEIPT_H_
