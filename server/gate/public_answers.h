// What the vault has answered, for whoever asks the same again while the chains stand still.
//
//   PublicAnswers answers(vault);                  // the vault, with a memory before it
//   return answers.Handle(act, stream);
//
// Descriptions, vocabularies, plans, budgets and ledgers follow from the configuration and the
// chains. So an answer holds until the chains move: then the vault says so, and whoever acted
// through this gate sees the move before the end of their own act. Between two moves a question
// reaches the vault once: who asks often takes nothing from those who compute, and while the vault
// is down or busy what is known is still told.
//
// Nothing but what the vault has answered to the same principal's same question is told, and no
// refusal is kept. Whether an answer came from memory tells when somebody acted, which the chain's
// heads tell as well.
//
// PUBLIC. Threads: any, and one of its own. Memory: kMostBytes.
#ifndef TOPICWALL_SERVER_GATE_PUBLIC_ANSWERS_H_
#define TOPICWALL_SERVER_GATE_PUBLIC_ANSWERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "absl/status/status.h"
#include "base/threads/steady_wait.h"
#include "server/acts/act_handler.h"
#include "server/acts/answer_cache.h"

namespace topicwall::server {

class PublicAnswers final : public acts::ActHandler {
 public:
  static constexpr size_t kMostBytes = size_t{16} << 20;

  // `vault` must outlive it.
  explicit PublicAnswers(acts::ActHandler& vault);
  // Once no Handle runs.
  ~PublicAnswers() override;

  absl::Status Handle(const v1::Act& act, acts::ActStream& stream) override;
  void Drain() override { vault_.Drain(); }
  void Interrupt() override { vault_.Interrupt(); }

 private:
  absl::Status HandleQuestion(const v1::Act& act, acts::ActStream& stream);
  void FollowMoves();

  acts::ActHandler& vault_;
  acts::AnswerCache answers_;
  std::atomic<int64_t> moves_ = 0;  // part of every key: what was kept before is not found after
  base::SteadyNotification over_;
  std::thread follower_;  // last: it uses all of the above
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_PUBLIC_ANSWERS_H_
