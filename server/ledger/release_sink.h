// Where a stored release goes when it is read: to a client, or to a test.
#ifndef TOPICWALL_SERVER_LEDGER_RELEASE_SINK_H_
#define TOPICWALL_SERVER_LEDGER_RELEASE_SINK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "proto/wall.pb.h"

namespace topicwall::ledger {

// Where a release is read to. An error of either method ends the reading with it. What is given is
// the sink's own: while it waits for somebody to take it, nobody else keeps it.
class ReleaseSink {
 public:
  virtual ~ReleaseSink() = default;
  virtual absl::Status Header(v1::ReleaseHeader header) = 0;  // first, once
  // Entries from number `first_entry` on, little-endian float32, at most 1 MiB, in order.
  virtual absl::Status Statistics(int64_t first_entry, std::string values) = 0;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_RELEASE_SINK_H_
