// Descriptors that no connection gets, neither for itself nor for its duplicate: those who are
// connected, and the server's own files, keep some to work with.
//
// The system gives descriptors lowest first, so the number says how many are in use. Threads: any.
#ifndef TOPICWALL_SERVER_ACCESS_RESERVED_DESCRIPTORS_H_
#define TOPICWALL_SERVER_ACCESS_RESERVED_DESCRIPTORS_H_

#include <sys/resource.h>

namespace topicwall::server {

// Below the process's limit.
inline constexpr int kReservedDescriptors = 32;

// Looked up each time: the limit of a process can be changed from outside.
inline bool IsReserved(int descriptor, int reserved = kReservedDescriptors) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return static_cast<rlim_t>(descriptor) + static_cast<rlim_t>(reserved) >= limit.rlim_cur;
}

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_ACCESS_RESERVED_DESCRIPTORS_H_
