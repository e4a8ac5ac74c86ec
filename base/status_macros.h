// Early return for absl::Status and absl::StatusOr; this Abseil has no macros of its own.
//
//   TW_RETURN_IF_ERROR(Validate(params));
//   TW_ASSIGN_OR_RETURN(const SubsampledGaussian release, SubsampledGaussian::Create(params));
//
// Both are statements: they need braces after `if`, and TW_ASSIGN_OR_RETURN must not be the whole
// body of one. A type with a comma in it (std::map<K, V> m) needs an alias or `auto`. The status
// is returned as it came; the value is moved out of the StatusOr.
#ifndef TOPICWALL_BASE_STATUS_MACROS_H_
#define TOPICWALL_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define TW_STATUS_CONCATENATE_INNER_(a, b) a##b
#define TW_STATUS_CONCATENATE_(a, b) TW_STATUS_CONCATENATE_INNER_(a, b)

#define TW_RETURN_IF_ERROR(expression) \
  TW_RETURN_IF_ERROR_(TW_STATUS_CONCATENATE_(topicwall_status_, __LINE__), expression)
#define TW_RETURN_IF_ERROR_(status, expression) \
  do {                                          \
    absl::Status status = (expression);         \
    if (!status.ok()) return status;            \
  } while (false)

#define TW_ASSIGN_OR_RETURN(lhs, expression) \
  TW_ASSIGN_OR_RETURN_(TW_STATUS_CONCATENATE_(topicwall_status_or_, __LINE__), lhs, expression)
#define TW_ASSIGN_OR_RETURN_(status_or, lhs, expression)     \
  auto status_or = (expression);                             \
  if (!status_or.ok()) return std::move(status_or).status(); \
  lhs = *std::move(status_or)

#endif  // TOPICWALL_BASE_STATUS_MACROS_H_
