// Vectors that the analyst owns, in the units of a corpus of vectors.
//
//   TW_ASSIGN_OR_RETURN(const VectorMatrix mine,
//                       ReadVectors("mine.npy", VectorFormat::kNpy, space));
//   mine.row(0);   // space.dimension floats, of a norm of at most 1
//
// jsonl: one JSON object a line with "vector", a list of as many numbers as the space has
// dimensions (other fields are ignored; proto/json_line.h). npy: NumPy's file of a matrix
// (model/data/npy.h). Both are read and scaled as ingestion does (model/data/bounded_vector.h), so
// that an analyst's vectors and the corpus's mean the same.
//
// Errors: NOT_FOUND or the system's for the file; INVALID_ARGUMENT for a space out of its ranges,
// and naming the line or row and what is wrong with it, never its content; nothing is returned
// then. Threads: pure but for the file. Memory: the floats, and of .npy the file.
#ifndef TOPICWALL_CLIENT_EVALUATE_VECTOR_READER_H_
#define TOPICWALL_CLIENT_EVALUATE_VECTOR_READER_H_

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/bounded_vector.h"

namespace topicwall::client {

enum class VectorFormat { kJsonl, kNpy };

// n × d, row by row.
struct VectorMatrix {
  size_t dimension;  // d >= 1
  std::vector<float> values;

  size_t rows() const { return values.size() / dimension; }
  absl::Span<const float> row(size_t i) const {
    return absl::MakeConstSpan(values).subspan(i * dimension, dimension);
  }
};

// By its ending: .npy is kNpy, all else kJsonl.
VectorFormat VectorFormatOf(const std::string& path);
// Of the first vector of a file, where nobody says what it must be: d, in 1 … kMaxVectorDimension.
absl::StatusOr<int> DimensionOf(const std::string& path);

absl::StatusOr<VectorMatrix> ReadVectors(const std::string& path, VectorFormat format,
                                         const model::VectorSpace& space);

// The two formats on a stream and on a file's bytes, over a space that is checked; `name` stands in
// messages.
absl::StatusOr<VectorMatrix> ReadVectorLines(std::istream& input, absl::string_view name,
                                             const model::VectorSpace& space);
absl::StatusOr<VectorMatrix> ReadNpy(absl::string_view bytes, absl::string_view name,
                                     const model::VectorSpace& space);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_VECTOR_READER_H_
