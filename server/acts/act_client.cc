// A call stays on its own thread: Handle takes the session of now, Try leads the act through it,
// and if the session is lost before anything was delivered, the next one is tried with what the
// caller sent so far. Each session has one thread of its own, which only receives.
#include "server/acts/act_client.h"

#include <functional>
#include <limits>
#include <map>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "proto/status_details.h"

namespace topicwall::acts {
namespace {

using Ready = ActFlow::Ready;

// Between a session that could not be read for want of a thread and the word that it is lost, upon
// which the next one comes at once.
constexpr absl::Duration kThreadsMayEnd = absl::Seconds(1);

absl::Status CallerHasGone() { return absl::CancelledError("the caller has gone"); }

}  // namespace

class ActClient::Session {
 public:
  Session(base::FileDescriptor socket, int64_t max_message_bytes, HeldBytes& held,
          std::function<void()> over)
      : over_(std::move(over)),
        connection_(std::make_shared<FrameConnection>(std::move(socket))),
        max_message_bytes_(max_message_bytes),
        held_(held),
        reader_([this] { ReceiveUntilOver(); }) {}

  ~Session() {
    Close();
    reader_.join();
  }

  void Close() { connection_->Close(); }

  bool IsLost() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return lost_;
  }

  // Sends the first part of `message`, as SendPart does. Null if the session is lost.
  // Numbers are given and first parts sent under one lock, because the vault takes an act's number
  // for its order. The flow is known before its first part is out: the answer may come at once.
  std::shared_ptr<ActFlow> Begin(absl::string_view message, size_t* sent, bool* complete)
      ABSL_LOCKS_EXCLUDED(beginning_, mutex_) {
    absl::MutexLock in_order(&beginning_);
    std::shared_ptr<ActFlow> flow;
    {
      absl::MutexLock lock(&mutex_);
      if (lost_) return nullptr;
      ++last_;
      flow = std::make_shared<ActFlow>(connection_, last_, max_message_bytes_, held_);
      flows_[last_] = flow;
    }
    *sent = flow->SendPart(message, 0, complete);
    return flow;
  }

 private:
  // Nobody waits for a session that is over: first every act is told, then another session is asked
  // for.
  void ReceiveUntilOver() ABSL_LOCKS_EXCLUDED(mutex_) {
    v1::Frame frame;
    while (connection_->Receive(&frame).ok() && Take(frame).ok()) {
    }
    Close();
    absl::MutexLock lock(&mutex_);
    lost_ = true;
    for (const auto& [act, flow] : flows_) flow->Lose();
    flows_.clear();
    over_();
  }

  // The vault is not suspected, but a frame out of place means that the two sides no longer speak
  // of the same acts: better a new session than an answer to somebody else.
  absl::Status Take(v1::Frame& frame) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (frame.has_no_more() || frame.has_cancelled()) {
      return absl::InvalidArgumentError("a step that is the gate's");
    }
    std::shared_ptr<ActFlow> flow;
    {
      absl::MutexLock lock(&mutex_);
      const auto found = flows_.find(frame.act());
      if (found == flows_.end()) return absl::InvalidArgumentError("an act that is not open");
      flow = found->second;
      if (frame.has_end()) flows_.erase(found);
    }
    return flow->Receive(frame);
  }

  const std::function<void()> over_;
  const std::shared_ptr<FrameConnection> connection_;
  const int64_t max_message_bytes_;
  HeldBytes& held_;
  absl::Mutex beginning_;  // held so that first parts go out in the order of their numbers
  mutable absl::Mutex mutex_;
  bool lost_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::shared_ptr<ActFlow>> flows_ ABSL_GUARDED_BY(mutex_);  // not ended
  std::thread reader_;  // last: it uses all of the above
};

// One Handle, over as many sessions as it takes.
struct ActClient::Call {
  const v1::Act& act;
  ActStream& stream;
  std::vector<std::string> messages;  // the Act, and what the caller has sent; empty once forgotten
  bool all_read = false;              // the caller sends no more
  bool answered = false;              // a message was delivered: nothing is sent again
  bool gone = false;                  // the caller
  int sends = 0;

  // What the vault ended the act with; none if the session was lost.
  std::optional<absl::Status> Try(Session& session);
  void ReadNext();
  void Deliver(const std::string& bytes);
};

// Kept, in case the act has to be sent again.
void ActClient::Call::ReadNext() {
  std::string message;
  all_read = all_read || !stream.Read(&message);
  if (!all_read) messages.push_back(std::move(message));
}

// From the first message on the caller has seen an answer: a second one, from another session,
// might begin otherwise. So what the caller sent is not needed any more, and Try lets it go.
void ActClient::Call::Deliver(const std::string& bytes) {
  if (gone) return;
  answered = true;
  gone = !stream.Write(bytes);
}

