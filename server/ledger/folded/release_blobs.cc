#include "server/ledger/folded/release_blobs.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/sha256.h"
#include "base/status_macros.h"

namespace topicwall::ledger {
namespace {

// Entries are stored as they lie in memory. A big-endian machine needs a swap here, in
// proto/matrix_codec.cc, proto/request_digest.cc and in plan_spec.cc.
static_assert(std::endian::native == std::endian::little);

absl::string_view BytesOf(absl::Span<const float> entries) {
  return {reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(float)};
}

absl::Status Damaged() {
  return absl::DataLossError(
      "the stored release is missing or damaged. It stays paid; ask the custodian to restore it.");
}

}  // namespace

// The header names the digest of the statistics, and the chain names both: a header cannot be put
// together with another release's statistics.
HashedRelease HashRelease(v1::StoredRelease header, absl::Span<const float> statistics) {
  HashedRelease hashed;
  hashed.statistics = statistics;
  hashed.release_sha256 = base::DigestBytes(base::Sha256Of(BytesOf(statistics)));
  header.set_statistics_sha256(hashed.release_sha256);
  hashed.header = header.SerializeAsString();
  hashed.header_sha256 = base::DigestBytes(base::Sha256Of(hashed.header));
  return hashed;
}

void AddBlobs(const HashedRelease& release, store::Change* change) {
  change->blobs.push_back({.sha256 = release.header_sha256, .bytes = release.header});
  const int64_t entries = static_cast<int64_t>(release.statistics.size());
  for (int64_t part = 0; part * kEntriesPerChunk < entries; ++part) {
    change->blobs.push_back({.sha256 = release.release_sha256,
                             .part = part,
                             .bytes = BytesOf(release.statistics.subspan(
                                 static_cast<std::size_t>(part * kEntriesPerChunk),
                                 static_cast<std::size_t>(kEntriesPerChunk)))});
  }
}

// Without looking in all but one case, since plans and lists ask this under the state's lock.
absl::StatusOr<bool> IsHere(store::EventStore& store, const accountant::ledger::Charge& charge) {
  if (!charge.taken_over) return true;
  TW_ASSIGN_OR_RETURN(const std::optional<std::string> header,
                      store.ReadBlob(charge.published->header_sha256(), 0));
  return header.has_value();
}

absl::StatusOr<v1::StoredRelease> ReadHeader(store::EventStore& store,
                                             const std::string& header_sha256,
                                             const std::string& release_sha256) {
  TW_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, store.ReadBlob(header_sha256, 0));
  v1::StoredRelease header;
  if (!bytes.has_value() || base::DigestBytes(base::Sha256Of(*bytes)) != header_sha256 ||
      !header.ParseFromString(*bytes) || header.statistics_sha256() != release_sha256) {
    return Damaged();
  }
  return header;
}

absl::StatusOr<std::string> ReadChunk(store::EventStore& store, const std::string& release_sha256,
                                      int64_t part) {
  TW_ASSIGN_OR_RETURN(std::optional<std::string> bytes, store.ReadBlob(release_sha256, part));
  if (!bytes.has_value()) return Damaged();
  return *std::move(bytes);
}

absl::Status CheckRelease(store::EventStore& store, const std::string& header_sha256,
                          const std::string& release_sha256) {
  TW_ASSIGN_OR_RETURN(const v1::StoredRelease header,
                      ReadHeader(store, header_sha256, release_sha256));
  const int64_t entries = header.rows() * header.columns();
  base::Sha256 hash;
  for (int64_t first = 0; first < entries; first += kEntriesPerChunk) {
    TW_ASSIGN_OR_RETURN(const std::string chunk,
                        ReadChunk(store, release_sha256, first / kEntriesPerChunk));
    // Sizes of parts count too: other cuts of the same bytes would shift entries.
    const int64_t expected = std::min(kEntriesPerChunk, entries - first);
    if (static_cast<int64_t>(chunk.size() / sizeof(float)) != expected) return Damaged();
    hash.Update(chunk);
  }
  return base::DigestBytes(std::move(hash).Finish()) == release_sha256 ? absl::OkStatus()
                                                                       : Damaged();
}

}  // namespace topicwall::ledger
