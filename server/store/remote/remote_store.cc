#include "server/store/remote/remote_store.h"

#include <utility>

#include "base/status_macros.h"
#include "server/store/remote/store_messages.h"

namespace topicwall::store {
namespace {

// A page of entries, or a part of a blob: far less.
constexpr int64_t kMostBytesOfAnAnswer = int64_t{64} << 20;

absl::Status Lost() {
  return absl::UnavailableError(
      "the ledger's store does not answer: look at the server's log and at the database, then try "
      "again.");
}

std::optional<PlanRecord> PlanIn(const v1::StoreAnswer& answer) {
  if (!answer.has_plan()) return std::nullopt;
  return FromMessage(answer.plan());
}

}  // namespace

void RemoteStore::Attach(base::FileDescriptor session) {
  // Never under calls_mutex_: Ask holds that one while it waits for just this. The session before
  // lives on in a call that still reads from it, until that fails or is answered.
  absl::MutexLock lock(&session_mutex_);
  session_ = std::make_shared<MessagePipe>(std::move(session));
  attached_.SignalAll();
}

std::shared_ptr<MessagePipe> RemoteStore::AwaitSession() {
  const absl::Duration end = base::SteadyNow() + patience_;
  absl::MutexLock lock(&session_mutex_);
  while (session_ == nullptr && base::SteadyNow() < end) {
    attached_.WaitFor(&session_mutex_, end - base::SteadyNow());
  }
  return session_;
}

void RemoteStore::Drop(const std::shared_ptr<MessagePipe>& session) {
  {
    absl::MutexLock lock(&calls_mutex_);
    if (unanswered_ == session) unanswered_ = nullptr;
  }
  absl::MutexLock lock(&session_mutex_);
  // Not one that was attached while the caller failed with the one before.
  if (session_ == session) session_ = nullptr;
}

// Readable is as good as answered: whoever comes next takes what is owed.
bool RemoteStore::Stands() const {
  return unanswered_ != nullptr && base::SteadyNow() > asked_at_ + answer_patience_ &&
         !unanswered_->IsReadable(absl::ZeroDuration());
}

absl::Status RemoteStore::RequireInPlace() {
  absl::MutexLock lock(&calls_mutex_);
  return Stands() ? Lost() : absl::OkStatus();
}

// The right to call, until this goes. Not taken if the call before stands still; a long line of
// calls that are answered is waited for.
class RemoteStore::Turn {
 public:
  explicit Turn(RemoteStore& store) : store_(store) {
    constexpr absl::Duration kLook = absl::Milliseconds(50);
    absl::MutexLock lock(&store_.calls_mutex_);
    while (store_.is_called_ && !store_.Stands()) {
      store_.turn_ended_.WaitFor(&store_.calls_mutex_, kLook);
    }
    taken_ = !store_.is_called_;
    store_.is_called_ = true;
  }
  ~Turn() {
    if (!taken_) return;
    absl::MutexLock lock(&store_.calls_mutex_);
    store_.is_called_ = false;
    store_.turn_ended_.Signal();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool is_taken() const { return taken_; }

 private:
  RemoteStore& store_;
  bool taken_;
};

absl::Status RemoteStore::Await(const std::shared_ptr<MessagePipe>& session, absl::Duration at_most,
                                v1::StoreAnswer* answer) {
  if (!session->IsReadable(at_most)) return absl::DeadlineExceededError("the answer has not come");
  // An act's, too: what has begun is there, and a peer that keeps the rest back would hold up all.
  const absl::Status received = session->Receive(kMostBytesOfAnAnswer, answer, answer_patience_);
  // Where the next answer would begin nobody knows.
  if (absl::IsDeadlineExceeded(received)) Drop(session);
  return received;
}

// What is owed comes before the answer to anything else.
absl::Status RemoteStore::AskIn(const std::shared_ptr<MessagePipe>& session,
                                const v1::StoreCall& call, Kind kind, v1::StoreAnswer* answer) {
  bool is_owed = false;
  {
    absl::MutexLock lock(&calls_mutex_);
    is_owed = unanswered_ == session;
  }
  if (is_owed) {
    v1::StoreAnswer nobodys;
    TW_RETURN_IF_ERROR(Await(session, answer_patience_, &nobodys));
  }
  {
    absl::MutexLock lock(&calls_mutex_);
    unanswered_ = session;
    asked_at_ = base::SteadyNow();
  }
  TW_RETURN_IF_ERROR(session->Send(call));
  TW_RETURN_IF_ERROR(
      Await(session, kind.has_limit ? answer_patience_ : absl::InfiniteDuration(), answer));
  absl::MutexLock lock(&calls_mutex_);
  unanswered_ = nullptr;
  return absl::OkStatus();
}

// A session that is attached may be dead already, and so may the next.
absl::StatusOr<v1::StoreAnswer> RemoteStore::Ask(const v1::StoreCall& call, Kind kind) {
  constexpr int kSessions = 3;
  // Answers carry no number: which call one belongs to is known only while there is one call.
  const Turn turn(*this);
  if (!turn.is_taken()) return Lost();
  for (int tried = 0; tried < kSessions; ++tried) {
    const std::shared_ptr<MessagePipe> session = AwaitSession();
    if (session == nullptr) return Lost();
    v1::StoreAnswer answer;
    const absl::Status received = AskIn(session, call, kind, &answer);
    if (received.ok() && answer.code() == 0) return answer;
    if (received.ok()) {
      return absl::Status(static_cast<absl::StatusCode>(answer.code()), answer.message());
    }
    if (absl::IsDeadlineExceeded(received)) break;
    Drop(session);
    // The same message would be refused, or would come back unreadable, over any session.
    if (absl::IsInvalidArgument(received)) return received;
    // It may have been written before the session was lost. Sent again it would find its own events
    // and be told that another server was first.
    if (!kind.ask_again) break;
  }
  return Lost();
}

absl::Status RemoteStore::Create(const Identity& identity) {
  v1::StoreCall call;
  *call.mutable_create() = ToMessage(identity);
  return Ask(call, kAct).status();
}

absl::Status RemoteStore::Retire(const std::vector<Chain>& chains) {
  v1::StoreCall call;
  call.mutable_retire();
  for (const Chain& chain : chains) *call.mutable_retire()->add_chains() = ToMessage(chain);
  return Ask(call, kAct).status();
}

absl::StatusOr<Identity> RemoteStore::ReadIdentity() {
  v1::StoreCall call;
  call.mutable_read_identity();
  TW_ASSIGN_OR_RETURN(const v1::StoreAnswer answer, Ask(call, kQuestion));
  return FromMessage(answer.identity());
}

absl::StatusOr<std::vector<Chain>> RemoteStore::Chains() {
  v1::StoreCall call;
  call.mutable_chains();
  TW_ASSIGN_OR_RETURN(const v1::StoreAnswer answer, Ask(call, kQuestion));
  std::vector<Chain> chains;
  for (const v1::StoreChain& chain : answer.chains()) chains.push_back(FromMessage(chain));
  return chains;
}

absl::StatusOr<std::vector<v1::LedgerEntry>> RemoteStore::ReadEntries(absl::string_view budget_id,
                                                                      int64_t first,
                                                                      int64_t limit) {
  v1::StoreCall call;
  call.mutable_entries()->set_budget_id(std::string(budget_id));
  call.mutable_entries()->set_first(first);
  call.mutable_entries()->set_limit(limit);
  TW_ASSIGN_OR_RETURN(const v1::StoreAnswer answer, Ask(call, kQuestion));
  return std::vector<v1::LedgerEntry>(answer.entries().begin(), answer.entries().end());
}

absl::StatusOr<std::vector<OpenCharge>> RemoteStore::OpenCharges() {
  // There is no call for the rows alone: both cost one round trip.
  TW_ASSIGN_OR_RETURN(Moment moment, ReadMoment());
  return std::move(moment.open_charges);
}

absl::StatusOr<Moment> RemoteStore::ReadMoment() {
  v1::StoreCall call;
  call.mutable_moment();
  TW_ASSIGN_OR_RETURN(const v1::StoreAnswer answer, Ask(call, kQuestion));
  Moment moment;
  for (const v1::StoreChain& chain : answer.chains()) moment.chains.push_back(FromMessage(chain));
  for (const v1::StoreOpenCharge& row : answer.open_charges()) {
    moment.open_charges.push_back(FromMessage(row));
  }
  return moment;
}

absl::StatusOr<std::optional<PlanRecord>> RemoteStore::FindPlan(absl::string_view plan_id) {
  v1::StoreCall call;
  call.set_plan_id(std::string(plan_id));
  TW_ASSIGN_OR_RETURN(const v1::StoreAnswer answer, Ask(call, kQuestion));
  return PlanIn(answer);
}

absl::StatusOr<std::optional<PlanRecord>> RemoteStore::FindPlanByRequest(
    absl::string_view principal, absl::string_view request_id) {
  v1::StoreCall call;
  call.mutable_plan_request()->set_principal(std::string(principal));
  call.mutable_plan_request()->set_request_id(std::string(request_id));
  TW_ASSIGN_OR_RETURN(const v1::StoreAnswer answer, Ask(call, kQuestion));
  return PlanIn(answer);
}

absl::StatusOr<std::optional<std::string>> RemoteStore::ReadBlob(absl::string_view sha256,
                                                                 int64_t part) {
  v1::StoreCall call;
  call.mutable_blob()->set_sha256(std::string(sha256));
  call.mutable_blob()->set_part(part);
  TW_ASSIGN_OR_RETURN(v1::StoreAnswer answer, Ask(call, kQuestion));
  // By presence: a part of no bytes would be there.
  if (!answer.has_blob()) return std::nullopt;
  return std::move(*answer.mutable_blob());
}

absl::Status RemoteStore::Append(const Change& change) {
  v1::StoreCall call;
  *call.mutable_append() = ToMessage(change);
  return Ask(call, kAct).status();
}

absl::Status RemoteStore::CheckStructure() {
  v1::StoreCall call;
  call.mutable_check_structure();
  return Ask(call, {.ask_again = true, .has_limit = false}).status();
}

}  // namespace topicwall::store
