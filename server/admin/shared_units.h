// Which budgets already protect people of a corpus that is about to get one.
//
// Whoever is in two corpora loses what both budgets allow, so a corpus that shares units
// with a budgeted one must spend from the same budget, or the two must be stated as a sum.
// Units are compared by their keyed ids, which are equal in every corpus under one custodian
// key. What cannot be looked into counts as shared: a corpus whose file is missing, damaged
// or of another version (it was ingested again), one with another privacy unit, whose ids are
// never equal although its people may be the same, and every other one if either is `unjoinable`
// (server/corpus/corpus_description.h), since equal or different ids then say nothing.
//
// Privacy: PRIVATE. One answer per budgeted corpus, for the custodian's terminal; which
// units and how many they are is not said anywhere.
// Cost: both corpora's ids in memory (16 bytes a unit) and a pass over both files.
#ifndef TOPICWALL_SERVER_ADMIN_SHARED_UNITS_H_
#define TOPICWALL_SERVER_ADMIN_SHARED_UNITS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/admin/custody.h"
#include "server/corpus/corpus_store.h"
#include "server/ledger/ledger_requests.h"

namespace topicwall::admin {

enum class Sharing {
  kNone,        // no unit in common
  kShared,      // at least one
  kUnreadable,  // the file cannot be compared
  kOtherUnit,   // nothing can be said: documents here, owners there
  kUnjoinable,  // nothing can be said: the documents of one of them came without ids
};

struct SharingWith {
  ledger::CorpusStatus corpus_status;
  Sharing sharing;
};

// One answer for each of `statuses`, in order. Errors are of `corpus` alone.
absl::StatusOr<std::vector<SharingWith>> FindSharedUnits(
    const Custody& custody, const corpus::CorpusStore& corpus,
    absl::Span<const ledger::CorpusStatus> statuses);

// "notes (version 0123…): shares privacy units", for a message that lists them.
std::string Describe(const SharingWith& other);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_SHARED_UNITS_H_
