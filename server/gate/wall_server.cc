#include "server/gate/wall_server.h"

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/threads/steady_wait.h"
#include "server/acts/one_reply.h"
#include "server/gate/call_watch.h"
#include "server/gate/peer_authentication.h"

namespace topicwall::server {
namespace {

// Shorter than the vault waits for it (server/vault/main.cc), whose answers the last calls need.
constexpr absl::Duration kDrainTimeout = absl::Seconds(5);
// For everything that gRPC holds of messages at once: it hangs up on somebody before it takes more.
constexpr int64_t kBufferBytes = int64_t{128} << 20;
constexpr int kKeepaliveMs = 30'000;
// Strangers who connect and say nothing hold a descriptor for no longer.
constexpr int kHandshakeMs = 20'000;
// Calls of one connection at once, each of which may hold a thread; further ones wait.
constexpr int kMaxCallsAtOnce = 100;

// gRPC refuses a call for which the quota has no thread, but where the system has none it may stand
// still. Of what this process's user may have, the vault may be the same one, with a thread for
// each call, and gRPC has some of its own.
int ThreadsOfCalls() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return CallPlaces::kThreads;
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur / 4 + 1, CallPlaces::kThreads));
}

// What a server may use, however many listed principals ask for however much.
void SetLimits(int64_t largest, grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(
      static_cast<int>(std::min<int64_t>(largest, std::numeric_limits<int>::max())));
  // gRPC (of the version that Debian 12 has) inflates a message before it looks how large it is,
  // and no quota counts what that takes. No client of ours compresses.
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder->SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
  builder->SetResourceQuota(grpc::ResourceQuota("wall")
                                .SetMaxThreads(ThreadsOfCalls())
                                .Resize(static_cast<size_t>(kBufferBytes + 2 * largest)));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallsAtOnce);
}

// "host" of "host:port" with another port.
std::string WithPort(absl::string_view address, int port) {
  return absl::StrCat(address.substr(0, address.rfind(':')), ":", port);
}

}  // namespace

WallServer::WallServer(const v1::WallConfig& config, acts::ActHandler& vault, EventLog& log)
    : config_(config),
      vault_(vault),
      log_(log),
      grpc_log_(&log),
      authorizer_(config),
      connections_([this] { log_.Alarm(kAlarmConnections, ""); }),
      places_(config.principals_size()),
      service_({.authorizer = authorizer_,
                .certificates = certificates_,
                .connections = connections_,
                .places = places_,
                .vault = vault_,
                .log = log}) {}

// What may fail comes before what others see: health's address and certificates, then the vault,
// which may take long to start, then the port, and last the word that it serves.
absl::StatusOr<std::unique_ptr<WallServer>> WallServer::Start(const v1::WallConfig& config,
                                                              acts::ActHandler& vault,
                                                              EventLog& log) {
  // A request with a string that is not UTF-8 is refused like others; protobuf would also write a
  // line to standard error for it, as often as anybody likes.
  google::protobuf::SetLogHandler(nullptr);
  TW_RETURN_IF_ERROR(OpenConnections::RequireDescriptors());
  std::unique_ptr<WallServer> started(new WallServer(config, vault, log));
  if (!config.health_address().empty()) {
    TW_ASSIGN_OR_RETURN(started->health_, HealthListener::Start(config.health_address()));
  }
  TW_ASSIGN_OR_RETURN(
      started->credentials_,
      ServerCredentials::Create(
          config.tls(),
          grpc::experimental::ExternalCertificateVerifier::Create<PeerVerifier>(
              &started->authorizer_, &started->certificates_, &started->connections_, &log),
          &log, [&connections = started->connections_] { connections.HangUpAll(); },
          // Without a drain, which would let in whom nobody admits any more.
          [] { _exit(1); }));
  // Before anybody can listen.
  v1::Act act;
  act.mutable_get_limits();
  acts::OneReply<v1::GateLimits> limits;
  TW_RETURN_IF_ERROR(vault.Handle(act, limits));
  TW_RETURN_IF_ERROR(started->Listen(limits.reply().largest_message_bytes()));
  if (started->health_ != nullptr) started->health_->SetServing(true);
  log.Write(LogEvent::kServerStarted, {{LogField::kAddress, started->address_}});
  return started;
}

// Connections come from our own listener: gRPC's ends at the first accept that fails
// (connection_listener.h).
absl::Status WallServer::Listen(int64_t largest_message_bytes) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  TW_ASSIGN_OR_RETURN(listener_,
                      ConnectionListener::Listen("listen_address", config_.listen_address()));
  std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor =
      builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
          credentials_->Get());
  builder.RegisterService(&service_);
  builder.experimental().SetInterceptorCreators(CallWatch({.authorizer = authorizer_,
                                                           .certificates = certificates_,
                                                           .connections = connections_,
                                                           .log = log_}));
  SetLimits(largest_message_bytes, &builder);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) return absl::UnavailableError("gRPC cannot start its server");
  listener_->Start([acceptor, this](int listening, int connection) {
    if (!connections_.Add(connection)) {
      close(connection);
      return;
    }
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.listener_fd = listening;
    parameters.fd = connection;
    acceptor->HandleNewConnection(&parameters);
  });
  address_ = WithPort(config_.listen_address(), listener_->port());
  return absl::OkStatus();
}

WallServer::~WallServer() {
  if (server_ != nullptr) Drain();
}

void WallServer::Drain() {
  log_.Write(LogEvent::kServerDraining, {});
  if (health_ != nullptr) health_->SetServing(false);
  listener_->Stop();
  const absl::Duration until = base::SteadyNow() + kDrainTimeout;
  vault_.Drain();
  // Shutdown returns when the last handler has: those that wait for an instant or a computation are
  // woken together, at a time that depends on neither.
  base::SteadyNotification drained;
  std::thread waker([&] {
    if (!drained.WaitFor(until - base::SteadyNow())) vault_.Interrupt();
  });
  // gRPC makes a duration of it again, at once.
  server_->Shutdown(absl::ToChronoTime(absl::Now() + (until - base::SteadyNow())));
  drained.Notify();
  waker.join();
  server_.reset();
  log_.Write(LogEvent::kServerStopped, {});
}

}  // namespace topicwall::server
