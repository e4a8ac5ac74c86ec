// Asked twice of every call: by gRPC before any method runs (Process), and by WallService, which
// needs the caller's name. The second time costs little: certificates that were read are
// remembered.
#include "server/gate/peer_authentication.h"

#include <grpc/grpc_security_constants.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "proto/grpc_status.h"

namespace topicwall::server {
namespace {

// The URI SAN if there is exactly one, else the common name. Two URIs are ambiguous
// and name nobody.
absl::StatusOr<std::string> NameIn(const grpc::AuthContext& context) {
  const std::vector<grpc::string_ref> uris =
      context.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME);
  if (uris.size() == 1) return std::string(uris[0].data(), uris[0].size());
  if (!uris.empty()) {
    return absl::UnauthenticatedError(absl::StrCat("the client certificate has ", uris.size(),
                                                   " URI names; exactly one is needed. Ask the "
                                                   "custodian for a new one"));
  }
  const std::vector<grpc::string_ref> names =
      context.FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  return names.size() == 1 ? std::string(names[0].data(), names[0].size()) : "";
}

// Other than one certificate is none: what cannot be read is refused there.
absl::StatusOr<PeerCertificate> CertificateIn(const grpc::AuthContext& context,
                                              PeerCertificates& certificates) {
  const std::vector<grpc::string_ref> pem =
      context.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  return certificates.Read(pem.size() == 1 ? absl::string_view(pem[0].data(), pem[0].size())
                                           : absl::string_view());
}

// For the log: every name the certificate has, whether they are one or not.
std::string AllNamesIn(const grpc::AuthContext& context) {
  std::string names;
  for (const char* property : {GRPC_PEER_URI_PROPERTY_NAME, GRPC_X509_CN_PROPERTY_NAME}) {
    for (const grpc::string_ref& name : context.FindPropertyValues(property)) {
      absl::StrAppend(&names, names.empty() ? "" : " ",
                      absl::string_view(name.data(), name.size()));
    }
  }
  constexpr size_t kMostBytes = 200;
  return names.substr(0, kMostBytes);
}

}  // namespace

// The list last: what is wrong with a certificate is told before whom it names.
absl::StatusOr<AuthenticatedPeer> PeerOf(const grpc::AuthContext& context,
                                         const Authorizer& authorizer,
                                         PeerCertificates& certificates, absl::Time now) {
  TW_ASSIGN_OR_RETURN(const std::string name, NameIn(context));
  TW_ASSIGN_OR_RETURN(PeerCertificate certificate, CertificateIn(context, certificates));
  if (!(now <= certificate.not_after)) {
    return absl::UnauthenticatedError(
        "the client certificate has expired; ask the custodian for a new one");
  }
  TW_ASSIGN_OR_RETURN(Caller caller, authorizer.Authenticate(name));
  return AuthenticatedPeer{.caller = std::move(caller), .certificate = std::move(certificate)};
}

// A line for each name, bounded: whoever is refused could otherwise fill the log as fast as they
// connect.
grpc::Status PeerAuthentication::Process(const InputMetadata&, grpc::AuthContext* context,
                                         OutputMetadata*, OutputMetadata*) {
  const absl::Status refused = PeerOf(*context, *authorizer_, *certificates_, absl::Now()).status();
  if (!refused.ok()) {
    const std::string names = AllNamesIn(*context);
    log_->WriteBounded(names, LogEvent::kPeerRefused,
                       {{LogField::kPrincipal, names},
                        {LogField::kCode, absl::StatusCodeToString(refused.code())},
                        {LogField::kReason, std::string(refused.message())}});
  }
  return proto::ToGrpcStatus(refused);
}

}  // namespace topicwall::server
