#include "server/gate/wall_server.h"

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/resource_quota.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/release_spec.h"
#include "server/gate/peer_authentication.h"
#include "server/vault/private_e_step.h"

namespace topicwall::server {
namespace {

constexpr std::chrono::seconds kDrainTimeout{5};
// What a message may hold beside weights and priors of a plan, or beside a chunk of a matrix.
constexpr int64_t kFrameBytes = int64_t{64} << 10;
constexpr int64_t kChunkBytes = int64_t{1} << 20;
// For everything that gRPC holds of messages at once: it hangs up on somebody before it takes more.
constexpr int64_t kBufferBytes = int64_t{128} << 20;
constexpr int kKeepaliveMs = 30'000;
// Strangers who connect and say nothing hold a descriptor for no longer.
constexpr int kHandshakeMs = 20'000;
// Calls of one connection at once, each of which may hold a thread; further ones wait.
constexpr int kMaxCallsAtOnce = 100;

// A plan with weights for the largest vocabulary and the longest options is the largest message;
// parameters come in chunks. PUBLIC: vocabularies and limits are.
int64_t LargestMessageBytes(const Wall& wall) {
  int64_t largest = kChunkBytes;
  for (const ServedCorpus& corpus : wall.corpora()) {
    const auto terms = static_cast<int64_t>(corpus.store->description().vocabulary->size());
    largest = std::max(
        largest, terms * int64_t{sizeof(float)} + static_cast<int64_t>(proto::kMaxOptionBytes));
  }
  return largest + kFrameBytes;
}

// gRPC's reflection is in every server of a program that has its library, whether anybody asked
// for it or not. This takes it out again.
class WithoutReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    std::erase_if(*plugins,
                  [](const auto& plugin) { return plugin->name() == "proto_server_reflection"; });
  }
};

// What a server may use, however many listed principals ask for however much.
void SetLimits(const Wall& wall, grpc::ServerBuilder* builder) {
  const int64_t largest = LargestMessageBytes(wall);
  builder->SetMaxReceiveMessageSize(
      static_cast<int>(std::min<int64_t>(largest, std::numeric_limits<int>::max())));
  builder->SetResourceQuota(grpc::ResourceQuota("wall")
                                .SetMaxThreads(CallPlaces::kThreads)
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

absl::StatusOr<std::unique_ptr<WallServer>> WallServer::Start(Wall& wall) {
  // A request with a string that is not UTF-8 is refused like others; protobuf would also write a
  // line to standard error for it, as often as anybody likes.
  google::protobuf::SetLogHandler(nullptr);
  std::unique_ptr<WallServer> started(new WallServer(wall));
  if (!wall.config().health_address().empty()) {
    TW_ASSIGN_OR_RETURN(started->health_, HealthListener::Start(wall.config().health_address()));
  }
  TW_ASSIGN_OR_RETURN(started->credentials_,
                      ServerCredentials::Create(wall.config().tls(), &wall.log()));
  std::shared_ptr<grpc::ServerCredentials> credentials = started->credentials_->Get();
  credentials->SetAuthMetadataProcessor(
      std::make_shared<PeerAuthentication>(&wall.authorizer(), &wall.log()));

  // Before anybody can ask for them.
  std::vector<ledger::UnpublishedRelease> unfinished = RestartUnfinished(wall);
  grpc::EnableDefaultHealthCheckService(true);
  if (wall.config().reflection()) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  if (!wall.config().reflection()) builder.SetOption(std::make_unique<WithoutReflection>());
  TW_ASSIGN_OR_RETURN(started->listener_,
                      ConnectionListener::Listen(wall.config().listen_address()));
  std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor =
      builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
  builder.RegisterService(&started->service_);
  SetLimits(wall, &builder);
  started->server_ = builder.BuildAndStart();
  if (started->server_ == nullptr) return absl::UnavailableError("gRPC cannot start its server");
  started->listener_->Start([acceptor, &wall](int listening, int connection) {
    if (!wall.connections().Add(connection)) {
      close(connection);
      return;
    }
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.listener_fd = listening;
    parameters.fd = connection;
    acceptor->HandleNewConnection(&parameters);
  });
  started->address_ = WithPort(wall.config().listen_address(), started->listener_->port());
  started->publisher_ = std::thread(
      [&wall, unfinished = std::move(unfinished)] { PublishUnfinished(wall, unfinished); });
  if (started->health_ != nullptr) started->health_->SetServing(true);
  wall.log().Write(LogEvent::kServerStarted, {{LogField::kAddress, started->address_}});
  return started;
}

WallServer::~WallServer() {
  if (server_ != nullptr) Drain();
}

void WallServer::Drain() {
  wall_.log().Write(LogEvent::kServerDraining, {});
  if (health_ != nullptr) health_->SetServing(false);
  listener_->Stop();
  wall_.pricing().Close();
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
