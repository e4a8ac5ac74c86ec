// One act on one session, as either side of it keeps it: the parts that have come and were not
// taken yet, and how much may still be sent. Both sides of the protocol of proto/vault.proto.
//
//   flow.Receive(frame)                        // the session's reading thread, frame by frame
//   while (flow.Await({.parts = true}, forever) == Ready::kPart) flow.TakePart(&message);
//
// Credit bounds memory and keeps acts apart: at most kWindowBytes of parts wait here, so the
// reading thread never waits for whoever reads them. What a part costs is returned to the sender
// once it was taken, half a window at a time.
//
// A peer's frame that breaks a rule (more than its credit, credit that is not positive or beyond
// the window, a part after the last message, the last message incomplete) is an error of Receive,
// and the session is to be closed.
//
// PUBLIC. Threads: Receive and Lose: the session's; IsGone: any; all else: the act's own.
#ifndef TOPICWALL_SERVER_ACTS_ACT_FLOW_H_
#define TOPICWALL_SERVER_ACTS_ACT_FLOW_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/threads/steady_wait.h"
#include "proto/vault.pb.h"
#include "server/acts/frame_connection.h"
#include "server/acts/held_bytes.h"

namespace topicwall::acts {

inline constexpr int64_t kWindowBytes = int64_t{1} << 20;  // of one act, in one direction
inline constexpr int64_t kPartCost = 64;                   // beside its bytes; more than we keep

class ActFlow {
 public:
  enum class Ready {
    kGone,      // cancelled, refused or lost: nothing more will come or be sent
    kPart,      // one can be taken
    kFinished,  // all were taken, and the other side has said that it sends no more
    kRoom,      // one can be sent
    kAsked,     // the vault has asked for that many of the caller's messages
    kTimeout,
  };
  struct Wanted {
    bool parts = false;  // and the end of them
    bool room = false;
    size_t asked = 0;  // 0: never
  };

  // `held` outlives the flow. Counted there: the parts that wait, those of the message that is
  // being taken, and until GiveBack or the flow's end, whatever becomes of the act, the longest
  // message that was: its reader may have it still, or what was made of it.
  ActFlow(std::shared_ptr<FrameConnection> connection, uint64_t act, int64_t max_message_bytes,
          HeldBytes& held);
  ~ActFlow();
  ActFlow(const ActFlow&) = delete;
  ActFlow& operator=(const ActFlow&) = delete;

  // INVALID_ARGUMENT: the peer broke a rule. A part beyond the held bytes is no such error: the
  // act is refused (Refusal), and its parts are dropped.
  absl::Status Receive(v1::Frame& frame) ABSL_LOCKS_EXCLUDED(mutex_);
  // The session is over, and the act had not ended.
  void Lose() ABSL_LOCKS_EXCLUDED(mutex_);
  // The act's reader is done and has nothing of it any more: nothing is counted for it from here
  // on, and what still comes is dropped.
  void GiveBack() ABSL_LOCKS_EXCLUDED(mutex_);

  // The first that holds of what is wanted, in the order of Ready.
  Ready Await(Wanted wanted, absl::Duration at_most) ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsGone() const ABSL_LOCKS_EXCLUDED(mutex_);
  // After kPart. Appends to *message; true if that completes it. A message of more than
  // max_message_bytes is refused: false, and the flow is gone.
  bool TakePart(std::string* message) ABSL_LOCKS_EXCLUDED(mutex_);
  // After kRoom. Sends what there is room for from `offset` on, and returns where to go on;
  // *complete once all has been sent, which one call is needed for even of an empty message.
  size_t SendPart(absl::string_view message, size_t offset, bool* complete)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Any other step; whether it got out is the session's to find out. `step`'s act is set here.
  void Send(v1::Frame step);

  // The vault's word on the act: after kFinished at the gate. Else null.
  std::optional<v1::StatusDetails> TakeEnd() ABSL_LOCKS_EXCLUDED(mutex_);
  // Why this side refused the act; OK if it did not.
  absl::Status Refusal() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Part {
    std::string bytes;
    bool last;
  };

  absl::Status ReceivePart(std::string bytes, bool last) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Refuse(absl::Status refusal) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropParts() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<Ready> What(Wanted wanted) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<FrameConnection> connection_;
  const uint64_t act_;
  const int64_t max_message_bytes_;
  HeldBytes& held_;

  mutable absl::Mutex mutex_;
  base::SteadyCondVar changed_;
  std::deque<Part> parts_ ABSL_GUARDED_BY(mutex_);
  int64_t peer_may_send_ ABSL_GUARDED_BY(mutex_) = kWindowBytes;
  int64_t may_send_ ABSL_GUARDED_BY(mutex_) = kWindowBytes;
  int64_t owed_ ABSL_GUARDED_BY(mutex_) = 0;  // of parts taken: credit not returned yet
  // This act's part of held_, all three together.
  int64_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;          // the parts
  int64_t taking_ ABSL_GUARDED_BY(mutex_) = 0;           // of the message that TakePart is within
  int64_t longest_ ABSL_GUARDED_BY(mutex_) = 0;          // of the messages before it
  bool within_message_ ABSL_GUARDED_BY(mutex_) = false;  // the last part that came goes on
  bool no_more_ ABSL_GUARDED_BY(mutex_) = false;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  size_t asked_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<v1::StatusDetails> end_ ABSL_GUARDED_BY(mutex_);
  absl::Status refusal_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace topicwall::acts

#endif  // TOPICWALL_SERVER_ACTS_ACT_FLOW_H_
