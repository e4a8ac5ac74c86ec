#include "server/audit/walls/planted_corpus.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"
#include "server/corpus/corpus_manifest.h"

namespace topicwall::audit {

absl::StatusOr<corpus::WrittenCorpus> WritePlanted(const PlantedCorpus& planted,
                                                   absl::string_view path,
                                                   const sealing::CustodianKey& key) {
  std::vector<std::string> terms;
  for (int term = 0; term < planted.vocabulary_size; ++term) {
    terms.push_back(absl::StrCat("term", term));
  }
  TW_ASSIGN_OR_RETURN(lda::Vocabulary vocabulary, lda::Vocabulary::CreateOpaque(std::move(terms)));
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<corpus::CorpusWriter> writer,
      corpus::CorpusWriter::Create(
          path,
          {.privacy_unit = planted.privacy_unit,
           .tokenizer = lda::kCountsTokenizerName,
           .vocabulary = std::make_shared<const lda::Vocabulary>(std::move(vocabulary)),
           .max_units = corpus::kMaxUnits},
          key));
  for (const PlantedDocument& document : planted.documents) {
    TW_RETURN_IF_ERROR(writer->Add(document.id, document.owner, document.counts));
  }
  return writer->Finish();
}

}  // namespace topicwall::audit
