#include "client/wall/wall_channel.h"

#include <grpcpp/grpcpp.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace topicwall::client {
namespace {

// Servers that follow gRPC's defaults count more frequent pings on an idle stream as abuse.
constexpr int kKeepaliveMilliseconds = 320 * 1000;
// An answer may be an hour away, on a connection that says nothing meanwhile; without pings a
// router that has forgotten it would make the call wait until its deadline.
constexpr int kKeepaliveTimeoutMilliseconds = 20 * 1000;
// gRPC's own pause between two connections grows to two minutes, far beyond a query's patience
// (wall_client.cc): calls would go on failing after the wall is back.
constexpr int kMaxReconnectMilliseconds = 2 * 1000;
// A page of a hundred plans is the largest answer that is no stream.
constexpr int kMaxMessageBytes = 64 << 20;
// No wall compresses; and gRPC inflates an answer before it looks how large it is.
constexpr int kOnlyUncompressed = 1 << GRPC_COMPRESS_NONE;

}  // namespace

absl::Status CheckComplete(const Credentials& credentials) {
  if (!credentials.ca.empty() && !credentials.certificate.empty() &&
      !credentials.private_key.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "the connection needs a CA, a certificate and a key; one is empty. Run `topicwall login`.");
}

std::string ProxySentence() {
  for (const char* variable : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    const char* const proxy = std::getenv(variable);
    if (proxy == nullptr || *proxy == '\0') continue;
    // Not its value, which may hold a password.
    return absl::StrCat(" ", variable,
                        " is set in the environment, and the connection goes by that proxy unless "
                        "no_proxy names the wall's host.");
  }
  return "";
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& server,
                                           const Credentials& credentials) {
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = credentials.ca;
  tls.pem_cert_chain = credentials.certificate;
  tls.pem_private_key = credentials.private_key;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, kOnlyUncompressed);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMilliseconds);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMilliseconds);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMilliseconds);
  return grpc::CreateCustomChannel(server, grpc::SslCredentials(tls), arguments);
}

}  // namespace topicwall::client
