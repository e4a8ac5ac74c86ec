// A call makes an act of its request and a stream of gRPC's, and nothing more. Who may do what is
// not for here to check: whoever has taken over the gate leaves the check out, so the vault needs
// it anyway.
#include "server/gate/wall_service.h"

#include <grpcpp/support/method_handler.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "proto/grpc_status.h"
#include "proto/wall.grpc.pb.h"
#include "server/gate/peer_authentication.h"
#include "server/gate/rpc_stream.h"

namespace topicwall::server {
namespace {

// A request of no more waits for no turn: all threads' together take little.
constexpr size_t kSmallBytes = 4096;

// A name that a request gives, as far as a name may be long.
std::string Shown(absl::string_view name) {
  constexpr size_t kLongestName = 64;
  return std::string(name.substr(0, kLongestName));
}

// Copied, because a message that had fields which it does not know keeps the room for them.
template <typename Request>
bool Parse(grpc::ByteBuffer& bytes, Request* request) {
  grpc::ProtoBufferReader reader(&bytes);
  Request whole;
  if (!whole.ParseFromZeroCopyStream(&reader) || !reader.status().ok()) return false;
  whole.DiscardUnknownFields();
  *request = whole;
  return true;
}

}  // namespace

WallService::WallService(const Parts& parts) : parts_(parts) {
  Add("DescribeCorpus", &v1::Act::mutable_describe_corpus);
  Add("GetVocabulary", &v1::Act::mutable_get_vocabulary);
  Add("PricePlan", &v1::Act::mutable_price_plan);
  Add("ReservePlan", &v1::Act::mutable_reserve_plan);
  Add("CancelPlan", &v1::Act::mutable_cancel_plan);
  Add("GetPlan", &v1::Act::mutable_get_plan);
  Add("ListPlans", &v1::Act::mutable_list_plans);
  Add("GetRelease", &v1::Act::mutable_get_release);
  Add("GetBudget", &v1::Act::mutable_get_budget);
  Add("ReadLedger", &v1::Act::mutable_read_ledger);
  AddCall("RunRelease", [](grpc::ByteBuffer& bytes, v1::Act* act, Subject*) -> absl::Status {
    v1::RunReleaseRequest first;
    if (!Parse(bytes, &first) || !first.has_header()) {
      return absl::InvalidArgumentError("the first part of a request must be its header");
    }
    *act->mutable_run_release() = std::move(*first.mutable_header());
    return absl::OkStatus();
  });
}

template <typename Request>
WallService::Subject WallService::SubjectOf(const Request& request) {
  Subject subject;
  if constexpr (requires { request.corpus(); }) subject.corpus = Shown(request.corpus());
  if constexpr (requires { request.plan(); }) subject.corpus = Shown(request.plan().corpus());
  if constexpr (requires { request.plan_id(); }) subject.plan_id = Shown(request.plan_id());
  if constexpr (requires { request.iteration(); }) subject.iteration = request.iteration();
  return subject;
}

template <typename Request>
void WallService::Add(const std::string& method, Request* (v1::Act::*field)()) {
  AddCall(method, [field](grpc::ByteBuffer& bytes, v1::Act* act, Subject* subject) -> absl::Status {
    Request* const request = (act->*field)();
    if (!Parse(bytes, request)) {
      return absl::InvalidArgumentError("the request is not a message of its method's");
    }
    *subject = SubjectOf(*request);
    return absl::OkStatus();
  });
}

// As generated code does it, but for the kind of stream.
void WallService::AddCall(const std::string& method, MakeAct make) {
  using Handler =
      grpc::internal::BidiStreamingHandler<WallService, grpc::ByteBuffer, grpc::ByteBuffer>;
  paths_.push_back(absl::StrCat("/", v1::PrivacyWall::service_full_name(), "/", method));
  AddMethod(new grpc::internal::RpcServiceMethod(
      paths_.back().c_str(), grpc::internal::RpcMethod::BIDI_STREAMING,
      new Handler(
          [method, make = std::move(make)](WallService* service, grpc::ServerContext* context,
                                           Messages* messages) {
            return service->Serve(*context, method, make, messages);
          },
          this)));
}

// The certificate is looked at in every call, since a connection may outlive it. Connections before
// calls: one too many is hung up, and its call is not counted. The line of the log comes at the
// end, and says what was asked and how it ended, as the caller knows both.
grpc::Status WallService::Serve(grpc::ServerContext& context, const std::string& method,
                                const MakeAct& make, Messages* messages) {
  if (context.IsCancelled()) return grpc::Status::CANCELLED;  // nobody waits for it
  const absl::StatusOr<AuthenticatedPeer> peer =
      PeerOf(ShownOn(*context.auth_context()), parts_.authorizer, parts_.certificates, absl::Now());
  if (!peer.ok()) return proto::ToGrpcStatus(peer.status());
  const std::string& principal = peer->caller.principal;
  Subject subject;
  const absl::Status status = [&]() -> absl::Status {
    if (!parts_.connections.Claim(context.peer(), principal, peer->certificate.not_after)) {
      return absl::UnavailableError(
          "too many connections or calls at once; end some, then try again");
    }
    const std::optional<CallPlaces::Place> place = parts_.places.Take(principal);
    if (!place.has_value()) {
      return absl::UnavailableError("too many calls at once; nothing was changed, try again");
    }
    return Ask(&context, peer->caller, make, messages, &subject);
  }();
  parts_.log.WriteBounded(principal, LogEvent::kRequestFinished,
                          {{LogField::kPrincipal, principal},
                           {LogField::kCertificate, peer->certificate.serial},
                           {LogField::kMethod, method},
                           {LogField::kCorpus, subject.corpus},
                           {LogField::kPlan, subject.plan_id},
                           {LogField::kIteration, subject.iteration},
                           {LogField::kCode, absl::StatusCodeToString(status.code())}});
  return proto::ToGrpcStatus(status);
}

// The request's bytes go before the act runs, which may wait for long. Of one principal one request
// at a time waits for its turn among all.
absl::Status WallService::Ask(grpc::ServerContext* context, const Caller& caller,
                              const MakeAct& make, Messages* messages, Subject* subject) {
  RpcStream stream(context, messages);
  v1::Act act;
  {
    grpc::ByteBuffer first;
    if (!stream.Take(&first)) {
      return absl::InvalidArgumentError("a call begins with its request, or a request's header");
    }
    const bool is_small = first.Length() <= kSmallBytes;
    absl::MutexLockMaybe own_turn(is_small ? nullptr : &TurnOf(caller.principal));
    absl::MutexLockMaybe turn(is_small ? nullptr : &parsing_);
    TW_RETURN_IF_ERROR(make(first, &act, subject));
  }
  if (!act.has_run_release()) stream.RequestIsWhole();
  act.set_principal(caller.principal);
  return parts_.vault.Handle(act, stream);
}

absl::Mutex& WallService::TurnOf(const std::string& principal) {
  absl::MutexLock lock(&mutex_);
  return turns_[principal];
}

}  // namespace topicwall::server
