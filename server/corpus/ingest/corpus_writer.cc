// Add names a document and hands it to the sorter. Finish goes through the sorted documents twice.
// The first time (Measure) counts units, blocks and lines of one name, and computes the content
// key; whatever refuses the corpus does so now, before anything is sealed. The second time
// (WriteBlocks) seals. It takes two, since each block is sealed with the number of all blocks, and
// the manifest with that of all units. Both go through ForEachBlock, so they see the same blocks.
#include "server/corpus/ingest/corpus_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "model/data/bounded_vector.h"
#include "model/data/document.h"
#include "model/data/tokenizer.h"
#include "server/corpus/content_key.h"
#include "server/corpus/corpus_manifest.h"
#include "server/corpus/ingest/unit_content.h"
#include "server/random/secure_random.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::corpus {
namespace {

constexpr size_t kSortingBytesInMemory = size_t{16} << 20;  // 64 KiB for each of 256 heaps

size_t DimensionOf(const CorpusParams& params) {
  return params.vectors.has_value() ? static_cast<size_t>(params.vectors->dimension) : 0;
}

absl::Status CheckKind(const CorpusParams& params) {
  if (!params.vectors.has_value()) {
    if (params.tokenizer == lda::kTokenizerName || params.tokenizer == lda::kCountsTokenizerName) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat("tokenizer must be \"", lda::kTokenizerName,
                                                   "\" or \"", lda::kCountsTokenizerName,
                                                   "\"; got \"", params.tokenizer, "\""));
  }
  TW_RETURN_IF_ERROR(CheckVectorSpace(*params.vectors));
  if (params.tokenizer != lda::kVectorsTokenizerName ||
      params.vocabulary->size() != DimensionOf(params)) {
    return absl::InvalidArgumentError(
        "the tokenizer must be that of vectors, and terms as many as dimensions");
  }
  if (params.duplicates != v1::DUPLICATE_RULE_REFUSE) {
    return absl::InvalidArgumentError(
        "vectors cannot be merged or left out: two of one name have no sum that would be a "
        "document. "
        "Give each an id of its own, and neither --merge-duplicates nor --leave-out");
  }
  return absl::OkStatus();
}

absl::Status CheckParams(const CorpusParams& params) {
  if (params.vocabulary == nullptr) {
    return absl::InvalidArgumentError("vocabulary must be given");
  }
  TW_RETURN_IF_ERROR(CheckKind(params));
  if (params.max_units < 1 || params.max_units > kMaxUnits) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_units must be in [1, ", kMaxUnits, "]; got ", params.max_units));
  }
  if (params.privacy_unit != v1::PRIVACY_UNIT_DOCUMENT &&
      params.privacy_unit != v1::PRIVACY_UNIT_OWNER) {
    return absl::InvalidArgumentError("privacy_unit must be document or owner");
  }
  if (params.duplicates == v1::DUPLICATE_RULE_UNSPECIFIED ||
      !v1::DuplicateRule_IsValid(params.duplicates)) {
    return absl::InvalidArgumentError("duplicates must be a rule: refuse, merge or leave out");
  }
  return model::CheckAttributes(params.attributes);
}

bool AreValues(absl::Span<const uint16_t> values, absl::Span<const int> sizes) {
  return std::equal(values.begin(), values.end(), sizes.begin(), sizes.end(), std::less<>());
}

absl::Status RefusedDuplicates(const CorpusDescription& corpus, const RepeatedLines& repeated) {
  const bool owned = corpus.privacy_unit == v1::PRIVACY_UNIT_OWNER;
  constexpr char kWays[] =
      "; or --merge-duplicates makes one document of such lines and adds their counts, --leave-out "
      "makes one of them and takes each word's largest count";
  return absl::InvalidArgumentError(
      absl::StrCat(owned ? "the ids of one owner's documents" : "documents' ids",
                   " must differ; so many lines have that of an earlier one: ", repeated.size(),
                   repeated.Text(), "\nCorrect them", corpus.vectors.has_value() ? "" : kWays));
}

absl::Status TooManyUnits(int64_t max_units) {
  return absl::InvalidArgumentError(
      absl::StrCat("a corpus must not hold more than ", max_units,
                   " privacy units (limits.max_units of its configuration)"));
}

}  // namespace

