// Turns a client certificate into a Caller: in the handshake, and in every call again.
//
//   PeerVerifier     of the only port: whose certificate names nobody in the configuration is hung
//                    up on before any request of theirs is read, the wall's or health's
//   PeerOf           in WallService, which needs the caller's name, and sees a certificate that has
//                    ended since the connection began
//
// TLS has verified the certificate's chain by then. Who is refused in the handshake sees a
// connection that closes, as TLS carries no more; why is a line of the log, with the names, a
// bounded number of lines a name. Not an AuthMetadataProcessor: gRPC (of the version that Debian 12
// has) aborts when it lists for one the headers of a call that has one of gRPC's own among them.
//
// Privacy: sees certificates only. Threads: called from gRPC's threads at once.
#ifndef TOPICWALL_SERVER_GATE_PEER_AUTHENTICATION_H_
#define TOPICWALL_SERVER_GATE_PEER_AUTHENTICATION_H_

#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/tls_certificate_verifier.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/authorizer.h"
#include "server/access/open_connections.h"
#include "server/gate/peer_certificate.h"
#include "server/log/event_log.h"

namespace topicwall::server {

// What a certificate says of itself, as gRPC tells it.
struct ShownCertificate {
  std::vector<std::string> uris;
  std::string common_name;  // empty: none, or several
  std::string pem;          // empty: the same
};
ShownCertificate ShownOn(const grpc::AuthContext& connection);

// A caller with the certificate that they showed.
struct AuthenticatedPeer {
  Caller caller;
  PeerCertificate certificate;
};

// UNAUTHENTICATED if the certificate is over at `now`, or has not exactly one name: one URI, or no
// URI and one common name. Else as Authorizer::Authenticate.
absl::StatusOr<AuthenticatedPeer> PeerOf(const ShownCertificate& shown,
                                         const Authorizer& authorizer,
                                         PeerCertificates& certificates, absl::Time now);

class PeerVerifier final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  using Request = grpc::experimental::TlsCustomVerificationCheckRequest;

  // All must outlive the server. Made by ExternalCertificateVerifier::Create.
  PeerVerifier(const Authorizer* authorizer, PeerCertificates* certificates,
               OpenConnections* connections, EventLog* log)
      : authorizer_(authorizer),
        certificates_(certificates),
        connections_(connections),
        log_(log) {}

  // At once: two table look-ups, and once a certificate to parse.
  bool Verify(Request* request, std::function<void(grpc::Status)> later,
              grpc::Status* status) override;
  void Cancel(Request*) override {}

 private:
  const Authorizer* const authorizer_;
  PeerCertificates* const certificates_;
  OpenConnections* const connections_;
  EventLog* const log_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_PEER_AUTHENTICATION_H_
