// The file's size is asked for first and must be what the header says: a copy that was cut off at
// the end of a row looks whole otherwise, and would be sealed as a corpus.
#include "server/corpus/ingest/npy_reader.h"

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::corpus {

absl::StatusOr<std::unique_ptr<DocumentReader>> NpyReader::Open(absl::string_view path,
                                                                const model::VectorSpace& space) {
  std::unique_ptr<NpyReader> reader(new NpyReader(path, space));
  TW_ASSIGN_OR_RETURN(reader->source_, OpenToRead(reader->path_));
  TW_RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

absl::Status NpyReader::Untrusted(absl::string_view rule) const {
  return absl::InvalidArgumentError(absl::StrCat(path_, ": ", rule));
}

absl::Status NpyReader::ReadHeader() {
  std::string beginning(model::kMaxNpyHeaderBytes, '\0');
  beginning.resize(std::fread(beginning.data(), 1, beginning.size(), source_.file.get()));
  if (std::ferror(source_.file.get()) != 0) return CannotRead(path_, errno);
  const absl::StatusOr<model::NpyHeader> header = model::ParseNpyHeader(beginning);
  if (!header.ok()) return Untrusted(header.status().message());
  if (absl::Status status = model::CheckNpyFile(*header, space_.dimension, source_.bytes);
      !status.ok()) {
    return Untrusted(status.message());
  }
  header_ = *header;
  row_.resize(header_.RowBytes());
  // More was read than the header, whose length only the header tells.
  if (std::fseek(source_.file.get(), static_cast<long>(header_.size), SEEK_SET) != 0) {
    return CannotRead(path_, errno);
  }
  return absl::OkStatus();
}

double NpyReader::FractionRead() const {
  if (rows_given_ >= header_.rows) return 1;
  return static_cast<double>(rows_given_) / static_cast<double>(header_.rows);
}

absl::StatusOr<bool> NpyReader::Next(SourceDocument* document) {
  if (rows_given_ == header_.rows) return false;
  if (std::fread(row_.data(), 1, row_.size(), source_.file.get()) != row_.size()) {
    if (std::ferror(source_.file.get()) != 0) return CannotRead(path_, errno);
    return Untrusted("the file became shorter while it was read");
  }
  model::DecodeNpyRow(header_, row_, absl::MakeSpan(numbers_));
  // Its place, also where the row is left out: or all behind it would have another's id.
  const int64_t number = ++rows_given_;
  document->line = number;
  document->name = absl::StrCat("row ", number);
  document->id = absl::StrCat(number);
  document->owner.clear();
  document->counts.clear();
  document->attributes.clear();
  document->vector.resize(numbers_.size());
  document->problem =
      model::ScaleToBound(numbers_, space_.norm_bound, absl::MakeSpan(document->vector))
          ? Problem::kNone
          : Problem::kBadVector;
  return true;
}

}  // namespace topicwall::corpus
