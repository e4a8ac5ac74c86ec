// Where the chains of a ledger are kept, and beside them what no event tells.
//
//   std::vector<Chain> chains = …store.Chains();            // in the order of opening
//   …store.ReadEntries(chain.budget_id, 1, 1000);           // folded by accountant/ledger
//   …store.Append({.name = "charge", .chains = {…}, .open_charges = {…}});
//
// A store decides nothing and folds nothing. What it must do: Append is all or none, durable when
// it answers OK, and refused if a chain has moved meanwhile. It may be wrong or lie: entries carry
// their hashes and the custodian's salts, blobs their digest, sealed keys are bound to their place.
//
// Beside the chains stand four private tables: identity (one row), open charges (one row for each
// charge that has not ended), plans (whose request each was), blobs.
// When an open charge's row changed is PRIVATE, as is when a blob appeared.
//
// Errors of every method: UNAVAILABLE if the storage cannot be read or written (full, locked);
// DATA_LOSS if it is damaged; FAILED_PRECONDITION for Append where the store is only read.
// Threads: any method from any thread.
#ifndef TOPICWALL_SERVER_STORE_EVENT_STORE_H_
#define TOPICWALL_SERVER_STORE_EVENT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/wall.pb.h"

namespace topicwall::store {

struct Identity {
  std::string ledger_id;  // 32 hexadecimal digits
  int64_t epoch = 1;      // 1 more with every restore
  bool is_backup = false;
  std::string key_check = {};  // sealed under the custodian's key, for id and epoch
};

// A budget's chain, as long as it is.
struct Chain {
  std::string budget_id;
  int64_t length;
  std::string head;

  bool operator==(const Chain&) const = default;
};

// A charge that has not ended. PRIVATE.
struct OpenCharge {
  std::string budget_id;
  int64_t sequence;                 // of its event: with the budget's id it names the charge
  std::string sealed_key = {};      // of the release; of the digests, once that is stored
  std::string header_sha256 = {};   // of the stored release; empty before
  std::string release_sha256 = {};  // of its statistics; likewise
  // The server that computes it; none in a store of one server.
  std::string owner = {};

  bool operator==(const OpenCharge&) const = default;
};

// Both of one moment: a charge whose event is in a chain has its row.
struct Moment {
  std::vector<Chain> chains;
  std::vector<OpenCharge> open_charges;
};

// Under which of its principal's requests a plan was reserved; what was asked for the chain says.
struct PlanRecord {
  std::string plan_id;
  std::string principal;
  std::string request_id;
};

// Bytes under the SHA-256 that was taken of them. `part` counts the pieces that they were cut into.
struct BlobPart {
  std::string sha256;  // of all parts together
  int64_t part = 0;
  absl::string_view bytes;
};

// One act, all or none.
struct Change {
  struct Growth {
    std::string budget_id;
    std::string expected_head;  // 32 zero bytes for a budget that this opens
    std::vector<v1::LedgerEntry> entries;
  };
  // From what it must be to what it becomes; none: no row.
  struct Row {
    std::optional<OpenCharge> before;
    std::optional<OpenCharge> after;
  };
  const char* name;  // of the act
  std::vector<Growth> chains = {};
  std::vector<Row> open_charges = {};
  std::optional<PlanRecord> plan = {};
  std::vector<BlobPart> blobs = {};  // those that are there already stay as they are
  std::optional<Identity> identity = {};
  // How many chains there must be before, for acts that depend on all.
  std::optional<int64_t> num_chains = {};
};

class EventStore {
 public:
  virtual ~EventStore() = default;

  // DATA_LOSS if what was opened has been deleted, moved or replaced since: nothing that is known
  // of it may be told any more. UNAVAILABLE if it stands still. Waits for no writing. Cost: 1 µs.
  virtual absl::Status RequireInPlace() = 0;

  // Whether somebody else appends to it: what was read before may be no longer all. Constant.
  virtual bool OthersWrite() const = 0;

  virtual absl::StatusOr<Identity> ReadIdentity() = 0;

  // Oldest budget first.
  virtual absl::StatusOr<std::vector<Chain>> Chains() = 0;
  // Entries first … first + limit − 1, as far as there are, events and salts in clear.
  virtual absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(absl::string_view budget_id,
                                                                   int64_t first,
                                                                   int64_t limit) = 0;

  // Oldest charge first.
  virtual absl::StatusOr<std::vector<OpenCharge>> OpenCharges() = 0;
  // In the orders of both. Here by asking until nobody has written in between; in one question
  // where each costs a round trip.
  virtual absl::StatusOr<Moment> ReadMoment();

  virtual absl::StatusOr<std::optional<PlanRecord>> FindPlan(absl::string_view plan_id) = 0;
  virtual absl::StatusOr<std::optional<PlanRecord>> FindPlanByRequest(
      absl::string_view principal, absl::string_view request_id) = 0;

  // None if it is not there. What is there is not compared with its digest.
  virtual absl::StatusOr<std::optional<std::string>> ReadBlob(absl::string_view sha256,
                                                              int64_t part) = 0;

  // ABORTED, and nothing changed, if a chain's head, an open charge's row or the number of chains
  // is not what it must be, or another server was first. UNAVAILABLE from a shared store: it was
  // made or not, and what is read next tells.
  virtual absl::Status Append(const Change& change) = 0;

  // The storage's own structure: DATA_LOSS. Cost: reads everything.
  virtual absl::Status CheckStructure() = 0;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_EVENT_STORE_H_
