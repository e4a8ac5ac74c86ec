// NumPy's file of one array (.npy), where it is a matrix of float32 or float64, row by row: its
// header and its rows, from bytes that somebody else read.
//
//   TW_ASSIGN_OR_RETURN(const NpyHeader header, ParseNpyHeader(beginning_of_file));
//   // rows of header.RowBytes() follow from byte header.size on
//   DecodeNpyRow(header, row, absl::MakeSpan(numbers));
//
// Read is format version 1.0 or 2.0 with descr '<f4' or '<f8', fortran_order False and a shape of
// two numbers: at most 2^31 rows of 1 to kMaxVectorDimension columns. Anything else is refused, and
// so is a header that is not written as NumPy writes it (each key once, nothing else).
// INVALID_ARGUMENT says which rule is broken, and quotes nothing of the file.
//
// Source: NEP 1, "A Simple File Format for NumPy Arrays".
// Threads: pure functions. Cost: the header's length; a row's.
#ifndef TOPICWALL_MODEL_DATA_NPY_H_
#define TOPICWALL_MODEL_DATA_NPY_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::model {

// NumPy's own headers have 128.
inline constexpr size_t kMaxNpyHeaderBytes = 4096;
inline constexpr int64_t kMaxNpyRows = int64_t{1} << 31;

struct NpyHeader {
  size_t size;       // bytes of the file before its first row, at most kMaxNpyHeaderBytes
  int64_t rows;      // 0 .. kMaxNpyRows
  int columns;       // 1 .. kMaxVectorDimension
  int number_bytes;  // 4 or 8

  size_t RowBytes() const {
    return static_cast<size_t>(columns) * static_cast<size_t>(number_bytes);
  }
  int64_t FileBytes() const {
    return static_cast<int64_t>(size) + rows * static_cast<int64_t>(RowBytes());
  }
};

// `beginning`: of the file, kMaxNpyHeaderBytes or all of it if it has fewer.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view beginning);

// Whether a file of so many bytes holds the header's rows and nothing else, and these have as many
// columns as vectors have dimensions: INVALID_ARGUMENT as above.
absl::Status CheckNpyFile(const NpyHeader& header, int dimension, int64_t file_bytes);

// `row`: RowBytes() of the file; as many numbers as columns. Any bits: whoever reads asks whether
// they are finite.
void DecodeNpyRow(const NpyHeader& header, absl::string_view row, absl::Span<double> numbers);

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_DATA_NPY_H_
