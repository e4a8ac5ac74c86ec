// Documents of the analyst's own, from the three arrays of a sparse matrix. Which matrices those
// may be, and what becomes of fractions and of entries out of order, is for
// ../topicwall/_counts.py; here nothing is believed, for an index out of range would be read past
// its end.
#include <pybind11/numpy.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "client/python/bindings.h"
#include "client/python/errors.h"
#include "model/data/document.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

using Int64s = py::array_t<int64_t, py::array::c_style>;
using Int32s = py::array_t<int32_t, py::array::c_style>;
using Counts = py::array_t<uint32_t, py::array::c_style>;

template <typename T>
absl::Span<const T> SpanOf(const py::array_t<T, py::array::c_style>& values) {
  return {values.data(), static_cast<size_t>(values.size())};
}

struct SparseRows {
  absl::Span<const int64_t> starts;  // n + 1
  absl::Span<const int32_t> terms;
  absl::Span<const uint32_t> counts;
};

absl::Status CheckStarts(const SparseRows& rows) {
  // Both ends right and no step back: then every row's slice lies within the entries.
  bool in_order = !rows.starts.empty() && rows.starts.front() == 0 &&
                  rows.starts.back() == static_cast<int64_t>(rows.terms.size()) &&
                  rows.terms.size() == rows.counts.size();
  for (size_t i = 1; in_order && i < rows.starts.size(); ++i) {
    in_order = rows.starts[i - 1] <= rows.starts[i];
  }
  if (in_order) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "indptr must ascend from 0 to the number of entries. Make the matrix with SciPy.");
}

absl::StatusOr<lda::DocumentList> DocumentsOf(const SparseRows& rows, int64_t vocabulary_size) {
  // First of all: CheckCanonical reads each row by its two starts.
  TW_RETURN_IF_ERROR(CheckStarts(rows));
  lda::DocumentList documents;
  documents.offsets.assign(rows.starts.begin(), rows.starts.end());
  documents.entries.resize(rows.terms.size());
  for (size_t i = 0; i < rows.terms.size(); ++i) {
    // A negative one becomes a large one, which no vocabulary has.
    documents.entries[i] = {.term = static_cast<uint32_t>(rows.terms[i]), .count = rows.counts[i]};
  }
  TW_RETURN_IF_ERROR(lda::CheckCanonical(documents, vocabulary_size));
  return documents;
}

}  // namespace

void BindDocuments(py::module_& module) {
  py::class_<lda::DocumentList>(module, "Documents", "Counts of words, n documents.")
      .def(py::init([](const Int64s& indptr, const Int32s& indices, const Counts& data,
                       int64_t num_terms) {
             const SparseRows rows = {
                 .starts = SpanOf(indptr), .terms = SpanOf(indices), .counts = SpanOf(data)};
             return ValueOrThrow(Unlocked([&] { return DocumentsOf(rows, num_terms); }));
           }),
           // Of exactly these types, so that nothing is cast or copied unseen: _counts.py makes
           // them, and says what it rounds.
           py::arg("indptr").noconvert(), py::arg("indices").noconvert(),
           py::arg("data").noconvert(), py::arg("num_terms"))
      .def("__len__", &lda::DocumentList::size);
}

}  // namespace topicwall::client
