// A raw gate against the vault's side: what any process that holds the other end can do.
#include "server/acts/act_server.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <thread>

#include "proto/budget_refusal.h"
#include "proto/status_details.h"
#include "tests/server/acts/act_pair.h"
#include "tests/support/status_matchers.h"
#include "tests/support/without_threads.h"

namespace topicwall::acts {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

const std::string kFullPart((1 << 20) - 64, 'p');

absl::Status StatusOf(const v1::Frame& frame) {
  return frame.has_end() ? proto::FromStatusDetails(frame.end())
                         : absl::DataLossError("the connection was closed");
}

// Serves a raw gate.
class Connected {
 public:
  explicit Connected(Vault& vault, SocketPair pair = SocketPair())
      : peer(std::make_unique<RawPeer>(std::move(pair.gate))) {
    vault.Serve(std::move(pair.vault));
  }
  std::unique_ptr<RawPeer> peer;
};

// An act in a new session of `vault` is answered.
void ExpectServes(Vault& vault) {
  Connected gate(vault);
  gate.peer->Send(LastPart(1, BudgetAct("news").SerializeAsString()));
  EXPECT_EQ(gate.peer->Receive().last_part(), "news of alice");
  EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(1)));
  gate.peer->HangUp();
  EXPECT_THAT(vault.Over(), StatusIs(absl::StatusCode::kOutOfRange));
}

// Echoes budgets; a release takes nothing and waits until it is cancelled.
absl::Status EchoOrWait(const v1::Act& act, ActStream& stream) {
  if (!act.has_run_release()) return Echo(act, stream);
  WaitUntilCancelled(stream);
  std::string message;
  EXPECT_FALSE(stream.Read(&message));
  EXPECT_FALSE(stream.Write(""));
  return absl::CancelledError("gone");
}

struct Attack {
  std::string name;
  std::string bytes;
  int calls;  // how many acts reach the handler
};

std::string Release(uint64_t act) {
  return OnWire(LastPart(act, ReleaseAct().SerializeAsString()));
}

std::string Repeated(const std::string& bytes, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += bytes;
  return all;
}

std::string Noise(uint32_t length) {
  std::mt19937 bits(7);
  std::string bytes;
  while (bytes.size() < length) bytes.push_back(static_cast<char>(bits()));
  return LittleEndian(length) + bytes;
}

std::vector<Attack> Attacks() {
  const std::string act = ReleaseAct().SerializeAsString();
  return {
      {"garbage", "GET / HTTP/1.1\r\nHost: vault\r\n\r\n", 0},
      {"noise", Noise(1000), 0},
      {"length_zero", LittleEndian(0), 0},
      {"length_2_31", LittleEndian(1u << 31), 0},
      {"length_2_20_and_1", LittleEndian((1u << 20) + 1), 0},
      {"no_step", OnWire(Step(1)), 0},
      {"no_step_within", Release(1) + OnWire(Step(1)), 1},
      {"act_zero", OnWire(LastPart(0, act)), 0},
      {"begins_with_two", Release(2), 0},
      {"leaves_one_out", Release(1) + Release(3), 1},
      {"part_of_an_act_that_never_was", Release(1) + OnWire(Part(9, "x")), 1},
      {"begins_with_no_more", OnWire(NoMore(1)), 0},
      {"begins_with_credit", OnWire(Credit(1, 1)), 0},
      {"begins_with_cancelled", OnWire(Cancelled(1)), 0},
      {"an_end", Release(1) + OnWire(End(1)), 1},
      {"part_after_no_more", Release(1) + OnWire(NoMore(1)) + OnWire(Part(1, "x")), 1},
      {"no_more_twice", Release(1) + OnWire(NoMore(1)) + OnWire(NoMore(1)), 1},
      {"no_more_within_a_message", Release(1) + OnWire(Part(1, "x")) + OnWire(NoMore(1)), 1},
      {"no_more_within_the_act", OnWire(Part(1, act)) + OnWire(NoMore(1)), 0},
      {"credit_zero", Release(1) + OnWire(Credit(1, 0)), 1},
      {"credit_negative", Release(1) + OnWire(Credit(1, -1)), 1},
      {"credit_least", Release(1) + OnWire(Credit(1, INT64_MIN)), 1},
      {"credit_beyond_the_window", Release(1) + OnWire(Credit(1, 1)), 1},
      {"credit_overflows", Release(1) + OnWire(Credit(1, INT64_MAX)), 1},
      {"a_byte_more_than_credit",
       Release(1) + OnWire(Part(1, kFullPart.substr(ReleaseAct().ByteSizeLong() + kPartCost - 1))),
       1},
      {"more_than_credit",
       Release(1) + OnWire(Part(1, kFullPart)) + OnWire(Part(1, std::string(200, 'x'))), 1},
      {"empty_parts_without_end", Release(1) + Repeated(OnWire(Part(1, "")), (1 << 14) + 1), 1},
      {"empty_messages_without_end", Release(1) + Repeated(OnWire(LastPart(1, "")), (1 << 14) + 1),
       1},
  };
}

