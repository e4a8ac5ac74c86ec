#include "server/corpus/corpus_description.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "lda/vocabulary.h"
#include "server/random/sha256.h"

namespace topicwall::corpus {

std::string VersionHex(const CorpusVersion& version) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(version.data()), version.size()));
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
