// Two hashes an entry, not one: the head is made of the commitment alone. So a reader who may not
// see an event can follow the chain over it, and whoever sees it later can show that it was there
// all along. The salt is inside the commitment: an event is a few dozen guessable bytes, whose
// plain hash could be found by trying.
#include "proto/ledger_chain.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "proto/strict_parse.h"

namespace topicwall::proto {
namespace {

// The terminating zero belongs to the tag: no tag is then the beginning of another.
constexpr absl::string_view kCommitmentTag("topicwall.v1.commitment\0", 24);
constexpr absl::string_view kHeadTag("topicwall.v1.head\0", 18);

absl::Status BadEntry(int64_t sequence, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("ledger entry ", sequence, " does not verify: ", what, "."));
}

}  // namespace

std::string GenesisHead() { return std::string(kHashSize, '\0'); }

std::string EventCommitment(absl::string_view salt, absl::string_view event) {
  base::Sha256 hash;
  hash.Update(kCommitmentTag);
  hash.Update(salt);
  hash.Update(event);
  return base::DigestBytes(std::move(hash).Finish());
}

std::string NextHead(absl::string_view previous_head, absl::string_view commitment) {
  base::Sha256 hash;
  hash.Update(kHeadTag);
  hash.Update(previous_head);
  hash.Update(commitment);
  return base::DigestBytes(std::move(hash).Finish());
}

absl::Status VerifyEntry(const v1::LedgerEntry& entry, int64_t length, absl::string_view head,
                         v1::LedgerEvent* event) {
  // From the outside in: place, head, commitment, and only bytes that are what was committed to are
  // parsed.
  const int64_t sequence = length + 1;
  event->Clear();
  if (entry.sequence() != sequence) {
    return BadEntry(sequence, absl::StrCat("found number ", entry.sequence(), " in its place"));
  }
  if (entry.commitment().size() != kHashSize ||
      entry.head() != NextHead(head, entry.commitment())) {
    return BadEntry(sequence, "its head is not the hash of the head before and its commitment");
  }
  if (entry.event().empty()) return absl::OkStatus();
  // A salt of another length could move bytes between salt and event.
  if (entry.salt().size() != kEventSaltSize ||
      entry.commitment() != EventCommitment(entry.salt(), entry.event())) {
    return BadEntry(sequence, "its commitment is not the hash of its event");
  }
  const Reading reading = ReadStrictly(entry.event(), event);
  if (reading == Reading::kUnreadable) return BadEntry(sequence, "its event is unreadable");
  // The number and the budget are said within the event as well: an entry that stands in another
  // place or chain contradicts itself.
  if (event->sequence() != sequence) {
    return BadEntry(sequence, absl::StrCat("its event says number ", event->sequence()));
  }
  if (event->budget_id().empty()) {
    return BadEntry(sequence, "its event belongs to another budget");
  }
  // Last: what contradicts itself in what is known is no newer program's.
  return reading == Reading::kWhole ? absl::OkStatus()
                                    : WrittenByNewer(absl::StrCat("ledger entry ", sequence));
}

absl::Status ChainVerifier::Add(const v1::LedgerEntry& entry) {
  v1::LedgerEvent event;
  TW_RETURN_IF_ERROR(VerifyEntry(entry, length_, head_, &event));
  if (!entry.event().empty()) {
    if (!budget_id_.empty() && event.budget_id() != budget_id_) {
      return BadEntry(entry.sequence(), "its event belongs to another budget");
    }
    budget_id_ = event.budget_id();
  }
  length_ = entry.sequence();
  head_ = entry.head();
  event_ = std::move(event);
  return absl::OkStatus();
}

}  // namespace topicwall::proto
