// Asked in the handshake and of every call. The second time costs little: certificates that were
// read are remembered.
#include "server/gate/peer_authentication.h"

#include <grpc/grpc_security_constants.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "proto/grpc_status.h"

namespace topicwall::server {
namespace {

std::string Text(grpc::string_ref text) { return std::string(text.data(), text.size()); }

// Of a property that there should be once.
std::string OnlyOne(const std::vector<grpc::string_ref>& values) {
  return values.size() == 1 ? Text(values[0]) : "";
}

std::vector<std::string> Texts(const std::vector<grpc::string_ref>& values) {
  std::vector<std::string> texts;
  for (const grpc::string_ref& value : values) texts.push_back(Text(value));
  return texts;
}

// The URI SAN if there is exactly one, else the common name. Two URIs are ambiguous
// and name nobody.
absl::StatusOr<std::string> NameIn(const ShownCertificate& shown) {
  if (shown.uris.size() == 1) return shown.uris[0];
  if (!shown.uris.empty()) {
    return absl::UnauthenticatedError(absl::StrCat("the client certificate has ", shown.uris.size(),
                                                   " URI names; exactly one is needed. Ask the "
                                                   "custodian for a new one"));
  }
  return shown.common_name;
}

// For the log: every name the certificate has, whether they are one or not.
std::string AllNamesIn(const ShownCertificate& shown) {
  std::vector<std::string> names = shown.uris;
  if (!shown.common_name.empty()) names.push_back(shown.common_name);
  constexpr size_t kMostBytes = 200;
  return absl::StrJoin(names, " ").substr(0, kMostBytes);
}

}  // namespace

ShownCertificate ShownOn(const grpc::AuthContext& connection) {
  return {.uris = Texts(connection.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)),
          .common_name = OnlyOne(connection.FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME)),
          .pem = OnlyOne(connection.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME))};
}

// The list last: what is wrong with a certificate is told before whom it names. What cannot be read
// is refused by PeerCertificates.
absl::StatusOr<AuthenticatedPeer> PeerOf(const ShownCertificate& shown,
                                         const Authorizer& authorizer,
                                         PeerCertificates& certificates, absl::Time now) {
  TW_ASSIGN_OR_RETURN(const std::string name, NameIn(shown));
  TW_ASSIGN_OR_RETURN(PeerCertificate certificate, certificates.Read(shown.pem));
  if (!(now <= certificate.not_after)) {
    return absl::UnauthenticatedError(
        "the client certificate has expired; ask the custodian for a new one");
  }
  TW_ASSIGN_OR_RETURN(Caller caller, authorizer.Authenticate(name));
  return AuthenticatedPeer{.caller = std::move(caller), .certificate = std::move(certificate)};
}

// A line for each name, bounded: whoever is refused could otherwise fill the log as fast as they
// connect.
bool PeerVerifier::Verify(Request* request, std::function<void(grpc::Status)>,
                          grpc::Status* status) {
  const ShownCertificate shown = {.uris = Texts(request->uri_names()),
                                  .common_name = Text(request->common_name()),
                                  .pem = Text(request->peer_cert())};
  const auto peer = PeerOf(shown, *authorizer_, *certificates_, absl::Now());
  // Who began too many calls has had their line of the log (call_watch.h).
  if (peer.ok() && connections_->IsBarred(peer->caller.principal)) {
    *status = grpc::Status(grpc::StatusCode::UNAVAILABLE, "too many calls");
    return true;
  }
  const absl::Status& refused = peer.status();
  if (!refused.ok()) {
    const std::string names = AllNamesIn(shown);
    log_->WriteBounded(names, LogEvent::kPeerRefused,
                       {{LogField::kPrincipal, names},
                        {LogField::kCode, absl::StatusCodeToString(refused.code())},
                        {LogField::kReason, std::string(refused.message())}});
  }
  *status = proto::ToGrpcStatus(refused);
  return true;
}

}  // namespace topicwall::server
