#include "client/fit/corpus_vocabulary.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/fit/model_file.h"

namespace topicwall::client {

base::Digest VocabularyDigest(absl::Span<const std::string> terms) {
  base::Sha256 hash;
  for (const std::string& term : terms) {
    hash.Update(term);
    hash.Update("\n");
  }
  return std::move(hash).Finish();
}

absl::StatusOr<lda::Vocabulary> FetchVocabulary(WallPort& wall,
                                                const v1::CorpusDescription& description) {
  // Refuses an unknown tokenizer before anything is fetched.
  TW_RETURN_IF_ERROR(MakeVocabulary(description.tokenizer(), {"probe"}).status());
  TW_ASSIGN_OR_RETURN(std::vector<std::string> terms,
                      wall.GetVocabulary(description.corpus(), description.vocabulary_size()));
  if (static_cast<int64_t>(terms.size()) != description.vocabulary_size()) {
    return absl::DataLossError(absl::StrCat("the vocabulary of ", description.corpus(),
                                            " must have ", description.vocabulary_size(),
                                            " terms; got ", terms.size(), "."));
  }
  // Both come from the wall. This finds a list that was cut or mixed up on its way, and no lie that
  // is told in both places; such a wall would mislabel topics, and learn nothing by it.
  if (base::DigestBytes(VocabularyDigest(terms)) != description.vocabulary_sha256()) {
    return absl::DataLossError(
        absl::StrCat("the vocabulary of ", description.corpus(),
                     " does not have the digest that its description gives. Tell the custodian."));
  }
  return MakeVocabulary(description.tokenizer(), std::move(terms));
}

}  // namespace topicwall::client
