// gRPC makes an interceptor for each call and destroys it with the call, after the answer was taken
// or the call's end was seen.
#include "server/gate/call_watch.h"

#include <grpcpp/grpcpp.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/access/begun_calls.h"
#include "server/gate/peer_authentication.h"

namespace topicwall::server {
namespace {

void TellOfTooMany(const AuthenticatedPeer& peer, EventLog& log) {
  log.WriteBounded(
      peer.caller.principal, LogEvent::kPeerRefused,
      {{LogField::kPrincipal, peer.caller.principal},
       {LogField::kCertificate, peer.certificate.serial},
       {LogField::kCode, absl::StatusCodeToString(absl::StatusCode::kUnavailable)},
       {LogField::kReason,
        absl::StrCat("more than ", BegunCalls::kAtOnce,
                     " calls at once, as of a client that takes back what it asks; its connections "
                     "were ended, and new ones are for ",
                     absl::ToInt64Seconds(BegunCalls::kBarred), " seconds")}});
}

class WatchedCall final : public grpc::experimental::Interceptor {
 public:
  WatchedCall(const CallWatchParts& parts, grpc::ServerContextBase* context)
      : parts_(parts), context_(context) {}
  ~WatchedCall() override {
    if (!principal_.empty()) parts_.connections.EndCall(principal_);
  }
  // What ends is then what began, whatever has become of the connection and the certificate.
  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(
            grpc::experimental::InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      Begin();
    }
    batch->Proceed();
  }

 private:
  void Begin() {
    const absl::StatusOr<AuthenticatedPeer> peer = PeerOf(
        ShownOn(*context_->auth_context()), parts_.authorizer, parts_.certificates, absl::Now());
    if (!peer.ok()) return;  // whose certificate has ended: the connection ends with it
    principal_ = peer->caller.principal;
    if (parts_.connections.BeginCall(context_->peer(), principal_)) {
      TellOfTooMany(*peer, parts_.log);
    }
  }

  const CallWatchParts& parts_;
  grpc::ServerContextBase* const context_;
  std::string principal_;  // empty: of nobody
};

class Watch final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit Watch(const CallWatchParts& parts) : parts_(parts) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* call) override {
    return new WatchedCall(parts_, call->server_context());
  }

 private:
  const CallWatchParts parts_;
};

}  // namespace

std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> CallWatch(
    const CallWatchParts& parts) {
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> creators;
  creators.push_back(std::make_unique<Watch>(parts));
  return creators;
}

}  // namespace topicwall::server
