// proto/matrix_codec.h on chunks that nobody vouches for, against a plain string of the bytes that
// were accepted.
//
// Input: rows (1 byte), columns (1), then pieces, each a serialized v1::FloatChunk; with rows 0
// the two 8-byte numbers that follow are the shape instead.
#include <bit>
#include <cstring>

#include "proto/matrix_codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"

namespace topicwall::fuzz {
namespace {

// What Create would reserve for larger ones is the machine's, not the codec's.
constexpr int64_t kMostEntries = int64_t{1} << 16;

bool IsSmallOrRefused(int64_t rows, int64_t columns) {
  const __int128 entries = __int128{rows} * columns;
  return rows < 1 || columns < 1 || entries <= kMostEntries || entries > (int64_t{1} << 32);
}

bool IsSameBits(absl::Span<const float> values, absl::string_view bytes) {
  return values.size() * sizeof(float) == bytes.size() &&
         (bytes.empty() || std::memcmp(values.data(), bytes.data(), bytes.size()) == 0);
}

void RequireRoundTrip(int64_t rows, int64_t columns, const std::vector<float>& values) {
  absl::StatusOr<proto::MatrixAssembler> again =
      proto::MatrixAssembler::Create({.rows = rows, .columns = columns});
  Require(again.ok(), "a shape that was good stays good");
  const absl::Status sent = proto::ForEachChunk(values, [&](const v1::FloatChunk& chunk) {
    v1::FloatChunk travelled;
    Require(travelled.ParseFromString(chunk.SerializeAsString()), "a chunk survives the wire");
    return again->Add(travelled);
  });
  Require(sent.ok(), "what ForEachChunk sends is accepted");
  const absl::StatusOr<std::vector<float>> received = std::move(*again).Finish();
  Require(received.ok() && IsSameBits(*received, proto::FloatsToLittleEndian(values)),
          "a matrix arrives with the bits it was sent with");
  Require(proto::DigestOfFloats(*received) == proto::DigestOfFloats(values),
          "the same bits have the same digest");
}

// Adds chunks until one is refused or all are in; the bytes of those accepted.
std::string AddAll(InputCursor& cursor, int64_t entries, proto::MatrixAssembler& matrix) {
  static const RefusalRules& rules = *new RefusalRules();
  std::string accepted;
  while (!cursor.at_end()) {
    v1::FloatChunk chunk;
    const absl::string_view piece = cursor.Piece();
    if (!chunk.ParseFromArray(piece.data(), static_cast<int>(piece.size()))) continue;
    const absl::Status added = matrix.Add(chunk);
    if (!added.ok()) {
      Refuse(added, rules);
      continue;
    }
    Require(chunk.offset() * 4 == static_cast<int64_t>(accepted.size()),
            "an accepted chunk begins where the last one ended");
    accepted += chunk.values();
    Require(static_cast<int64_t>(accepted.size()) <= 4 * entries, "no chunk runs past the end");
  }
  return accepted;
}

Verdict Run(absl::string_view input) {
  static const RefusalRules& rules = *new RefusalRules();
  const auto floats = proto::FloatsFromLittleEndian(input);
  Require(floats.ok() == (input.size() % 4 == 0), "whole float32s are all that is asked for");
  if (floats.ok()) Require(IsSameBits(*floats, input), "floats are read bit by bit");

  InputCursor cursor(input);
  int64_t rows = cursor.Take<uint8_t>();
  int64_t columns = cursor.Take<uint8_t>();
  if (rows == 0) {
    rows = cursor.Take<int64_t>();
    columns = cursor.Take<int64_t>();
  }
  if (!IsSmallOrRefused(rows, columns)) return Verdict::kRefused;
  auto matrix = proto::MatrixAssembler::Create({.rows = rows, .columns = columns});
  if (!matrix.ok()) return Refuse(matrix.status(), rules);
  Require(rows >= 1 && columns >= 1, "a shape is positive");
  const std::string accepted = AddAll(cursor, rows * columns, *matrix);
  const absl::StatusOr<std::vector<float>> values = std::move(*matrix).Finish();
  if (!values.ok()) {
    Require(static_cast<int64_t>(accepted.size()) != 4 * rows * columns, "a whole matrix is given");
    return Refuse(values.status(), rules);
  }
  Require(IsSameBits(*values, accepted), "refused chunks leave nothing in the matrix");
  RequireRoundTrip(rows, columns, *values);
  return Verdict::kAccepted;
}

std::string ChunkOf(int64_t offset, std::vector<float> values) {
  v1::FloatChunk chunk;
  chunk.set_offset(offset);
  chunk.set_values(proto::FloatsToLittleEndian(values));
  return PieceOf(chunk.SerializeAsString());
}

std::vector<std::string> Seeds() {
  return {
      std::string("\x01\x02", 2) + ChunkOf(0, {1, -2}),
      std::string("\x02\x02", 2) + ChunkOf(0, {0, -1, -2}) + ChunkOf(7, {5}) + ChunkOf(3, {-3}),
      std::string("\0\0", 2) + NumberOf<int64_t>(1) + NumberOf<int64_t>(1) + ChunkOf(0, {-0.0f})};
}

[[maybe_unused]] const bool registered =
    Register({.name = "matrix_codec", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
