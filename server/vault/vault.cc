// An act in three questions: who calls (Authenticate), what they may (Admit for a corpus, OwnPlan
// for a plan), what the answer is. The gate is believed in the name alone, so everything else is
// asked here, also what it may have asked before.
#include "server/vault/vault.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "proto/release_spec.h"
#include "server/vault/private_e_step.h"
#include "server/vault/release_act.h"
#include "server/vault/release_stream.h"
#include "server/vault/start_checks.h"
#include "server/vault/wall_queries.h"

namespace topicwall::server {
namespace {

constexpr int kVocabularyChunkTerms = 4096;
// What a message may hold beside weights and options of a plan, or beside a chunk of parameters.
constexpr int64_t kFrameBytes = int64_t{64} << 10;
constexpr int64_t kChunkBytes = int64_t{1} << 20;

// An act whose answer is one message.
template <typename Message>
absl::Status SendOne(absl::StatusOr<Message> answer, acts::ActStream& stream) {
  TW_RETURN_IF_ERROR(answer.status());
  return Send(*std::move(answer), stream);
}

Cancelled IsCancelled(const acts::ActStream& stream) {
  return [&stream] { return stream.IsCancelled(); };
}

}  // namespace

Vault::Vault(Wall* wall) : wall_(*wall) {
  // What cannot be done now is when it is asked for.
  wall_.storage().Saw(wall_.BeginServing());
  // Before anybody can ask for them.
  publisher_ = std::thread(
      [this, unfinished = RestartUnfinished(wall_)] { PublishUnfinished(wall_, unfinished); });
}

Vault::~Vault() {
  Interrupt();
  publisher_.join();
}

void Vault::Drain() {
  draining_ = true;
  wall_.pricing().Close();
  wall_.queue().Close();
}

void Vault::Interrupt() { wall_.Interrupt(); }

// The edge of the vault: nothing leaves it but a status and messages, and no text of an exception,
// which might say something of documents.
absl::Status Vault::Handle(const v1::Act& act, acts::ActStream& stream) {
  absl::Status answered;
  try {
    answered = Answer(act, stream);
  } catch (...) {  // of memory, most likely: nothing that may say more than that
    answered = absl::InternalError("the server could not answer; try again, or ask the custodian");
  }
  wall_.storage().Saw(answered);
  return answered;
}

// The gate's own two questions have no caller; what they are answered is public.
absl::Status Vault::Answer(const v1::Act& act, acts::ActStream& stream) {
  if (act.has_custodian()) return absl::PermissionDeniedError("the gate is not the custodian");
  if (act.call_case() == v1::Act::kGetLimits) return GetLimits(stream);
  if (act.call_case() == v1::Act::kAwaitMove) return AwaitMove(act.await_move(), stream);
  TW_ASSIGN_OR_RETURN(const Caller caller, wall_.authorizer().Authenticate(act.principal()));
  switch (act.call_case()) {
    case v1::Act::kDescribeCorpus:
    case v1::Act::kGetVocabulary:
    case v1::Act::kGetBudget:
    case v1::Act::kReadLedger:
      return AnswerReader(caller, act, stream);
    default:
      return AnswerAnalyst(caller, act, stream);
  }
}

// What auditors may ask, too.
absl::Status Vault::AnswerReader(const Caller& caller, const v1::Act& act,
                                 acts::ActStream& stream) {
  const auto admit = [&](absl::string_view corpus) {
    return Admit(caller, corpus, Activity::kRead);
  };
  switch (act.call_case()) {
    case v1::Act::kDescribeCorpus: {
      TW_ASSIGN_OR_RETURN(const Admitted admitted, admit(act.describe_corpus().corpus()));
      return SendOne(DescribeCorpus(wall_, admitted.grant, *admitted.corpus), stream);
    }
    case v1::Act::kGetVocabulary: {
      TW_ASSIGN_OR_RETURN(const Admitted admitted, admit(act.get_vocabulary().corpus()));
      return GetVocabulary(*admitted.corpus, stream);
    }
    case v1::Act::kGetBudget: {
      TW_ASSIGN_OR_RETURN(const Admitted admitted, admit(act.get_budget().corpus()));
      return SendOne(
          GetBudget(wall_, admitted.grant, *admitted.corpus, act.get_budget(), IsCancelled(stream)),
          stream);
    }
    default: {
      TW_ASSIGN_OR_RETURN(const Admitted admitted, admit(act.read_ledger().corpus()));
      return ReadLedger(admitted, act.read_ledger(), stream);
    }
  }
}

// Prices and reservations ask Authorize, which tells an auditor what they lack. No plan is an
// auditor's.
absl::Status Vault::AnswerAnalyst(const Caller& caller, const v1::Act& act,
                                  acts::ActStream& stream) {
  if (act.call_case() == v1::Act::kPricePlan) {
    return SendOne(PricePlan(caller, act.price_plan(), stream), stream);
  }
  if (act.call_case() == v1::Act::kReservePlan) {
    return SendOne(ReservePlan(caller, act.reserve_plan(), stream), stream);
  }
  if (caller.is_auditor) {
    const absl::StatusOr<v1::ListPlansResponse> none = v1::ListPlansResponse();
    if (act.has_list_plans()) return SendOne(none, stream);
    return UnknownOrForeign();
  }
  switch (act.call_case()) {
    case v1::Act::kCancelPlan:
      return SendOne(CancelPlan(caller, act.cancel_plan().plan_id()), stream);
    case v1::Act::kGetPlan:
      return SendOne(OwnPlan(caller, act.get_plan().plan_id()), stream);
    case v1::Act::kListPlans:
      return SendOne(ListPlans(caller, act.list_plans()), stream);
    case v1::Act::kRunRelease:
      return AnswerRelease(wall_, caller, act.run_release(), stream);
    case v1::Act::kGetRelease:
      return GetRelease(caller, act.get_release(), stream);
    default:
      return absl::InvalidArgumentError("an act must be one of the wall's calls");
  }
}

// The right first: whether a corpus is ready is told to those alone who may use it.
absl::StatusOr<Vault::Admitted> Vault::Admit(const Caller& caller, absl::string_view corpus,
                                             Activity activity) {
  TW_ASSIGN_OR_RETURN(CorpusGrant grant, wall_.authorizer().Authorize(caller, corpus, activity));
  TW_ASSIGN_OR_RETURN(ServedCorpus * served, wall_.Find(corpus));
  return Admitted{.grant = std::move(grant), .corpus = served};
}

// Also for reading: since the plan was reserved, access may have been withdrawn.
absl::StatusOr<v1::PlanState> Vault::OwnPlan(const Caller& caller, absl::string_view plan_id) {
  TW_ASSIGN_OR_RETURN(v1::PlanState plan, wall_.ledger().GetPlan(caller.principal, plan_id));
  TW_RETURN_IF_ERROR(
      wall_.authorizer().Authorize(caller, plan.plan().corpus(), Activity::kQuery).status());
  return plan;
}

// A plan with weights for the largest vocabulary and the longest options is the largest message;
// parameters come in chunks.
int64_t Vault::LargestRequestBytes() const {
  int64_t largest = kChunkBytes;
  for (const ServedCorpus& corpus : wall_.corpora()) {
    const auto terms = static_cast<int64_t>(corpus.store->description().vocabulary->size());
    largest = std::max(
        largest, terms * int64_t{sizeof(float)} + static_cast<int64_t>(proto::kMaxOptionBytes));
  }
  return largest + kFrameBytes;
}

absl::Status Vault::GetLimits(acts::ActStream& stream) {
  v1::GateLimits limits;
  limits.set_largest_message_bytes(LargestRequestBytes());
  return Send(limits, stream);
}

// Reservations end by themselves, also while people only look; and another server of the ledger may
// date its events by a clock that is far ahead.
void Vault::LookAtTime() {
  constexpr int64_t kBetweenLooksMs = 60'000;
  const int64_t now_ms = wall_.clock().NowMs();
  int64_t next_ms = next_look_ms_;
  if (now_ms < next_ms) return;
  if (!next_look_ms_.compare_exchange_strong(next_ms, now_ms + kBetweenLooksMs)) return;
  wall_.storage().Saw(wall_.CancelExpired());
  const absl::Status dated = RequireLastEventBefore(absl::FromUnixMillis(now_ms), wall_.ledger());
  const bool is_ahead = absl::IsFailedPrecondition(dated);
  if (is_ahead && !was_ahead_) wall_.log().Alarm(kAlarmLedgerAhead, "");
  was_ahead_ = is_ahead;
}

// The gate always waits here, so that what nobody asks for is done here, too. Nobody hurries:
// whoever acts is answered by their own act's end.
absl::Status Vault::AwaitMove(const v1::AwaitMoveRequest& request, acts::ActStream& stream) {
  constexpr absl::Duration kLook = absl::Milliseconds(50);
  v1::PublicState state;
  do {
    if (draining_) return absl::UnavailableError("the server is going down");
    if (stream.IsCancelled()) return absl::CancelledError("nobody waits for the answer");
    LookAtTime();
    state.set_heads(wall_.ledger().AwaitMove(request.known_heads(), kLook));
  } while (state.heads() == request.known_heads());
  return Send(state, stream);
}

absl::Status Vault::GetVocabulary(const ServedCorpus& corpus, acts::ActStream& stream) {
  v1::VocabularyChunk chunk;
  for (const std::string& term : corpus.store->vocabulary().terms()) {
    chunk.add_terms(term);
    if (chunk.terms_size() < kVocabularyChunkTerms) continue;
    TW_RETURN_IF_ERROR(Send(std::exchange(chunk, {}), stream));
  }
  return chunk.terms_size() > 0 ? Send(std::move(chunk), stream) : absl::OkStatus();
}

absl::Status Vault::ReadLedger(const Admitted& admitted, const v1::ReadLedgerRequest& request,
                               acts::ActStream& stream) {
  const Caller& caller = admitted.grant.caller;
  return wall_.ledger().ReadEvents(
      admitted.corpus->version, {.principal = caller.principal, .is_auditor = caller.is_auditor},
      request.first_sequence(),
      [&](v1::LedgerEntry entry) { return Send(std::move(entry), stream); });
}

absl::StatusOr<v1::PlanPrice> Vault::PricePlan(const Caller& caller,
                                               const v1::PricePlanRequest& request,
                                               acts::ActStream& stream) {
  TW_ASSIGN_OR_RETURN(const Admitted admitted,
                      Admit(caller, request.plan().corpus(), Activity::kQuery));
  return server::PricePlan(wall_, admitted.grant, *admitted.corpus, request.plan(),
                           IsCancelled(stream));
}

// An act that writes may have waited for another one's writing, a release's above all. So it is
// answered at a multiple of 10 ms, as is CancelPlan.
absl::StatusOr<v1::PlanState> Vault::ReservePlan(const Caller& caller,
                                                 const v1::ReservePlanRequest& request,
                                                 acts::ActStream& stream) {
  TW_ASSIGN_OR_RETURN(const Admitted admitted,
                      Admit(caller, request.plan().corpus(), Activity::kQuery));
  absl::StatusOr<v1::PlanState> state =
      server::ReservePlan(wall_, admitted.grant, *admitted.corpus, request, IsCancelled(stream));
  TW_RETURN_IF_ERROR(wall_.AnswerAct(*admitted.corpus, state.status()));
  return state;
}

absl::StatusOr<v1::PlanState> Vault::CancelPlan(const Caller& caller, absl::string_view plan_id) {
  TW_ASSIGN_OR_RETURN(const v1::PlanState plan, OwnPlan(caller, plan_id));
  absl::StatusOr<v1::PlanState> state =
      wall_.ledger().Cancel(caller.principal, plan_id, wall_.clock().NowMs());
  const ServedCorpus* corpus = wall_.FindVersion(plan.plan().corpus_version());
  if (corpus != nullptr) TW_RETURN_IF_ERROR(wall_.AnswerAct(*corpus, state.status()));
  return state;
}

absl::StatusOr<v1::ListPlansResponse> Vault::ListPlans(const Caller& caller,
                                                       const v1::ListPlansRequest& request) {
  TW_ASSIGN_OR_RETURN(ledger::PlanPage page,
                      wall_.ledger().ListPlans({.principal = caller.principal,
                                                .corpus = request.corpus(),
                                                .page_size = request.page_size(),
                                                .page_token = request.page_token()}));
  v1::ListPlansResponse response;
  for (v1::PlanState& plan : page.plans) *response.add_plans() = std::move(plan);
  response.set_next_page_token(std::move(page.next_page_token));
  return response;
}

absl::Status Vault::GetRelease(const Caller& caller, const v1::GetReleaseRequest& request,
                               acts::ActStream& stream) {
  TW_RETURN_IF_ERROR(OwnPlan(caller, request.plan_id()).status());
  ReleaseStream sink(&stream);
  return wall_.ledger().ReadRelease(caller.principal, request.plan_id(), request.iteration(), sink);
}

}  // namespace topicwall::server
