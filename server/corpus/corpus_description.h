// What may be said about a corpus to everyone. PUBLIC: nothing here is computed from
// the documents. The version is random, the vocabulary is a given file, the rest is what
// the custodian chose at ingestion.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_DESCRIPTION_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_DESCRIPTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/sha256.h"
#include "model/data/attributes.h"
#include "model/data/bounded_vector.h"
#include "model/data/corpus_shape.h"
#include "model/data/vocabulary.h"
#include "proto/wall.pb.h"

namespace topicwall::corpus {

// The only name of a corpus' content that leaves the wall: 128 random bits drawn at
// ingestion. (A digest of the content would let anyone test for a guessed document.)
inline constexpr size_t kCorpusVersionSize = 16;
using CorpusVersion = std::array<uint8_t, kCorpusVersionSize>;

// What a corpus is, as it is sealed into it.
struct CorpusKind {
  // What one person can add to or take from it, and so what the guarantee hides.
  v1::PrivacyUnit privacy_unit;
  std::string tokenizer;                              // one of the names of model/data/tokenizer.h
  std::shared_ptr<const lda::Vocabulary> vocabulary;  // never null
  // What became of lines of one name: of one owner and id, or of one id where the unit is the
  // document. Whatever the rule, a unit's content follows from its own lines alone
  // (unit_content.h). Unspecified: sealed before names held their owners, and one unit's lines
  // could displace another's.
  v1::DuplicateRule duplicates = v1::DUPLICATE_RULE_UNSPECIFIED;
  // The documents came without ids of their own (bag of words, .npy): which of them are in another
  // corpus too, no comparison can tell.
  bool unjoinable = false;
  // Of each of these every document has one value.
  std::vector<model::Attribute> attributes = {};  // CheckAttributes
  // Documents are vectors of it and have no words; the vocabulary has a name of each dimension,
  // `tokenizer` is lda::kVectorsTokenizerName, and `duplicates` refuses. Of text nothing.
  std::optional<model::VectorSpace> vectors = std::nullopt;  // CheckVectorSpace
};

struct CorpusDescription : CorpusKind {
  CorpusVersion version;
  base::Digest vocabulary_sha256;  // VocabularySha256(*vocabulary)
};

// What models may know of it.
model::CorpusShape ShapeOf(const CorpusDescription& description);

// FAILED_PRECONDITION, in one sentence that anybody may read, if the corpus has no rule for
// duplicates: its units may differ in more than what is priced, so nothing may be charged. What its
// budget has spent stays, and so do its releases.
absl::Status RequireWholeUnits(const CorpusDescription& description);

// Thirty-two lower-case hexadecimal digits.
std::string VersionHex(const CorpusVersion& version);

// SHA-256 over every term in order, each followed by one "\n": for a vocabulary file
// of plain lines, what sha256sum prints.
base::Digest VocabularySha256(const lda::Vocabulary& vocabulary);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_DESCRIPTION_H_
