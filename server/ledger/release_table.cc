#include "server/ledger/release_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/sha256.h"
#include "server/ledger/kill_point.h"

namespace topicwall::ledger {
namespace {

// Entries are stored as they lie in memory. A big-endian machine needs a swap here, in
// proto/matrix_codec.cc and in plan_admission.cc.
static_assert(std::endian::native == std::endian::little);

absl::string_view BytesOf(absl::Span<const float> entries) {
  return {reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(float)};
}

absl::Status Damaged() {
  return absl::DataLossError(
      "the stored release is missing or damaged. It stays paid; ask the custodian to restore it.");
}

}  // namespace

SealedRelease SealRelease(v1::StoredRelease header, absl::Span<const float> statistics) {
  SealedRelease sealed;
  sealed.statistics = statistics;
  sealed.release_sha256 = base::DigestBytes(base::Sha256Of(BytesOf(statistics)));
  header.set_statistics_sha256(sealed.release_sha256);
  sealed.header = header.SerializeAsString();
  sealed.header_sha256 = base::DigestBytes(base::Sha256Of(sealed.header));
  return sealed;
}

absl::Status InsertRelease(SqliteConnection& connection, int64_t charge_id,
                           const SealedRelease& release) {
  TW_RETURN_IF_ERROR(connection.Run("UPDATE charge SET header = ? WHERE charge_id = ?",
                                    Blob{release.header}, charge_id));
  TOPICWALL_KILL_POINT("inside-store");
  const absl::Span<const float> statistics = release.statistics;
  for (std::size_t first = 0; first < statistics.size(); first += kEntriesPerChunk) {
    TW_RETURN_IF_ERROR(connection.Run("INSERT INTO release_chunk VALUES (?, ?, ?)", charge_id,
                                      static_cast<int64_t>(first),
                                      Blob{BytesOf(statistics.subspan(first, kEntriesPerChunk))}));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::StoredRelease> ReadHeader(SqliteConnection& connection,
                                             const ChargeRow& charge) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare("SELECT header FROM charge WHERE charge_id = ?", charge.charge_id));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  const std::string bytes = found ? row.Bytes(0) : "";
  v1::StoredRelease header;
  if (base::DigestBytes(base::Sha256Of(bytes)) != charge.header_sha256 ||
      !header.ParseFromString(bytes) || header.statistics_sha256() != charge.release_sha256) {
    return Damaged();
  }
  return header;
}

absl::StatusOr<std::string> ReadChunk(SqliteConnection& connection, int64_t charge_id,
                                      int64_t first_entry) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare(
          "SELECT statistics FROM release_chunk WHERE charge_id = ? AND first_entry = ?", charge_id,
          first_entry));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return Damaged();
  return row.Bytes(0);
}

absl::Status CheckRelease(SqliteConnection& connection, const ChargeRow& charge) {
  TW_ASSIGN_OR_RETURN(const v1::StoredRelease header, ReadHeader(connection, charge));
  const int64_t entries = int64_t{header.num_topics()} * header.vocabulary_size();
  base::Sha256 hash;
  for (int64_t first = 0; first < entries; first += kEntriesPerChunk) {
    TW_ASSIGN_OR_RETURN(const std::string chunk, ReadChunk(connection, charge.charge_id, first));
    // Row sizes count too: other cuts of the same bytes would shift entries.
    const int64_t expected = std::min(kEntriesPerChunk, entries - first);
    if (static_cast<int64_t>(chunk.size() / sizeof(float)) != expected) return Damaged();
    hash.Update(chunk);
  }
  if (base::DigestBytes(std::move(hash).Finish()) != charge.release_sha256) return Damaged();
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
