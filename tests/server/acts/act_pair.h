// What the tests of server/acts/ share: real pairs of sockets, handlers, callers, and a peer that
// sends whatever it is told to.
#ifndef TOPICWALL_TESTS_SERVER_ACTS_ACT_PAIR_H_
#define TOPICWALL_TESTS_SERVER_ACTS_ACT_PAIR_H_

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/acts/act_client.h"
#include "server/acts/act_server.h"
#include "server/acts/frame_connection.h"

namespace topicwall::acts {

struct SocketPair {
  explicit SocketPair(int buffer_bytes = 0) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    for (const int end : ends) {
      if (buffer_bytes == 0) continue;
      setsockopt(end, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof(buffer_bytes));
      setsockopt(end, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof(buffer_bytes));
    }
    gate = base::FileDescriptor(ends[0]);
    vault = base::FileDescriptor(ends[1]);
  }
  base::FileDescriptor gate{-1};
  base::FileDescriptor vault{-1};
};

inline std::string LittleEndian(uint32_t length) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(length >> (8 * i) & 0xff));
  return bytes;
}

inline std::string OnWire(const v1::Frame& frame) {
  const std::string bytes = frame.SerializeAsString();
  return LittleEndian(static_cast<uint32_t>(bytes.size())) + bytes;
}

inline v1::Frame Step(uint64_t act) {
  v1::Frame frame;
  frame.set_act(act);
  return frame;
}
inline v1::Frame Part(uint64_t act, std::string bytes) {
  v1::Frame frame = Step(act);
  frame.set_part(std::move(bytes));
  return frame;
}
inline v1::Frame LastPart(uint64_t act, std::string bytes) {
  v1::Frame frame = Step(act);
  frame.set_last_part(std::move(bytes));
  return frame;
}
inline v1::Frame NoMore(uint64_t act) {
  v1::Frame frame = Step(act);
  frame.set_no_more(true);
  return frame;
}
inline v1::Frame Asked(uint64_t act) {
  v1::Frame frame = Step(act);
  frame.set_asked(true);
  return frame;
}
inline v1::Frame Cancelled(uint64_t act) {
  v1::Frame frame = Step(act);
  frame.set_cancelled(true);
  return frame;
}
inline v1::Frame Credit(uint64_t act, int64_t credit) {
  v1::Frame frame = Step(act);
  frame.set_credit(credit);
  return frame;
}
inline v1::Frame End(uint64_t act) {
  v1::Frame frame = Step(act);
  frame.mutable_end()->set_code(0);
  return frame;
}

// Asks for the budget of `corpus`; the echo below answers with the name of both.
inline v1::Act BudgetAct(const std::string& corpus) {
  v1::Act act;
  act.set_principal("alice");
  act.mutable_get_budget()->set_corpus(corpus);
  return act;
}
inline v1::Act ReleaseAct() {
  v1::Act act;
  act.set_principal("alice");
  act.mutable_run_release()->set_plan_id("plan");
  return act;
}

// A peer that keeps to no rule.
class RawPeer {
 public:
  explicit RawPeer(base::FileDescriptor socket)
      : number_(socket.get()), connection_(std::move(socket)) {}

  void SendBytes(const std::string& bytes) {
    for (size_t sent = 0; sent < bytes.size();) {
      const ssize_t now = send(number_, &bytes[sent], bytes.size() - sent, MSG_NOSIGNAL);
      if (now < 0) return;  // the other side has had enough
      sent += static_cast<size_t>(now);
    }
  }
  void Send(const v1::Frame& frame) { SendBytes(OnWire(frame)); }
  void StopSending() { shutdown(number_, SHUT_WR); }
  void HangUp() { connection_.Close(); }

  // The next frame; without a step once the connection is closed.
  v1::Frame Receive() {
    v1::Frame frame;
    if (!connection_.Receive(&frame).ok()) frame.Clear();
    return frame;
  }
  // Ends of other acts are kept until they are asked for, everything else is let go.
  v1::Frame ReceiveEnd(uint64_t act) {
    for (;;) {
      if (const auto kept = ends_.extract(act); !kept.empty()) return kept.mapped();
      v1::Frame frame = Receive();
      if (frame.step_case() == v1::Frame::STEP_NOT_SET) return frame;
      if (frame.has_end()) ends_[frame.act()] = frame;
    }
  }
  bool SeesTheConnectionClosed() {
    while (Receive().step_case() != v1::Frame::STEP_NOT_SET) {
    }
    char byte;
    return recv(number_, &byte, 1, 0) <= 0;
  }

 private:
  const int number_;
  FrameConnection connection_;
  std::map<uint64_t, v1::Frame> ends_;
};

class FunctionHandler : public ActHandler {
 public:
  using Function = std::function<absl::Status(const v1::Act&, ActStream&)>;
  explicit FunctionHandler(Function function) : function_(std::move(function)) {}

  absl::Status Handle(const v1::Act& act, ActStream& stream) override {
    ++calls_;
    return function_(act, stream);
  }
  void Drain() override {}
  void Interrupt() override {}
  int calls() const { return calls_; }

 private:
  const Function function_;
  std::atomic<int> calls_ = 0;
};

// Every message of a release comes back as values; a budget has the names of corpus and caller.
inline absl::Status Echo(const v1::Act& act, ActStream& stream) {
  if (act.has_get_budget()) {
    const bool heard = stream.Write(act.get_budget().corpus() + " of " + act.principal());
    return heard ? absl::OkStatus() : absl::CancelledError("gone");
  }
  std::string message;
  while (stream.Read(&message)) {
    if (!stream.Write(message)) return absl::CancelledError("gone");
  }
  return stream.IsCancelled() ? absl::CancelledError("gone") : absl::OkStatus();
}

inline void WaitUntilCancelled(const ActStream& stream) {
  while (!stream.IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
}

// A call of the gate's: what it sends, and what was delivered to it.
class Caller : public ActStream {
 public:
  explicit Caller(std::vector<std::string> messages = {}) : messages_(std::move(messages)) {}

  bool Read(std::string* message) override {
    if (before_read) before_read(read_);
    if (cancelled || read_ == messages_.size()) return false;
    *message = messages_[read_++];
    return true;
  }
  bool Write(absl::string_view message) override {
    if (before_write) before_write();
    delivered.emplace_back(message);
    return !cancelled;
  }
  bool IsCancelled() const override { return cancelled; }

  std::function<void(size_t)> before_read;  // with how many messages were read
  std::function<void()> before_write;
  std::vector<std::string> delivered;
  std::atomic<bool> cancelled = false;

 private:
  const std::vector<std::string> messages_;
  size_t read_ = 0;
};

// A vault: serves one session after another on a thread of its own.
class Vault {
 public:
  explicit Vault(ActHandler& handler, ActServer::Limits limits = {}) : server_(handler, limits) {}
  ~Vault() {
    if (thread_.joinable()) thread_.join();
  }
  void Serve(base::FileDescriptor socket) {
    Over().IgnoreError();
    thread_ = std::thread(
        [this, end = std::move(socket)]() mutable { over_ = server_.Serve(std::move(end)); });
  }
  // How the session ended; waits for it.
  absl::Status Over() {
    if (thread_.joinable()) thread_.join();
    return over_;
  }

 private:
  ActServer server_;
  absl::Status over_;
  std::thread thread_;
};

}  // namespace topicwall::acts

#endif  // TOPICWALL_TESTS_SERVER_ACTS_ACT_PAIR_H_
