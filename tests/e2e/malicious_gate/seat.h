// What a test does from the seat of a malicious gate: a world whose server runs malicious_gate.cc
// in the place of topicwall-gate, and sessions with its vault.
//
//   SeatWorld world;
//   Session session(world);
//   Answer answer = session.Ask(DescribeAct(Analyst("alice")));   // acts.h
//
// Threads: one.
#ifndef TOPICWALL_TESTS_E2E_MALICIOUS_GATE_SEAT_H_
#define TOPICWALL_TESTS_E2E_MALICIOUS_GATE_SEAT_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/vault.pb.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {

// A world of the malicious gate, and its server.
class SeatWorld {
 public:
  // Of `options` the program is set here.
  explicit SeatWorld(WorldOptions options = {.release_interval_ms = 300, .documents = 60});

  WallWorld& wall() { return wall_; }
  const std::string& address() const { return wall_.address(); }
  // Of "topicwall-vault" and "topicwall-gate"; 0 if there is none.
  // This gate serves at once: the vault may still have to become what it is.
  pid_t PidOf(const std::string& program) { return wall_.server().AwaitChild(program); }
  // Of the vault's /proc/PID/status, in KiB.
  int64_t VaultKib(const std::string& field);

 private:
  WallWorld wall_;
};

struct Answer {
  absl::Status status;
  std::vector<std::string> messages;
};

// One session with the vault. What the vault does not answer within 30 seconds is UNAVAILABLE.
class Session {
 public:
  // Ends the session before, if there is one: the vault has one at a time.
  explicit Session(SeatWorld& world);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // As the honest gate has it: the act, its messages, no more. Begin returns the act's number.
  Answer Ask(const v1::Act& act, const std::vector<std::string>& messages = {}) {
    return Await(Begin(act, messages));
  }
  uint64_t Begin(const v1::Act& act, const std::vector<std::string>& messages = {});
  Answer Await(uint64_t act);
  // For what was sent since the last time; false if the session is lost.
  bool AwaitCredit(uint64_t act);

  // Anything else. Numbers are the test's then: the next act's is next().
  uint64_t next() const { return last_ + 1; }
  void Skip() { ++last_; }
  void Send(const v1::Frame& frame);
  void SendBytes(absl::string_view bytes);
  // Whether the vault hangs up; answers that come before are taken.
  bool IsEnded();

 private:
  bool Receive();

  int socket_;
  uint64_t last_ = 0;
  std::map<uint64_t, Answer> answers_;
  std::map<uint64_t, Answer> ended_;
  std::map<uint64_t, int64_t> credit_;
};

// Frames of the act `act`.
v1::Frame PartOf(uint64_t act, absl::string_view bytes);
v1::Frame LastPartOf(uint64_t act, absl::string_view bytes);
v1::Frame NoMoreOf(uint64_t act);

// What holds whatever the gate did: the vault has not died, a new session is answered, no witness
// of the budget is exceeded by what was spent, and the ledger's chain verifies.
void ExpectUnharmed(SeatWorld& world, pid_t vault);
// Charges in the ledger, as the auditor reads it.
int ChargesIn(Session& session);

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_MALICIOUS_GATE_SEAT_H_
