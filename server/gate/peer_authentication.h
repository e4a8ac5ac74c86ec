// Turns a client certificate into a Caller, before any handler runs.
//
// Installed as the AuthMetadataProcessor of the only port, so that a call whose
// certificate names nobody in the configuration, or has ended since the connection began,
// never reaches a method: not the wall's, not health's. TLS has verified the
// certificate's chain by then. Who is refused is a line of the log: the name and why, a bounded
// number of lines a name.
//
// Privacy: sees certificates only. Threads: called from gRPC's threads at once.
#ifndef TOPICWALL_SERVER_GATE_PEER_AUTHENTICATION_H_
#define TOPICWALL_SERVER_GATE_PEER_AUTHENTICATION_H_

#include <grpcpp/security/auth_metadata_processor.h>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/authorizer.h"
#include "server/gate/peer_certificate.h"
#include "server/log/event_log.h"

namespace topicwall::server {

class PeerAuthentication : public grpc::AuthMetadataProcessor {
 public:
  // All must outlive this.
  PeerAuthentication(const Authorizer* authorizer, PeerCertificates* certificates, EventLog* log)
      : authorizer_(authorizer), certificates_(certificates), log_(log) {}

  // Two table look-ups, and once a certificate to parse: cheap enough for gRPC's own thread.
  bool IsBlocking() const override { return false; }
  grpc::Status Process(const InputMetadata& auth_metadata, grpc::AuthContext* context,
                       OutputMetadata* consumed, OutputMetadata* response) override;

 private:
  const Authorizer* const authorizer_;
  PeerCertificates* const certificates_;
  EventLog* const log_;
};

// A caller with the certificate that they showed.
struct AuthenticatedPeer {
  Caller caller;
  PeerCertificate certificate;
};

// UNAUTHENTICATED if the certificate is over at `now`, or has not exactly one name: one URI, or no
// URI and one common name. Else as Authorizer::Authenticate.
absl::StatusOr<AuthenticatedPeer> PeerOf(const grpc::AuthContext& context,
                                         const Authorizer& authorizer,
                                         PeerCertificates& certificates, absl::Time now);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_PEER_AUTHENTICATION_H_
