// How the parts of a corpus file are bound to their places.
//
// Associated data, numbers little-endian:
//   manifest  "topicwall corpus manifest 1" ‖ version (16)
//   block     "topicwall corpus block 1" ‖ version (16) ‖ block number (8) ‖ blocks (8)
// so no block opens at another number, in a corpus with another number of blocks, or in
// another version, and a manifest is never taken for a block.
//
// Threads: const methods, many at once.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_SEAL_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_SEAL_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/corpus/corpus_description.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::corpus {

class CorpusSeal {
 public:
  CorpusSeal(const CorpusVersion& version, sealing::SealingKey key)
      : version_(version), key_(std::move(key)) {}

  absl::StatusOr<std::string> SealManifest(absl::string_view plaintext) const;
  absl::StatusOr<std::string> OpenManifest(absl::string_view sealed) const;

  absl::StatusOr<std::string> SealBlock(absl::string_view plaintext, int64_t number,
                                        int64_t num_blocks) const;
  // Into a string whose memory is used again.
  absl::Status OpenBlock(absl::string_view sealed, int64_t number, int64_t num_blocks,
                         std::string* plaintext) const;

 private:
  CorpusVersion version_;
  sealing::SealingKey key_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_SEAL_H_
