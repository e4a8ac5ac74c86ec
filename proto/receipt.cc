#include "proto/receipt.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"
#include "proto/signature.h"
#include "proto/strict_parse.h"

namespace topicwall::proto {

absl::StatusOr<v1::SignedReceipt> SignReceipt(const base::SigningKey& key,
                                              const v1::Receipt& receipt) {
  v1::SignedReceipt signed_receipt;
  // These bytes are signed, and these are sent: protobuf promises nobody the same bytes from
  // another serializer. The text to sign names its matter, so that a head never passes for a
  // receipt.
  signed_receipt.set_receipt(receipt.SerializeAsString());
  TW_ASSIGN_OR_RETURN(*signed_receipt.mutable_signature(),
                      key.Sign(TextToSign(SignedMatter::kReceipt, signed_receipt.receipt())));
  signed_receipt.set_public_key(key.public_key());
  return signed_receipt;
}

absl::StatusOr<OpenedReceipt> OpenReceipt(const v1::SignedReceipt& signed_receipt,
                                          absl::string_view public_key) {
  // The key that comes with a receipt proves nothing: it is compared, never used.
  if (signed_receipt.public_key() != public_key) {
    return ProvesNothing("receipt", "it is signed with another key than the custodian's");
  }
  if (!IsSignedBy(public_key, SignedMatter::kReceipt, signed_receipt.receipt(),
                  signed_receipt.signature())) {
    return ProvesNothing("receipt", "its signature does not hold");
  }
  OpenedReceipt opened;
  // Only now: unsigned bytes are not given to a parser.
  const Reading receipt = ReadStrictly(signed_receipt.receipt(), &opened.receipt);
  const Reading event = ReadStrictly(opened.receipt.entry().event(), &opened.event);
  if (receipt == Reading::kUnreadable || event == Reading::kUnreadable) {
    return ProvesNothing("receipt", "it cannot be read");
  }
  const v1::LedgerEntry& entry = opened.receipt.entry();
  // A salt of another length could move bytes between salt and event: two openings of one entry.
  if (entry.salt().size() != kEventSaltSize ||
      entry.commitment() != EventCommitment(entry.salt(), entry.event()) ||
      opened.receipt.previous_head().size() != kHashSize ||
      entry.head() != NextHead(opened.receipt.previous_head(), entry.commitment()) ||
      // Entries count from 1, and whoever has the chain looks them up by it.
      entry.sequence() < 1 || entry.sequence() != opened.event.sequence()) {
    return ProvesNothing("receipt", "its entry of the chain does not recompute");
  }
  // Before its act is asked for, which may be one that this program does not know.
  if (receipt == Reading::kSaysMore || event == Reading::kSaysMore) {
    return WrittenByNewer("the receipt");
  }
  const ReceiptSubject subject = SubjectOf(opened.event);
  // The plan's state stands beside the entry, under the same signature but not in the chain:
  // without this an act on one plan could be shown as one on another.
  if (subject.plan_id.empty() || subject.plan_id != opened.receipt.plan().plan_id()) {
    return ProvesNothing("receipt", "it is not of an act on the plan that it names");
  }
  return opened;
}

ReceiptSubject SubjectOf(const v1::LedgerEvent& event) {
  switch (event.act_case()) {
    case v1::LedgerEvent::kPlanReserved:
      return {.plan_id = event.plan_reserved().plan_id()};
    case v1::LedgerEvent::kPlanCancelled:
      return {.plan_id = event.plan_cancelled().plan_id()};
    case v1::LedgerEvent::kIterationCharged:
      return {.plan_id = event.iteration_charged().plan_id(),
              .iteration = event.iteration_charged().iteration()};
    case v1::LedgerEvent::kReleasePublished:
      return {.plan_id = event.release_published().plan_id(),
              .iteration = event.release_published().iteration()};
    default:
      return {};
  }
}

std::string DescribeAct(const v1::LedgerEvent& event) {
  const ReceiptSubject subject = SubjectOf(event);
  if (subject.iteration == 0) {
    return absl::StrCat("plan ", subject.plan_id,
                        event.has_plan_cancelled() ? " cancelled" : " reserved");
  }
  return absl::StrCat("iteration ", subject.iteration, " of plan ", subject.plan_id,
                      event.has_release_published() ? " published" : " charged");
}

}  // namespace topicwall::proto
