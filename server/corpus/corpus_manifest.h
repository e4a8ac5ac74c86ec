// What a corpus says of itself, as it is sealed into its file (proto/corpus.proto).
// PRIVATE: it holds the true number of units and the content key.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lda/vocabulary.h"
#include "server/corpus/corpus_description.h"
#include "server/random/sha256.h"

namespace topicwall::corpus {

// The most units a corpus may hold: sums of 2^26 units on the lattice cannot wrap.
inline constexpr int64_t kMaxUnits = int64_t{1} << 26;

struct CorpusManifest {
  PrivacyUnit privacy_unit;
  std::string tokenizer;
  std::shared_ptr<const lda::Vocabulary> vocabulary;  // never null
  int64_t num_units;                                  // 1 .. kMaxUnits
  int64_t num_blocks;                                 // 1 .. num_units
  random::Sha256Digest content_key;
};

std::string SerializeManifest(const CorpusManifest& manifest);

// Nothing if the bytes are no manifest of this format or break a rule above: the seal says
// that the custodian wrote them, not that this program understands them.
std::optional<CorpusManifest> ParseManifest(absl::string_view bytes);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_
