// Parameters and statistics on the wire and on disk: little-endian float32 in chunks, a matrix row
// by row.
//
//   sender    ForEachChunk(values, [&](const v1::FloatChunk& chunk) { return Write(chunk); });
//   receiver  TW_ASSIGN_OR_RETURN(auto matrix, MatrixAssembler::Create({.rows = K, .columns = V}));
//             while (Read(&chunk)) TW_RETURN_IF_ERROR(matrix.Add(chunk));
//             TW_ASSIGN_OR_RETURN(std::vector<float> values, std::move(matrix).Finish());
//
// The codec moves bits: NaN, infinities and signed zeros arrive as they were sent.
// Whoever receives decides what values are allowed.
#ifndef TOPICWALL_PROTO_MATRIX_CODEC_H_
#define TOPICWALL_PROTO_MATRIX_CODEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/sha256.h"
#include "proto/wall.pb.h"

namespace topicwall::proto {

// Entries of a full chunk: 1 MiB of values.
inline constexpr int64_t kMaxChunkEntries = int64_t{1} << 18;

std::string FloatsToLittleEndian(absl::Span<const float> values);
// INVALID_ARGUMENT unless the bytes are a whole number of float32.
absl::StatusOr<std::vector<float>> FloatsFromLittleEndian(absl::string_view bytes);

// Calls `send` with consecutive chunks that cover `values` exactly; stops at its
// first error and returns it. One chunk of memory.
absl::Status ForEachChunk(absl::Span<const float> values,
                          absl::FunctionRef<absl::Status(const v1::FloatChunk&)> send);

// SHA-256 of the little-endian bytes of all values.
base::Digest DigestOfFloats(absl::Span<const float> values);

// Puts chunks together. The chunks must come in order, without gap or overlap.
// Thread-compatible.
class MatrixAssembler {
 public:
  struct Shape {
    int64_t rows;     // K, >= 1
    int64_t columns;  // V, >= 1
  };
  // Reserves the memory of the whole matrix at once. INVALID_ARGUMENT for a shape
  // that is not positive or whose product exceeds 2^32.
  static absl::StatusOr<MatrixAssembler> Create(const Shape& shape);

  // INVALID_ARGUMENT, with nothing added, if the chunk is empty, larger than
  // kMaxChunkEntries, not a whole number of entries, out of order or past the end.
  absl::Status Add(const v1::FloatChunk& chunk);

  // The K·V values; INVALID_ARGUMENT while some are missing.
  absl::StatusOr<std::vector<float>> Finish() &&;

 private:
  explicit MatrixAssembler(int64_t entries);

  int64_t entries_;
  std::vector<float> values_;
};

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_MATRIX_CODEC_H_