class ActServerAttackTest : public ::testing::TestWithParam<Attack> {};

TEST_P(ActServerAttackTest, EndsTheSessionAndNothingElse) {
  FunctionHandler handler(EchoOrWait);
  {
    Vault vault(handler);
    Connected gate(vault);
    gate.peer->SendBytes(GetParam().bytes);  // and does not hang up
    EXPECT_TRUE(gate.peer->SeesTheConnectionClosed());
    EXPECT_THAT(vault.Over(), StatusIs(absl::StatusCode::kInvalidArgument));
    ExpectServes(vault);
  }
  // The vault has waited for its acts: those that began, and the one of the second session.
  EXPECT_LE(handler.calls(), GetParam().calls + 1);
}

INSTANTIATE_TEST_SUITE_P(Attacks, ActServerAttackTest, ::testing::ValuesIn(Attacks()),
                         [](const auto& attack) { return attack.param.name; });

TEST(ActServerTest, CutAtAnyByteASessionEndsAndTheNextIsServed) {
  FunctionHandler handler(EchoOrWait);
  Vault vault(handler);
  const std::string bytes = Release(1) + OnWire(Part(1, "half")) + OnWire(LastPart(1, "whole"));
  for (size_t size = 0; size < bytes.size(); ++size) {
    Connected gate(vault);
    gate.peer->SendBytes(bytes.substr(0, size));
    gate.peer->StopSending();
    EXPECT_TRUE(gate.peer->SeesTheConnectionClosed()) << size;
    EXPECT_FALSE(vault.Over().ok());
  }
  ExpectServes(vault);
}

TEST(ActServerTest, HalfAnActReachesNobodyAndHoldsUpNobody) {
  FunctionHandler handler(Echo);
  {
    Vault vault(handler);
    Connected gate(vault);
    gate.peer->Send(Part(1, BudgetAct("half").SerializeAsString()));
    gate.peer->Send(LastPart(2, BudgetAct("whole").SerializeAsString()));
    EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(2)));
    EXPECT_EQ(handler.calls(), 1);
    gate.peer->HangUp();
    ExpectServes(vault);
  }
  EXPECT_EQ(handler.calls(), 2);
}

TEST(ActServerTest, ANumberThatWasAnsweredCallsNobodyAgain) {
  FunctionHandler handler(Echo);
  Vault vault(handler);
  Connected gate(vault);
  gate.peer->Send(LastPart(1, BudgetAct("news").SerializeAsString()));
  EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(1)));
  for (int i = 0; i < 3; ++i) {
    gate.peer->Send(LastPart(1, BudgetAct("news").SerializeAsString()));
    gate.peer->Send(Credit(1, INT64_MAX));  // late, as far as the vault can tell
  }
  gate.peer->Send(LastPart(2, BudgetAct("news").SerializeAsString()));
  EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(2)));
  EXPECT_EQ(handler.calls(), 2);
  gate.peer->HangUp();
}

