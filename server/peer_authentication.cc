#include "server/peer_authentication.h"

#include <grpc/grpc_security_constants.h>

#include <string>
#include <vector>

#include "proto/grpc_status.h"

namespace topicwall::server {
namespace {

// The URI SAN if there is exactly one, else the common name. Two URIs are ambiguous
// and name nobody.
std::string PrincipalOf(const grpc::AuthContext& context) {
  const std::vector<grpc::string_ref> uris =
      context.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME);
  if (uris.size() == 1) return std::string(uris[0].data(), uris[0].size());
  if (!uris.empty()) return "";
  const std::vector<grpc::string_ref> names =
      context.FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  return names.size() == 1 ? std::string(names[0].data(), names[0].size()) : "";
}

}  // namespace

grpc::Status PeerAuthentication::Process(const InputMetadata&, grpc::AuthContext* context,
                                         OutputMetadata*, OutputMetadata*) {
  return proto::ToGrpcStatus(authorizer_->Authenticate(PrincipalOf(*context)).status());
}

absl::StatusOr<Caller> CallerOf(const grpc::ServerContextBase& context,
                                const Authorizer& authorizer) {
  return authorizer.Authenticate(PrincipalOf(*context.auth_context()));
}

}  // namespace topicwall::server
