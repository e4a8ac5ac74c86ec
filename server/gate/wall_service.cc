// A method makes an act of its request and a stream of gRPC's writer, and nothing more. Who may do
// what is not for here to check: whoever has taken over the gate leaves the check out, so the vault
// needs it anyway.
#include "server/gate/wall_service.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "proto/grpc_status.h"
#include "server/gate/peer_authentication.h"
#include "server/gate/rpc_stream.h"

namespace topicwall::server {
namespace {

// A name that a request gives, as far as a name may be long.
std::string Shown(absl::string_view name) {
  constexpr size_t kLongestName = 64;
  return std::string(name.substr(0, kLongestName));
}

template <typename Request>
v1::Act ActOf(const Request& request, Request* (v1::Act::*field)()) {
  v1::Act act;
  *(act.*field)() = request;
  return act;
}

}  // namespace

// The certificate is looked at in every call, since a connection may outlive it. Connections before
// calls: one too many is hung up, and its call is not counted. The line of the log comes at the
// end, and says what was asked and how it ended, as the caller knows both.
grpc::Status WallService::Serve(const grpc::ServerContext& context, const CallNote& note,
                                absl::FunctionRef<absl::Status(const Caller&)> work) {
  if (context.IsCancelled()) return grpc::Status::CANCELLED;  // nobody waits for it
  const absl::StatusOr<AuthenticatedPeer> peer =
      PeerOf(*context.auth_context(), parts_.authorizer, parts_.certificates, absl::Now());
  if (!peer.ok()) return proto::ToGrpcStatus(peer.status());
  const std::string& principal = peer->caller.principal;
  const absl::Status status = [&]() -> absl::Status {
    if (!parts_.connections.Claim(context.peer(), principal, peer->certificate.not_after)) {
      return absl::UnavailableError("too many connections or calls at once; end some, then try again");
    }
    const std::optional<CallPlaces::Place> place = parts_.places.Take(principal);
    if (!place.has_value()) {
      return absl::UnavailableError("too many calls at once; nothing was changed, try again");
    }
    return work(peer->caller);
  }();
  parts_.log.WriteBounded(principal, LogEvent::kRequestFinished,
                          {{LogField::kPrincipal, principal},
                           {LogField::kCertificate, peer->certificate.serial},
                           {LogField::kMethod, std::string(note.method)},
                           {LogField::kCorpus, Shown(note.corpus)},
                           {LogField::kPlan, Shown(note.plan_id)},
                           {LogField::kIteration, int64_t{note.iteration}},
                           {LogField::kCode, absl::StatusCodeToString(status.code())}});
  return proto::ToGrpcStatus(status);
}

grpc::Status WallService::Ask(const grpc::ServerContext& context, const CallNote& note, v1::Act act,
                              acts::ActStream&& stream) {
  return Serve(context, note, [&](const Caller& caller) {
    act.set_principal(caller.principal);
    return parts_.vault.Handle(act, stream);
  });
}

grpc::Status WallService::DescribeCorpus(grpc::ServerContext* context,
                                         const v1::DescribeCorpusRequest* request,
                                         v1::CorpusDescription* reply) {
  return Ask(*context, {.method = "DescribeCorpus", .corpus = request->corpus()},
             ActOf(*request, &v1::Act::mutable_describe_corpus), UnaryStream(*context, reply));
}

grpc::Status WallService::GetVocabulary(grpc::ServerContext* context,
                                        const v1::GetVocabularyRequest* request,
                                        grpc::ServerWriter<v1::VocabularyChunk>* writer) {
  return Ask(*context, {.method = "GetVocabulary", .corpus = request->corpus()},
             ActOf(*request, &v1::Act::mutable_get_vocabulary), ReplyStream(*context, writer));
}

grpc::Status WallService::PricePlan(grpc::ServerContext* context,
                                    const v1::PricePlanRequest* request, v1::PlanPrice* reply) {
  return Ask(*context, {.method = "PricePlan", .corpus = request->plan().corpus()},
             ActOf(*request, &v1::Act::mutable_price_plan), UnaryStream(*context, reply));
}

grpc::Status WallService::ReservePlan(grpc::ServerContext* context,
                                      const v1::ReservePlanRequest* request, v1::PlanState* reply) {
  return Ask(*context, {.method = "ReservePlan", .corpus = request->plan().corpus()},
             ActOf(*request, &v1::Act::mutable_reserve_plan), UnaryStream(*context, reply));
}

grpc::Status WallService::CancelPlan(grpc::ServerContext* context,
                                     const v1::CancelPlanRequest* request, v1::PlanState* reply) {
  return Ask(*context, {.method = "CancelPlan", .plan_id = request->plan_id()},
             ActOf(*request, &v1::Act::mutable_cancel_plan), UnaryStream(*context, reply));
}

grpc::Status WallService::GetPlan(grpc::ServerContext* context, const v1::GetPlanRequest* request,
                                  v1::PlanState* reply) {
  return Ask(*context, {.method = "GetPlan", .plan_id = request->plan_id()},
             ActOf(*request, &v1::Act::mutable_get_plan), UnaryStream(*context, reply));
}

grpc::Status WallService::ListPlans(grpc::ServerContext* context,
                                    const v1::ListPlansRequest* request,
                                    v1::ListPlansResponse* reply) {
  return Ask(*context, {.method = "ListPlans", .corpus = request->corpus()},
             ActOf(*request, &v1::Act::mutable_list_plans), UnaryStream(*context, reply));
}

// Not by way of Ask: there is no act before the header has come, and for that, too, the call must
// have its place.
grpc::Status WallService::RunRelease(grpc::ServerContext* context, RunReleaseStream* stream) {
  return Serve(*context, {.method = "RunRelease"}, [&](const Caller& caller) -> absl::Status {
    ReleaseCallStream parts(context, stream);
    v1::RunReleaseRequest first;
    if (!parts.ReadPart(&first) || !first.has_header()) {
      return absl::InvalidArgumentError("the first part of a request must be its header");
    }
    v1::Act act;
    act.set_principal(caller.principal);
    *act.mutable_run_release() = std::move(*first.mutable_header());
    return parts_.vault.Handle(act, parts);
  });
}

grpc::Status WallService::GetRelease(grpc::ServerContext* context,
                                     const v1::GetReleaseRequest* request,
                                     grpc::ServerWriter<v1::ReleaseChunk>* writer) {
  return Ask(
      *context,
      {.method = "GetRelease", .plan_id = request->plan_id(), .iteration = request->iteration()},
      ActOf(*request, &v1::Act::mutable_get_release), ReplyStream(*context, writer));
}

grpc::Status WallService::GetBudget(grpc::ServerContext* context,
                                    const v1::GetBudgetRequest* request, v1::BudgetStatus* reply) {
  return Ask(*context, {.method = "GetBudget", .corpus = request->corpus()},
             ActOf(*request, &v1::Act::mutable_get_budget), UnaryStream(*context, reply));
}

grpc::Status WallService::ReadLedger(grpc::ServerContext* context,
                                     const v1::ReadLedgerRequest* request,
                                     grpc::ServerWriter<v1::LedgerEntry>* writer) {
  return Ask(*context, {.method = "ReadLedger", .corpus = request->corpus()},
             ActOf(*request, &v1::Act::mutable_read_ledger), ReplyStream(*context, writer));
}

}  // namespace topicwall::server