TEST(ActServerTest, WhatIsNoActIsAnsweredSoAndTheSessionGoesOn) {
  FunctionHandler handler(Echo);
  Vault vault(handler);
  Connected gate(vault);
  v1::Act without_call;
  without_call.set_principal("alice");
  uint64_t number = 0;
  for (const std::string& act :
       {std::string(), without_call.SerializeAsString(), std::string("\xff\xff\xff")}) {
    gate.peer->Send(LastPart(++number, act));
    EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(number)),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_EQ(handler.calls(), 0);
  gate.peer->Send(LastPart(++number, BudgetAct("news").SerializeAsString()));
  EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(number)));
  gate.peer->HangUp();
}

TEST(ActServerTest, AMessageBeyondTheBoundIsRefusedAndTheHandlerLearnsIt) {
  FunctionHandler handler([](const v1::Act&, ActStream& stream) {
    std::string message;
    EXPECT_TRUE(stream.Read(&message));
    EXPECT_FALSE(stream.Read(&message));
    EXPECT_TRUE(stream.IsCancelled()) << "it must not take what it has for all";
    return absl::OkStatus();
  });
  Vault vault(handler, {.max_message_bytes = 1000});
  Connected gate(vault);
  gate.peer->Send(LastPart(1, ReleaseAct().SerializeAsString()));
  gate.peer->Send(LastPart(1, std::string(1000, 'x')));
  gate.peer->Send(Part(1, std::string(600, 'x')));
  gate.peer->Send(Part(1, std::string(401, 'x')));
  EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(1)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1000")));
  gate.peer->Send(LastPart(2, std::string(1001, 'x')));
  EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(2)), StatusIs(absl::StatusCode::kInvalidArgument));
  gate.peer->HangUp();
}

TEST(ActServerTest, HoldsNoMoreThanItMayAndGivesRoomBack) {
  FunctionHandler handler(Echo);
  // Three parts and their costs, but not four. Each leaves credit for an empty one.
  const std::string part((1 << 20) - 200, 'p');
  Vault vault(handler, {.max_held_bytes = (3 << 20) + 1000});
  Connected gate(vault);
  for (uint64_t act = 1; act <= 3; ++act) gate.peer->Send(Part(act, part));
  for (uint64_t act = 4; act <= 20; ++act) {
    gate.peer->Send(Part(act, part));
    EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(act)),
                StatusIs(absl::StatusCode::kResourceExhausted));
  }
  const auto end = [&](uint64_t act) {
    gate.peer->Send(LastPart(act, ""));
    EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(act)), StatusIs(absl::StatusCode::kInvalidArgument));
  };
  for (uint64_t act = 1; act <= 3; ++act) end(act);
  for (uint64_t act = 21; act <= 23; ++act) gate.peer->Send(Part(act, part));  // as many again
  for (uint64_t act = 21; act <= 23; ++act) end(act);
  EXPECT_EQ(handler.calls(), 0);
  gate.peer->Send(Part(24, part));  // held again, and given back with the session
  gate.peer->Send(Part(25, part));
  gate.peer->HangUp();
  for (int i = 0; i < 3; ++i) ExpectServes(vault);
}

TEST(ActServerTest, WhatAnActLeavesUnreadIsGivenBackWithIt) {
  constexpr int kActs = 5;
  std::vector<absl::Notification> may_end(kActs);
  std::atomic<int> next = 0;
  FunctionHandler handler([&](const v1::Act& act, ActStream& stream) {
    if (!act.has_run_release()) return Echo(act, stream);
    may_end[next++].WaitForNotification();
    EXPECT_FALSE(stream.IsCancelled());
    return absl::OkStatus();
  });
  Vault vault(handler, {.max_held_bytes = 2 << 20});
  Connected gate(vault);
  for (int i = 0; i < kActs; ++i) {
    const auto act = static_cast<uint64_t>(2 * i + 1);
    gate.peer->SendBytes(Release(act) + OnWire(Part(act, std::string(1 << 19, 'u'))));
    gate.peer->Send(LastPart(act + 1, BudgetAct("news").SerializeAsString()));
    EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(act + 1)));  // so the part has come as well
    may_end[i].Notify();
    EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(act)));
  }
  gate.peer->HangUp();
}

