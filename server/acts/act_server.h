// The vault's side of the pair: takes acts from the gate's process and lets a handler answer them,
// each on a thread of its own.
//
//   ActServer acts(vault, {.max_message_bytes = …, .max_held_bytes = …});
//   for (;;) {
//     const absl::Status over = acts.Serve(NextSession());   // of the gate
//     …                                                      // log why, go on
//   }
//
// The gate may be malicious. Whatever it sends, the vault goes on: a frame that breaks a rule of
// proto/vault.proto ends the session, and with it all its acts: they see IsCancelled, Read and
// Write are false, and their threads go on until the handler returns (a release waits for its
// instant). Nobody waits for them but the destructor, so the next session can be served at once.
// An act that cannot be read (no Act, none of its calls, a message too long, more held than
// allowed), or for which the machine has no thread (UNAVAILABLE), is answered with an error, and
// the session goes on. If Read is false because a message was refused, IsCancelled is true: then
// the caller has not said all.
//
// What the handler throws becomes INTERNAL without details. An answer's message longer than
// max_answer_bytes is not sent: Write is false. Memory that is not there ends the session
// (RESOURCE_EXHAUSTED), and not the vault.
//
// PUBLIC: what crosses is what the analyst sends and may read. Threads: Serve: one at a time; it
// returns when the session is over, and no sooner than the gate hangs up or breaks a rule. The
// destructor: after Serve has returned; waits for the acts that still run.
#ifndef TOPICWALL_SERVER_ACTS_ACT_SERVER_H_
#define TOPICWALL_SERVER_ACTS_ACT_SERVER_H_

#include <cstdint>
#include <deque>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "base/file_descriptor.h"
#include "base/threads/steady_wait.h"
#include "server/acts/act_flow.h"
#include "server/acts/act_handler.h"
#include "server/acts/held_bytes.h"

namespace topicwall::acts {

class ActServer {
 public:
  struct Limits {
    // More end the session. Those of earlier sessions count, so this is well above what an honest
    // gate has at once (CallPlaces::kThreads of server/access/).
    int most_acts = 4096;
    // Of one message of the gate's, the Act or another.
    int64_t max_message_bytes = int64_t{64} << 20;
    // Of one message of an answer.
    int64_t max_answer_bytes = int64_t{64} << 20;
    // Of all that acts take because the gate says so, those of earlier sessions too: parts that
    // wait; of each act until it has ended the longest message and the Act in memory, which may be
    // many times as long as it was on the way; messages of answers until they are sent, three times
    // what is on its way of them. An act beyond it is refused with RESOURCE_EXHAUSTED. What a
    // handler makes of its messages is its own to bound; of an answer it keeps nothing beside the
    // message that it writes.
    int64_t max_held_bytes = int64_t{1} << 30;
  };

  // `handler` outlives the server.
  ActServer(ActHandler& handler, Limits limits);
  ~ActServer();
  ActServer(const ActServer&) = delete;
  ActServer& operator=(const ActServer&) = delete;

  // One session. OUT_OF_RANGE: the gate hung up; else the rule that it broke, or that the socket or
  // memory failed. In all cases the connection is closed.
  absl::Status Serve(base::FileDescriptor socket);

 private:
  class Session;

  // Runs `act` at once, on a thread that waits for one or on a new one. RESOURCE_EXHAUSTED if there
  // are most_acts, UNAVAILABLE if the machine has no thread.
  absl::Status Run(std::function<void()> act) ABSL_LOCKS_EXCLUDED(mutex_);
  void RunActs(std::function<void()> act) ABSL_LOCKS_EXCLUDED(mutex_);

  ActHandler& handler_;
  const Limits limits_;
  const absl::Status no_memory_;  // made while there is some
  HeldBytes held_;
  absl::Mutex parsing_;  // one Act at a time is in memory and not counted
  absl::Mutex mutex_;
  absl::CondVar left_;
  base::SteadyCondVar given_;
  std::deque<std::function<void()>> acts_ ABSL_GUARDED_BY(mutex_);  // given to threads that wait
  int running_ ABSL_GUARDED_BY(mutex_) = 0;                         // acts, of all sessions
  int threads_ ABSL_GUARDED_BY(mutex_) = 0;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace topicwall::acts

#endif  // TOPICWALL_SERVER_ACTS_ACT_SERVER_H_
