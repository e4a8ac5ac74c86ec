#include "server/corpus/corpus_manifest.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lda/tokenizer.h"
#include "lda/vocabulary.h"
#include "proto/corpus.pb.h"

namespace topicwall::corpus {
namespace {

constexpr int kFormatVersion = 1;

std::optional<PrivacyUnit> FromProto(v1::PrivacyUnit unit) {
  switch (unit) {
    case v1::PRIVACY_UNIT_DOCUMENT:
      return PrivacyUnit::kDocument;
    case v1::PRIVACY_UNIT_OWNER:
      return PrivacyUnit::kOwner;
    default:
      return std::nullopt;
  }
}

absl::StatusOr<lda::Vocabulary> VocabularyOf(const v1::CorpusManifest& message) {
  std::vector<std::string> terms(message.vocabulary().begin(), message.vocabulary().end());
  return message.tokenizer() == lda::kCountsTokenizerName
             ? lda::Vocabulary::CreateOpaque(std::move(terms))
             : lda::Vocabulary::Create(std::move(terms));
}

}  // namespace

std::string SerializeManifest(const CorpusManifest& manifest) {
  v1::CorpusManifest message;
  message.set_format_version(kFormatVersion);
  message.set_privacy_unit(manifest.privacy_unit == PrivacyUnit::kOwner
                               ? v1::PRIVACY_UNIT_OWNER
                               : v1::PRIVACY_UNIT_DOCUMENT);
  message.set_tokenizer(manifest.tokenizer);
  for (const std::string& term : manifest.vocabulary->terms()) message.add_vocabulary(term);
  message.set_num_units(manifest.num_units);
  message.set_num_blocks(manifest.num_blocks);
  message.set_content_key(manifest.content_key.data(), manifest.content_key.size());
  return message.SerializeAsString();
}

std::optional<CorpusManifest> ParseManifest(absl::string_view bytes) {
  v1::CorpusManifest message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  CorpusManifest manifest = {};
  const std::optional<PrivacyUnit> unit = FromProto(message.privacy_unit());
  const bool known_tokenizer = message.tokenizer() == lda::kTokenizerName ||
                               message.tokenizer() == lda::kCountsTokenizerName;
  if (message.format_version() != kFormatVersion || !unit.has_value() || !known_tokenizer ||
      message.num_units() < 1 || message.num_units() > kMaxUnits || message.num_blocks() < 1 ||
      message.num_blocks() > message.num_units() ||
      message.content_key().size() != manifest.content_key.size()) {
    return std::nullopt;
  }
  absl::StatusOr<lda::Vocabulary> vocabulary = VocabularyOf(message);
  if (!vocabulary.ok()) return std::nullopt;

  manifest.privacy_unit = *unit;
  manifest.tokenizer = message.tokenizer();
  manifest.vocabulary = std::make_shared<const lda::Vocabulary>(*std::move(vocabulary));
  manifest.num_units = message.num_units();
  manifest.num_blocks = message.num_blocks();
  std::copy(message.content_key().begin(), message.content_key().end(),
            manifest.content_key.begin());
  return manifest;
}

}  // namespace topicwall::corpus
