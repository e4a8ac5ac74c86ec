// What a corpus says of itself, as it is sealed into its file (proto/corpus.proto).
// PRIVATE: it holds the true number of units and the content key.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "model/data/attributes.h"
#include "model/data/bounded_vector.h"
#include "model/data/vocabulary.h"
#include "proto/wall.pb.h"
#include "server/corpus/corpus_description.h"

namespace topicwall::corpus {

// The most units a file may hold. What a wall allows is Limits.max_units, which the validity of
// a plan depends on (server/mechanism/mechanism_limits.h).
inline constexpr int64_t kMaxUnits = int64_t{1} << 31;

struct CorpusManifest {
  PrivacyUnit privacy_unit;
  std::string tokenizer;
  std::shared_ptr<const lda::Vocabulary> vocabulary;  // never null
  int64_t num_units;                                  // 1 .. max_units
  int64_t num_blocks;                                 // 1 .. num_units, below 2^31
  base::Digest content_key;
  DuplicateRule duplicates;  // kUnknown: format 1, which is read and no longer written
  bool unjoinable;
  std::vector<model::Attribute> attributes = {};             // CheckAttributes
  std::optional<model::VectorSpace> vectors = std::nullopt;  // as of CorpusDescription
  // PUBLIC: Limits.max_units of the ingestion, at most kMaxUnits. Of a file that does not say,
  // num_units, which is PRIVATE.
  int64_t max_units;
};

// PUBLIC: the custodian's choice. Unspecified for kUnknown.
v1::DuplicateRule ToProto(DuplicateRule rule);

// Format 2, or 3 if there are attributes, or 4 of vectors: `duplicates` must be known, and kRefuse
// of vectors.
std::string SerializeManifest(const CorpusManifest& manifest);

// Nothing if the bytes are no manifest of these formats or break a rule above: the seal says
// that the custodian wrote them, not that this program understands them.
std::optional<CorpusManifest> ParseManifest(absl::string_view bytes);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_MANIFEST_H_
