// The gate's side against the real vault's side, and against raw vaults that die or lie.
#include "server/acts/act_client.h"

#include <gtest/gtest.h>

#include "proto/budget_refusal.h"
#include "proto/status_details.h"
#include "tests/server/acts/act_pair.h"
#include "tests/support/status_matchers.h"
#include "tests/support/without_threads.h"

namespace topicwall::acts {
namespace act_client_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

constexpr int64_t kMostBytes = 8 << 20;

std::string Message(size_t size, char letter) { return std::string(size, letter); }

// Both sides, connected.
class ActPairTest : public ::testing::Test {
 protected:
  explicit ActPairTest(FunctionHandler::Function function = Echo) : handler(std::move(function)) {}
  ~ActPairTest() override { client.reset(); }  // before the vault, which waits for its session

  void Connect(int buffer_bytes = 0) {
    SocketPair pair(buffer_bytes);
    vault.Serve(std::move(pair.vault));
    client->Attach(std::move(pair.gate), ++attached);
  }
  std::unique_ptr<RawPeer> ConnectRawVault() {
    SocketPair pair;
    client->Attach(std::move(pair.gate), ++attached);
    return std::make_unique<RawPeer>(std::move(pair.vault));
  }

  FunctionHandler handler;
  Vault vault{handler};
  int64_t attached = 0;
  std::atomic<int64_t> lost = 0;  // the numbers of all that were, a digit each
  std::unique_ptr<ActClient> client =
      std::make_unique<ActClient>(/*patience=*/absl::Seconds(60), kMostBytes,
                                  [this](int64_t session) { lost = 10 * lost + session; });
};

class Call {
 public:
  Call(ActClient& client, v1::Act act, Caller& caller)
      : thread_([&client, &caller, act = std::move(act), this] {
          status_ = client.Handle(act, caller);
        }) {}
  ~Call() {
    if (thread_.joinable()) thread_.join();
  }
  absl::Status Status() {
    thread_.join();
    return status_;
  }

