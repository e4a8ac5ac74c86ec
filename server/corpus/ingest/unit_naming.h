// The names of units and documents inside the wall: keyed hashes of what the input calls them.
//
//   unit      first 16 bytes of HMAC-SHA256(unit id key, "document" ‖ document id), or
//             first 16 bytes of HMAC-SHA256(unit id key, "owner" ‖ owner);
//   document  the unit's name where the document is the unit; where the owner is, first 16 bytes
//             of HMAC-SHA256(unit id key, "owned document" ‖ length of owner ‖ owner ‖
//             length of id ‖ id), lengths as 8 bytes, little-endian.
//
// Units' names are the same in every ingestion under one custodian (a rekey keeps the key), so
// that units shared by two corpora are recognised. Without the key a name reveals nothing and
// cannot be tested for a guess. A document's name holds its owner: whatever ids one owner uses,
// no document of another has the same name, so nobody's lines meet another's. Two different
// names meet with probability < n^2/2^129 among n units (below 2^-67 at the most units a corpus
// may have); they would then be treated as one unit, which costs accuracy but never privacy.
//
// Names are compared byte for byte: "Ann" and "ann", or one name in two Unicode
// normalisations, are two owners. Ids of a bag-of-words file are its document numbers: equal or
// not, they say nothing about documents elsewhere, and its corpus is `unjoinable`
// (corpus_description.h).
//
// PRIVATE: ids and names. Errors: INTERNAL if OpenSSL fails.
// Threads: const methods, many at once. Cost: about 1 µs.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_UNIT_NAMING_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_UNIT_NAMING_H_

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"

namespace topicwall::corpus {

class UnitNaming {
 public:
  // `unit_id_key`: CustodianKey::UnitIdKey().
  explicit UnitNaming(random::SecretKey unit_id_key) : key_(std::move(unit_id_key)) {}

  absl::StatusOr<random::UnitId> OfDocument(absl::string_view document_id) const;
  absl::StatusOr<random::UnitId> OfOwner(absl::string_view owner) const;
  absl::StatusOr<random::UnitId> OfOwnedDocument(absl::string_view owner,
                                                 absl::string_view document_id) const;

 private:
  random::SecretKey key_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_UNIT_NAMING_H_