// An act whose caller has a long name, and the parts' and the message's own bytes beside it.
v1::Act LongAct() {
  v1::Act act = ReleaseAct();
  act.set_principal(kFullPart.substr(1000));
  return act;
}

TEST(ActServerTest, WhatAWholeActTakesIsHeldUntilItHasEnded) {
  absl::Notification may_end;
  FunctionHandler handler([&](const v1::Act& act, ActStream&) {
    if (act.principal() == "alice") return absl::OkStatus();
    may_end.WaitForNotification();
    return absl::OkStatus();
  });
  // Of two acts: the message, and what it became.
  Vault vault(handler, {.max_held_bytes = 9 << 19});
  const std::string bytes = LongAct().SerializeAsString();
  {
    Connected gate(vault);
    for (uint64_t act = 1; act <= 2; ++act) gate.peer->Send(LastPart(act, bytes));
    while (handler.calls() < 2) std::this_thread::yield();
    gate.peer->Send(LastPart(3, bytes));
    EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(3)), StatusIs(absl::StatusCode::kResourceExhausted));
    gate.peer->Send(Cancelled(1));  // it runs on
    gate.peer->Send(LastPart(4, bytes));
    EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(4)), StatusIs(absl::StatusCode::kResourceExhausted));
  }
  {
    Connected gate(vault);  // and in spite of its session's end
    gate.peer->Send(LastPart(1, bytes));
    EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(1)), StatusIs(absl::StatusCode::kResourceExhausted));
    gate.peer->Send(LastPart(2, ReleaseAct().SerializeAsString()));
    EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(2)));
    may_end.Notify();
    absl::Status again = absl::ResourceExhaustedError("");
    for (uint64_t act = 3; absl::IsResourceExhausted(again); ++act) {  // its thread has to go
      gate.peer->Send(LastPart(act, bytes));
      again = StatusOf(gate.peer->ReceiveEnd(act));
    }
    EXPECT_OK(again);
    gate.peer->HangUp();
  }
}

// An empty receipt is two bytes on the way.
TEST(ActServerTest, AnActIsHeldByWhatItTakesInMemory) {
  FunctionHandler handler([](const v1::Act&, ActStream&) { return absl::OkStatus(); });
  Vault vault(handler, {.max_held_bytes = 8 << 20});
  Connected gate(vault);
  v1::Act act;
  for (int i = 0; i < (1 << 18); ++i) act.mutable_custodian()->mutable_thaw()->add_receipts();
  const std::string bytes = act.SerializeAsString();
  ASSERT_LT(bytes.size(), kFullPart.size());
  gate.peer->Send(LastPart(1, bytes));
  EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(1)), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(handler.calls(), 0);
  gate.peer->Send(LastPart(2, LongAct().SerializeAsString()));
  EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(2)));
  gate.peer->HangUp();
}

// Each with the frame that is on its way, twice: as a frame, and as its bytes.
TEST(ActServerTest, AnswersThatNobodyTakesAreHeld) {
  FunctionHandler handler([](const v1::Act&, ActStream& stream) {
    return stream.Write(std::string(2 << 20, 'v')) ? absl::OkStatus()
                                                   : absl::CancelledError("gone");
  });
  Vault vault(handler, {.max_held_bytes = (8 << 20) + 10000});
  Connected gate(vault);
  for (uint64_t act = 1; act <= 3; ++act) gate.peer->SendBytes(Release(act));
  absl::Status refused;  // whichever was last
  for (int parts = 0; refused.ok();) {
    const v1::Frame frame = gate.peer->Receive();
    ASSERT_NE(frame.step_case(), v1::Frame::STEP_NOT_SET);
    if (frame.has_end()) refused = StatusOf(frame);
    ASSERT_LE(parts += frame.has_part(), 4) << "two answers, a window of each";
  }
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted));
  gate.peer->HangUp();
}

