// The hash chain over a ledger's events: how it is made, and how a reader checks it.
//
//   commitment_i = SHA-256("topicwall.v1.commitment\0" ‖ salt_i ‖ event_i)
//   head_i       = SHA-256("topicwall.v1.head\0" ‖ head_{i-1} ‖ commitment_i)
//   head_0       = 32 zero bytes
//
//   ChainVerifier chain;
//   for (const v1::LedgerEntry& entry : entries) {
//     absl::Status status = chain.Add(entry);
//     if (!status.ok()) ...                        // names the first bad entry
//   }
//   chain.length(), chain.head();                  // compare with what another reader saw
//
// One chain per budget, entries numbered from 1 without gaps. event_i is the serialized
// LedgerEvent exactly as it was written; salt_i is 16 bytes, as good as random to whoever has not
// the custodian's key (server/ledger/ledger_seals.h). A reader who may not see an event gets the
// commitment alone: enough to follow the chain, and the salt keeps the event from being guessed.
// What the chain gives: two readers with the same head have the same events, every one. What it
// does not give: a chain that was cut at its end, or made anew from the start, is a valid chain;
// only a head noted elsewhere tells.
//
// PUBLIC. Shared by server and client. Threads: a verifier belongs to one thread.
// Cost: two hashes an entry, about 1 µs.
#ifndef TOPICWALL_PROTO_LEDGER_CHAIN_H_
#define TOPICWALL_PROTO_LEDGER_CHAIN_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::proto {

inline constexpr std::size_t kHashSize = 32;
inline constexpr std::size_t kEventSaltSize = 16;
// Of a whole chain, from a wall or as an export: more than a million entries. One number for
// whoever reads one, or an export could be written that is then no evidence.
inline constexpr std::int64_t kMostChainBytes = std::int64_t{1} << 30;

// Hashes stand as 32-byte strings here, as they do in LedgerEntry.
std::string GenesisHead();
std::string EventCommitment(absl::string_view salt, absl::string_view event);
std::string NextHead(absl::string_view previous_head, absl::string_view commitment);

// Whether `entry` comes next behind entry `length` with the head `head`: errors as those of
// ChainVerifier::Add, which also holds the chain to one budget. *event is what it says, without an
// act if only its commitment is visible.
absl::Status VerifyEntry(const v1::LedgerEntry& entry, int64_t length, absl::string_view head,
                         v1::LedgerEvent* event);

class ChainVerifier {
 public:
  // From the beginning of a chain.
  ChainVerifier() : head_(GenesisHead()) {}

  // Behind entry `length` with the head `head` that was verified (or noted) before.
  ChainVerifier(int64_t length, absl::string_view head) : length_(length), head_(head) {}

  // Takes the next entry. DATA_LOSS, naming the sequence number and what is wrong, if the
  // entry is not the next one, a hash is not the recomputed one, or a visible event does
  // not parse, carries another number than its entry, or another budget than the events before
  // it; FAILED_PRECONDITION (IsWrittenByNewer, strict_parse.h) if all that holds, and the event has
  // a field that this program does not know. Nothing is taken then.
  absl::Status Add(const v1::LedgerEntry& entry);

  int64_t length() const { return length_; }
  const std::string& head() const { return head_; }

  // Of the visible events so far; empty before the first.
  const std::string& budget_id() const { return budget_id_; }

  // The event of the last entry; empty (no act set) if only its commitment was visible.
  const v1::LedgerEvent& event() const { return event_; }

 private:
  int64_t length_ = 0;
  std::string head_;
  std::string budget_id_;
  v1::LedgerEvent event_;
};

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_LEDGER_CHAIN_H_
