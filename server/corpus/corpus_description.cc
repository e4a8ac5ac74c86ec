#include "server/corpus/corpus_description.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "model/data/vocabulary.h"

namespace topicwall::corpus {

std::string VersionHex(const CorpusVersion& version) { return base::Hex(version); }

model::CorpusShape ShapeOf(const CorpusDescription& description) {
  return {.vocabulary_size = static_cast<int64_t>(description.vocabulary->size()),
          .attribute_sizes = model::SizesOf(description.attributes),
          .vector_dimension = description.vectors.has_value() ? description.vectors->dimension : 0};
}

absl::Status RequireWholeUnits(const CorpusDescription& description) {
  if (description.duplicates != v1::DUPLICATE_RULE_UNSPECIFIED) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the corpus was ingested by an older version, in which lines of one privacy unit could "
      "displace another's: the custodian has to ingest it again before anything more is charged; "
      "what its budget has spent stays spent");
}

base::Digest VocabularySha256(const lda::Vocabulary& vocabulary) {
  base::Sha256 hash;
  for (const std::string& term : vocabulary.terms()) {
    hash.Update(term);
    hash.Update("\n");
  }
  return std::move(hash).Finish();
}

}  // namespace topicwall::corpus
