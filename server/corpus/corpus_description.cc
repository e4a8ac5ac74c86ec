#include "server/corpus/corpus_description.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "model/data/vocabulary.h"
#include "server/random/sha256.h"

namespace topicwall::corpus {

std::string VersionHex(const CorpusVersion& version) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(version.data()), version.size()));
}

absl::Status RequireWholeUnits(const CorpusDescription& description) {
  if (description.duplicates != DuplicateRule::kUnknown) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the corpus was ingested by an older version, in which lines of one privacy unit could "
      "displace another's: the custodian has to ingest it again before anything more is charged; "
      "what its budget has spent stays spent");
}

absl::StatusOr<random::Sha256Digest> VocabularySha256(const lda::Vocabulary& vocabulary) {
  absl::StatusOr<random::Sha256Hasher> hasher = random::Sha256Hasher::Create();
  if (!hasher.ok()) return hasher.status();
  for (const std::string& term : vocabulary.terms()) {
    hasher->Update(random::AsBytes(term));
    hasher->Update(random::AsBytes("\n"));
  }
  return std::move(*hasher).Finish();
}

}  // namespace topicwall::corpus
