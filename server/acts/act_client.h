// The gate's side of the pair: carries acts to the vault in another process.
//
//   ActClient vault(/*patience=*/absl::Seconds(30), /*max_message_bytes=*/…, ask_for_another);
//   vault.Attach(std::move(socket), number);   // again whenever the supervisor has a new pair
//   vault.Handle(act, stream);                 // from the thread of each call
//
// A session is one pair of sockets, and is lost when the vault dies or says what breaks a rule of
// proto/vault.proto; then the pair is shut down, which the other processes see. An act of which no
// message was delivered yet waits for the next session and is sent again whole, for the vault
// answers the same act the same way. So what the caller sent is kept until the first answer. One
// that was answered in part is not repeated.
//
// Errors of Handle: the vault's own, with their payloads, and
//   UNAVAILABLE  no session for as long as `patience`; or the act was lost kMostSends times, for
//                it may be what kills the vault; or the session was lost within the answer;
//   CANCELLED    the caller has gone (seen within kPoll, but not while stream.Read or stream.Write
//                blocks). The vault is told, and its end of the act is awaited: an act holds the
//                place of its call in the gate (server/access/call_places.h) for as long as it
//                holds a thread of the vault, so that nobody fills the vault with cancelled acts.
//
// The caller's next message is read when the vault has asked for it, so whoever is refused is told
// so although they send nothing. PUBLIC. Threads: Handle: any number; Attach: any. The destructor:
// once no Handle runs. Cost: per act at most 1 MiB of parts, one message, and what the caller sent.
#ifndef TOPICWALL_SERVER_ACTS_ACT_CLIENT_H_
#define TOPICWALL_SERVER_ACTS_ACT_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/file_descriptor.h"
#include "base/threads/steady_wait.h"
#include "server/acts/act_flow.h"
#include "server/acts/act_handler.h"
#include "server/acts/held_bytes.h"

namespace topicwall::acts {

class ActClient : public ActHandler {
 public:
  static constexpr int kMostSends = 3;
  static constexpr absl::Duration kPoll = absl::Milliseconds(50);

  // `max_message_bytes`: of one message of the vault's; a longer one breaks a rule. `lost` is
  // called with its number when the session of now is lost, from its thread: another one is needed.
  ActClient(absl::Duration patience, int64_t max_message_bytes, std::function<void(int64_t)> lost);
  ~ActClient() override;
  ActClient(const ActClient&) = delete;
  ActClient& operator=(const ActClient&) = delete;

  // The next session, with a number > 0 of its own. The one before, if it lives, is lost. Where the
  // machine has no thread to read it, it is lost as well, and said so from here after a second.
  void Attach(base::FileDescriptor socket, int64_t number) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Status Handle(const v1::Act& act, ActStream& stream) override;
  // The vault is told by the supervisor, and drains by itself.
  void Drain() override {}
  // Ends the session, and with it all acts; there will be no other.
  void Interrupt() override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Session;
  struct Call;

  // UNAVAILABLE or CANCELLED, as above.
  absl::StatusOr<std::shared_ptr<Session>> AwaitSession(const Call& call)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const absl::Duration patience_;
  const int64_t max_message_bytes_;
  const std::function<void(int64_t)> lost_;
  HeldBytes held_;  // without a bound: credit bounds each act, and the gate how many there are
  absl::Mutex mutex_;
  base::SteadyCondVar attached_;
  std::shared_ptr<Session> session_ ABSL_GUARDED_BY(mutex_);
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<int64_t> newest_ = 0;  // the number of the session of now; 0: none
};

}  // namespace topicwall::acts

#endif  // TOPICWALL_SERVER_ACTS_ACT_CLIENT_H_
