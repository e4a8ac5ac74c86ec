// A vault whose memory runs out while a gate sends: the gate's session ends, and not the vault.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "proto/status_details.h"
#include "tests/server/acts/act_pair.h"
#include "tests/support/in_child.h"

namespace topicwall::acts {
namespace {

constexpr int kActs = 100;
constexpr int kPartBytes = (1 << 20) - 1000;

// No more address space than this process has now, but for a few parts.
bool LimitMemory() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto most = static_cast<rlim_t>(pages * getpagesize() + 4 * kPartBytes);
  const rlimit little = {.rlim_cur = most, .rlim_max = most};
  return setrlimit(RLIMIT_AS, &little) == 0;
}

// Releases take nothing of what is sent; a budget is asked for when they all run. What is thrown
// ends the process, as on a thread of the vault's.
int ServeTwoSessions(SocketPair first, SocketPair second) noexcept {
  mallopt(M_ARENA_MAX, 1);  // others have address space in store
  bool is_limited = false;
  FunctionHandler handler([&](const v1::Act& act, ActStream& stream) {
    if (act.has_run_release()) {
      WaitUntilCancelled(stream);
      return absl::CancelledError("gone");
    }
    is_limited = is_limited || LimitMemory();
    return Echo(act, stream);
  });
  ActServer server(handler, {});
  if (!absl::IsResourceExhausted(server.Serve(std::move(first.vault)))) return 1;
  if (!absl::IsOutOfRange(server.Serve(std::move(second.vault)))) return 2;
  return is_limited ? 0 : 3;
}

TEST(ActServerMemoryTest, AGateThatSendsMoreThanThereIsMemoryLosesItsSessionAndTheVaultGoesOn) {
  SocketPair first;
  SocketPair second;
  RawPeer gate(std::move(first.gate));
  RawPeer next_gate(std::move(second.gate));
  // Made before there is a thread: the child is a copy of this one's alone.
  std::string acts;
  for (uint64_t act = 1; act <= kActs; ++act) {
    acts += OnWire(LastPart(act, ReleaseAct().SerializeAsString()));
  }
  acts += OnWire(LastPart(kActs + 1, BudgetAct("news").SerializeAsString()));
  std::thread sending([&] {
    gate.SendBytes(acts);
    gate.ReceiveEnd(kActs + 1);
    for (uint64_t act = 1; act <= kActs; ++act) gate.Send(Part(act, std::string(kPartBytes, 'x')));
    EXPECT_TRUE(gate.SeesTheConnectionClosed());
    next_gate.Send(LastPart(1, BudgetAct("news").SerializeAsString()));
    EXPECT_EQ(next_gate.Receive().last_part(), "news of alice");
    next_gate.HangUp();
  });
  EXPECT_EQ(testing::InChild([&] { return ServeTwoSessions(std::move(first), std::move(second)); }),
            0);
  first.vault = base::FileDescriptor(-1);
  second.vault = base::FileDescriptor(-1);
  sending.join();
}

}  // namespace
}  // namespace topicwall::acts
