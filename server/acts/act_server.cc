// Per session one thread receives, and sends nothing but the end of an act for which there is no
// thread; per act one thread reads, works and answers. A gate that stops in the middle of a frame
// stops its own session; one that stops in the middle of an act holds that act's thread and its
// bytes, and nothing besides. Of acts, of bytes of one message and of bytes of all there are
// limits, and what exceeds them is refused or ends the session.
#include "server/acts/act_server.h"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/status_macros.h"
#include "proto/status_details.h"

namespace topicwall::acts {
namespace {

using Ready = ActFlow::Ready;

// How long a thread waits for another act: making one costs as much as a short act.
constexpr absl::Duration kIdle = absl::Seconds(10);
constexpr size_t kMaxEndBytes = 64 << 10;  // far below a frame, far above any status of ours

// The act's stream as the handler sees it.
class Stream : public ActStream {
 public:
  Stream(ActFlow& flow, int64_t max_answer_bytes, HeldBytes& held)
      : flow_(flow), max_answer_bytes_(max_answer_bytes), held_(held) {}

  // Asked for, because the gate's thread for this call cannot take answers while it waits for its
  // caller: it waits for one only when the vault does.
  bool Read(std::string* message) override {
    v1::Frame asked;
    asked.set_asked(true);
    flow_.Send(std::move(asked));
    return Next(message);
  }

  // The same of one that comes without being asked for.
  bool Next(std::string* message) {
    message->clear();
    while (flow_.Await({.parts = true}, absl::InfiniteDuration()) == Ready::kPart) {
      if (flow_.TakePart(message)) return true;
    }
    return false;
  }

  // Blocks when the gate takes nothing, for as long as the session lives: that is the act's own
  // matter. `bytes` are held, and those that are on their way twice more: as a frame, and as its
  // bytes.
  bool Write(absl::string_view bytes) override {
    const auto size = static_cast<int64_t>(bytes.size());
    if (size > max_answer_bytes_) return false;
    const Held held(held_, size + 2 * std::min(size, kMaxFrameBytes));
    if (!held.has_room()) {
      refusal_ = HoldsTooMuch();
      return false;
    }
    size_t sent = 0;
    for (bool complete = false; !complete;) {
      if (flow_.Await({.room = true}, absl::InfiniteDuration()) != Ready::kRoom) return false;
      sent = flow_.SendPart(bytes, sent, &complete);
    }
    return true;
  }

  bool IsCancelled() const override { return flow_.IsGone(); }

  // Why an answer was not sent, if it is this side that did not.
  const absl::Status& refusal() const { return refusal_; }

 private:
  ActFlow& flow_;
  const int64_t max_answer_bytes_;
  HeldBytes& held_;
  absl::Status refusal_;
};

// A text that is no UTF-8 (an excerpt cut within a letter) would be a frame that nobody can read.
v1::StatusDetails EndOf(const absl::Status& status) {
  v1::StatusDetails end = proto::ToStatusDetails(status);
  const std::string bytes = end.SerializeAsString();
  if (bytes.size() <= kMaxEndBytes && end.ParseFromString(bytes)) return end;
  return proto::ToStatusDetails(absl::Status(status.code(), "the reason cannot be sent"));
}

}  // namespace

// Owned by Serve and by the acts that run, so that Serve need not wait for them.
class ActServer::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(ActServer& server, base::FileDescriptor socket)
      : server_(server), connection_(std::make_shared<FrameConnection>(std::move(socket))) {}

  absl::Status ReceiveUntilOver() {
    for (;;) {
      v1::Frame frame;
      TW_RETURN_IF_ERROR(connection_->Receive(&frame));
      TW_RETURN_IF_ERROR(Take(frame));
    }
  }

  // Flows stay in the map until their threads have ended them: an act that waits for its instant is
  // not cut off, only unheard.
  void Lose() ABSL_LOCKS_EXCLUDED(mutex_) {
    connection_->Close();
    absl::MutexLock lock(&mutex_);
    for (const auto& [act, flow] : flows_) flow->Lose();
  }

