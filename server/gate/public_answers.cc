// The number of moves is part of every key. So nothing has to be taken out when the chains move:
// what was kept under an older number is not asked for again, and makes room in time. Only what
// ended well is kept: a refusal may rest on more than chains and configuration.
#include "server/gate/public_answers.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/acts/one_reply.h"

namespace topicwall::server {
namespace {

// After an error of the vault's: it restarts, or goes down.
constexpr absl::Duration kAskAgain = absl::Seconds(1);
// Of one answer: a long ledger shall not make everybody else's go.
constexpr size_t kMostBytesOfOne = PublicAnswers::kMostBytes / 8;

bool IsQuestion(const v1::Act& act) {
  switch (act.call_case()) {
    case v1::Act::kDescribeCorpus:
    case v1::Act::kGetVocabulary:
    case v1::Act::kGetPlan:
    case v1::Act::kListPlans:
    case v1::Act::kGetBudget:
    case v1::Act::kReadLedger:
      return true;
    default:
      return false;
  }
}

// Lets an answer through and remembers it, unless it is long.
class RememberingStream final : public acts::ActStream {
 public:
  explicit RememberingStream(acts::ActStream& caller) : caller_(caller) {}

  bool Read(std::string* message) override { return caller_.Read(message); }
  bool Write(absl::string_view message) override {
    bytes_ += message.size();
    if (bytes_ <= kMostBytesOfOne) answer_.emplace_back(message);
    return caller_.Write(message);
  }
  bool IsCancelled() const override { return caller_.IsCancelled(); }

  bool IsWhole() const { return bytes_ <= kMostBytesOfOne; }
  acts::Answer Take() { return std::move(answer_); }

 private:
  acts::ActStream& caller_;
  acts::Answer answer_;
  size_t bytes_ = 0;
};

}  // namespace

PublicAnswers::PublicAnswers(acts::ActHandler& vault)
    : vault_(vault), answers_(kMostBytes), follower_([this] { FollowMoves(); }) {}

PublicAnswers::~PublicAnswers() {
  over_.Notify();
  follower_.join();
}

// An act that may have moved the chains counts as a move before its caller is told its end: what
// they ask next is asked of the vault.
absl::Status PublicAnswers::Handle(const v1::Act& act, acts::ActStream& stream) {
  if (IsQuestion(act)) return HandleQuestion(act, stream);
  absl::Status answered = vault_.Handle(act, stream);
  ++moves_;
  return answered;
}

// The number is read before the vault is asked: of an answer that was on its way during a move
// nobody can say which side it is of, and it is kept under the number from before.
absl::Status PublicAnswers::HandleQuestion(const v1::Act& act, acts::ActStream& stream) {
  const int64_t moves = moves_;
  const std::string key = absl::StrCat(moves, "\n", act.SerializeAsString());
  if (const auto known = answers_.Find(key); known.has_value()) {
    for (const std::string& message : *known) {
      if (!stream.Write(message)) return absl::CancelledError("the caller has gone");
    }
    return absl::OkStatus();
  }
  RememberingStream remembering(stream);
  absl::Status answered = vault_.Handle(act, remembering);
  if (answered.ok() && remembering.IsWhole()) answers_.Keep(key, remembering.Take());
  return answered;
}

// An error forgets nothing: what is known is still told while the vault is away, and its heads are
// compared when it is back.
void PublicAnswers::FollowMoves() {
  std::string known;
  while (!over_.HasBeenNotified()) {
    v1::Act act;
    act.mutable_await_move()->set_known_heads(known);
    acts::OneReply<v1::PublicState> state(&over_);
    if (!vault_.Handle(act, state).ok()) {
      over_.WaitFor(kAskAgain);
    } else if (known != state.reply().heads()) {
      known = state.reply().heads();
      ++moves_;
    }
  }
}

}  // namespace topicwall::server
