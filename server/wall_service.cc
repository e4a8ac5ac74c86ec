#include "server/wall_service.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "accountant/status_macros.h"
#include "proto/grpc_status.h"
#include "proto/matrix_codec.h"
#include "server/e_step_request.h"
#include "server/peer_authentication.h"
#include "server/private_e_step.h"
#include "server/receive_deadline.h"
#include "server/wall_queries.h"

namespace topicwall::server {
namespace {

constexpr int kVocabularyChunkTerms = 4096;

// A name that a request gives, as far as a name may be long.
std::string Shown(absl::string_view name) {
  constexpr size_t kLongestName = 64;
  return std::string(name.substr(0, kLongestName));
}

absl::Status Disconnected() {
  return absl::CancelledError("the client went away; what was paid for can be read later");
}

// Streams a stored release to the client. `Stream` is the writer or the reader-writer.
template <typename Stream>
class ReleaseStream : public ledger::ReleaseSink {
 public:
  explicit ReleaseStream(Stream* stream) : stream_(stream) {}

  absl::Status Header(const v1::ReleaseHeader& header) override {
    v1::ReleaseChunk chunk;
    *chunk.mutable_header() = header;
    return stream_->Write(chunk) ? absl::OkStatus() : Disconnected();
  }

  absl::Status Statistics(int64_t first_entry, absl::string_view values) override {
    v1::ReleaseChunk chunk;
    chunk.mutable_statistics()->set_offset(first_entry);
    chunk.mutable_statistics()->set_values(values.data(), values.size());
    return stream_->Write(chunk) ? absl::OkStatus() : Disconnected();
  }

 private:
  Stream* stream_;
};

using EStepStream = grpc::ServerReaderWriter<v1::ReleaseChunk, v1::RunEStepRequest>;

absl::StatusOr<std::vector<float>> ReceiveTopics(const AdmittedEStep& admitted,
                                                 EStepStream* stream) {
  TW_ASSIGN_OR_RETURN(proto::MatrixAssembler topics,
                      proto::MatrixAssembler::Create(
                          {.rows = admitted.num_topics(), .columns = admitted.vocabulary_size()}));
  v1::RunEStepRequest part;
  while (stream->Read(&part)) {
    if (!part.has_log_topics()) {
      return absl::InvalidArgumentError("after the header a request may hold log_topics only");
    }
    TW_RETURN_IF_ERROR(topics.Add(part.log_topics()));
  }
  return std::move(topics).Finish();
}

// The whole request, received into memory that is bounded for each principal and for all.
absl::StatusOr<EStepRequest> ReceiveRequest(Wall& wall, AdmittedEStep admitted,
                                            EStepStream* stream) {
  const int64_t bytes = int64_t{sizeof(float)} * admitted.num_topics() * admitted.vocabulary_size();
  const std::optional<UploadRoom::Place> room =
      wall.uploads().Enter(admitted.caller().principal, bytes);
  if (!room.has_value()) {
    return absl::UnavailableError(
        absl::StrCat("the server receives ", kUploadsOfOne,
                     " requests of one analyst at once, and a bounded number of all; nothing was "
                     "charged, try again"));
  }
  TW_ASSIGN_OR_RETURN(std::vector<float> topics, ReceiveTopics(admitted, stream));
  return std::move(admitted).WithTopics(std::move(topics));
}

absl::Status ServeEStep(Wall& wall, const Caller& caller, grpc::ServerContext* context,
                        EStepStream* stream) {
  ReceiveDeadline deadline(context);
  v1::RunEStepRequest first;
  if (!stream->Read(&first) || !first.has_header()) {
    return absl::InvalidArgumentError("the first part of a request must be its header");
  }
  TW_ASSIGN_OR_RETURN(AdmittedEStep admitted, AdmittedEStep::Admit(wall, caller, first.header()));
  const ServedCorpus& corpus = admitted.corpus();
  absl::StatusOr<EStepRequest> request = ReceiveRequest(wall, std::move(admitted), stream);
  if (!request.ok()) return AnswerRefusal(wall, corpus, request.status());
  deadline.Met();
  std::optional<release::ReleaseQueue::Place> place =
      wall.queue().Enter({.corpus = corpus.config.name(),
                          .length = corpus.config.limits().queue_length(),
                          .principal = caller.principal});
  if (!place.has_value()) {
    return AnswerRefusal(wall, corpus,
                         absl::UnavailableError("the corpus's queue, or your half of it, is full; "
                                                "nothing was charged, try again"));
  }
  ReleaseStream<EStepStream> sink(stream);
  return RunPrivateEStep(wall, *request, std::move(*place), sink);
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
                   if (!writer->Write(chunk)) return Disconnected();
                   chunk.Clear();
                 }
                 if (chunk.terms_size() > 0 && !writer->Write(chunk)) return Disconnected();
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
                 TW_ASSIGN_OR_RETURN(
                     *reply, server::ReservePlan(wall_, admitted.grant, *admitted.corpus, *request,
                                                 [context] { return context->IsCancelled(); }));
                 return absl::OkStatus();
               });
}

grpc::Status WallService::CancelPlan(grpc::ServerContext* context,
                                     const v1::CancelPlanRequest* request, v1::PlanState* reply) {
  return Serve(
      *context, {.method = "CancelPlan", .plan_id = request->plan_id()}, [&]() -> absl::Status {
        TW_ASSIGN_OR_RETURN(const Caller caller, Analyst(*context));
        TW_RETURN_IF_ERROR(OwnPlan(caller, request->plan_id()).status());
        TW_ASSIGN_OR_RETURN(*reply, wall_.ledger().Cancel(caller.principal, request->plan_id(),
                                                          wall_.clock().NowMs()));
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

grpc::Status WallService::RunEStep(grpc::ServerContext* context, EStepStream* stream) {
  return Serve(*context, {.method = "RunEStep"}, [&]() -> absl::Status {
    TW_ASSIGN_OR_RETURN(const Caller caller, Analyst(*context));
    return ServeEStep(wall_, caller, context, stream);
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
                       return writer->Write(entry) ? absl::OkStatus() : Disconnected();
                     });
               });
}

}  // namespace topicwall::server
