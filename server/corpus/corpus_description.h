// What may be said about a corpus to everyone. PUBLIC: nothing here is computed from
// the documents. The version is random, the vocabulary is a given file, the rest is what
// the custodian chose at ingestion.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_DESCRIPTION_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_DESCRIPTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lda/vocabulary.h"
#include "server/random/sha256.h"

namespace topicwall::corpus {

// What one person can add to or take from a corpus, and so what the guarantee hides.
enum class PrivacyUnit {
  kDocument,  // one document
  kOwner,     // all documents of one owner together
};

// The only name of a corpus' content that leaves the wall: 128 random bits drawn at
// ingestion. (A digest of the content would let anyone test for a guessed document.)
inline constexpr size_t kCorpusVersionSize = 16;
using CorpusVersion = std::array<uint8_t, kCorpusVersionSize>;

struct CorpusDescription {
  CorpusVersion version;
  PrivacyUnit privacy_unit;
  std::string tokenizer;  // lda::kTokenizerName or lda::kCountsTokenizerName
  std::shared_ptr<const lda::Vocabulary> vocabulary;  // never null
  random::Sha256Digest vocabulary_sha256;             // VocabularySha256(*vocabulary)
};

// Thirty-two lower-case hexadecimal digits.
std::string VersionHex(const CorpusVersion& version);

// SHA-256 over every term in order, each followed by one "\n": for a vocabulary file
// of plain lines, what sha256sum prints. INTERNAL if OpenSSL fails.
absl::StatusOr<random::Sha256Digest> VocabularySha256(const lda::Vocabulary& vocabulary);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_DESCRIPTION_H_
