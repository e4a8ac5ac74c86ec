// The seal says that the custodian's program wrote these bytes. That is no reason to trust them:
// another version wrote them perhaps, with fields that mean something else today. What is checked
// here is all that later code would otherwise index, divide or allocate by.
#include "server/corpus/corpus_manifest.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"
#include "proto/corpus.pb.h"
#include "server/corpus/attribute_record.h"

namespace topicwall::corpus {
namespace {

constexpr int kFormatWithoutOwners = 1;
constexpr int kFormatVersion = 2;
// A program that does not know them must not read such blocks.
constexpr int kFormatWithAttributes = 3;
constexpr int kFormatOfVectors = 4;

bool HasUnit(const v1::CorpusManifest& message) {
  return message.privacy_unit() == v1::PRIVACY_UNIT_DOCUMENT ||
         message.privacy_unit() == v1::PRIVACY_UNIT_OWNER;
}

// Format and rule must agree. No program ever wrote a rule into the first format, nor none into the
// second.
bool HasRuleOfItsFormat(const v1::CorpusManifest& message) {
  const bool none = message.duplicates() == v1::DUPLICATE_RULE_UNSPECIFIED;
  return v1::DuplicateRule_IsValid(message.duplicates()) &&
         none == (message.format_version() == kFormatWithoutOwners);
}

// Of vectors, which may have attributes, too. What two vectors of one name would be together,
// nobody can say.
bool IsKnownFormatOfVectors(const v1::CorpusManifest& message) {
  return message.format_version() == kFormatOfVectors &&
         message.tokenizer() == lda::kVectorsTokenizerName &&
         message.vocabulary_size() == message.vectors().dimension() &&
         message.duplicates() == v1::DUPLICATE_RULE_REFUSE;
}

bool IsKnownFormat(const v1::CorpusManifest& message) {
  if (message.has_vectors()) return IsKnownFormatOfVectors(message);
  const bool known_tokenizer = message.tokenizer() == lda::kTokenizerName ||
                               message.tokenizer() == lda::kCountsTokenizerName;
  // Whether documents have attributes, format and list must say alike: it decides how blocks are
  // read.
  const bool known_version = message.attributes_size() > 0
                                 ? message.format_version() == kFormatWithAttributes
                                 : message.format_version() == kFormatVersion ||
                                       message.format_version() == kFormatWithoutOwners;
  return known_tokenizer && known_version;
}

int64_t MaxUnitsOf(const v1::CorpusManifest& message) {
  return message.max_units() == 0 ? message.num_units() : message.max_units();
}

bool HasCountsInRange(const v1::CorpusManifest& message) {
  const int64_t most = MaxUnitsOf(message);
  return message.num_units() >= 1 && message.num_units() <= most && most <= kMaxUnits &&
         // Every block has a unit. Blocks are numbered by int.
         message.num_blocks() >= 1 && message.num_blocks() <= message.num_units() &&
         message.num_blocks() <= std::numeric_limits<int>::max();
}

std::optional<model::VectorSpace> VectorsOf(const v1::CorpusManifest& message) {
  if (!message.has_vectors()) return std::nullopt;
  return model::VectorSpace{.dimension = message.vectors().dimension(),
                            .norm_bound = message.vectors().norm_bound()};
}

int FormatOf(const CorpusManifest& manifest) {
  if (manifest.vectors.has_value()) return kFormatOfVectors;
  return manifest.attributes.empty() ? kFormatVersion : kFormatWithAttributes;
}

absl::StatusOr<lda::Vocabulary> VocabularyOf(const v1::CorpusManifest& message) {
  std::vector<std::string> terms(message.vocabulary().begin(), message.vocabulary().end());
  return message.tokenizer() == lda::kTokenizerName
             ? lda::Vocabulary::Create(std::move(terms))
             : lda::Vocabulary::CreateOpaque(std::move(terms));
}

}  // namespace

std::string SerializeManifest(const CorpusManifest& manifest) {
  v1::CorpusManifest message;
  message.set_format_version(FormatOf(manifest));
  message.set_privacy_unit(manifest.privacy_unit);
  message.set_tokenizer(manifest.tokenizer);
  for (const std::string& term : manifest.vocabulary->terms()) message.add_vocabulary(term);
  message.set_num_units(manifest.num_units);
  message.set_num_blocks(manifest.num_blocks);
  message.set_max_units(manifest.max_units);
  message.set_content_key(manifest.content_key.data(), manifest.content_key.size());
  message.set_duplicates(manifest.duplicates);
  message.set_unjoinable(manifest.unjoinable);
  *message.mutable_attributes() = RecordsOf(manifest.attributes);
  if (manifest.vectors.has_value()) *message.mutable_vectors() = RecordOf(*manifest.vectors);
  return message.SerializeAsString();
}

std::optional<CorpusManifest> ParseManifest(absl::string_view bytes) {
  v1::CorpusManifest message;
  // What was unsealed has at most 2^30 bytes (server/sealing/sealing_key.h).
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  CorpusManifest manifest = {};
  if (!IsKnownFormat(message) || !HasUnit(message) || !HasRuleOfItsFormat(message) ||
      !HasCountsInRange(message) || message.content_key().size() != manifest.content_key.size()) {
    return std::nullopt;
  }
  absl::StatusOr<lda::Vocabulary> vocabulary = VocabularyOf(message);
  if (!vocabulary.ok()) return std::nullopt;
  absl::StatusOr<std::vector<model::Attribute>> attributes = AttributesOf(message.attributes());
  if (!attributes.ok()) return std::nullopt;
  manifest.vectors = VectorsOf(message);
  if (manifest.vectors.has_value() && !CheckVectorSpace(*manifest.vectors).ok()) {
    return std::nullopt;
  }

  manifest.privacy_unit = message.privacy_unit();
  manifest.tokenizer = message.tokenizer();
  manifest.vocabulary = std::make_shared<const lda::Vocabulary>(*std::move(vocabulary));
  manifest.num_units = message.num_units();
  manifest.num_blocks = message.num_blocks();
  manifest.max_units = MaxUnitsOf(message);
  std::copy(message.content_key().begin(), message.content_key().end(),
            manifest.content_key.begin());
  manifest.duplicates = message.duplicates();
  manifest.attributes = *std::move(attributes);
  // The first format did not say it; only bags of words came as counts.
  manifest.unjoinable =
      message.unjoinable() || (manifest.duplicates == v1::DUPLICATE_RULE_UNSPECIFIED &&
                               manifest.tokenizer == lda::kCountsTokenizerName);
  return manifest;
}

}  // namespace topicwall::corpus
