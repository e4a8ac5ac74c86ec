// Stored releases: a header, and beside it the statistics in parts of at most 1 MiB, each named by
// the digest that is taken when it is stored (the open charge has both; once published the chain).
//
// PRIVATE until published, though it is noised: when it came to be is a fact about the documents.
// Threads: any.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_BLOBS_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_BLOBS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "accountant/ledger/plan_record.h"
#include "proto/ledger.pb.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// 1 MiB of float32: also the largest chunk of the protocol.
inline constexpr int64_t kEntriesPerChunk = int64_t{1} << 18;

// A release as it is written: serialized and hashed, which takes about 1 ms a megabyte and is
// done before anything is locked.
struct HashedRelease {
  std::string header;                  // a serialized StoredRelease with statistics_sha256
  std::string header_sha256;           // 32 bytes
  std::string release_sha256;          // of all entries as little-endian float32
  absl::Span<const float> statistics;  // must outlive this
};
HashedRelease HashRelease(v1::StoredRelease header, absl::Span<const float> statistics);

// The change refers to the release.
void AddBlobs(const HashedRelease& release, store::Change* change);

// Whether a published release stands in this ledger: always, unless it was published by one that
// was lost.
absl::StatusOr<bool> IsHere(store::EventStore& store, const accountant::ledger::Charge& charge);

// DATA_LOSS if it is missing, or not of these digests: in the words that everybody is told.
absl::StatusOr<v1::StoredRelease> ReadHeader(store::EventStore& store,
                                             const std::string& header_sha256,
                                             const std::string& release_sha256);
// The part of the statistics whose first entry is part·kEntriesPerChunk. DATA_LOSS if it is
// missing.
absl::StatusOr<std::string> ReadChunk(store::EventStore& store, const std::string& release_sha256,
                                      int64_t part);
// All of it against both digests, one part in memory at a time. DATA_LOSS.
absl::Status CheckRelease(store::EventStore& store, const std::string& header_sha256,
                          const std::string& release_sha256);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_BLOBS_H_
