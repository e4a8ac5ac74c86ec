// Stored releases: a header beside its statistics in rows of at most 1 MiB.
//
// Written in one transaction, before anything of it leaves; never changed. What is read is
// checked against the digests that were taken when it was stored (they stand in the charge's
// row, and once published in the chain). PRIVATE until published, though it is noised: when
// it came to be is a fact about the documents. Callers hold the ledger's mutex, but for
// SealRelease.
#ifndef TOPICWALL_SERVER_LEDGER_RELEASE_TABLE_H_
#define TOPICWALL_SERVER_LEDGER_RELEASE_TABLE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/ledger.pb.h"
#include "server/ledger/plan_table.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// 1 MiB of float32: also the largest chunk of the protocol.
inline constexpr int64_t kEntriesPerChunk = int64_t{1} << 18;

// A release as it is written: serialized and hashed, which takes about 1 ms a megabyte and is
// done before the ledger's mutex is taken.
struct SealedRelease {
  std::string header;                  // a serialized StoredRelease with statistics_sha256
  std::string header_sha256;           // 32 bytes
  std::string release_sha256;          // of all entries as little-endian float32
  absl::Span<const float> statistics;  // must outlive this
};
SealedRelease SealRelease(v1::StoredRelease header, absl::Span<const float> statistics);

// Writes header and statistics under the charge, whose row is the caller's to update. Cost: about
// 10 ms a megabyte, mostly disk.
absl::Status InsertRelease(SqliteConnection& connection, int64_t charge_id,
                           const SealedRelease& release);

// DATA_LOSS if the header is missing, or not the one whose digest the charge has.
absl::StatusOr<v1::StoredRelease> ReadHeader(SqliteConnection& connection, const ChargeRow& charge);

// The row whose first entry is `first_entry`; DATA_LOSS if there is none.
absl::StatusOr<std::string> ReadChunk(SqliteConnection& connection, int64_t charge_id,
                                      int64_t first_entry);

// The whole release against both digests, one row in memory at a time. DATA_LOSS.
absl::Status CheckRelease(SqliteConnection& connection, const ChargeRow& charge);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_RELEASE_TABLE_H_
