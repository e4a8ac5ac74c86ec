#include "server/corpus/corpus_seal.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/little_endian.h"

namespace topicwall::corpus {
namespace {

absl::string_view Bytes(const CorpusVersion& version) {
  return {reinterpret_cast<const char*>(version.data()), version.size()};
}

std::string ManifestPlace(const CorpusVersion& version) {
  return absl::StrCat("topicwall corpus manifest 1", Bytes(version));
}

// Every part has a fixed length, so no two places have the same bytes, without anything between
// them.
std::string BlockPlace(const CorpusVersion& version, int64_t number, int64_t num_blocks) {
  std::string place = absl::StrCat("topicwall corpus block 1", Bytes(version));
  base::AppendLittleEndian(number, &place);
  base::AppendLittleEndian(num_blocks, &place);
  return place;
}

}  // namespace

absl::StatusOr<std::string> CorpusSeal::SealManifest(absl::string_view plaintext) const {
  return key_.Seal(plaintext, ManifestPlace(version_));
}

absl::StatusOr<std::string> CorpusSeal::OpenManifest(absl::string_view sealed) const {
  return key_.Open(sealed, ManifestPlace(version_));
}

absl::StatusOr<std::string> CorpusSeal::SealBlock(absl::string_view plaintext, int64_t number,
                                                  int64_t num_blocks) const {
  return key_.Seal(plaintext, BlockPlace(version_, number, num_blocks));
}

absl::Status CorpusSeal::OpenBlock(absl::string_view sealed, int64_t number, int64_t num_blocks,
                                   std::string* plaintext) const {
  return key_.OpenInto(sealed, BlockPlace(version_, number, num_blocks), plaintext);
}

}  // namespace topicwall::corpus
