// Whether a wall's chain goes on from the head that was noted of it.
//
//   absl::StatusOr<ChainSight> sight = LookAtChain({.wall = wall, .book = book}, "notes");
//   // OK: the chain holds every entry that was ever seen, and its newest head is noted now
//
// The entry that was noted must still stand at its place, with its head, and the chain must lead
// from there to its end (proto/ledger_chain.h); at first contact, from its first entry. The head
// that the custodian signed, if it comes with the last entry, must hold and say the same; it is
// kept with the note, as proof. A budget has one signing key, for ever; `signing_key` is the one
// that a profile pins. A corpus of a new version may have a new budget, which `replaced` tells
// once; the same version may not: its documents would have two. Nor may a ledger that does not
// count an earlier budget of the corpus among those that may concern the same people: it has lost
// it.
//
// Everything else is refused, and the note stays what it was. So too after a restore, which leaves
// out what was seen since the backup: the text says which entries are gone, and AcceptChain is the
// way to go on once the custodian has explained it. It checks the chain in itself, and no more.
// Where a corpus is not shown any more, or has no budget any more, it forgets what was noted.
//
// Errors: DATA_LOSS or FAILED_PRECONDITION where it does not go on; the wall's own, the book's.
// PUBLIC. Threads: one. Cost: two calls, and the entries since the note; all of them at first.
#ifndef TOPICWALL_CLIENT_AUDIT_CHAIN_WATCH_H_
#define TOPICWALL_CLIENT_AUDIT_CHAIN_WATCH_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/audit/head_book.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct WatchedChain {
  WallPort& wall;
  HeadBook& book;
  std::string signing_key = {};  // 32 bytes, or empty: any that the budget was met with
};

struct ChainSight {
  v1::CorpusDescription description;
  // As it is noted now. Without a budget_id where no budget is open yet, or where what was noted is
  // forgotten: nothing is noted then.
  v1::NotedHead head;
  std::optional<v1::NotedHead> replaced;  // what was noted of the corpus before: another budget
};

absl::StatusOr<ChainSight> LookAtChain(const WatchedChain& chain, absl::string_view corpus);
absl::StatusOr<ChainSight> AcceptChain(const WatchedChain& chain, absl::string_view corpus);

// "entry 241, head 1a2b…, noted on 2026-11-23 01:36:56 UTC"
std::string DescribeNote(const v1::NotedHead& note);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_CHAIN_WATCH_H_
