// As for documents of words, what cannot be used ends the reading: a likelihood over the vectors
// that happened to parse would be one of other vectors.
#include "client/evaluate/vector_reader.h"

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <fstream>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "client/evaluate/document_reader.h"
#include "model/data/npy.h"
#include "proto/json_line.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMaxNpyBytes = int64_t{1} << 36;

absl::Status BadVector(absl::string_view name, absl::string_view place, int64_t number,
                       const model::VectorSpace& space) {
  return absl::InvalidArgumentError(absl::StrCat(name, ", ", place, " ", number,
                                                 ": must have a vector of ", space.dimension,
                                                 " finite numbers."));
}

// Behind the others; false if a number is not finite.
bool Append(absl::Span<const double> numbers, double norm_bound, VectorMatrix* matrix) {
  const size_t first = matrix->values.size();
  matrix->values.resize(first + matrix->dimension);
  return model::ScaleToBound(numbers, norm_bound, absl::MakeSpan(matrix->values).subspan(first));
}

// Of the first line that has anything; 0 if it has no list "vector".
int DimensionOfLines(std::istream& input) {
  std::string line;
  while (std::getline(input, line)) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const std::optional<google::protobuf::Struct> object = proto::JsonObjectOf(line);
    if (!object.has_value()) return 0;
    const auto found = object->fields().find("vector");
    return found == object->fields().end() ? 0 : found->second.list_value().values_size();
  }
  return 0;
}

VectorMatrix NoVectors(const model::VectorSpace& space) {
  return {.dimension = static_cast<size_t>(space.dimension), .values = {}};
}

}  // namespace

absl::StatusOr<VectorMatrix> ReadVectorLines(std::istream& input, absl::string_view name,
                                             const model::VectorSpace& space) {
  VectorMatrix matrix = NoVectors(space);
  std::vector<double> numbers(matrix.dimension);
  std::string line;
  for (int64_t number = 1; std::getline(input, line); ++number) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const std::optional<google::protobuf::Struct> object = proto::JsonObjectOf(line);
    if (!object.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ", line ", number, ": must be one JSON object."));
    }
    if (!proto::TakeVector(*object, absl::MakeSpan(numbers)) ||
        !Append(numbers, space.norm_bound, &matrix)) {
      return BadVector(name, "line", number, space);
    }
  }
  if (input.bad()) return absl::DataLossError(absl::StrCat("cannot read ", name, " to its end."));
  return matrix;
}

absl::StatusOr<VectorMatrix> ReadNpy(absl::string_view bytes, absl::string_view name,
                                     const model::VectorSpace& space) {
  const absl::StatusOr<model::NpyHeader> header =
      model::ParseNpyHeader(bytes.substr(0, model::kMaxNpyHeaderBytes));
  absl::Status status = header.status();
  if (status.ok()) {
    status = model::CheckNpyFile(*header, space.dimension, static_cast<int64_t>(bytes.size()));
  }
  if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
  VectorMatrix matrix = NoVectors(space);
  std::vector<double> numbers(matrix.dimension);
  bytes.remove_prefix(header->size);
  for (int64_t row = 0; row < header->rows; ++row) {
    model::DecodeNpyRow(*header, bytes.substr(0, header->RowBytes()), absl::MakeSpan(numbers));
    bytes.remove_prefix(header->RowBytes());
    if (!Append(numbers, space.norm_bound, &matrix)) return BadVector(name, "row", row + 1, space);
  }
  return matrix;
}

VectorFormat VectorFormatOf(const std::string& path) {
  return absl::EndsWith(path, ".npy") ? VectorFormat::kNpy : VectorFormat::kJsonl;
}

absl::StatusOr<int> DimensionOf(const std::string& path) {
  if (VectorFormatOf(path) == VectorFormat::kNpy) {
    TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, kMaxNpyBytes));
    const absl::StatusOr<model::NpyHeader> header =
        model::ParseNpyHeader(absl::string_view(bytes).substr(0, model::kMaxNpyHeaderBytes));
    if (header.ok()) return header->columns;
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", header.status().message()));
  }
  TW_ASSIGN_OR_RETURN(std::ifstream input, OpenLines(path));
  const int dimension = DimensionOfLines(input);
  if (dimension >= 1 && dimension <= model::kMaxVectorDimension) return dimension;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": its first line must be an object with a vector of 1 to ",
                   model::kMaxVectorDimension, " numbers."));
}

absl::StatusOr<VectorMatrix> ReadVectors(const std::string& path, VectorFormat format,
                                         const model::VectorSpace& space) {
  TW_RETURN_IF_ERROR(CheckVectorSpace(space));
  if (format == VectorFormat::kNpy) {
    TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, kMaxNpyBytes));
    TW_ASSIGN_OR_RETURN(VectorMatrix matrix, ReadNpy(bytes, path, space));
    if (matrix.rows() > 0) return matrix;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": its array must have vectors as rows; it has none."));
  }
  TW_ASSIGN_OR_RETURN(std::ifstream input, OpenLines(path));
  return ReadVectorLines(input, path, space);
}

}  // namespace topicwall::client
