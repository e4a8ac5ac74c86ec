// Numbers handed to NumPy without a copy.
//
//   Lent(model.topic_parameters(), {K, V}, self);       // keeps `self` alive
//   Given(std::move(proportions), {n, K});               // NumPy frees it
//
// Row-major, and for reading alone: what one holder of a view wrote, all others would see.
// Never called without the interpreter's lock.
#ifndef TOPICWALL_CLIENT_PYTHON_ARRAYS_H_
#define TOPICWALL_CLIENT_PYTHON_ARRAYS_H_

#include <pybind11/numpy.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace topicwall::client {

// A view of `values`, which are as long as the product of `shape` and live as long as `owner`.
template <typename T>
pybind11::array Lent(absl::Span<const T> values, const std::vector<pybind11::ssize_t>& shape,
                     pybind11::handle owner) {
  pybind11::array view(pybind11::dtype::of<T>(), shape, values.data(), owner);
  view.attr("flags").attr("writeable") = false;
  return view;
}

template <typename T>
pybind11::array Given(std::vector<T> values, const std::vector<pybind11::ssize_t>& shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  const absl::Span<const T> span = *kept;
  const pybind11::capsule owner(
      kept.release(), [](void* kept_values) { delete static_cast<std::vector<T>*>(kept_values); });
  return Lent(span, shape, owner);
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_ARRAYS_H_
