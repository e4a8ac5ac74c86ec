#include "server/corpus/corpus_store.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "server/corpus/content_key.h"
#include "server/corpus/corpus_manifest.h"
#include "server/random/key_derivation.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::corpus {

// Whatever may fail has happened before there is a store: one that exists has its keys and its
// manifest.
struct CorpusStore::Parts {
  std::unique_ptr<const CorpusFileReader> file;
  CorpusSeal seal;
  random::SecretKey content_key_secret;
  random::SecretKey held_out_key;
  CorpusManifest manifest;
  base::Digest vocabulary_sha256;
};

namespace {

// The first format had no such bound but the seal's own.
size_t MostSealedBytes(const CorpusDescription& description) {
  const size_t most = description.duplicates == v1::DUPLICATE_RULE_UNSPECIFIED
                          ? sealing::kMaxSealedPlaintext
                          : MostBytesOfBlock(ShapeOf(description));
  return most + sealing::kSealingOverhead;
}

// Where ids are places, one unit more or fewer gives every later one another id, and who has
// changed sides since the last version would tell of it: each version has sides of its own.
absl::StatusOr<random::SecretKey> HeldOutKeyOf(const CorpusManifest& manifest,
                                               const CorpusVersion& version,
                                               const sealing::CustodianKey& key) {
  absl::StatusOr<random::SecretKey> of_all = key.HeldOutKey();
  if (!of_all.ok() || !manifest.unjoinable) return of_all;
  return random::Derive(*of_all, "held-out units of a version", version);
}

}  // namespace

void CorpusStore::ReadSpace::Reserve(const model::CorpusShape& corpus) {
  // resize and not reserve: what is written to is really there. A system that promises more memory
  // than it has would take the promise back after the charge.
  unsealed_.resize(MostBytesOfBlock(corpus));
  sealed_.resize(unsealed_.size() + sealing::kSealingOverhead);
}

int64_t CorpusStore::ReadSpace::BytesReserved(const model::CorpusShape& corpus) {
  return static_cast<int64_t>(2 * MostBytesOfBlock(corpus) + sealing::kSealingOverhead);
}

CorpusStore::CorpusStore(Parts parts)
    : description_{parts.manifest, parts.file->version(), parts.vocabulary_sha256},
      shape_(ShapeOf(description_)),
      num_units_(parts.manifest.num_units),
      max_units_(parts.manifest.max_units),
      num_blocks_(static_cast<int>(parts.manifest.num_blocks)),
      most_sealed_bytes_(MostSealedBytes(description_)),
      expected_content_key_(parts.manifest.content_key),
      content_key_secret_(std::move(parts.content_key_secret)),
      held_out_key_(std::move(parts.held_out_key)),
      seal_(std::move(parts.seal)),
      file_(std::move(parts.file)) {}

absl::StatusOr<std::unique_ptr<CorpusStore>> CorpusStore::Open(absl::string_view path,
                                                               const sealing::CustodianKey& key) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<CorpusFileReader> file, CorpusFileReader::Open(path));
  TW_ASSIGN_OR_RETURN(sealing::SealingKey sealing_key, key.CorpusSealingKey());
  TW_ASSIGN_OR_RETURN(random::SecretKey content_key_secret, key.ContentKey());

  // The version stands in the file in the clear, and in the associated data of everything that is
  // sealed: if somebody changes it, the manifest does not open.
  CorpusSeal seal(file->version(), std::move(sealing_key));
  const absl::StatusOr<std::string> bytes = seal.OpenManifest(file->sealed_manifest());
  if (!bytes.ok()) return UnsealableCorpus(path);
  std::optional<CorpusManifest> manifest = ParseManifest(*bytes);
  if (!manifest.has_value()) return NewerCorpus(path);
  const base::Digest vocabulary_sha256 = VocabularySha256(*manifest->vocabulary);
  TW_ASSIGN_OR_RETURN(random::SecretKey held_out_key,
                      HeldOutKeyOf(*manifest, file->version(), key));

  return std::unique_ptr<CorpusStore>(
      new CorpusStore(Parts{.file = std::move(file),
                            .seal = std::move(seal),
                            .content_key_secret = std::move(content_key_secret),
                            .held_out_key = std::move(held_out_key),
                            .manifest = *std::move(manifest),
                            .vocabulary_sha256 = vocabulary_sha256}));
}

absl::Status CorpusStore::ReadBlock(int block, UnitBlock* out, ReadSpace* space) const {
  absl::Status status = TryToRead(block, out, space);
  // Nobody may take the rest of a block that failed for one with fewer units.
  if (!status.ok()) out->Clear();
  return status;
}

// Leaves what it finds in `out` if it fails early: arrays that are cleared and filled again cost
// as much as the copy into them.
absl::Status CorpusStore::TryToRead(int block, UnitBlock* out, ReadSpace* space) const {
  if (block < 0 || block >= num_blocks_) {
    return absl::InvalidArgumentError("block must be at least 0 and below num_blocks()");
  }
  TW_RETURN_IF_ERROR(file_->ReadBlock(block, &space->sealed_, most_sealed_bytes_));
  if (!seal_.OpenBlock(space->sealed_, block, num_blocks_, &space->unsealed_).ok() ||
      !out->Parse(space->unsealed_, shape_)) {
    return Damaged();
  }
  return absl::OkStatus();
}

absl::Status CorpusStore::VerifyAll() const {
  // Each block opens at its own place and no other, so none can be exchanged or left out; what else
  // could be wrong is the ingestion itself. Ids ascend over the whole corpus, or a unit that stands
  // in two blocks would be clipped twice and count twice, which no price covers. The content key at
  // the end is over all of it.
  ContentKeyBuilder builder(description_);
  UnitBlock block;
  ReadSpace space;
  std::optional<random::UnitId> last;
  int64_t units = 0;
  for (int number = 0; number < num_blocks_; ++number) {
    TW_RETURN_IF_ERROR(ReadBlock(number, &block, &space));
    if (!IsWithinBounds(block) || (last.has_value() && !(*last < block.id(0)))) return Damaged();
    last = block.id(block.size() - 1);
    units += block.size();
    builder.Add(block);
  }
  TW_ASSIGN_OR_RETURN(const base::Digest content_key,
                      std::move(builder).Finish(content_key_secret_));
  if (units != num_units_ || content_key != expected_content_key_) return Damaged();
  return absl::OkStatus();
}

bool CorpusStore::IsWithinBounds(const UnitBlock& block) const {
  // The caller asks for the first and the last unit of a block.
  if (block.size() == 0) return false;
  return description_.duplicates == v1::DUPLICATE_RULE_UNSPECIFIED ||
         (block.size() <= kUnitsPerBlock &&
          block.num_entries() <= MostEntriesOfBlock(vocabulary().size()));
}

absl::Status CorpusStore::RequireUndamaged() const {
  // The first never changes while the server runs, the second may at any time: both before every
  // charge.
  absl::Status status = RequireWholeUnits(description_);
  return status.ok() ? file_->RequireUnchanged() : status;
}

absl::StatusOr<std::vector<random::UnitId>> CorpusStore::UnitIds() const {
  std::vector<random::UnitId> ids;
  ids.reserve(static_cast<size_t>(num_units_));
  UnitBlock block;
  ReadSpace space;
  for (int number = 0; number < num_blocks_; ++number) {
    TW_RETURN_IF_ERROR(ReadBlock(number, &block, &space));
    ids.insert(ids.end(), block.ids().begin(), block.ids().end());
  }
  return ids;
}

}  // namespace topicwall::corpus
