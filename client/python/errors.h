// A status as Python's exceptions have it, and calls without the interpreter's lock.
//
//   const T value = ValueOrThrow(Unlocked([&] { return client->Ask(); }));   // absl::StatusOr<T>
//
// topicwall.Error is the base of all. Each kind of error that a caller would handle differently is
// a class of its own (topicwall/_errors.py); which one a status becomes stands there, by its code
// and by what ErrorJson (client/exit_code.h) says of it. Never called without the interpreter's
// lock; what Unlocked calls runs without it, and must not touch a Python object.
#ifndef TOPICWALL_CLIENT_PYTHON_ERRORS_H_
#define TOPICWALL_CLIENT_PYTHON_ERRORS_H_

#include <pybind11/pybind11.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/python/interpreter_lock.h"

namespace topicwall::client {

// Throws unless `status` is OK.
void ThrowUnlessOk(const absl::Status& status);

template <typename T>
T ValueOrThrow(absl::StatusOr<T> value) {
  ThrowUnlessOk(value.status());
  return *std::move(value);
}

template <typename Call>
auto Unlocked(const Call& call) -> decltype(call()) {
  const LockReleased unlocked;
  return call();
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_ERRORS_H_
