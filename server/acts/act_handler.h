// An act: one call of an analyst or auditor, as it crosses from the gate to the vault.
//
//   absl::Status Vault::Handle(const v1::Act& act, ActStream& stream) {
//     ... stream.Write(reply.SerializeAsString()) ...   // the RPC's reply messages, in order
//   }
//
// The gate says who calls and what with; what it says is a claim, and the vault decides by its own
// configuration. Two stand behind the interface: the vault itself (tests call it directly), and
// ActClient (act_client.h), which carries the act to a vault in another process.
//
// PUBLIC: what crosses is what the analyst sends and may read.
#ifndef TOPICWALL_SERVER_ACTS_ACT_HANDLER_H_
#define TOPICWALL_SERVER_ACTS_ACT_HANDLER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/vault.pb.h"

namespace topicwall::acts {

// The messages of one act, both ways, after the act itself; each serialized as its RPC has it.
// Threads: one at a time, but IsCancelled, which any may ask.
class ActStream {
 public:
  virtual ~ActStream() = default;
  // The caller's next message; false once there are no more.
  virtual bool Read(std::string* message) = 0;
  // False if nobody listens any more.
  virtual bool Write(absl::string_view message) = 0;
  // Whether the caller has gone.
  virtual bool IsCancelled() const = 0;
};

class ActHandler {
 public:
  virtual ~ActHandler() = default;
  // Returns when the act has been answered. Threads: any number of acts at once.
  virtual absl::Status Handle(const v1::Act& act, ActStream& stream) = 0;

  // The server goes down. First nothing is begun any more, and whoever waits in a line is sent
  // away; then everybody who still waits for anything is answered UNAVAILABLE at once.
  virtual void Drain() = 0;
  virtual void Interrupt() = 0;
};

}  // namespace topicwall::acts

#endif  // TOPICWALL_SERVER_ACTS_ACT_HANDLER_H_