 private:
  // Numbers rise by one, so that there is no doubt which act a frame belongs to, and no number can
  // be used twice: up to the last one it is of an act that runs or has ended.
  absl::Status Take(v1::Frame& frame) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (frame.has_end() || frame.has_asked()) {
      return absl::InvalidArgumentError("a step that is the vault's");
    }
    std::shared_ptr<ActFlow> flow;
    bool begins = false;
    {
      absl::MutexLock lock(&mutex_);
      begins = frame.act() == last_ + 1;
      if (!begins && (frame.act() == 0 || frame.act() > last_)) {
        return absl::InvalidArgumentError("an act's number is one more than the last");
      }
      if (const auto found = flows_.find(frame.act()); found != flows_.end()) flow = found->second;
    }
    if (begins) return Begin(frame);
    if (flow == nullptr) return absl::OkStatus();  // it was sent before our end came
    return flow->Receive(frame);
  }

  // The act's own thread reads even the Act, so that half of one blocks nobody. Where the machine
  // has no thread for it, it alone is refused: others of the session are other analysts'. A gate
  // that does not read that blocks itself.
  absl::Status Begin(v1::Frame& frame) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (!frame.has_part() && !frame.has_last_part()) {
      return absl::InvalidArgumentError("an act begins with a part of it");
    }
    const uint64_t act = frame.act();
    auto flow = std::make_shared<ActFlow>(connection_, act, server_.limits_.max_message_bytes,
                                          server_.held_);
    TW_RETURN_IF_ERROR(flow->Receive(frame));
    {
      absl::MutexLock lock(&mutex_);
      last_ = act;
      flows_[act] = flow;
    }
    const absl::Status begun =
        server_.Run([session = shared_from_this(), flow, act] { session->Answer(act, *flow); });
    if (absl::IsUnavailable(begun)) {
      End(act, *flow, begun);
      return absl::OkStatus();
    }
    absl::MutexLock lock(&mutex_);
    if (!begun.ok()) flows_.erase(act);
    return begun;
  }

  void Answer(uint64_t act, ActFlow& flow) ABSL_LOCKS_EXCLUDED(mutex_) {
    std::optional<absl::Status> answer;
    try {
      answer = Handle(flow);
    } catch (...) {  // its text may tell of documents
    }
    End(act, flow, std::move(answer));
  }

  // The flow is taken off and gives back its room before its end goes out: what the gate sends
  // before it has read that is dropped, and what it sends after finds the room. A refusal is told
  // rather than what the handler made of its stream's breaking off. Without the memory for an end
  // the session is over, or the gate would wait for it.
  void End(uint64_t act, ActFlow& flow, std::optional<absl::Status> answer)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    const absl::Status refusal = flow.Refusal();
    {
      absl::MutexLock lock(&mutex_);
      flows_.erase(act);
    }
    flow.GiveBack();
    try {
      if (!answer.has_value()) answer = absl::InternalError("the act could not be answered");
      v1::Frame frame;
      *frame.mutable_end() = EndOf(refusal.ok() ? *answer : refusal);
      flow.Send(std::move(frame));
    } catch (const std::bad_alloc&) {
      connection_->Close();
    }
  }

  // The Act is counted by what it takes in memory, which is known only once it is there: two bytes
  // may become a message of a hundred. Its own bytes go before it runs.
  absl::Status Handle(ActFlow& flow) {
    Stream stream(flow, server_.limits_.max_answer_bytes, server_.held_);
    std::string bytes;
    if (!stream.Next(&bytes)) return absl::CancelledError("the act was not sent whole");
    std::optional<Held> held;
    v1::Act act;
    {
      absl::MutexLock turn(&server_.parsing_);
      const bool parsed = act.ParseFromString(bytes) && act.call_case() != v1::Act::CALL_NOT_SET;
      held.emplace(server_.held_, static_cast<int64_t>(act.SpaceUsedLong()));
      if (!parsed || !held->has_room()) {
        act = v1::Act();
        return parsed ? HoldsTooMuch()
                      : absl::InvalidArgumentError("an act is a caller's name and one call");
      }
    }
    bytes = std::string();
    const absl::Status answer = server_.handler_.Handle(act, stream);
    return stream.refusal().ok() ? answer : stream.refusal();
  }

  ActServer& server_;
  const std::shared_ptr<FrameConnection> connection_;
  absl::Mutex mutex_;
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::shared_ptr<ActFlow>> flows_ ABSL_GUARDED_BY(mutex_);  // not ended
};

ActServer::ActServer(ActHandler& handler, Limits limits)
    : handler_(handler),
      limits_(limits),
      no_memory_(absl::ResourceExhaustedError("no memory for what the gate sends")),
      held_{.most = limits.max_held_bytes} {}

// Threads are detached and counted, because a session does not wait for its acts: somebody must,
// before the handler goes.
ActServer::~ActServer() {
  absl::MutexLock lock(&mutex_);
  over_ = true;
  given_.SignalAll();
  while (threads_ > 0) left_.Wait(&mutex_);
}

absl::Status ActServer::Serve(base::FileDescriptor socket) {
  absl::Status over = no_memory_;
  std::shared_ptr<Session> session;
  try {
    session = std::make_shared<Session>(*this, std::move(socket));
    over = session->ReceiveUntilOver();
  } catch (const std::bad_alloc&) {  // a gate's doing: it is to cost the gate its session
  }
  if (session != nullptr) session->Lose();
  return over;
}

// running_ counts at once, also what no thread has taken up yet, so that an act is never given to a
// thread that another act has been given to.
absl::Status ActServer::Run(std::function<void()> act) {
  absl::MutexLock lock(&mutex_);
  if (running_ >= limits_.most_acts) {
    return absl::ResourceExhaustedError("more acts at once than there may be");
  }
  // As many threads as acts, and no fewer: one that waits for its instant holds up no other.
  if (running_ < threads_) {
    acts_.push_back(std::move(act));
    ++running_;
    given_.Signal();
    return absl::OkStatus();
  }
  try {
    std::thread([this, act = std::move(act)]() mutable { RunActs(std::move(act)); }).detach();
  } catch (const std::system_error&) {
    return absl::UnavailableError("the server has no thread for one act more; try again later");
  }
  ++running_;
  ++threads_;
  return absl::OkStatus();
}

// An act that was given while this thread's wait ran out is still taken: whoever gave it counted on
// a thread.
void ActServer::RunActs(std::function<void()> act) {
  for (;;) {
    act();
    act = nullptr;  // what it holds goes now
    absl::MutexLock lock(&mutex_);
    --running_;
    const absl::Duration until = base::SteadyNow() + kIdle;
    while (acts_.empty() && !over_ && base::SteadyNow() < until) {
      given_.WaitFor(&mutex_, until - base::SteadyNow());
    }
    if (acts_.empty()) {
      --threads_;
      left_.SignalAll();
      return;
    }
    act = std::move(acts_.front());
    acts_.pop_front();
  }
}

}  // namespace topicwall::acts
