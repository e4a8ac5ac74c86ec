// A status as Python's exceptions have it.
//
//   const T value = ValueOrThrow(client->Ask());   // absl::StatusOr<T>
//
// topicwall.Error is the base of all. Each kind of error that a caller would handle differently is
// a class of its own (topicwall/_errors.py); which one a status becomes stands there, by its code
// and by what proto/budget_refusal.h attaches. Never called without the interpreter's lock.
#ifndef TOPICWALL_CLIENT_PYTHON_ERRORS_H_
#define TOPICWALL_CLIENT_PYTHON_ERRORS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace topicwall::client {

// Throws unless `status` is OK.
void ThrowUnlessOk(const absl::Status& status);

template <typename T>
T ValueOrThrow(absl::StatusOr<T> value) {
  ThrowUnlessOk(value.status());
  return *std::move(value);
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_ERRORS_H_