// One loop for both directions, so that neither waits for the other. It looks at the caller every
// kPoll, as gRPC wakes nobody when they go; and goes on to the end even then, for the vault is busy
// with the act until it says so.
std::optional<absl::Status> ActClient::Call::Try(Session& session) {
  size_t next = 0;  // of messages: the one that is being sent
  size_t sent = 0;  // bytes of it
  size_t forgotten = 0;
  bool complete = false;
  const auto flow = session.Begin(messages[0], &sent, &complete);
  if (flow == nullptr) return std::nullopt;
  ++sends;
  std::string answer;
  bool told_no_more = false, told_gone = false;
  for (;;) {
    if (std::exchange(complete, false)) {
      ++next;
      sent = 0;
    }
    for (; answered && forgotten < next; ++forgotten) std::string().swap(messages[forgotten]);
    gone = gone || stream.IsCancelled();
    v1::Frame step;
    if (gone && !std::exchange(told_gone, true)) {
      step.set_cancelled(true);
      flow->Send(std::move(step));
    }
    const bool uploads = !gone && !told_no_more;
    const bool reads = uploads && next == messages.size();
    // The Act came unasked: `next` of the caller's own are asked for once one more is.
    switch (
        flow->Await({.parts = true, .room = uploads && !reads, .asked = reads ? next : 0}, kPoll)) {
      case Ready::kPart:
        if (flow->TakePart(&answer)) {
          Deliver(answer);
          answer.clear();
        }
        if (!flow->Refusal().ok()) session.Close();  // a message that is too long
        break;
      case Ready::kRoom:
        sent = flow->SendPart(messages[next], sent, &complete);
        break;
      case Ready::kAsked:
        ReadNext();
        if (!all_read) break;
        told_no_more = true;
        step.set_no_more(true);
        flow->Send(std::move(step));
        break;
      case Ready::kTimeout:
        break;
      case Ready::kFinished:
        return proto::FromStatusDetails(flow->TakeEnd().value_or(v1::StatusDetails()));
      case Ready::kGone:
        return std::nullopt;
    }
  }
}

ActClient::ActClient(absl::Duration patience, int64_t max_message_bytes,
                     std::function<void(int64_t)> lost)
    : patience_(patience),
      max_message_bytes_(max_message_bytes),
      lost_(std::move(lost)),
      held_{.most = std::numeric_limits<int64_t>::max()} {}

ActClient::~ActClient() { Interrupt(); }

// The number tells a session that died from one that was replaced: for the latter no other is asked
// for.
void ActClient::Attach(base::FileDescriptor socket, int64_t number) {
  newest_ = number;
  const auto over = [this, number] {  // one that was replaced is missed by nobody
    if (newest_ == number) lost_(number);
  };
  std::shared_ptr<Session> session;
  try {
    session = std::make_shared<Session>(std::move(socket), max_message_bytes_, held_, over);
  } catch (const std::system_error&) {  // no thread to read it with: it is hung up on
  }
  const bool is_read = session != nullptr;
  {
    absl::MutexLock lock(&mutex_);
    session.swap(session_);
    attached_.SignalAll();
  }
  if (session != nullptr) session->Close();
  if (is_read) return;
  {
    const absl::Duration until = base::SteadyNow() + kThreadsMayEnd;
    absl::MutexLock lock(&mutex_);
    while (!interrupted_ && base::SteadyNow() < until) {
      attached_.WaitFor(&mutex_, until - base::SteadyNow());
    }
  }
  over();
}

// The session that ends now is not the newest, and asks for none.
void ActClient::Interrupt() {
  newest_ = 0;
  std::shared_ptr<Session> session;
  {
    absl::MutexLock lock(&mutex_);
    interrupted_ = true;
    session.swap(session_);
    attached_.SignalAll();
  }
  if (session != nullptr) session->Close();
}

// Waiting is what makes a vault's death short for its callers: most of them see a delay and no
// error.
absl::StatusOr<std::shared_ptr<ActClient::Session>> ActClient::AwaitSession(const Call& call) {
  const absl::Duration deadline = base::SteadyNow() + patience_;
  absl::MutexLock lock(&mutex_);
  for (;;) {
    if (interrupted_) {
      return absl::UnavailableError(
          "the server is going down; what was charged is paid: send the same request when it is up "
          "again");
    }
    if (session_ != nullptr && !session_->IsLost()) return session_;
    if (call.stream.IsCancelled()) return CallerHasGone();
    if (base::SteadyNow() >= deadline) {
      return absl::UnavailableError("the server restarts; try again");
    }
    attached_.WaitFor(&mutex_, kPoll);
  }
}

// An act that was lost kMostSends times may be what kills the vault. It is given up, or one request
// could keep the vault from ever coming up for others.
absl::Status ActClient::Handle(const v1::Act& act, ActStream& stream) {
  Call call{.act = act, .stream = stream, .messages = {act.SerializeAsString()}};
  for (;;) {
    TW_ASSIGN_OR_RETURN(auto session, AwaitSession(call));
    const std::optional<absl::Status> end = call.Try(*session);
    if (call.gone) return CallerHasGone();
    if (end.has_value()) return *end;
    if (call.answered) return absl::UnavailableError("the answer was cut off; ask again");
    if (call.sends >= kMostSends) return absl::UnavailableError("the server restarts; try again");
  }
}

}  // namespace topicwall::acts
