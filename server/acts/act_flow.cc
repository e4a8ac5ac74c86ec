// Who owes whom, for one act: may_send_ is what the other side still lets us send; peer_may_send_
// what we still let it send; owed_ what was taken from its parts and not told it yet. Besides,
// waiting_, taking_ and longest_ are what this act takes of what all acts together may hold
// (held_).
//
// What may wait for the other side (Await, and whatever sends) is done on the act's own thread. So
// the session's reading thread always goes on, and one slow act holds up no other.
#include "server/acts/act_flow.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace topicwall::acts {
namespace {

// A part and what a frame has beside it (tags, lengths, the act's number: less than 64 bytes).
constexpr int64_t kMaxPartBytes = kMaxFrameBytes - 64;

int64_t CostOf(absl::string_view bytes) { return static_cast<int64_t>(bytes.size()) + kPartCost; }

absl::Status Broken(absl::string_view rule) { return absl::InvalidArgumentError(rule); }

}  // namespace

ActFlow::ActFlow(std::shared_ptr<FrameConnection> connection, uint64_t act,
                 int64_t max_message_bytes, HeldBytes& held)
    : connection_(std::move(connection)),
      act_(act),
      max_message_bytes_(max_message_bytes),
      held_(held) {}

ActFlow::~ActFlow() { GiveBack(); }

void ActFlow::GiveBack() {
  absl::MutexLock lock(&mutex_);
  gone_ = true;
  DropParts();
  held_.now -= std::exchange(taking_, 0) + std::exchange(longest_, 0);
}

// What was taken stays counted: its reader has it, and may go on for as long as it likes.
void ActFlow::DropParts() {
  held_.now -= std::exchange(waiting_, 0);
  parts_.clear();
}

// What has come is let go at once. The act has not ended by it: its thread sees that it is gone,
// and finds the reason in Refusal.
void ActFlow::Refuse(absl::Status refusal) {
  refusal_ = std::move(refusal);
  gone_ = true;
  DropParts();
}

// Each rule is held before anything is kept. An act that is gone still has its rules: its parts are
// counted and dropped, since the other side could not know yet.
absl::Status ActFlow::Receive(v1::Frame& frame) {
  absl::MutexLock lock(&mutex_);
  changed_.Signal();
  switch (frame.step_case()) {
    case v1::Frame::kPart:
      return ReceivePart(std::move(*frame.mutable_part()), /*last=*/false);
    case v1::Frame::kLastPart:
      return ReceivePart(std::move(*frame.mutable_last_part()), /*last=*/true);
    case v1::Frame::kNoMore:
    case v1::Frame::kEnd:
      if (no_more_) return Broken("a second end of an act's messages");
      if (within_message_ && frame.has_no_more()) return Broken("the last message is not whole");
      no_more_ = true;
      if (frame.has_end()) end_ = std::move(*frame.mutable_end());
      return absl::OkStatus();
    case v1::Frame::kCancelled:
      gone_ = true;
      DropParts();
      return absl::OkStatus();
    case v1::Frame::kCredit:
      // Before the addition: it must not overflow.
      if (frame.credit() <= 0 || frame.credit() > kWindowBytes - may_send_) {
        return Broken("credit is for what was sent, and positive");
      }
      may_send_ += frame.credit();
      return absl::OkStatus();
    case v1::Frame::kAsked:
      ++asked_;
      return absl::OkStatus();
    case v1::Frame::STEP_NOT_SET:
      break;
  }
  return Broken("a frame without a step");
}

// Too many parts for the credit break the session, because an honest side counts. Too many for what
// all may hold is nobody's fault, and refuses this act alone. That sum is one atomic step: two acts
// cannot both take the last room.
absl::Status ActFlow::ReceivePart(std::string bytes, bool last) {
  const int64_t cost = CostOf(bytes);
  if (no_more_) return Broken("a part after the last message");
  if (cost > peer_may_send_) return Broken("a part beyond its credit");
  peer_may_send_ -= cost;
  within_message_ = !last;
  if (gone_) return absl::OkStatus();
  waiting_ += cost;
  if ((held_.now += cost) > held_.most) {
    Refuse(HoldsTooMuch());
    return absl::OkStatus();
  }
  parts_.push_back({std::move(bytes), last});
  return absl::OkStatus();
}

