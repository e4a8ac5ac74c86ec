// server/corpus/corpus_manifest.h: what a seal was broken for may still be another program's.
#include "model/data/tokenizer.h"
#include "server/corpus/corpus_manifest.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

using corpus::CorpusManifest;

bool IsSame(const CorpusManifest& a, const CorpusManifest& b) {
  return a.privacy_unit == b.privacy_unit && a.tokenizer == b.tokenizer &&
         a.vocabulary->terms() == b.vocabulary->terms() && a.num_units == b.num_units &&
         a.num_blocks == b.num_blocks && a.content_key == b.content_key &&
         a.duplicates == b.duplicates && a.unjoinable == b.unjoinable &&
         a.attributes == b.attributes && a.vectors == b.vectors;
}

Verdict Run(absl::string_view input) {
  const std::optional<CorpusManifest> manifest = corpus::ParseManifest(input);
  if (!manifest.has_value()) return Verdict::kRefused;
  Require(manifest->vocabulary != nullptr && manifest->vocabulary->size() >= 1,
          "a manifest has a vocabulary");
  Require(manifest->tokenizer == lda::kTokenizerName ||
              manifest->tokenizer == lda::kCountsTokenizerName ||
              manifest->tokenizer == lda::kVectorsTokenizerName,
          "a manifest's tokenizer is known");
  Require((manifest->tokenizer == lda::kVectorsTokenizerName) == manifest->vectors.has_value(),
          "of vectors, and of no text, a manifest has the space");
  Require(!manifest->vectors.has_value() ||
              (model::CheckVectorSpace(*manifest->vectors).ok() &&
               manifest->vocabulary->size() == static_cast<size_t>(manifest->vectors->dimension)),
          "a space keeps its rules and has a term for each dimension");
  Require(manifest->num_units >= 1 && manifest->num_units <= corpus::kMaxUnits,
          "units are in their range");
  Require(manifest->num_blocks >= 1 && manifest->num_blocks <= manifest->num_units,
          "blocks are in their range");
  Require(model::CheckAttributes(manifest->attributes).ok(), "attributes keep their rules");
  // The first format is no longer written.
  if (manifest->duplicates == v1::DUPLICATE_RULE_UNSPECIFIED) return Verdict::kAccepted;
  const auto again = corpus::ParseManifest(corpus::SerializeManifest(*manifest));
  Require(again.has_value() && IsSame(*manifest, *again), "a manifest reads back as it was");
  return Verdict::kAccepted;
}

std::string ManifestOf(absl::string_view tokenizer, v1::PrivacyUnit unit,
                       std::vector<model::Attribute> attributes = {}) {
  return corpus::SerializeManifest(
      {{.privacy_unit = unit,
        .tokenizer = std::string(tokenizer),
        .vocabulary = std::make_shared<const lda::Vocabulary>(
            *lda::Vocabulary::Create({"cat", "dog", "\xC3\xA9t\xC3\xA9"})),
        .duplicates = v1::DUPLICATE_RULE_MERGE,
        .unjoinable = false,
        .attributes = std::move(attributes)},
       /*num_units=*/300,
       /*num_blocks=*/2,
       /*content_key=*/{},
       /*max_units=*/0});
}

std::string ManifestOfVectors() {
  return corpus::SerializeManifest(
      {{.privacy_unit = v1::PRIVACY_UNIT_OWNER,
        .tokenizer = lda::kVectorsTokenizerName,
        .vocabulary =
            std::make_shared<const lda::Vocabulary>(*lda::Vocabulary::CreateOpaque({"x1", "x2"})),
        .duplicates = v1::DUPLICATE_RULE_REFUSE,
        .unjoinable = true,
        .vectors = model::VectorSpace{.dimension = 2, .norm_bound = 1.5}},
       /*num_units=*/300,
       /*num_blocks=*/2,
       /*content_key=*/{},
       /*max_units=*/0});
}

std::vector<std::string> Seeds() {
  return {ManifestOfVectors(), ManifestOf(lda::kTokenizerName, v1::PRIVACY_UNIT_DOCUMENT),
          ManifestOf(lda::kCountsTokenizerName, v1::PRIVACY_UNIT_OWNER),
          ManifestOf(lda::kTokenizerName, v1::PRIVACY_UNIT_OWNER,
                     {{.name = "ward", .values = {"north"}},
                      {.name = "day", .values = {"2024-02-29", "2024-03-01"}, .is_date = true}})};
}

[[maybe_unused]] const bool registered =
    Register({.name = "corpus_manifest", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
