// The store of a shared ledger, seen from the vault or the custodian's program: every call crosses
// to topicwall-store, which alone speaks with the database (store_service.h).
//
//   RemoteStore store(/*patience=*/absl::Seconds(10), kAnswerPatience);
//   store.Attach(std::move(socket));        // again whenever the other process was started again
//
// Without a session a call waits for one, `patience` at most. A question whose session ends is
// asked again in the next; an Append is not: UNAVAILABLE, and it is in the store or not, wholly;
// that is told by the chains' heads, and by the ABORTED of whoever appends to what has moved.
//
// A database may stand still. A question waits for its answer for `answer_patience`, and whoever
// waits for a turn no longer than the call before does; then both are UNAVAILABLE. An Append waits
// for its answer for as long as the session lives, because nobody can tell what becomes of it, and
// the verification of all for as long as it takes. While a call has waited longer, RequireInPlace
// is UNAVAILABLE, so that no act begins. Of an answer that has begun all must come within
// `answer_patience`, or the session is hung up on.
//
// What comes is not trusted: whoever folds it holds it to its hashes. PRIVATE.
// Threads: any; one call at a time. Cost: that of the other side, and 50 µs.
#ifndef TOPICWALL_SERVER_STORE_REMOTE_REMOTE_STORE_H_
#define TOPICWALL_SERVER_STORE_REMOTE_REMOTE_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/file_descriptor.h"
#include "base/threads/steady_wait.h"
#include "proto/store.pb.h"
#include "server/store/event_store.h"
#include "server/store/remote/message_pipe.h"

namespace topicwall::store {

class RemoteStore final : public EventStore {
 public:
  // Longer than an honest question takes, and than one waits for a lock of the database's.
  static constexpr absl::Duration kAnswerPatience = absl::Seconds(12);

  explicit RemoteStore(absl::Duration patience, absl::Duration answer_patience = kAnswerPatience)
      : patience_(patience), answer_patience_(answer_patience) {}

  void Attach(base::FileDescriptor session) ABSL_LOCKS_EXCLUDED(session_mutex_);

  // A new ledger without budgets, in the database. ALREADY_EXISTS if it has one.
  absl::Status Create(const Identity& identity);
  // Puts the ledger away under another name, where no server finds it. ABORTED if it has other
  // chains than these.
  absl::Status Retire(const std::vector<Chain>& chains);

  absl::Status RequireInPlace() override;
  bool OthersWrite() const override { return true; }
  absl::StatusOr<Identity> ReadIdentity() override;
  absl::StatusOr<std::vector<Chain>> Chains() override;
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(absl::string_view budget_id,
                                                           int64_t first, int64_t limit) override;
  absl::StatusOr<std::vector<OpenCharge>> OpenCharges() override;
  absl::StatusOr<Moment> ReadMoment() override;
  absl::StatusOr<std::optional<PlanRecord>> FindPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::optional<PlanRecord>> FindPlanByRequest(
      absl::string_view principal, absl::string_view request_id) override;
  absl::StatusOr<std::optional<std::string>> ReadBlob(absl::string_view sha256,
                                                      int64_t part) override;
  absl::Status Append(const Change& change) override;
  absl::Status CheckStructure() override;

 private:
  class Turn;
  bool Stands() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(calls_mutex_);
  struct Kind {
    bool ask_again;  // if its session ends
    bool has_limit;  // if its answer does not come
  };
  static constexpr Kind kQuestion = {.ask_again = true, .has_limit = true};
  static constexpr Kind kAct = {.ask_again = false, .has_limit = false};
  absl::StatusOr<v1::StoreAnswer> Ask(const v1::StoreCall& call, Kind kind)
      ABSL_LOCKS_EXCLUDED(session_mutex_);
  // DEADLINE_EXCEEDED if the answer, or that of the call before, did not come: it is owed, or,
  // where it had begun, the session is dropped. In turn.
  absl::Status AskIn(const std::shared_ptr<MessagePipe>& session, const v1::StoreCall& call,
                     Kind kind, v1::StoreAnswer* answer);
  absl::Status Await(const std::shared_ptr<MessagePipe>& session, absl::Duration at_most,
                     v1::StoreAnswer* answer);
  // Null if none came in time.
  std::shared_ptr<MessagePipe> AwaitSession() ABSL_LOCKS_EXCLUDED(session_mutex_);
  void Drop(const std::shared_ptr<MessagePipe>& session) ABSL_LOCKS_EXCLUDED(session_mutex_);

  const absl::Duration patience_;
  const absl::Duration answer_patience_;
  absl::Mutex calls_mutex_;
  base::SteadyCondVar turn_ended_;
  // Of a call whose answer has not come: also once nobody waits for it.
  bool is_called_ ABSL_GUARDED_BY(calls_mutex_) = false;
  std::shared_ptr<MessagePipe> unanswered_ ABSL_GUARDED_BY(calls_mutex_);
  absl::Duration asked_at_ ABSL_GUARDED_BY(calls_mutex_);  // by SteadyNow
  absl::Mutex session_mutex_;
  base::SteadyCondVar attached_;
  std::shared_ptr<MessagePipe> session_ ABSL_GUARDED_BY(session_mutex_);
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_REMOTE_REMOTE_STORE_H_
