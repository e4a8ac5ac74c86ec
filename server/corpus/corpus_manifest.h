// What a corpus says of itself, as it is sealed into its file (proto/corpus.proto).
// PRIVATE: it holds the true number of units and the content key.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "server/corpus/corpus_description.h"

namespace topicwall::corpus {

// The most units a file may hold. What a wall allows is Limits.max_units, which the validity of
// a plan depends on (server/mechanism/mechanism_limits.h).
inline constexpr int64_t kMaxUnits = int64_t{1} << 31;

// `duplicates` is unspecified in format 1, which is read and no longer written.
struct CorpusManifest : CorpusKind {
  int64_t num_units;   // 1 .. max_units
  int64_t num_blocks;  // 1 .. num_units, below 2^31
  base::Digest content_key;
  // PUBLIC: Limits.max_units of the ingestion, at most kMaxUnits. Of a file that does not say,
  // num_units, which is PRIVATE.
  int64_t max_units;
};

// Format 2, or 3 if there are attributes, or 4 of vectors: `duplicates` must be a rule, and that
// to refuse them of vectors.
std::string SerializeManifest(const CorpusManifest& manifest);

// Nothing if the bytes are no manifest of these formats or break a rule above: the seal says
// that the custodian wrote them, not that this program understands them.
std::optional<CorpusManifest> ParseManifest(absl::string_view bytes);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_
