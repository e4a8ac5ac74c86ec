#include "server/wall_server.h"

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/status_macros.h"
#include "server/peer_authentication.h"
#include "server/private_e_step.h"

namespace topicwall::server {
namespace {

constexpr std::chrono::seconds kDrainTimeout{5};
// A plan with weights for a large vocabulary is the largest message; matrices are chunked.
constexpr int kMaxMessageBytes = 64 << 20;
constexpr int kKeepaliveMs = 30'000;
// Strangers who connect and say nothing hold a descriptor for no longer.
constexpr int kHandshakeMs = 20'000;
// Calls of one connection at once, each of which may hold a thread; further ones wait.
constexpr int kMaxCallsAtOnce = 100;

// "host" of "host:port" with another port.
std::string WithPort(absl::string_view address, int port) {
  return absl::StrCat(address.substr(0, address.rfind(':')), ":", port);
}

}  // namespace

absl::StatusOr<std::unique_ptr<WallServer>> WallServer::Start(Wall& wall) {
  // A request with a string that is not UTF-8 is refused like others; protobuf would also write a
  // line to standard error for it, as often as anybody likes.
  google::protobuf::SetLogHandler(nullptr);
  std::unique_ptr<WallServer> started(new WallServer(wall));
  TW_ASSIGN_OR_RETURN(started->credentials_,
                      ServerCredentials::Create(wall.config().tls(), &wall.log()));
  std::shared_ptr<grpc::ServerCredentials> credentials = started->credentials_->Get();
  credentials->SetAuthMetadataProcessor(std::make_shared<PeerAuthentication>(&wall.authorizer()));

  // Before anybody can ask for them.
  std::vector<ledger::UnpublishedRelease> unfinished = RestartUnfinished(wall);
  grpc::EnableDefaultHealthCheckService(true);
  if (wall.config().reflection()) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  TW_ASSIGN_OR_RETURN(started->listener_,
                      ConnectionListener::Listen(wall.config().listen_address()));
  std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor =
      builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
  builder.RegisterService(&started->service_);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallsAtOnce);
  started->server_ = builder.BuildAndStart();
  if (started->server_ == nullptr) return absl::UnavailableError("gRPC cannot start its server");
  started->listener_->Start([acceptor](int listening, int connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.listener_fd = listening;
    parameters.fd = connection;
    acceptor->HandleNewConnection(&parameters);
  });
  started->address_ = WithPort(wall.config().listen_address(), started->listener_->port());
  started->publisher_ = std::thread(
      [&wall, unfinished = std::move(unfinished)] { PublishUnfinished(wall, unfinished); });
  wall.log().Write(LogEvent::kServerStarted, {{LogField::kAddress, started->address_}});
  return started;
}

WallServer::~WallServer() {
  if (server_ != nullptr) Drain();
}

void WallServer::Drain() {
  wall_.log().Write(LogEvent::kServerDraining, {});
  listener_->Stop();
  const auto deadline = std::chrono::system_clock::now() + kDrainTimeout;
  wall_.queue().Close();
  // Shutdown returns when the last handler has: those that wait for an instant or a computation are
  // woken together, at a time that depends on neither.
  absl::Notification drained;
  std::thread waker([&] {
    const bool in_time = drained.WaitForNotificationWithTimeout(
        absl::FromChrono(deadline - std::chrono::system_clock::now()));
    if (!in_time) wall_.Interrupt();
  });
  server_->Shutdown(deadline);
  drained.Notify();
  waker.join();
  wall_.Interrupt();
  if (publisher_.joinable()) publisher_.join();
  server_.reset();
  wall_.log().Write(LogEvent::kServerStopped, {});
}

}  // namespace topicwall::server
