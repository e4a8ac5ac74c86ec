// Whatever bytes a gate sends (server/acts/act_server.h): its session ends, and the acts that
// reached the handler are whole.
//
// Input: all that is sent before the gate hangs up. Accepted: every frame kept to the rules.
#include <sys/socket.h>

#include "server/acts/act_server.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

constexpr int64_t kMaxMessageBytes = 1000;

class Echo : public acts::ActHandler {
 public:
  absl::Status Handle(const v1::Act& act, acts::ActStream& stream) override {
    Require(act.call_case() != v1::Act::CALL_NOT_SET, "an act has a call");
    std::string message;
    while (stream.Read(&message)) {
      Require(static_cast<int64_t>(message.size()) <= kMaxMessageBytes, "a message is bounded");
      stream.Write(message);
    }
    return absl::OkStatus();
  }
  void Drain() override {}
  void Interrupt() override {}
};

Verdict Run(absl::string_view input) {
  int ends[2];
  Require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there are sockets");
  const base::FileDescriptor gate(ends[0]);
  // What the kernel does not take at once is cut off: nobody reads yet.
  send(gate.get(), input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(gate.get(), SHUT_WR);
  Echo echo;
  acts::ActServer server(
      echo, {.most_acts = 20, .max_message_bytes = kMaxMessageBytes, .max_held_bytes = 10000});
  const absl::Status over = server.Serve(base::FileDescriptor(ends[1]));
  if (absl::IsOutOfRange(over)) return Verdict::kAccepted;
  return Refuse(
      over, {.codes = {absl::StatusCode::kInvalidArgument, absl::StatusCode::kResourceExhausted}});
}

std::string OnWire(const v1::Frame& frame) {
  const std::string bytes = frame.SerializeAsString();
  std::string wire;
  for (int i = 0; i < 4; ++i) wire.push_back(static_cast<char>(bytes.size() >> (8 * i) & 0xff));
  return wire + bytes;
}

// An act and a message in two parts; then what ends it.
std::vector<std::string> Seeds() {
  v1::Act act;
  act.set_principal("alice");
  act.mutable_run_release()->set_plan_id("plan");
  v1::Frame begin, part, last, no_more, cancelled;
  for (v1::Frame* frame : {&begin, &part, &last, &no_more, &cancelled}) frame->set_act(1);
  begin.set_last_part(act.SerializeAsString());
  part.set_part("hal");
  last.set_last_part("ves");
  no_more.set_no_more(true);
  cancelled.set_cancelled(true);
  const std::string upload = OnWire(begin) + OnWire(part) + OnWire(last);
  return {"", upload, upload + OnWire(no_more), upload + OnWire(cancelled)};
}

[[maybe_unused]] const bool registered = Register({.name = "frames", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
