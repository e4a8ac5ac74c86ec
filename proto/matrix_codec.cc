#include "proto/matrix_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace topicwall::proto {
namespace {

static_assert(sizeof(float) == 4);
static_assert(std::endian::native == std::endian::little,
              "values are copied as they stand; a big-endian machine would have to swap them");

// The wall's own limit of K·V: what is beyond is refused before anything is reserved.
constexpr int64_t kMaxEntries = int64_t{1} << 32;

absl::string_view BytesOf(absl::Span<const float> values) {
  return absl::string_view(reinterpret_cast<const char*>(values.data()),
                           values.size() * sizeof(float));
}

}  // namespace

std::string FloatsToLittleEndian(absl::Span<const float> values) {
  return std::string(BytesOf(values));
}

absl::StatusOr<std::vector<float>> FloatsFromLittleEndian(absl::string_view bytes) {
  if (bytes.size() % sizeof(float) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "values must be a whole number of little-endian float32; got ", bytes.size(), " bytes"));
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  // Copied, not cast: the bytes of a message are not aligned for floats.
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

absl::Status ForEachChunk(absl::Span<const float> values,
                          absl::FunctionRef<absl::Status(const v1::FloatChunk&)> send) {
  v1::FloatChunk chunk;
  for (size_t offset = 0; offset < values.size(); offset += kMaxChunkEntries) {
    absl::string_view bytes = BytesOf(values.subspan(offset, kMaxChunkEntries));
    chunk.set_offset(static_cast<int64_t>(offset));
    chunk.set_values(bytes.data(), bytes.size());
    absl::Status sent = send(chunk);
    if (!sent.ok()) return sent;
  }
  return absl::OkStatus();
}

base::Digest DigestOfFloats(absl::Span<const float> values) {
  return base::Sha256Of(BytesOf(values));
}

MatrixAssembler::MatrixAssembler(int64_t entries) : entries_(entries) {
  // All at once: growing by doubling would need half as much again when it moves.
  values_.reserve(static_cast<size_t>(entries));
}

absl::StatusOr<MatrixAssembler> MatrixAssembler::Create(const Shape& shape) {
  // By division: the product of two numbers from the network may overflow.
  if (!(shape.rows >= 1) || !(shape.columns >= 1) || !(shape.rows <= kMaxEntries / shape.columns)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a matrix must have at least 1 row and 1 column and at most 2^32 entries; got ", shape.rows,
        " x ", shape.columns));
  }
  return MatrixAssembler(shape.rows * shape.columns);
}

absl::Status MatrixAssembler::Add(const v1::FloatChunk& chunk) {
  const int64_t received = static_cast<int64_t>(values_.size());
  const int64_t count = static_cast<int64_t>(chunk.values().size() / sizeof(float));
  if (chunk.values().size() % sizeof(float) != 0 || count < 1 || count > kMaxChunkEntries) {
    return absl::InvalidArgumentError(absl::StrCat("a chunk must hold 1 to ", kMaxChunkEntries,
                                                   " float32 values; got ", chunk.values().size(),
                                                   " bytes"));
  }
  // In order and without gaps, so that what was received is a length and not a set, and no entry
  // can be written twice or left as it was.
  if (chunk.offset() != received) {
    return absl::InvalidArgumentError(absl::StrCat("chunks must come in order: expected offset ",
                                                   received, ", got ", chunk.offset()));
  }
  if (!(count <= entries_ - received)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the matrix has ", entries_, " entries; the chunk at ", received, " runs past its end"));
  }
  values_.resize(static_cast<size_t>(received + count));
  std::memcpy(values_.data() + received, chunk.values().data(), chunk.values().size());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<float>> MatrixAssembler::Finish() && {
  if (static_cast<int64_t>(values_.size()) != entries_) {
    return absl::InvalidArgumentError(absl::StrCat("the matrix has ", entries_, " entries; only ",
                                                   values_.size(), " were received"));
  }
  return std::move(values_);
}

}  // namespace topicwall::proto
