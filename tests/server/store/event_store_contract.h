// What every EventStore must do, whatever it is made of. A store's own test says how one is made:
//
//   INSTANTIATE_TEST_SUITE_P(OneFile, EventStoreContract, ::testing::Values(StoreKind{…}));
#ifndef TOPICWALL_TESTS_SERVER_STORE_EVENT_STORE_CONTRACT_H_
#define TOPICWALL_TESTS_SERVER_STORE_EVENT_STORE_CONTRACT_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "server/store/event_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::store {

// Of a store that lies in a directory.
struct StoreKind {
  std::string name;
  using Opened = absl::StatusOr<std::unique_ptr<EventStore>>;
  std::function<Opened(const std::string& directory, const Identity& identity)> create;
  std::function<Opened(const std::string& directory)> open;
  std::function<Opened(const std::string& directory)> open_read_only;

  friend void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }
};

class EventStoreContract : public ::testing::TestWithParam<StoreKind> {
 protected:
  EventStoreContract();

  EventStore& store() { return *store_; }
  // Whatever was not durable is gone then.
  void Reopen();
  std::unique_ptr<EventStore> Reader();

  // Everything that can be read.
  std::string Picture(EventStore& store);

  testing::TemporaryDirectory directory_;
  std::unique_ptr<EventStore> store_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_TESTS_SERVER_STORE_EVENT_STORE_CONTRACT_H_
