// The side of topicwall-store: answers calls with a store.
//
//   StoreService service({.open = …, .create = …});
//   service.Serve(std::move(socket));       // until the other side has gone
//
// Each message is one call of EventStore and so at most one transaction: none is held open while
// another message is waited for, and whoever sends no more holds up nobody. The store is opened by
// the first call that needs one, and by the next again if it could not be.
//
// Threads: one.
#ifndef TOPICWALL_SERVER_STORE_REMOTE_STORE_SERVICE_H_
#define TOPICWALL_SERVER_STORE_REMOTE_STORE_SERVICE_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "proto/store.pb.h"
#include "server/store/event_store.h"

namespace topicwall::store {

class StoreService {
 public:
  struct Backend {
    std::function<absl::StatusOr<std::unique_ptr<EventStore>>()> open;
    std::function<absl::Status(const Identity& identity)> create;
    std::function<absl::Status(const std::vector<Chain>& chains)> retire;
  };
  explicit StoreService(Backend backend) : backend_(std::move(backend)) {}

  // OK once the other side has closed; else MessagePipe's errors.
  absl::Status Serve(base::FileDescriptor session);

 private:
  absl::StatusOr<v1::StoreAnswer> Answer(const v1::StoreCall& call);

  const Backend backend_;
  std::unique_ptr<EventStore> store_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_REMOTE_STORE_SERVICE_H_
