// The contract of all stores across a pipe, to a service with a store in a file; and what a pipe
// can do: break, and be replaced.
#include "server/store/remote/remote_store.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "server/store/remote/message_pipe.h"
#include "server/store/remote/store_service.h"
#include "server/store/stores.h"
#include "tests/server/store/event_store_contract.h"

namespace topicwall::store {
namespace remote_store_test {

using testing::StatusIs;

std::array<base::FileDescriptor, 2> Pair() {
  std::array<int, 2> pair{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  return {base::FileDescriptor(pair[0]), base::FileDescriptor(pair[1])};
}

StoreService::Backend InDirectory(const std::string& directory, bool read_only) {
  return {.open = [=]() -> absl::StatusOr<std::unique_ptr<EventStore>> {
            if (read_only) return OpenStoreReadOnly(directory);
            auto lock = DataDirectoryLock::Acquire(directory);
            if (!lock.ok()) return lock.status();
            return OpenStore(*std::move(lock));
          },
          .create =
              [=](const Identity& identity) {
                auto lock = DataDirectoryLock::Acquire(directory);
                if (!lock.ok()) return lock.status();
                return CreateStore(*std::move(lock), identity).status();
              },
          .retire = nullptr};
}

// A service on a thread of its own, which ends with the store that asks it.
class ServedStore {
 public:
  explicit ServedStore(StoreService::Backend backend)
      : store_(std::make_unique<RemoteStore>(absl::Seconds(60))) {
    auto pair = Pair();
    store_->Attach(std::move(pair[0]));
    service_ = std::thread([backend = std::move(backend), end = std::move(pair[1])]() mutable {
      StoreService service(std::move(backend));
      EXPECT_OK(service.Serve(std::move(end)));
    });
  }
  ~ServedStore() {
    store_.reset();
    service_.join();
  }
  RemoteStore& operator*() { return *store_; }

 private:
  std::unique_ptr<RemoteStore> store_;
  std::thread service_;
};

// For the contract, which keeps a store alone.
class StoreWithItsService final : public EventStore {
 public:
  explicit StoreWithItsService(StoreService::Backend backend) : served_(std::move(backend)) {}
  RemoteStore& remote() { return *served_; }

  absl::Status RequireInPlace() override { return (*served_).RequireInPlace(); }
  bool OthersWrite() const override { return true; }
  absl::StatusOr<Identity> ReadIdentity() override { return (*served_).ReadIdentity(); }
  absl::StatusOr<std::vector<Chain>> Chains() override { return (*served_).Chains(); }
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(absl::string_view budget_id,
                                                           int64_t first, int64_t limit) override {
    return (*served_).ReadEntries(budget_id, first, limit);
  }
  absl::StatusOr<std::vector<OpenCharge>> OpenCharges() override {
    return (*served_).OpenCharges();
  }
  absl::StatusOr<Moment> ReadMoment() override { return (*served_).ReadMoment(); }
  absl::StatusOr<std::optional<PlanRecord>> FindPlan(absl::string_view id) override {
    return (*served_).FindPlan(id);
  }
  absl::StatusOr<std::optional<PlanRecord>> FindPlanByRequest(absl::string_view principal,
                                                              absl::string_view id) override {
    return (*served_).FindPlanByRequest(principal, id);
  }
  absl::StatusOr<std::optional<std::string>> ReadBlob(absl::string_view sha256,
                                                      int64_t part) override {
    return (*served_).ReadBlob(sha256, part);
  }
  absl::Status Append(const Change& change) override { return (*served_).Append(change); }
  absl::Status CheckStructure() override { return (*served_).CheckStructure(); }

 private:
  ServedStore served_;
};

StoreKind::Opened Served(const std::string& directory, bool read_only) {
  return std::make_unique<StoreWithItsService>(InDirectory(directory, read_only));
}

INSTANTIATE_TEST_SUITE_P(
    AcrossAPipe, EventStoreContract,
    ::testing::Values(StoreKind{
        .name = "remote",
        .create = [](const std::string& directory, const Identity& identity) -> StoreKind::Opened {
          auto store = std::make_unique<StoreWithItsService>(InDirectory(directory, false));
          const absl::Status made = store->remote().Create(identity);
          if (!made.ok()) return made;
          return store;
        },
        .open = [](const std::string& directory) { return Served(directory, false); },
        .open_read_only = [](const std::string& directory) { return Served(directory, true); }}),
    [](const auto& test) { return test.param.name; });

TEST(RemoteStoreTest, AQuestionIsAskedAgainAndAnActIsNot) {
  testing::TemporaryDirectory directory;
  ServedStore served(InDirectory(directory.path(), false));
  ASSERT_OK((*served).Create({.ledger_id = "l1"}));
  RemoteStore store(absl::Seconds(60));
  auto dead = Pair();
  dead[1] = base::FileDescriptor(-1);
  store.Attach(std::move(dead[0]));
  auto next = Pair();
  std::thread service([end = std::move(next[1]), &directory]() mutable {
    StoreService answers(InDirectory(directory.path(), true));
    EXPECT_OK(answers.Serve(std::move(end)));
  });
  std::thread supervisor([&] { store.Attach(std::move(next[0])); });
  EXPECT_EQ(store.ReadIdentity()->ledger_id, "l1");
  supervisor.join();
  dead = Pair();
  dead[1] = base::FileDescriptor(-1);
  store.Attach(std::move(dead[0]));
  service.join();
  EXPECT_THAT(store.Append({.name = "any"}), StatusIs(absl::StatusCode::kUnavailable));
}

// That it is a backup, above all: it would open as a ledger that goes on.
TEST(RemoteStoreTest, AnIdentityCrossesWithAllThatItSays) {
  testing::TemporaryDirectory directory;
  const Identity backup = {.ledger_id = "l1", .epoch = 7, .is_backup = true, .key_check = "check"};
  {
    ServedStore served(InDirectory(directory.path(), false));
    ASSERT_OK((*served).Create(backup));
  }
  ASSERT_OK_AND_ASSIGN(const auto here, OpenStoreReadOnly(directory.path()));
  ServedStore served(InDirectory(directory.path(), true));
  for (const auto& identity : {here->ReadIdentity(), (*served).ReadIdentity()}) {
    ASSERT_OK(identity);
    EXPECT_EQ(identity->ledger_id, "l1");
    EXPECT_EQ(identity->epoch, 7);
    EXPECT_TRUE(identity->is_backup);
    EXPECT_EQ(identity->key_check, "check");
  }
}

TEST(RemoteStoreTest, AStoreThatWasRetiredIsOpenedAnew) {
  testing::TemporaryDirectory directory;
  StoreService::Backend backend = InDirectory(directory.path(), false);
  std::atomic<int> opened = 0;
  backend.open = [&opened, open = backend.open] {
    ++opened;
    return open();
  };
  backend.retire = [](const std::vector<Chain>&) { return absl::OkStatus(); };
  ServedStore served(std::move(backend));
  ASSERT_OK((*served).Create({.ledger_id = "l1"}));
  ASSERT_OK((*served).ReadIdentity());
  ASSERT_OK((*served).ReadIdentity());
  EXPECT_EQ(opened, 1);
  ASSERT_OK((*served).Retire({}));
  ASSERT_OK((*served).ReadIdentity());
  EXPECT_EQ(opened, 2);
}

TEST(RemoteStoreTest, ANewSessionStaysWhenACallFailsWithTheOneBefore) {
  testing::TemporaryDirectory directory;
  RemoteStore store(absl::Seconds(1));
  auto old = Pair();
  store.Attach(std::move(old[0]));
  absl::Status failed;
  std::thread act([&] { failed = store.Create({.ledger_id = "l1"}); });
  {
    MessagePipe pipe(std::move(old[1]));
    v1::StoreCall call;
    ASSERT_OK(pipe.Receive(int64_t{1} << 20, &call));
    auto next = Pair();
    store.Attach(std::move(next[0]));
    old[1] = std::move(next[1]);
  }
  act.join();
  EXPECT_THAT(failed, StatusIs(absl::StatusCode::kUnavailable));
  std::thread service([end = std::move(old[1])]() mutable {
    MessagePipe pipe(std::move(end));
    v1::StoreCall call;
    if (pipe.IsReadable(absl::Seconds(60)) && pipe.Receive(1 << 20, &call).ok()) {
      EXPECT_OK(pipe.Send(v1::StoreAnswer()));
    }
  });
  EXPECT_OK(store.Chains());
  service.join();
}

TEST(RemoteStoreTest, WithoutAServiceACallEnds) {
  RemoteStore store(absl::Milliseconds(10));
  EXPECT_THAT(store.Chains(), StatusIs(absl::StatusCode::kUnavailable));
}

// A store that answers when a test says so.
class HeldStore {
 public:
  explicit HeldStore(RemoteStore& store) {
    auto pair = Pair();
    store.Attach(std::move(pair[0]));
    pipe_ = std::make_unique<MessagePipe>(std::move(pair[1]));
  }
  v1::StoreCall Call() {
    v1::StoreCall call;
    EXPECT_OK(pipe_->Receive(1 << 20, &call));
    return call;
  }
  void Answer(int num_chains) {
    v1::StoreAnswer answer;
    for (int i = 0; i < num_chains; ++i) answer.add_chains();
    EXPECT_OK(pipe_->Send(answer));
  }

 private:
  std::unique_ptr<MessagePipe> pipe_;
};

TEST(RemoteStoreTest, BehindAnActThatStandsStillNobodyWaitsAndWhatBecomesOfItIsTold) {
  RemoteStore store(absl::Seconds(60), absl::Milliseconds(50));
  HeldStore held(store);
  std::thread act([&] { EXPECT_OK(store.Append({.name = "any"})); });
  EXPECT_TRUE(held.Call().has_append());
  EXPECT_THAT(store.Chains(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store.RequireInPlace(), StatusIs(absl::StatusCode::kUnavailable));
  held.Answer(0);
  act.join();
  EXPECT_OK(store.RequireInPlace());
}

TEST(RemoteStoreTest, AnAnswerThatComesTooLateIsTheAnswerToNothingElse) {
  RemoteStore store(absl::Seconds(60), absl::Milliseconds(50));
  HeldStore held(store);
  EXPECT_THAT(store.Chains(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store.Append({.name = "any"}), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store.RequireInPlace(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(held.Call().has_chains());
  held.Answer(1);
  EXPECT_OK(store.RequireInPlace()) << "whoever comes takes it";
  absl::StatusOr<std::vector<Chain>> chains = absl::UnavailableError("");
  while (!chains.ok()) {  // again on a slow machine: then an answer is owed
    std::thread service([&] {
      EXPECT_TRUE(held.Call().has_chains()) << "the act was never sent";
      held.Answer(2);
    });
    chains = store.Chains();
    service.join();
  }
  EXPECT_EQ(chains->size(), 2);
}

// Of a question and of an act, ending in its length and behind it.
TEST(RemoteStoreTest, WhoeverSendsHalfAnAnswerIsHungUpOn) {
  const auto hung_up_on = [](const std::string& half, bool by_an_act) {
    RemoteStore store(absl::Milliseconds(10), absl::Milliseconds(50));
    auto pair = Pair();
    store.Attach(std::move(pair[0]));
    EXPECT_EQ(write(pair[1].get(), half.data(), half.size()), half.size());
    EXPECT_THAT(by_an_act ? store.Append({.name = "any"}) : store.Chains().status(),
                StatusIs(absl::StatusCode::kUnavailable));
    MessagePipe pipe(std::move(pair[1]));
    v1::StoreCall call;
    EXPECT_OK(pipe.Receive(1 << 20, &call));
    EXPECT_EQ(call.has_append(), by_an_act);
    return absl::IsOutOfRange(pipe.Receive(1 << 20, &call));
  };
  for (const std::string& half : {std::string("\x05\0", 2), std::string("\x05\0\0\0ab", 6)}) {
    EXPECT_TRUE(hung_up_on(half, /*by_an_act=*/false));
    EXPECT_TRUE(hung_up_on(half, /*by_an_act=*/true));
  }
}

// What a length says costs its sender as much.
TEST(MessagePipeTest, WhatIsNoMessageEndsTheSession) {
  const auto received = [](const std::string& bytes, int64_t most) {
    auto pair = Pair();
    EXPECT_EQ(write(pair[1].get(), bytes.data(), bytes.size()), bytes.size());
    pair[1] = base::FileDescriptor(-1);
    v1::StoreAnswer answer;
    return MessagePipe(std::move(pair[0])).Receive(most, &answer);
  };
  const auto code = [](absl::StatusCode expected) { return StatusIs(expected); };
  EXPECT_THAT(received("", 10), code(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(received(std::string("\x05\0\0\0ab", 6), 10), code(absl::StatusCode::kUnavailable));
  EXPECT_THAT(received(std::string("\xff\xff\xff\xff", 4), 1 << 30),
              code(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(received(std::string("\xff\xff\xff\x3f", 4), 1 << 30),
              code(absl::StatusCode::kUnavailable));
  EXPECT_THAT(received(std::string("\x02\0\0\0\xff\xff", 6), 10),
              code(absl::StatusCode::kInvalidArgument));
}

}  // namespace remote_store_test
}  // namespace topicwall::store