void ActFlow::Lose() {
  absl::MutexLock lock(&mutex_);
  changed_.Signal();
  gone_ = true;
  DropParts();
}

// Parts before room: what has come is taken before more is sent, and taking returns credit. Two
// sides that both sent first could come to wait for each other.
std::optional<ActFlow::Ready> ActFlow::What(Wanted wanted) const {
  if (gone_) return Ready::kGone;
  if (wanted.parts && !parts_.empty()) return Ready::kPart;
  if (wanted.parts && no_more_) return Ready::kFinished;
  if (wanted.room && may_send_ > kPartCost) return Ready::kRoom;
  if (wanted.asked > 0 && asked_ >= wanted.asked) return Ready::kAsked;
  return std::nullopt;
}

ActFlow::Ready ActFlow::Await(Wanted wanted, absl::Duration at_most) {
  const absl::Duration deadline = base::SteadyNow() + at_most;
  absl::MutexLock lock(&mutex_);
  std::optional<Ready> ready = What(wanted);
  absl::Duration left = at_most;  // a wait for no time takes a timer's
  for (; !ready.has_value() && left > absl::ZeroDuration(); ready = What(wanted)) {
    changed_.WaitFor(&mutex_, left);
    left = deadline - base::SteadyNow();
  }
  return ready.value_or(Ready::kTimeout);
}

bool ActFlow::IsGone() const {
  absl::MutexLock lock(&mutex_);
  return gone_;
}

// The length is looked at before the bytes are added to the message. Credit goes back for half a
// window at a time, or every part would cost a frame the other way.
bool ActFlow::TakePart(std::string* message) {
  v1::Frame credit;
  bool last = false;
  {
    absl::MutexLock lock(&mutex_);
    if (gone_ || parts_.empty()) return false;  // gone since it was ready
    const Part part = std::move(parts_.front());
    parts_.pop_front();
    if (static_cast<int64_t>(message->size() + part.bytes.size()) > max_message_bytes_) {
      Refuse(absl::InvalidArgumentError(
          absl::StrCat("a message has at most ", max_message_bytes_, " bytes; send less")));
      return false;
    }
    message->append(part.bytes);
    const int64_t cost = CostOf(part.bytes);
    owed_ += cost;
    waiting_ -= cost;
    taking_ += cost;
    last = part.last;
    if (last) {  // a reader has one at a time, in a string that does not shrink
      held_.now -= std::min(taking_, longest_);
      longest_ = std::max(longest_, std::exchange(taking_, 0));
    }
    if (owed_ >= kWindowBytes / 2) {
      peer_may_send_ += owed_;
      credit.set_credit(std::exchange(owed_, 0));
    }
  }
  // Off the lock: sending may block, and the reading thread takes the lock.
  if (credit.has_credit()) Send(std::move(credit));
  return last;
}

// kRoom has said that there is more credit than an empty part costs, so each call gets on by a byte
// or ends the message.
size_t ActFlow::SendPart(absl::string_view message, size_t offset, bool* complete) {
  const absl::string_view rest = message.substr(offset);
  size_t size = 0;
  {
    absl::MutexLock lock(&mutex_);
    const int64_t room = std::min(may_send_ - kPartCost, kMaxPartBytes);
    size = std::min(rest.size(), static_cast<size_t>(room));
    may_send_ -= CostOf(rest.substr(0, size));
  }
  v1::Frame frame;
  *complete = size == rest.size();
  (*complete ? frame.mutable_last_part() : frame.mutable_part())->assign(rest.data(), size);
  Send(std::move(frame));
  return offset + size;
}

// A connection that fails is closed by that, and the reading thread tells every act of it (Lose).
void ActFlow::Send(v1::Frame step) {
  step.set_act(act_);
  connection_->Send(step).IgnoreError();
}

std::optional<v1::StatusDetails> ActFlow::TakeEnd() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(end_, std::nullopt);
}

absl::Status ActFlow::Refusal() const {
  absl::MutexLock lock(&mutex_);
  return refusal_;
}

}  // namespace topicwall::acts
