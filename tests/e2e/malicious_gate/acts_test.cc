// What a malicious gate can say to the vault: every kind of act, spoiled in every way. Afterwards
// the vault is the same process, answers a new session, and has spent within its budget.
#include "tests/e2e/malicious_gate/acts.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/malicious_gate/seat.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

class MaliciousActsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    vault_ = world_.PidOf("topicwall-vault");
    ASSERT_NE(vault_, 0);
    Session session(world_);
    plan_ = SeatPlan(session, /*noise_multiplier=*/20, /*iterations=*/3);
    plan_id_ = ReservePlan(session, plan_, 'p');
    kinds_ = EveryKindOfAct(plan_, plan_id_);
  }
  void TearDown() override { ExpectUnharmed(world_, vault_); }

  // In a session of its own, after the first part of an act (number 1) that goes on.
  template <typename Break>
  void ExpectEndsTheSession(const std::string& what, const Break& breaks) {
    for (const KindOfAct& kind : kinds_) {
      SCOPED_TRACE(absl::StrCat(what, ", after an act to ", kind.name));
      Session session(world_);
      session.Send(LastPartOf(1, kind.act.SerializeAsString()));
      breaks(session);
      EXPECT_TRUE(session.IsEnded());
    }
  }

  SeatWorld world_;
  pid_t vault_ = 0;
  v1::ReleaseSpec plan_;
  std::string plan_id_;
  std::vector<KindOfAct> kinds_;
};

TEST_F(MaliciousActsTest, SpoiledActsAreAnsweredAndTheSessionGoesOn) {
  std::mt19937 random(20261);
  Session session(world_);
  for (const KindOfAct& kind : kinds_) {
    SCOPED_TRACE(kind.name);
    for (int times = 0; times < 60; ++times) {
      v1::Act spoiled = kind.act;
      std::string bytes = spoiled.SerializeAsString();
      if (times < 20) {  // beyond the caller's name, which few bits leave a name
        bytes = std::string(1 + random() % 300, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random());
      } else {
        for (int bits = 0; bits < 1 + times / 20; ++bits) {
          bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
        }
      }
      const uint64_t act = session.next();
      session.Skip();
      session.Send(LastPartOf(act, bytes));
      for (const std::string& message : kind.messages) {
        std::string part = message;
        part[random() % part.size()] ^= 1;
        session.Send(LastPartOf(act, part));
      }
      session.Send(NoMoreOf(act));
      EXPECT_FALSE(absl::IsUnavailable(session.Await(act).status));
    }
  }
}

