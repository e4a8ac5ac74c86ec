// The stream of an act that is all in its first message and is answered by one.
//
//   OneReply<v1::GateLimits> limits;
//   TW_RETURN_IF_ERROR(vault.Handle(act, limits));
//   limits.reply()
//
// Threads: the one that asks.
#ifndef TOPICWALL_SERVER_ACTS_ONE_REPLY_H_
#define TOPICWALL_SERVER_ACTS_ONE_REPLY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "base/threads/steady_wait.h"
#include "server/acts/act_handler.h"

namespace topicwall::acts {

template <typename Reply>
class OneReply final : public ActStream {
 public:
  // `over`: once it is notified, nobody waits for the answer any more. Null: never.
  explicit OneReply(const base::SteadyNotification* over = nullptr) : over_(over) {}

  bool Read(std::string*) override { return false; }
  bool Write(absl::string_view message) override {
    return reply_.ParseFromArray(message.data(), static_cast<int>(message.size()));
  }
  bool IsCancelled() const override { return over_ != nullptr && over_->HasBeenNotified(); }

  const Reply& reply() const { return reply_; }

 private:
  const base::SteadyNotification* const over_;
  Reply reply_;
};

}  // namespace topicwall::acts

#endif  // TOPICWALL_SERVER_ACTS_ONE_REPLY_H_