TEST(ActServerTest, AShortAnswerIsHeldThreeTimes) {
  FunctionHandler handler([](const v1::Act&, ActStream& stream) {
    return stream.Write(std::string(1000, 'v')) ? absl::OkStatus() : absl::CancelledError("gone");
  });
  for (const int room : {0, 1000}) {
    // The act, its message and its part are less than a thousand.
    Vault vault(handler, {.max_held_bytes = 3000 + room});
    Connected gate(vault);
    gate.peer->SendBytes(Release(1));
    EXPECT_EQ(StatusOf(gate.peer->ReceiveEnd(1)).code(),
              room == 0 ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kOk);
    gate.peer->HangUp();
  }
}

TEST(ActServerTest, AnAnswerBeyondTheBoundIsNotSentAndTheHandlerLearnsIt) {
  FunctionHandler handler([](const v1::Act&, ActStream& stream) {
    EXPECT_TRUE(stream.Write(std::string(1000, 'a')));
    EXPECT_FALSE(stream.Write(std::string(1001, 'b')));
    return absl::OkStatus();
  });
  Vault vault(handler, {.max_answer_bytes = 1000});
  Connected gate(vault);
  gate.peer->Send(LastPart(1, BudgetAct("news").SerializeAsString()));
  EXPECT_EQ(gate.peer->Receive().last_part(), std::string(1000, 'a'));
  EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(1)));
  gate.peer->HangUp();
}

TEST(ActServerTest, MoreActsThanMayBeEndTheSession) {
  FunctionHandler handler(EchoOrWait);
  Vault vault(handler, {.most_acts = 10});
  {
    Connected gate(vault);
    for (uint64_t act = 1; act <= 5000; ++act) gate.peer->SendBytes(Release(act));
    EXPECT_TRUE(gate.peer->SeesTheConnectionClosed());
  }
  EXPECT_THAT(vault.Over(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_LE(handler.calls(), 10);
}

// In a process of its own, which gives up root's rights.
TEST(ActServerTest, AnActForWhichThereIsNoThreadIsRefusedAloneAndTheSessionGoesOn) {
  const auto work = []() noexcept {
    absl::Notification may_end;
    FunctionHandler handler([&](const v1::Act& act, ActStream& stream) {
      if (!act.has_run_release()) return Echo(act, stream);
      may_end.WaitForNotification();
      return absl::OkStatus();
    });
    Vault vault(handler);
    Connected gate(vault);
    gate.peer->SendBytes(Release(1));
    while (handler.calls() < 1) std::this_thread::yield();
    testing::LeaveNoThread();
    for (uint64_t act = 2; act <= 50; ++act) {
      gate.peer->Send(LastPart(act, BudgetAct("news").SerializeAsString()));
      gate.peer->Send(Credit(act, 1));  // late, and let go
      EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(act)), StatusIs(absl::StatusCode::kUnavailable));
    }
    EXPECT_EQ(handler.calls(), 1);
    may_end.Notify();
    EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(1)));
    testing::LetThreadsBe();
    gate.peer->Send(LastPart(51, BudgetAct("news").SerializeAsString()));
    EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(51)));
    gate.peer->HangUp();
    EXPECT_THAT(vault.Over(), StatusIs(absl::StatusCode::kOutOfRange));
    return ::testing::Test::HasFailure() ? 1 : 0;
  };
  // Not a copy of this one, whose other threads may still be ending.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(work()), ::testing::ExitedWithCode(0), "");
}

TEST(ActServerTest, AThousandActsOneAfterTheOtherAreNotTooMany) {
  FunctionHandler handler(Echo);
  Vault vault(handler, {.most_acts = 10});
  Connected gate(vault);
  for (uint64_t act = 1; act <= 1000; ++act) {
    gate.peer->Send(LastPart(act, BudgetAct("news").SerializeAsString()));
    ASSERT_OK(StatusOf(gate.peer->ReceiveEnd(act)));
  }
  EXPECT_EQ(handler.calls(), 1000);
  gate.peer->HangUp();
}