TEST_F(MaliciousActsTest, BytesThatAreNoFramesEndTheSessionAlone) {
  std::mt19937 random(20262);
  ExpectEndsTheSession("noise", [&random](Session& session) {
    std::string noise(1000, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    noise.replace(0, 4, std::string("\x80\0\0\0", 4));
    session.SendBytes(noise);
  });
}

TEST_F(MaliciousActsTest, AnActThatIsSentAgainDoesTheSameAndIsChargedOnce) {
  std::vector<std::vector<std::string>> first;
  for (int times = 0; times < 3; ++times) {
    Session session(world_);
    for (size_t i = 0; i < kinds_.size(); ++i) {
      SCOPED_TRACE(kinds_[i].name);
      const Answer answer = session.Ask(kinds_[i].act, kinds_[i].messages);
      if (kinds_[i].name != "cancel") {
        EXPECT_OK(answer.status);
      }
      if (times == 0) first.push_back(answer.messages);
      // Of the release the very bytes, of a plan the same one.
      if (kinds_[i].name.ends_with("release")) {
        EXPECT_EQ(answer.messages, first[i]);
      }
      if (kinds_[i].name == "reserve") {
        v1::PlanState then, now;
        ASSERT_TRUE(then.ParseFromString(first[i].at(0)));
        ASSERT_TRUE(now.ParseFromString(answer.messages.at(0)));
        EXPECT_EQ(now.plan_id(), then.plan_id());
      }
    }
  }
  Session session(world_);
  EXPECT_EQ(ChargesIn(session), 1);
}

// Not one after the other, but all at once.
TEST_F(MaliciousActsTest, TheSameReleaseAskedForByManyActsAtOnceIsChargedOnce) {
  Session session(world_);
  std::vector<uint64_t> acts;
  for (int i = 0; i < 8; ++i) {
    acts.push_back(session.Begin(RunAct(Analyst("alice"), plan_id_, 2), TopicMessages()));
  }
  std::string release;
  for (const uint64_t act : acts) {
    const Answer answer = session.Await(act);
    if (!answer.status.ok()) continue;  // the queue is full: to all the same
    std::string bytes;
    for (const std::string& message : answer.messages) bytes += message;
    if (release.empty()) release = bytes;
    EXPECT_EQ(bytes, release);
  }
  EXPECT_FALSE(release.empty());
  EXPECT_EQ(ChargesIn(session), 1);
}

TEST_F(MaliciousActsTest, ANumberThatWasUsedIsIgnoredAndDoesNothing) {
  Session session(world_);
  const Answer answer = session.Ask(kinds_[0].act);
  EXPECT_OK(answer.status);
  for (const KindOfAct& kind : kinds_) {  // its end has come
    session.Send(LastPartOf(1, kind.act.SerializeAsString()));
    session.Send(NoMoreOf(1));
  }
  EXPECT_OK(session.Ask(kinds_[0].act).status);
  EXPECT_EQ(ChargesIn(session), 0);
}

TEST_F(MaliciousActsTest, ActsThatAreCutShortAreAnsweredAndChargeNothing) {
  Session session(world_);
  for (const KindOfAct& kind : kinds_) {
    const std::string whole = kind.act.SerializeAsString();
    for (size_t part = 0; part < 8; ++part) {
      SCOPED_TRACE(absl::StrCat(kind.name, ", ", part, " eighths"));
      const uint64_t act = session.next();
      session.Skip();
      session.Send(LastPartOf(act, whole.substr(0, whole.size() * part / 8)));
      session.Send(NoMoreOf(act));
      EXPECT_FALSE(absl::IsUnavailable(session.Await(act).status));
    }
  }
  // Of the parameters all but the end.
  const std::vector<float> topics = WallWorld::LogTopics();
  const Answer answer = session.Ask(RunAct(Analyst("alice"), plan_id_, 1),
                                    TopicMessages({topics.begin(), topics.end() - 1}));
  EXPECT_THAT(answer.status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(ChargesIn(session), 0);
}

TEST_F(MaliciousActsTest, AGateThatHangsUpWithinAnythingChargesNothing) {
  for (const KindOfAct& kind : kinds_) {
    const std::string whole = kind.act.SerializeAsString();
    { Session(world_).Send(PartOf(1, whole)); }
    { Session(world_).SendBytes(std::string("\x10\0", 2)); }
    { Session(world_).SendBytes(std::string("\x10\0\0\0abc", 7)); }
    if (kind.name != "run release") continue;
    Session session(world_);  // without its parameters
    session.Send(LastPartOf(1, whole));
  }
  Session session(world_);
  EXPECT_EQ(ChargesIn(session), 0);
}

TEST_F(MaliciousActsTest, StepsOutOfOrderEndTheSessionAlone) {
  using Step = std::pair<std::string, std::function<void(v1::Frame*)>>;
  const std::vector<Step> steps = {
      {"the vault's own step", [](auto* frame) { frame->mutable_end(); }},
      {"no step", [](auto*) {}},
      {"no act's number", [](auto* frame) { *frame = LastPartOf(0, "x"); }},
      {"a number left out", [](auto* frame) { *frame = LastPartOf(3, "x"); }},
      {"an act that begins with its end", [](auto* frame) { *frame = NoMoreOf(2); }},
      {"one that begins with credit",
       [](auto* frame) {
         frame->set_act(2);
         frame->set_credit(1);
       }},
      {"one that begins cancelled",
       [](auto* frame) {
         frame->set_act(2);
         frame->set_cancelled(true);
       }},
      {"a million numbers later", [](auto* frame) { *frame = LastPartOf(uint64_t{1} << 63, "x"); }},
  };
  for (const auto& [what, make] : steps) {
    ExpectEndsTheSession(what, [&make = make](Session& session) {
      v1::Frame frame;
      frame.set_act(1);
      make(&frame);
      // Of an act that has ended by now a step is ignored: there is one that has not.
      if (!frame.has_end() && frame.act() == 1) {
        session.Send(PartOf(2, "half"));
        frame.set_act(2);
      }
      session.Send(frame);
    });
  }
}

TEST_F(MaliciousActsTest, StepsOfAnActThatBreakItsRulesEndTheSessionAlone) {
  for (const int64_t credit : {int64_t{0}, int64_t{-1}, int64_t{1}, int64_t{1} << 62}) {
    ExpectEndsTheSession(absl::StrCat("credit ", credit), [credit](Session& session) {
      session.Send(PartOf(2, "half"));
      v1::Frame frame;
      frame.set_act(2);
      frame.set_credit(credit);
      session.Send(frame);
    });
  }
  ExpectEndsTheSession("an end within a message", [](Session& session) {
    session.Send(PartOf(2, "half"));
    session.Send(NoMoreOf(2));
  });
}

TEST_F(MaliciousActsTest, ALengthBeyondAFrameEndsTheSessionAndTakesNoMemory) {
  const int64_t before_kib = world_.VaultKib("VmHWM");
  ASSERT_GT(before_kib, 0);
  const std::vector<std::string> lengths = {
      std::string("\0\0\0\x80", 4),     // 2^31
      std::string("\xff\xff\xff\xff"),  // 2^32 - 1
      std::string("\x01\0\x10\0", 4),   // 2^20 + 1
      std::string("\0\0\0\0", 4),       // none
  };
  for (const std::string& length : lengths) {
    ExpectEndsTheSession("a length that is none",
                         [&length](Session& session) { session.SendBytes(length + "bytes"); });
  }
  // A frame's buffer and the acts' threads; 2^31 would be 2,097,152.
  EXPECT_LT(world_.VaultKib("VmHWM") - before_kib, 100'000);
}

// Lengths within a frame are protobuf's.
TEST_F(MaliciousActsTest, ALengthBeyondItsFieldIsNoFrame) {
  ExpectEndsTheSession("a part of 2^31 bytes", [](Session& session) {
    // Frame{act: 1, part: <2^31 bytes>}, of which 3 are there
    session.SendBytes(
        std::string("\x0b\0\0\0\x08\x01\x12\x80\x80\x80\x80\x08"
                    "abc",
                    15));
  });
}

}  // namespace
}  // namespace topicwall::testing