struct CorpusWriter::Keys {
  UnitNaming naming;
  CorpusSeal seal;
  random::SecretKey content_key_secret;
};

CorpusWriter::CorpusWriter(CorpusDescription description, int64_t max_units, Keys keys,
                           std::unique_ptr<CorpusFileWriter> file,
                           std::unique_ptr<DocumentSorter> sorter)
    : description_(std::move(description)),
      shape_(ShapeOf(description_)),
      max_units_(max_units),
      naming_(std::move(keys.naming)),
      seal_(std::move(keys.seal)),
      content_key_secret_(std::move(keys.content_key_secret)),
      file_(std::move(file)),
      sorter_(std::move(sorter)) {}

absl::StatusOr<std::unique_ptr<CorpusWriter>> CorpusWriter::Create(
    absl::string_view path, const CorpusParams& params, const sealing::CustodianKey& key) {
  TW_RETURN_IF_ERROR(CheckParams(params));
  // Drawn before a document is seen: it cannot depend on one.
  TW_ASSIGN_OR_RETURN(CorpusVersion version, random::Random128());
  TW_ASSIGN_OR_RETURN(random::SecretKey unit_id_key, key.UnitIdKey());
  TW_ASSIGN_OR_RETURN(random::SecretKey content_key_secret, key.ContentKey());
  TW_ASSIGN_OR_RETURN(sealing::SealingKey sealing_key, key.CorpusSealingKey());
  // Never in the place of another corpus: a budget may have been spent on that version.
  TW_ASSIGN_OR_RETURN(std::unique_ptr<CorpusFileWriter> file,
                      CorpusFileWriter::Create(path, base::IfExists::kRefuse));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<DocumentSorter> sorter,
                      DocumentSorter::Create({.near_path = std::string(path),
                                              .bytes_in_memory = kSortingBytesInMemory,
                                              .num_attributes = params.attributes.size(),
                                              .dimension = DimensionOf(params)}));

  return std::unique_ptr<CorpusWriter>(
      new CorpusWriter({params, version, VocabularySha256(*params.vocabulary)}, params.max_units,
                       {.naming = UnitNaming(std::move(unit_id_key)),
                        .seal = CorpusSeal(version, std::move(sealing_key)),
                        .content_key_secret = std::move(content_key_secret)},
                       std::move(file), std::move(sorter)));
}

absl::Status CorpusWriter::CheckContent(lda::DocumentView counts,
                                        absl::Span<const float> vector) const {
  const auto dimension = static_cast<size_t>(shape_.vector_dimension);
  if (vector.size() != dimension || !model::IsWithinBound(vector)) {
    return absl::InvalidArgumentError("vector must be one of the corpus's space, within its bound");
  }
  if (counts.empty() == (dimension > 0) && lda::IsCanonical(counts, shape_.vocabulary_size)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "counts must hold at least one term, ascending and distinct, each of the vocabulary and with "
      "a "
      "count of at least 1; of a vector there are none");
}

absl::Status CorpusWriter::Add(absl::string_view document_id, absl::string_view owner,
                               lda::DocumentView counts, int64_t line,
                               absl::Span<const uint16_t> attributes,
                               absl::Span<const float> vector) {
  const bool owned = description_.privacy_unit == v1::PRIVACY_UNIT_OWNER;
  // Checked again, though readers have: these are the rules of a corpus, whoever writes one.
  if (owned && owner.empty()) {
    return absl::InvalidArgumentError("owner must be given: the privacy unit is the owner");
  }
  TW_RETURN_IF_ERROR(CheckContent(counts, vector));
  if (!AreValues(attributes, shape_.attribute_sizes)) {
    return absl::InvalidArgumentError(
        "attributes must hold one value of each attribute, below its number of values");
  }
  TW_ASSIGN_OR_RETURN(
      const random::UnitId document,
      owned ? naming_.OfOwnedDocument(owner, document_id) : naming_.OfDocument(document_id));
  // Where the document is the unit, lines of one id are one unit, whoever the input says owns them.
  TW_ASSIGN_OR_RETURN(const random::UnitId unit, owned ? naming_.OfOwner(owner) : document);
  return sorter_->Add({.unit = unit,
                       .document = document,
                       .line = line,
                       .counts = counts,
                       .attributes = attributes,
                       .vector = vector});
}

