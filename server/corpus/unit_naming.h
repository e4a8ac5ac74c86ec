// The name of a privacy unit inside the wall: a keyed hash of what the documents call it.
//
//   id = first 16 bytes of HMAC-SHA256(unit id key, "document" ‖ document id), or
//        first 16 bytes of HMAC-SHA256(unit id key, "owner" ‖ owner),
//
// the same in every ingestion under one custodian (a rekey keeps the key), so that units
// shared by two corpora are recognised. Without the key an id reveals nothing and cannot
// be tested for a guessed name. Two different names meet with probability < n^2/2^129
// among n units (below 2^-76 at the most units a corpus may have); they would then be
// treated as one unit, which costs accuracy but never privacy.
//
// Names are compared byte for byte: "Ann" and "ann", or one name in two Unicode
// normalisations, are two owners. Ids of a bag-of-words file are its document numbers, so
// two such files share units as soon as both have a document 1: on the safe side.
//
// PRIVATE: ids and names. Errors: INTERNAL if OpenSSL fails.
// Threads: const methods, many at once. Cost: about 1 µs.
#ifndef TOPICWALL_SERVER_CORPUS_UNIT_NAMING_H_
#define TOPICWALL_SERVER_CORPUS_UNIT_NAMING_H_

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

 private:
  random::SecretKey key_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_UNIT_NAMING_H_
