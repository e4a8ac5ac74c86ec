// Turns a client certificate into a Caller, before any handler runs.
//
// Installed as the AuthMetadataProcessor of the only port, so that a call whose
// certificate names nobody in the configuration never reaches a method: not the
// wall's, not health, not reflection. TLS has verified the certificate's chain by then.
//
// Privacy: sees certificates only. Threads: called from gRPC's threads at once.
#ifndef TOPICWALL_SERVER_PEER_AUTHENTICATION_H_
#define TOPICWALL_SERVER_PEER_AUTHENTICATION_H_

#include <grpcpp/security/auth_metadata_processor.h>
#include <grpcpp/server_context.h>

#include "absl/status/statusor.h"
#include "server/authorizer.h"

namespace topicwall::server {

class PeerAuthentication : public grpc::AuthMetadataProcessor {
 public:
  // `authorizer` must outlive this.
  explicit PeerAuthentication(const Authorizer* authorizer) : authorizer_(authorizer) {}

  // A table look-up: cheap enough for gRPC's own thread.
  bool IsBlocking() const override { return false; }
  grpc::Status Process(const InputMetadata& auth_metadata, grpc::AuthContext* context,
                       OutputMetadata* consumed, OutputMetadata* response) override;

 private:
  const Authorizer* authorizer_;
};

// The caller of an RPC that passed PeerAuthentication.
absl::StatusOr<Caller> CallerOf(const grpc::ServerContextBase& context,
                                const Authorizer& authorizer);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_PEER_AUTHENTICATION_H_
