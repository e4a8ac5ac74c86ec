// A keyed digest of everything a corpus holds, by which a store checks itself.
//
// HMAC-SHA256 under the custodian's content key of the SHA-256 of
//   domain tag ‖ privacy unit ‖ tokenizer ‖ vocabulary's SHA-256, then for every unit in
//   order: id ‖ number of documents, and for every document: number of entries ‖ entries;
//   with attributes, under a tag of their own, behind the vocabulary's SHA-256 their number and of
//   each name ‖ whether it is a date ‖ number of values ‖ values, and behind a document's entries
//   its values, 16 bits each;
//   of vectors, under a third tag, in front of the number of attributes, which is there even if it
//   is 0, dimension ‖ the 64 bits of the norm bound, and behind a document's values its vector
// with lengths in front of everything of variable length, all numbers little-endian. It
// depends neither on how units are cut into blocks nor on the version, the sealing key or
// the order in which documents were given: two ingestions of the same documents over the
// same vocabulary have the same content key. It is taken over counts, not over texts, since
// counts are all that is kept and so all that can be checked again.
//
// PRIVATE: equality of two content keys says that two corpora are the same. It stays in the
// sealed manifest and enters no hash that leaves.
//
// Threads: one thread's object. Cost: one pass of SHA-256 (about 1 ns a byte).
#ifndef TOPICWALL_SERVER_CORPUS_CONTENT_KEY_H_
#define TOPICWALL_SERVER_CORPUS_CONTENT_KEY_H_

#include "absl/status/statusor.h"
#include "base/sha256.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/unit_block.h"
#include "server/random/secret_key.h"

namespace topicwall::corpus {

class ContentKeyBuilder {
 public:
  // Of `description` the version is not used.
  explicit ContentKeyBuilder(const CorpusDescription& description);

  // Every block of the corpus, in order.
  void Add(const UnitBlock& block);

  // `key`: CustodianKey::ContentKey(). Uses the builder up. INTERNAL if OpenSSL fails.
  absl::StatusOr<base::Digest> Finish(const random::SecretKey& key) &&;

 private:
  base::Sha256 hash_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CONTENT_KEY_H_
