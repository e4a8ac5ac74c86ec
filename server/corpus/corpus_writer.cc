#include "server/corpus/corpus_writer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lda/document.h"
#include "lda/tokenizer.h"
#include "server/corpus/content_key.h"
#include "server/corpus/corpus_manifest.h"
#include "server/random/secure_random.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::corpus {
namespace {

absl::Status CheckParams(const CorpusParams& params) {
  if (params.vocabulary == nullptr) {
    return absl::InvalidArgumentError("vocabulary must be given");
  }
  if (params.tokenizer != lda::kTokenizerName && params.tokenizer != lda::kCountsTokenizerName) {
    return absl::InvalidArgumentError(absl::StrCat("tokenizer must be \"", lda::kTokenizerName,
                                                   "\" or \"", lda::kCountsTokenizerName,
                                                   "\"; got \"", params.tokenizer, "\""));
  }
  if (params.max_units < 1 || params.max_units > kMaxUnits) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_units must be in [1, ", kMaxUnits, "]; got ", params.max_units));
  }
  return absl::OkStatus();
}

}  // namespace

struct CorpusWriter::Keys {
  UnitNaming naming;
  CorpusSeal seal;
  random::SecretKey content_key_secret;
};

CorpusWriter::CorpusWriter(CorpusDescription description, int64_t max_units, Keys keys,
                           std::unique_ptr<CorpusFileWriter> file)
    : description_(std::move(description)),
      max_units_(max_units),
      naming_(std::move(keys.naming)),
      seal_(std::move(keys.seal)),
      content_key_secret_(std::move(keys.content_key_secret)),
      file_(std::move(file)) {}

absl::StatusOr<std::unique_ptr<CorpusWriter>> CorpusWriter::Create(
    absl::string_view path, CorpusParams params, const sealing::CustodianKey& key) {
  if (absl::Status status = CheckParams(params); !status.ok()) return status;
  absl::StatusOr<CorpusVersion> version = random::Random128();
  if (!version.ok()) return version.status();
  absl::StatusOr<random::Sha256Digest> vocabulary_sha256 = VocabularySha256(*params.vocabulary);
  if (!vocabulary_sha256.ok()) return vocabulary_sha256.status();
  absl::StatusOr<random::SecretKey> unit_id_key = key.UnitIdKey();
  if (!unit_id_key.ok()) return unit_id_key.status();
  absl::StatusOr<random::SecretKey> content_key_secret = key.ContentKey();
  if (!content_key_secret.ok()) return content_key_secret.status();
  absl::StatusOr<sealing::SealingKey> sealing_key = key.CorpusSealingKey();
  if (!sealing_key.ok()) return sealing_key.status();
  absl::StatusOr<std::unique_ptr<CorpusFileWriter>> file =
      CorpusFileWriter::Create(path, IfExists::kRefuse);
  if (!file.ok()) return file.status();

  return std::unique_ptr<CorpusWriter>(
      new CorpusWriter({.version = *version,
                        .privacy_unit = params.privacy_unit,
                        .tokenizer = std::move(params.tokenizer),
                        .vocabulary = std::move(params.vocabulary),
                        .vocabulary_sha256 = *vocabulary_sha256},
                       params.max_units,
                       {.naming = UnitNaming(*std::move(unit_id_key)),
                        .seal = CorpusSeal(*version, *std::move(sealing_key)),
                        .content_key_secret = *std::move(content_key_secret)},
                       *std::move(file)));
}

absl::Status CorpusWriter::Add(absl::string_view document_id, absl::string_view owner,
                               lda::DocumentView counts) {
  const bool owned = description_.privacy_unit == PrivacyUnit::kOwner;
  if (owned && owner.empty()) {
    return absl::InvalidArgumentError("owner must be given: the privacy unit is the owner");
  }
  if (counts.empty() ||
      !lda::IsCanonical(counts, static_cast<int64_t>(description_.vocabulary->size()))) {
    return absl::InvalidArgumentError(
        "counts must hold at least one term, ascending and distinct, each of the vocabulary and "
        "with a count of at least 1");
  }
  const absl::StatusOr<random::UnitId> document = naming_.OfDocument(document_id);
  if (!document.ok()) return document.status();
  const absl::StatusOr<random::UnitId> unit = owned ? naming_.OfOwner(owner) : document;
  if (!unit.ok()) return unit.status();
  if (!document_ids_.insert(*document).second) {
    return absl::AlreadyExistsError("a document of this id was given before");
  }
  documents_.push_back({.unit = *unit,
                        .document = *document,
                        .first_entry = entries_.size(),
                        .num_entries = counts.size()});
  entries_.insert(entries_.end(), counts.begin(), counts.end());
  return absl::OkStatus();
}

