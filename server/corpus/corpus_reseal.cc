// What is sealed is not looked into, but for the manifest, which says how many blocks there are:
// each block is opened, and the same bytes are sealed again for the same place under the new key.
// So unit ids, blocks and content key cannot change here, not even by a version of this program
// that would write them otherwise.
//
// The new file is opened with the new key and verified to its last unit before it replaces the old
// one. What the disk made of it is found out while the old one is still there.
#include "server/corpus/corpus_reseal.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_manifest.h"
#include "server/corpus/corpus_seal.h"
#include "server/corpus/corpus_store.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::corpus {
namespace {

// Copies blocks and manifest of `from` into the unfinished file `to`.
absl::Status CopyResealed(const CorpusFileReader& from, const CorpusSeal& old_seal,
                          const CorpusSeal& new_seal, CorpusFileWriter& to) {
  const absl::StatusOr<std::string> manifest_bytes = old_seal.OpenManifest(from.sealed_manifest());
  if (!manifest_bytes.ok()) return UnsealableCorpus(from.path());
  const std::optional<CorpusManifest> manifest = ParseManifest(*manifest_bytes);
  if (!manifest.has_value()) return NewerCorpus(from.path());

  std::string sealed;
  std::string bytes;
  for (int64_t number = 0; number < manifest->num_blocks; ++number) {
    TW_RETURN_IF_ERROR(from.ReadBlock(number, &sealed));
    if (!old_seal.OpenBlock(sealed, number, manifest->num_blocks, &bytes).ok()) {
      return UnsealableCorpus(from.path());
    }
    TW_ASSIGN_OR_RETURN(const std::string resealed,
                        new_seal.SealBlock(bytes, number, manifest->num_blocks));
    TW_RETURN_IF_ERROR(to.PutBlock(number, resealed));
  }
  TW_ASSIGN_OR_RETURN(const std::string sealed_manifest, new_seal.SealManifest(*manifest_bytes));
  return to.Finish(from.version(), sealed_manifest);
}

absl::Status Verify(absl::string_view path, const sealing::CustodianKey& key) {
  const absl::StatusOr<std::unique_ptr<CorpusStore>> store = CorpusStore::Open(path, key);
  return store.ok() ? (*store)->VerifyAll() : store.status();
}

}  // namespace

absl::Status Reseal(absl::string_view path, const sealing::CustodianKey& old_key,
                    const sealing::CustodianKey& new_key) {
  if (old_key.identity_id() != new_key.identity_id()) {
    return absl::InvalidArgumentError(
        "the new key must have the identity of the old one, or shared units could no longer be "
        "recognised. Make it from the old key.");
  }
  // By trying, and to its last block: no record of an interrupted rekey could know it better.
  if (Verify(path, new_key).ok()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(std::unique_ptr<CorpusFileReader> from, CorpusFileReader::Open(path));
  TW_ASSIGN_OR_RETURN(sealing::SealingKey old_sealing, old_key.CorpusSealingKey());
  TW_ASSIGN_OR_RETURN(sealing::SealingKey new_sealing, new_key.CorpusSealingKey());
  TW_ASSIGN_OR_RETURN(std::unique_ptr<CorpusFileWriter> to,
                      CorpusFileWriter::Create(path, base::IfExists::kReplace));

  const CorpusVersion version = from->version();
  absl::Status status = CopyResealed(*from, CorpusSeal(version, std::move(old_sealing)),
                                     CorpusSeal(version, std::move(new_sealing)), *to);
  if (status.ok()) status = Verify(to->unfinished_path(), new_key);
  if (status.ok()) status = to->Commit();
  return status;
}

}  // namespace topicwall::corpus