absl::StatusOr<WrittenCorpus> CorpusWriter::Finish() {
  TW_ASSIGN_OR_RETURN(const Totals totals, Measure());
  TW_RETURN_IF_ERROR(WriteBlocks(totals.num_blocks));

  TW_ASSIGN_OR_RETURN(
      const std::string manifest,
      seal_.SealManifest(SerializeManifest(
          {description_, totals.num_units, totals.num_blocks, totals.content_key, max_units_})));
  TW_RETURN_IF_ERROR(file_->Finish(description_.version, manifest));
  TW_RETURN_IF_ERROR(file_->Commit());
  return WrittenCorpus{.version = description_.version,
                       .num_units = totals.num_units,
                       .repeated_lines = totals.repeated.size(),
                       .cut_units = totals.cut_units};
}

absl::Status CorpusWriter::ForEachBlock(const std::function<absl::Status(const UnitBlock&)>& use,
                                        Totals* totals) const {
  UnitContent content(description_.duplicates, shape_.attribute_sizes);
  UnitBlock block;
  // A unit stays in one piece, so a block ends before the one that does not fit.
  const auto end_unit = [&] {
    const UnitBlock& unit = content.Finish();
    if (totals != nullptr && content.was_cut()) ++totals->cut_units;
    // A unit of its own size may fill a block alone; unit_content.h has cut what no block could
    // hold.
    if (block.size() == kUnitsPerBlock ||
        (block.size() > 0 && block.num_entries() + unit.num_entries() > kEntriesPerBlock)) {
      TW_RETURN_IF_ERROR(use(block));
      block.Clear();
    }
    block.AddUnits(unit);
    return absl::OkStatus();
  };
  const auto add = [&](const DocumentSorter::Document& document) {
    // The first time there is no unit to end, and nothing is added.
    if (!content.IsOf(document.unit)) {
      TW_RETURN_IF_ERROR(end_unit());
      content.Begin(document.unit);
    }
    const std::optional<int64_t> first_line = content.Add(document);
    if (totals != nullptr && first_line.has_value()) {
      totals->repeated.Add(document.line, *first_line);
    }
    return absl::OkStatus();
  };
  TW_RETURN_IF_ERROR(sorter_->ForEach(add));
  TW_RETURN_IF_ERROR(end_unit());
  return block.size() > 0 ? use(block) : absl::OkStatus();
}

absl::StatusOr<CorpusWriter::Totals> CorpusWriter::Measure() const {
  ContentKeyBuilder builder(description_);
  Totals totals = {};
  const auto count = [&](const UnitBlock& block) {
    builder.Add(block);
    ++totals.num_blocks;
    totals.num_units += block.size();
    // Within the pass, so that an input of any size is refused after as many units as are allowed.
    return totals.num_units <= max_units_ ? absl::OkStatus() : TooManyUnits(max_units_);
  };
  TW_RETURN_IF_ERROR(ForEachBlock(count, &totals));
  // After all of them were counted. Refused at the first, the custodian would learn of one line at
  // a time.
  if (description_.duplicates == v1::DUPLICATE_RULE_REFUSE && totals.repeated.size() > 0) {
    return RefusedDuplicates(description_, totals.repeated);
  }
  if (totals.num_units == 0) {
    return absl::InvalidArgumentError("a corpus must hold at least one document; none was taken");
  }
  TW_ASSIGN_OR_RETURN(totals.content_key, std::move(builder).Finish(content_key_secret_));
  return totals;
}

absl::Status CorpusWriter::WriteBlocks(int64_t num_blocks) {
  int64_t number = 0;
  const auto put = [&](const UnitBlock& block) {
    const absl::StatusOr<std::string> sealed =
        seal_.SealBlock(block.Serialize(), number, num_blocks);
    return sealed.ok() ? file_->PutBlock(number++, *sealed) : sealed.status();
  };
  return ForEachBlock(put, nullptr);
}

}  // namespace topicwall::corpus