 private:
  absl::Status status_;
  std::thread thread_;
};

TEST_F(ActPairTest, AnActIsAnsweredWithItsPrincipalAndCall) {
  Connect();
  Caller caller;
  EXPECT_OK(client->Handle(BudgetAct("news"), caller));
  EXPECT_THAT(caller.delivered, ElementsAre("news of alice"));
  EXPECT_EQ(handler.calls(), 1);
}

TEST_F(ActPairTest, LongMessagesGoBothWaysThroughSmallBuffers) {
  Connect(16 << 10);
  // The vault answers each before it takes the next: both sides send at once.
  const std::vector<std::string> messages = {Message(5 << 20, 'a'), "",  Message(5 << 20, 'b'),
                                             Message(1 << 20, 'c'), "d", Message(3 << 20, 'e')};
  Caller caller(messages);
  EXPECT_OK(client->Handle(ReleaseAct(), caller));
  EXPECT_EQ(caller.delivered, messages);
}

TEST_F(ActPairTest, ManyShortMessagesGoBothWays) {
  Connect();
  std::vector<std::string> messages;
  for (int i = 0; i < 40000; ++i) messages.push_back(Message(static_cast<size_t>(i % 7), 'm'));
  Caller caller(messages);
  EXPECT_OK(client->Handle(ReleaseAct(), caller));
  EXPECT_EQ(caller.delivered, messages);
}

TEST_F(ActPairTest, TwoHundredActsAtOnceEachGetTheirOwn) {
  Connect(16 << 10);
  std::vector<std::thread> threads;
  for (int i = 0; i < 200; ++i) {
    threads.emplace_back([this, i] {
      const std::string name = "corpus " + std::to_string(i);
      Caller asks;
      EXPECT_OK(client->Handle(BudgetAct(name), asks));
      EXPECT_THAT(asks.delivered, ElementsAre(name + " of alice"));
      const std::vector<std::string> messages = {name, Message(100000, static_cast<char>(i))};
      Caller uploads(messages);
      EXPECT_OK(client->Handle(ReleaseAct(), uploads));
      EXPECT_EQ(uploads.delivered, messages);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(handler.calls(), 400);
}

TEST_F(ActPairTest, ACallerWhoDoesNotReadHoldsUpNoOther) {
  Connect(16 << 10);
  absl::Notification reads, waits;
  Caller lazy(std::vector<std::string>(5, Message(3 << 20, 'l')));
  lazy.before_write = [&] {
    if (!waits.HasBeenNotified()) waits.Notify();
    reads.WaitForNotification();
  };
  Call call(*client, ReleaseAct(), lazy);
  waits.WaitForNotification();
  for (int i = 0; i < 50; ++i) {
    Caller caller({Message(2 << 20, 'q')});
    EXPECT_OK(client->Handle(ReleaseAct(), caller));
    EXPECT_EQ(caller.delivered.size(), 1u);
  }
  reads.Notify();
  EXPECT_OK(call.Status());
  EXPECT_EQ(lazy.delivered.size(), 5u);
}

// That shares nothing with it: Abseil counts references where the thread sanitizer does not look.
absl::Status Cloned(const absl::Status& status) {
  absl::Status clone(status.code(), status.message());
  status.ForEachPayload([&clone](absl::string_view name, const absl::Cord& payload) {
    clone.SetPayload(name, absl::Cord(std::string(payload)));
  });
  return clone;
}

class StatusTest : public ActPairTest {
 protected:
  StatusTest() : ActPairTest([this](const v1::Act&, ActStream&) { return Cloned(status); }) {}
  absl::Status status;
};

TEST_F(StatusTest, EveryStatusArrivesEqualWithItsPayloads) {
  Connect();
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_asked(1.5);
  std::vector<absl::Status> statuses = {proto::BudgetRefusal("does not fit", detail)};
  statuses.front().SetPayload("type.example/bytes", absl::Cord(std::string("\0\xff bytes", 8)));
  for (int code = 0; code <= 16; ++code) {
    statuses.emplace_back(static_cast<absl::StatusCode>(code), code == 0 ? "" : "why");
  }
  for (const absl::Status& sent : statuses) {
    status = sent;
    Caller caller;
    EXPECT_EQ(client->Handle(BudgetAct("news"), caller), sent);
    EXPECT_THAT(caller.delivered, IsEmpty());
  }
}

TEST_F(StatusTest, ARefusalEndsTheUpload) {
  Connect();
  status = absl::PermissionDeniedError("not yours");
  Caller caller(std::vector<std::string>(20000, Message(1000, 'u')));
  size_t most = 0;
  caller.before_read = [&](size_t read) { most = read; };
  EXPECT_EQ(client->Handle(ReleaseAct(), caller), status);
  EXPECT_LT(most, 1100) << "a window of them";
}

// A base, and before the other: the vault's thread may still be in the act when a test has ended.
struct CancelledAct {
  absl::Notification began, may_end;
  std::atomic<bool> ended = false;
};

class CancelTest : protected CancelledAct, public ActPairTest {
 protected:
  CancelTest()
      : ActPairTest([act = static_cast<CancelledAct*>(this)](const v1::Act&, ActStream& stream) {
          act->began.Notify();
          WaitUntilCancelled(stream);
          std::string message;
          EXPECT_FALSE(stream.Read(&message));
          EXPECT_FALSE(stream.Write(""));
          act->may_end.WaitForNotification();
          act->ended = true;
          return absl::OkStatus();
        }) {}
};

TEST_F(CancelTest, TheVaultSeesThatTheCallerHasGoneAndIsAwaited) {
  Connect();
  Caller caller;
  Call call(*client, BudgetAct("news"), caller);
  began.WaitForNotification();
  caller.cancelled = true;
  may_end.Notify();
  EXPECT_THAT(call.Status(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_TRUE(ended);
}

TEST_F(CancelTest, ALostSessionEndsACancelledActToo) {
  Connect();
  Caller caller;
  Call call(*client, BudgetAct("news"), caller);
  began.WaitForNotification();
  caller.cancelled = true;
  ConnectRawVault();  // takes the place of the session
  EXPECT_THAT(call.Status(), StatusIs(absl::StatusCode::kCancelled));
  may_end.Notify();
  EXPECT_EQ(handler.calls(), 1);
}

TEST_F(ActPairTest, AnActWhoseVaultDiesBeforeItsAnswerIsSentAgainWhole) {
  auto dying = ConnectRawVault();
  Caller caller;
  Call call(*client, BudgetAct("news"), caller);
  EXPECT_EQ(dying->Receive().last_part(), BudgetAct("news").SerializeAsString());
  dying.reset();
  Connect();
  EXPECT_OK(call.Status());
  EXPECT_THAT(caller.delivered, ElementsAre("news of alice"));
  EXPECT_EQ(handler.calls(), 1);
}

TEST_F(ActPairTest, AnUploadIsRepeatedFromItsFirstMessage) {
  const std::vector<std::string> messages = {Message(300000, 'a'), Message(2 << 20, 'b'), "c"};
  auto dying = ConnectRawVault();
  Caller caller(messages);
  Call call(*client, ReleaseAct(), caller);
  EXPECT_EQ(dying->Receive().last_part(), ReleaseAct().SerializeAsString());
  dying->Send(Asked(1));
  EXPECT_EQ(dying->Receive().last_part(), messages[0]);
  dying->Send(Asked(1));
  EXPECT_TRUE(dying->Receive().has_part());
  dying.reset();  // within the second
  Connect();
  EXPECT_OK(call.Status());
  EXPECT_EQ(caller.delivered, messages);
  EXPECT_EQ(handler.calls(), 1);
}

TEST_F(ActPairTest, AnAnswerThatIsCutOffIsNotRepeated) {
  auto dying = ConnectRawVault();
  Caller caller;
  Call call(*client, ReleaseAct(), caller);
  EXPECT_TRUE(dying->Receive().has_last_part());
  absl::Notification delivered;
  caller.before_write = [&] { delivered.Notify(); };
  dying->Send(LastPart(1, "one"));
  delivered.WaitForNotification();
  dying.reset();
  EXPECT_THAT(call.Status(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(caller.delivered, ElementsAre("one"));
  Connect();
  Caller next;
  EXPECT_OK(client->Handle(BudgetAct("news"), next));
  EXPECT_EQ(handler.calls(), 1);
}

TEST_F(ActPairTest, AnAnswerThatWasWholeWhenTheVaultDiedIsDelivered) {
  auto dying = ConnectRawVault();
  Caller caller;
  absl::Notification died;
  caller.before_write = [&] { died.WaitForNotification(); };
  Call call(*client, BudgetAct("news"), caller);
  EXPECT_TRUE(dying->Receive().has_last_part());
  dying->SendBytes(OnWire(LastPart(1, "all")) + OnWire(End(1)));
  dying.reset();
  absl::SleepFor(absl::Milliseconds(50));  // most likely the client knows now; right in either case
  died.Notify();
  EXPECT_OK(call.Status());
  EXPECT_THAT(caller.delivered, ElementsAre("all"));
}

TEST_F(ActPairTest, ASessionThatIsLostIsMissedAndOneThatWasReplacedIsNot) {
  auto first = ConnectRawVault();
  auto second = ConnectRawVault();
  EXPECT_TRUE(first->SeesTheConnectionClosed());
  EXPECT_EQ(lost, 0);
  second.reset();
  while (lost == 0) absl::SleepFor(absl::Milliseconds(1));
  client.reset();
  EXPECT_EQ(lost, 2);
}

// In a process of its own, which gives up root's rights.
TEST(ActClientTest, ASessionThatNoThreadCanReadIsLostAfterAWaitAndTheNextIsRead) {
  const auto work = []() noexcept {
    std::atomic<int64_t> lost = 0;
    ActClient client(absl::Seconds(60), kMostBytes, [&](int64_t session) { lost = session; });
    FunctionHandler handler(Echo);
    Vault vault(handler);
    SocketPair read, unread;
    vault.Serve(std::move(read.vault));
    Caller warm, caller;
    client.Attach(std::move(read.gate), 1);
    EXPECT_OK(client.Handle(BudgetAct("news"), warm));
    RawPeer peer(std::move(unread.vault));
    testing::LeaveNoThread();
    const absl::Time before = absl::Now();
    client.Attach(std::move(unread.gate), 2);
    EXPECT_GE(absl::Now() - before, absl::Milliseconds(500)) << "it is asked for at once again";
    EXPECT_EQ(lost, 2);
    EXPECT_TRUE(peer.SeesTheConnectionClosed());
    vault.Over().IgnoreError();  // the one before is lost as well
    testing::LetThreadsBe();
    SocketPair next;
    vault.Serve(std::move(next.vault));
    client.Attach(std::move(next.gate), 3);
    EXPECT_OK(client.Handle(BudgetAct("news"), caller));
    client.Interrupt();
    EXPECT_EQ(lost, 2);
    return ::testing::Test::HasFailure() ? 1 : 0;
  };
  // Not a copy of this one, whose other threads may still be ending.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(work()), ::testing::ExitedWithCode(0), "");
}

TEST_F(ActPairTest, AnInterruptAnswersWhoWaitsAndWhoComes) {
  auto silent = ConnectRawVault();
  Caller caller;
  Call call(*client, ReleaseAct(), caller);
  EXPECT_TRUE(silent->Receive().has_last_part());
  client->Interrupt();
  EXPECT_THAT(call.Status(),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("going down")));
  EXPECT_THAT(client->Handle(BudgetAct("news"), caller),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("going down")));
  EXPECT_TRUE(silent->SeesTheConnectionClosed());
  client.reset();
  EXPECT_EQ(lost, 0);
}

TEST_F(ActPairTest, AnActThatKillsEveryVaultIsNotSentForEver) {
  Caller caller;
  Call call(*client, BudgetAct("poison"), caller);
  for (int i = 0; i < ActClient::kMostSends; ++i) {
    EXPECT_TRUE(ConnectRawVault()->Receive().has_last_part());
  }
  EXPECT_THAT(call.Status(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(ActClientTest, WithoutAVaultPatienceEnds) {
  ActClient client(absl::Milliseconds(120), kMostBytes, [](int64_t) {});
  Caller caller;
  EXPECT_THAT(client.Handle(BudgetAct("news"), caller),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("restarts")));
  EXPECT_THAT(caller.delivered, IsEmpty());
}

TEST(ActClientTest, ACallerWhoGoesIsNotKeptWaitingForAVault) {
  ActClient client(absl::Hours(1), kMostBytes, [](int64_t) {});
  Caller caller;
  caller.cancelled = true;
  EXPECT_THAT(client.Handle(BudgetAct("news"), caller), StatusIs(absl::StatusCode::kCancelled));
}

TEST(ActClientTest, AnUploadHoldsOnlyWhatWasNotRead) {
  FunctionHandler handler(Echo);
  Vault vault(handler, {.max_held_bytes = 6 << 20});
  ActClient client(absl::Seconds(60), kMostBytes, [](int64_t) {});
  SocketPair pair;
  vault.Serve(std::move(pair.vault));
  client.Attach(std::move(pair.gate), 1);
  const std::vector<std::string> messages(20, Message(1 << 20, 'u'));
  Caller caller(messages);
  EXPECT_OK(client.Handle(ReleaseAct(), caller));
  EXPECT_EQ(caller.delivered, messages);
  client.Attach(base::FileDescriptor(-1), 2);  // hangs up
}

// The gate cannot answer while it waits for the caller, so it does not before the vault does.
TEST(ActClientTest, ACallerWhoSendsNothingIsToldThatTheyAreRefused) {
  FunctionHandler handler([](const v1::Act&, ActStream& stream) {
    std::string message;
    if (!stream.Read(&message)) return absl::InternalError("nothing came");
    return absl::UnavailableError("no room");
  });
  Vault vault(handler);
  ActClient client(absl::Seconds(60), kMostBytes, [](int64_t) {});
  SocketPair pair;
  vault.Serve(std::move(pair.vault));
  client.Attach(std::move(pair.gate), 1);
  Caller caller({"one", "another"});
  caller.before_read = [](size_t read) { ASSERT_EQ(read, 0) << "it would wait for ever"; };
  EXPECT_THAT(client.Handle(ReleaseAct(), caller),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("no room")));
  client.Attach(base::FileDescriptor(-1), 2);  // hangs up
}

struct Lie {
  std::string name;
  std::string bytes;  // what a vault says after the Act came
};

std::vector<Lie> Lies() {
  return {
      {"garbage", "HTTP/1.1 200 OK\r\n\r\n"},
      {"length_zero", LittleEndian(0)},
      {"length_2_31", LittleEndian(1u << 31)},
      {"length_2_20_and_1", LittleEndian((1u << 20) + 1)},
      {"no_step", OnWire(Step(1))},
      {"an_act_that_never_was", OnWire(End(2))},
      {"act_zero", OnWire(LastPart(0, "x"))},
      {"a_step_of_the_gates", OnWire(NoMore(1))},
      {"cancelled_by_the_vault", OnWire(Cancelled(1))},
      {"credit_zero", OnWire(Credit(1, 0))},
      {"credit_negative", OnWire(Credit(1, INT64_MIN))},
      {"credit_never_sent", OnWire(Credit(1, kWindowBytes + 1))},
      {"credit_overflows", OnWire(Credit(1, INT64_MAX))},
  };
}

class ActClientLieTest : public ActPairTest, public ::testing::WithParamInterface<Lie> {};

TEST_P(ActClientLieTest, LosesTheSessionAndTheNextVaultAnswers) {
  auto lying = ConnectRawVault();
  Caller caller({"message"});
  Call call(*client, ReleaseAct(), caller);
  EXPECT_TRUE(lying->Receive().has_last_part());
  lying->SendBytes(GetParam().bytes);
  EXPECT_TRUE(lying->SeesTheConnectionClosed());
  Connect();
  EXPECT_OK(call.Status());
  EXPECT_THAT(caller.delivered, ElementsAre("message"));
}

INSTANTIATE_TEST_SUITE_P(Lies, ActClientLieTest, ::testing::ValuesIn(Lies()),
                         [](const auto& lie) { return lie.param.name; });

TEST_F(ActPairTest, AMessageBeyondTheBoundLosesTheSession) {
  auto lying = ConnectRawVault();
  Caller caller;
  Call call(*client, ReleaseAct(), caller);
  EXPECT_TRUE(lying->Receive().has_last_part());
  for (int i = 0; i < 9; ++i)
    lying->Send(Part(1, Message((1 << 20) - 64, 'v')));  // as credit comes
  EXPECT_TRUE(lying->SeesTheConnectionClosed());
  Connect();
  EXPECT_OK(call.Status());
}

TEST_F(ActPairTest, PartsBeyondCreditLoseTheSession) {
  auto lying = ConnectRawVault();
  Caller caller;
  absl::Notification reads, waits;
  caller.before_write = [&] {
    waits.Notify();
    reads.WaitForNotification();
  };
  Call call(*client, ReleaseAct(), caller);
  EXPECT_TRUE(lying->Receive().has_last_part());
  lying->Send(LastPart(1, Message(10, 'v')));
  waits.WaitForNotification();
  for (int i = 0; i < 3; ++i) lying->Send(Part(1, Message((1 << 20) - 200, 'v')));
  EXPECT_TRUE(lying->SeesTheConnectionClosed());
  reads.Notify();
  EXPECT_THAT(call.Status(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(ActPairTest, AFrameAfterTheEndLosesTheSession) {
  auto lying = ConnectRawVault();
  Caller caller;
  Call call(*client, ReleaseAct(), caller);
  EXPECT_TRUE(lying->Receive().has_last_part());
  lying->SendBytes(OnWire(End(1)) + OnWire(End(1)));
  EXPECT_TRUE(lying->SeesTheConnectionClosed());
  EXPECT_OK(call.Status());
}

}  // namespace act_client_test
}  // namespace topicwall::acts
