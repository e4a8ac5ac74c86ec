#include "server/gate/wall_service.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "proto/grpc_status.h"
#include "server/gate/peer_authentication.h"
#include "server/gate/release_call.h"
#include "server/gate/release_stream.h"
#include "server/vault/wall_queries.h"

namespace topicwall::server {
namespace {

constexpr int kVocabularyChunkTerms = 4096;

// A name that a request gives, as far as a name may be long.
std::string Shown(absl::string_view name) {
  constexpr size_t kLongestName = 64;
  return std::string(name.substr(0, kLongestName));
}

}  // namespace

grpc::Status WallService::Serve(const grpc::ServerContext& context, const CallNote& note,
                                absl::FunctionRef<absl::Status()> work) {
  const absl::StatusOr<AuthenticatedPeer> peer =
      PeerOf(*context.auth_context(), wall_.authorizer(), absl::Now());
  if (!peer.ok()) return proto::ToGrpcStatus(peer.status());
  const std::string& principal = peer->caller.principal;
  const absl::Status status = [&]() -> absl::Status {
    if (!wall_.connections().Claim(context.peer(), principal, peer->certificate.not_after)) {
      return absl::UnavailableError("too many connections at once; close some, then try again");
    }
    const std::optional<CallPlaces::Place> place = wall_.places().Take(principal);
    if (!place.has_value()) {
      return absl::UnavailableError("too many calls at once; nothing was changed, try again");
    }
    return work();
  }();
  wall_.storage().Saw(status);
  wall_.log().WriteBounded(principal, LogEvent::kRequestFinished,
                           {{LogField::kPrincipal, principal},
                            {LogField::kCertificate, peer->certificate.serial},
                            {LogField::kMethod, std::string(note.method)},
                            {LogField::kCorpus, Shown(note.corpus)},
                            {LogField::kPlan, Shown(note.plan_id)},
                            {LogField::kIteration, int64_t{note.iteration}},
                            {LogField::kCode, absl::StatusCodeToString(status.code())}});
  return proto::ToGrpcStatus(status);
}

absl::StatusOr<WallService::Admitted> WallService::Admit(const grpc::ServerContext& context,
                                                         absl::string_view corpus,
                                                         Activity activity) {
  TW_ASSIGN_OR_RETURN(const Caller caller, CallerOf(context, wall_.authorizer()));
  TW_ASSIGN_OR_RETURN(CorpusGrant grant, wall_.authorizer().Authorize(caller, corpus, activity));
  TW_ASSIGN_OR_RETURN(ServedCorpus * served, wall_.Find(corpus));
  return Admitted{.grant = std::move(grant), .corpus = served};
}

absl::StatusOr<Caller> WallService::Analyst(const grpc::ServerContext& context) {
  TW_ASSIGN_OR_RETURN(Caller caller, CallerOf(context, wall_.authorizer()));
  if (caller.is_auditor) return UnknownOrForeign();
  return caller;
}

absl::StatusOr<v1::PlanState> WallService::OwnPlan(const Caller& caller,
                                                   absl::string_view plan_id) {
  TW_ASSIGN_OR_RETURN(v1::PlanState plan, wall_.ledger().GetPlan(caller.principal, plan_id));
  TW_RETURN_IF_ERROR(
      wall_.authorizer().Authorize(caller, plan.plan().corpus(), Activity::kQuery).status());
  return plan;
}

grpc::Status WallService::DescribeCorpus(grpc::ServerContext* context,
                                         const v1::DescribeCorpusRequest* request,
                                         v1::CorpusDescription* reply) {
  return Serve(*context, {.method = "DescribeCorpus", .corpus = request->corpus()},
               [&]() -> absl::Status {
                 TW_ASSIGN_OR_RETURN(const Admitted admitted,
                                     Admit(*context, request->corpus(), Activity::kRead));
                 TW_ASSIGN_OR_RETURN(
                     *reply, server::DescribeCorpus(wall_, admitted.grant, *admitted.corpus));
                 return absl::OkStatus();
               });
}

grpc::Status WallService::GetVocabulary(grpc::ServerContext* context,
                                        const v1::GetVocabularyRequest* request,
                                        grpc::ServerWriter<v1::VocabularyChunk>* writer) {
  return Serve(*context, {.method = "GetVocabulary", .corpus = request->corpus()},
               [&]() -> absl::Status {
                 TW_ASSIGN_OR_RETURN(const Admitted admitted,
                                     Admit(*context, request->corpus(), Activity::kRead));
                 v1::VocabularyChunk chunk;
                 for (const std::string& term : admitted.corpus->store->vocabulary().terms()) {
                   chunk.add_terms(term);
                   if (chunk.terms_size() < kVocabularyChunkTerms) continue;
                   if (!writer->Write(chunk)) return ClientWentAway();
                   chunk.Clear();
                 }
                 if (chunk.terms_size() > 0 && !writer->Write(chunk)) return ClientWentAway();
                 return absl::OkStatus();
               });
}

grpc::Status WallService::PricePlan(grpc::ServerContext* context,
                                    const v1::PricePlanRequest* request, v1::PlanPrice* reply) {
  return Serve(
      *context, {.method = "PricePlan", .corpus = request->plan().corpus()}, [&]() -> absl::Status {
        TW_ASSIGN_OR_RETURN(const Admitted admitted,
                            Admit(*context, request->plan().corpus(), Activity::kQuery));
        TW_ASSIGN_OR_RETURN(
            *reply, server::PricePlan(wall_, admitted.grant, *admitted.corpus, request->plan(),
                                      [context] { return context->IsCancelled(); }));
        return absl::OkStatus();
      });
}

grpc::Status WallService::ReservePlan(grpc::ServerContext* context,
                                      const v1::ReservePlanRequest* request, v1::PlanState* reply) {
  return Serve(*context, {.method = "ReservePlan", .corpus = request->plan().corpus()},
               [&]() -> absl::Status {
                 TW_ASSIGN_OR_RETURN(const Admitted admitted,
                                     Admit(*context, request->plan().corpus(), Activity::kQuery));
                 absl::StatusOr<v1::PlanState> state =
                     server::ReservePlan(wall_, admitted.grant, *admitted.corpus, *request,
                                         [context] { return context->IsCancelled(); });
                 TW_RETURN_IF_ERROR(wall_.AnswerAct(*admitted.corpus, state.status()));
                 *reply = *std::move(state);
                 return absl::OkStatus();
               });
}

grpc::Status WallService::CancelPlan(grpc::ServerContext* context,
                                     const v1::CancelPlanRequest* request, v1::PlanState* reply) {
  return Serve(
      *context, {.method = "CancelPlan", .plan_id = request->plan_id()}, [&]() -> absl::Status {
        TW_ASSIGN_OR_RETURN(const Caller caller, Analyst(*context));
        TW_ASSIGN_OR_RETURN(const v1::PlanState plan, OwnPlan(caller, request->plan_id()));
        absl::StatusOr<v1::PlanState> state =
            wall_.ledger().Cancel(caller.principal, request->plan_id(), wall_.clock().NowMs());
        const ServedCorpus* corpus = wall_.FindVersion(plan.plan().corpus_version());
        TW_RETURN_IF_ERROR(corpus == nullptr ? state.status()
                                             : wall_.AnswerAct(*corpus, state.status()));
        *reply = *std::move(state);
        return absl::OkStatus();
      });
}

grpc::Status WallService::GetPlan(grpc::ServerContext* context, const v1::GetPlanRequest* request,
                                  v1::PlanState* reply) {
  return Serve(*context, {.method = "GetPlan", .plan_id = request->plan_id()},
               [&]() -> absl::Status {
                 TW_ASSIGN_OR_RETURN(const Caller caller, Analyst(*context));
                 TW_ASSIGN_OR_RETURN(*reply, OwnPlan(caller, request->plan_id()));
                 return absl::OkStatus();
               });
}

grpc::Status WallService::ListPlans(grpc::ServerContext* context,
                                    const v1::ListPlansRequest* request,
                                    v1::ListPlansResponse* reply) {
  return Serve(
      *context, {.method = "ListPlans", .corpus = request->corpus()}, [&]() -> absl::Status {
        TW_ASSIGN_OR_RETURN(const Caller caller, Analyst(*context));
        TW_ASSIGN_OR_RETURN(ledger::PlanPage page,
                            wall_.ledger().ListPlans({.principal = caller.principal,
                                                      .corpus = request->corpus(),
                                                      .page_size = request->page_size(),
                                                      .page_token = request->page_token()}));
        for (v1::PlanState& plan : page.plans) *reply->add_plans() = std::move(plan);
        reply->set_next_page_token(std::move(page.next_page_token));
        return absl::OkStatus();
      });
}

grpc::Status WallService::RunRelease(grpc::ServerContext* context, RunReleaseStream* stream) {
  return Serve(*context, {.method = "RunRelease"}, [&]() -> absl::Status {
    TW_ASSIGN_OR_RETURN(const Caller caller, Analyst(*context));
    return ServeRelease(wall_, caller, context, stream);
  });
}

grpc::Status WallService::GetRelease(grpc::ServerContext* context,
                                     const v1::GetReleaseRequest* request,
                                     grpc::ServerWriter<v1::ReleaseChunk>* writer) {
  return Serve(
      *context,
      {.method = "GetRelease", .plan_id = request->plan_id(), .iteration = request->iteration()},
      [&]() -> absl::Status {
        TW_ASSIGN_OR_RETURN(const Caller caller, Analyst(*context));
        TW_RETURN_IF_ERROR(OwnPlan(caller, request->plan_id()).status());
        ReleaseStream<grpc::ServerWriter<v1::ReleaseChunk>> sink(writer);
        return wall_.ledger().ReadRelease(caller.principal, request->plan_id(),
                                          request->iteration(), sink);
      });
}

grpc::Status WallService::GetBudget(grpc::ServerContext* context,
                                    const v1::GetBudgetRequest* request, v1::BudgetStatus* reply) {
  return Serve(*context, {.method = "GetBudget", .corpus = request->corpus()},
               [&]() -> absl::Status {
                 TW_ASSIGN_OR_RETURN(const Admitted admitted,
                                     Admit(*context, request->corpus(), Activity::kRead));
                 TW_ASSIGN_OR_RETURN(
                     *reply, server::GetBudget(wall_, admitted.grant, *admitted.corpus, *request,
                                               [context] { return context->IsCancelled(); }));
                 return absl::OkStatus();
               });
}

grpc::Status WallService::ReadLedger(grpc::ServerContext* context,
                                     const v1::ReadLedgerRequest* request,
                                     grpc::ServerWriter<v1::LedgerEntry>* writer) {
  return Serve(*context, {.method = "ReadLedger", .corpus = request->corpus()},
               [&]() -> absl::Status {
                 TW_ASSIGN_OR_RETURN(const Admitted admitted,
                                     Admit(*context, request->corpus(), Activity::kRead));
                 const Caller& caller = admitted.grant.caller;
                 return wall_.ledger().ReadEvents(
                     admitted.corpus->version,
                     {.principal = caller.principal, .is_auditor = caller.is_auditor},
                     request->first_sequence(), [&](const v1::LedgerEntry& entry) {
                       return writer->Write(entry) ? absl::OkStatus() : ClientWentAway();
                     });
               });
}

}  // namespace topicwall::server