absl::StatusOr<WrittenCorpus> CorpusWriter::Finish() {
  std::sort(documents_.begin(), documents_.end(),
            [](const StoredDocument& a, const StoredDocument& b) {
              return std::tie(a.unit, a.document) < std::tie(b.unit, b.document);
            });
  const absl::StatusOr<int64_t> num_units = CountUnits();
  if (!num_units.ok()) return num_units.status();
  const std::vector<BlockRange> blocks = CutIntoBlocks();
  const absl::StatusOr<random::Sha256Digest> content_key = WriteBlocks(blocks);
  if (!content_key.ok()) return content_key.status();

  const absl::StatusOr<std::string> manifest =
      seal_.SealManifest(SerializeManifest({.privacy_unit = description_.privacy_unit,
                                            .tokenizer = description_.tokenizer,
                                            .vocabulary = description_.vocabulary,
                                            .num_units = *num_units,
                                            .num_blocks = static_cast<int64_t>(blocks.size()),
                                            .content_key = *content_key}));
  if (!manifest.ok()) return manifest.status();
  absl::Status status = file_->Finish(description_.version, *manifest);
  if (status.ok()) status = file_->Commit();
  if (!status.ok()) return status;
  return WrittenCorpus{.version = description_.version, .num_units = *num_units};
}

absl::StatusOr<int64_t> CorpusWriter::CountUnits() const {
  int64_t units = 0;
  size_t entries_of_unit = 0;
  for (size_t i = 0; i < documents_.size(); ++i) {
    if (i == 0 || documents_[i].unit != documents_[i - 1].unit) {
      ++units;
      entries_of_unit = 0;
    }
    entries_of_unit += documents_[i].num_entries;
    if (entries_of_unit > kMaxEntriesPerUnit) {
      return absl::InvalidArgumentError(
          absl::StrCat("a privacy unit must not hold more than ", kMaxEntriesPerUnit,
                       " different words, counted by document. Leave out some of its documents."));
    }
  }
  if (units == 0) {
    return absl::InvalidArgumentError("a corpus must hold at least one document; none was taken");
  }
  if (units > max_units_) {
    return absl::InvalidArgumentError(
        absl::StrCat("a corpus must not hold more than ", max_units_, " privacy units"));
  }
  return units;
}

std::vector<CorpusWriter::BlockRange> CorpusWriter::CutIntoBlocks() const {
  std::vector<BlockRange> blocks;
  int units = 0;
  size_t entries = 0;
  for (size_t i = 0; i < documents_.size(); ++i) {
    const bool new_unit = i == 0 || documents_[i].unit != documents_[i - 1].unit;
    if (blocks.empty() || (new_unit && (units == kUnitsPerBlock || entries >= kEntriesPerBlock))) {
      blocks.push_back({.first_document = i, .end_document = i});
      units = 0;
      entries = 0;
    }
    if (new_unit) ++units;
    entries += documents_[i].num_entries;
    blocks.back().end_document = i + 1;
  }
  return blocks;
}

void CorpusWriter::FillBlock(BlockRange range, UnitBlock* block) const {
  block->Clear();
  for (size_t i = range.first_document; i < range.end_document; ++i) {
    const StoredDocument& document = documents_[i];
    if (i == range.first_document || document.unit != documents_[i - 1].unit) {
      block->AddUnit(document.unit);
    }
    block->AddDocument(
        lda::DocumentView(entries_.data() + document.first_entry, document.num_entries));
  }
}

absl::StatusOr<random::Sha256Digest> CorpusWriter::WriteBlocks(
    const std::vector<BlockRange>& blocks) {
  absl::StatusOr<ContentKeyBuilder> builder = ContentKeyBuilder::Create(description_);
  if (!builder.ok()) return builder.status();
  const int64_t num_blocks = static_cast<int64_t>(blocks.size());
  UnitBlock block;
  for (int64_t number = 0; number < num_blocks; ++number) {
    FillBlock(blocks[static_cast<size_t>(number)], &block);
    builder->Add(block);
    const absl::StatusOr<std::string> sealed =
        seal_.SealBlock(block.Serialize(), number, num_blocks);
    if (!sealed.ok()) return sealed.status();
    if (absl::Status status = file_->PutBlock(number, *sealed); !status.ok()) return status;
  }
  return std::move(*builder).Finish(content_key_secret_);
}

}  // namespace topicwall::corpus