TEST(ActServerTest, AnActThatIsNotReadHoldsUpNoOther) {
  FunctionHandler handler([](const v1::Act& act, ActStream& stream) {
    if (!act.has_run_release()) return Echo(act, stream);
    EXPECT_FALSE(stream.Write(std::string(5 << 20, 'v'))) << "nobody gave it credit";
    return absl::CancelledError("gone");
  });
  Vault vault(handler);
  Connected gate(vault, SocketPair(16 << 10));
  gate.peer->Send(LastPart(1, ReleaseAct().SerializeAsString()));
  for (uint64_t act = 2; act <= 51; ++act) {
    gate.peer->Send(LastPart(act, BudgetAct("news").SerializeAsString()));
    EXPECT_OK(StatusOf(gate.peer->ReceiveEnd(act)));
  }
  gate.peer->Send(Cancelled(1));
  EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(1)), StatusIs(absl::StatusCode::kCancelled));
  gate.peer->HangUp();
}

TEST(ActServerTest, AGateThatReadsNothingAtAllIsLeftWhenItHangsUp) {
  FunctionHandler handler([](const v1::Act&, ActStream& stream) {
    const std::string chunk(1 << 19, 'v');
    while (stream.Write(chunk)) {
    }
    return absl::CancelledError("gone");
  });
  Vault vault(handler);
  {
    Connected gate(vault, SocketPair(16 << 10));
    for (uint64_t act = 1; act <= 50; ++act) gate.peer->SendBytes(Release(act));
  }
  EXPECT_FALSE(vault.Over().ok());  // and the destructor finds all acts ended
}

TEST(ActServerTest, AnActOutlivesItsSessionAndTheNextIsServedMeanwhile) {
  absl::Notification began, instant;
  std::atomic<bool> done = false;
  FunctionHandler handler([&](const v1::Act& act, ActStream& stream) {
    if (!act.has_run_release()) return Echo(act, stream);
    began.Notify();
    instant.WaitForNotification();
    EXPECT_TRUE(stream.IsCancelled());
    std::string message;
    EXPECT_FALSE(stream.Read(&message));
    EXPECT_FALSE(stream.Write(""));
    done = true;
    return absl::OkStatus();
  });
  {
    Vault vault(handler);
    {
      Connected gate(vault);
      gate.peer->SendBytes(Release(1));
      began.WaitForNotification();
    }
    EXPECT_THAT(vault.Over(), StatusIs(absl::StatusCode::kOutOfRange));
    ExpectServes(vault);
    EXPECT_FALSE(done);
    instant.Notify();
  }
  EXPECT_TRUE(done) << "the destructor waits for it";
}

TEST(ActServerTest, AnExceptionTellsNothing) {
  FunctionHandler handler([](const v1::Act& act, ActStream&) -> absl::Status {
    if (act.has_run_release()) throw 7;
    throw std::runtime_error("the document of Mrs Smith");
  });
  Vault vault(handler);
  Connected gate(vault);
  gate.peer->Send(LastPart(1, BudgetAct("news").SerializeAsString()));
  EXPECT_EQ(StatusOf(gate.peer->ReceiveEnd(1)),
            absl::InternalError("the act could not be answered"));
  gate.peer->SendBytes(Release(2));
  EXPECT_EQ(StatusOf(gate.peer->ReceiveEnd(2)),
            absl::InternalError("the act could not be answered"));
  gate.peer->HangUp();
}

TEST(ActServerTest, AStatusThatNoFrameCanHoldKeepsItsCode) {
  std::string text;
  FunctionHandler handler([&](const v1::Act&, ActStream&) { return absl::NotFoundError(text); });
  Vault vault(handler);
  Connected gate(vault);
  uint64_t number = 0;
  for (const std::string& odd : {std::string("half a letter: \xc3"), std::string(2 << 20, 'x')}) {
    text = odd;
    gate.peer->Send(LastPart(++number, BudgetAct("news").SerializeAsString()));
    EXPECT_THAT(StatusOf(gate.peer->ReceiveEnd(number)), StatusIs(absl::StatusCode::kNotFound));
  }
  gate.peer->HangUp();
}

}  // namespace
}  // namespace topicwall::acts
