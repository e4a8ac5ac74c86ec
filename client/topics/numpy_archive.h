// An .npz file: arrays by name, as numpy.load reads them.
//
//   NumpyArchive archive;
//   archive.Add("components", lambda, {K, V});
//   archive.AddTexts("vocabulary", terms);
//   absl::StatusOr<std::string> bytes = archive.Bytes();
//
// Each array is NAME.npy in a ZIP archive without compression: format 1.0 of NumPy's files, C
// order, little-endian; numbers are <f4 or <f8, texts <U of the longest one, so that nothing is
// pickled and allow_pickle is not needed. The bytes depend on the arrays alone: every entry is of
// 1980-01-01.
//
// Errors: OUT_OF_RANGE beyond 2 GiB: plain ZIP ends at 4, and not every reader gets that far. Texts
// must be valid UTF-8. Threads: one.
#ifndef TOPICWALL_CLIENT_TOPICS_NUMPY_ARCHIVE_H_
#define TOPICWALL_CLIENT_TOPICS_NUMPY_ARCHIVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::client {

class NumpyArchive {
 public:
  // The product of `shape` is the number of values.
  void Add(absl::string_view name, absl::Span<const float> values,
           const std::vector<size_t>& shape);
  void Add(absl::string_view name, absl::Span<const double> values,
           const std::vector<size_t>& shape);
  void AddTexts(absl::string_view name, const std::vector<std::string>& texts);

  absl::StatusOr<std::string> Bytes() const;

 private:
  struct Entry {
    std::string name;  // with .npy
    std::string bytes;
  };
  void AddArray(absl::string_view name, absl::string_view type, const std::vector<size_t>& shape,
                absl::string_view bytes);

  std::vector<Entry> entries_;
  bool is_too_large_ = false;  // of texts that were left out
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_NUMPY_ARCHIVE_H_
