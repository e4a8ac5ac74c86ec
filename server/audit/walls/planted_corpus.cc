#include "server/audit/walls/planted_corpus.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/data/bounded_vector.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"
#include "server/wall_config.h"

namespace topicwall::audit {
namespace {

std::vector<model::Attribute> AttributesOf(const std::vector<int>& sizes) {
  std::vector<model::Attribute> attributes;
  for (const int size : sizes) {
    model::Attribute& attribute =
        attributes.emplace_back(model::Attribute{absl::StrCat("attribute", attributes.size()), {}});
    // "other" is a value, too, and is not typed.
    for (int value = 0; value + 1 < size; ++value) {
      attribute.values.push_back(absl::StrCat("value", value));
    }
  }
  return attributes;
}

std::optional<model::VectorSpace> VectorsOf(const PlantedCorpus& planted) {
  if (!planted.of_vectors) return std::nullopt;
  return model::VectorSpace{.dimension = planted.vocabulary_size, .norm_bound = 1};
}

}  // namespace

absl::StatusOr<corpus::WrittenCorpus> WritePlanted(const PlantedCorpus& planted,
                                                   absl::string_view path,
                                                   const sealing::CustodianKey& key) {
  std::vector<std::string> terms;
  for (int term = 0; term < planted.vocabulary_size; ++term) {
    terms.push_back(absl::StrCat("term", term));
  }
  TW_ASSIGN_OR_RETURN(lda::Vocabulary vocabulary, lda::Vocabulary::CreateOpaque(std::move(terms)));
  // By ingestion's writer: what is summed is read from a sealed file like a custodian's.
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<corpus::CorpusWriter> writer,
      corpus::CorpusWriter::Create(
          path,
          {{.privacy_unit = planted.privacy_unit,
            .tokenizer =
                planted.of_vectors ? lda::kVectorsTokenizerName : lda::kCountsTokenizerName,
            .vocabulary = std::make_shared<const lda::Vocabulary>(std::move(vocabulary)),
            .duplicates = v1::DUPLICATE_RULE_REFUSE,
            .attributes = AttributesOf(planted.attribute_sizes),
            .vectors = VectorsOf(planted)},
           server::MaxUnits({})},
          key));
  for (const PlantedDocument& document : planted.documents) {
    TW_RETURN_IF_ERROR(writer->Add(document.id, document.owner, document.counts, /*line=*/0,
                                   document.attributes, document.vector));
  }
  return writer->Finish();
}

}  // namespace topicwall::audit
