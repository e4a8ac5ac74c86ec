// What a client certificate says beside its names: when it ends, and its serial number.
//
//   TW_ASSIGN_OR_RETURN(const PeerCertificate certificate, ReadPeerCertificate(pem));
//
// TLS looks at the dates once, when a connection begins; a connection may live for months.
//
// Privacy: sees certificates only. Threads: free function without state. Cost: 30 µs.
#ifndef TOPICWALL_SERVER_GATE_PEER_CERTIFICATE_H_
#define TOPICWALL_SERVER_GATE_PEER_CERTIFICATE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace topicwall::server {

struct PeerCertificate {
  std::string serial;    // hexadecimal, as `openssl x509 -serial` prints it
  absl::Time not_after;  // its last second
};

// UNAUTHENTICATED for what is no certificate in PEM, or has no date that can be read.
absl::StatusOr<PeerCertificate> ReadPeerCertificate(absl::string_view pem);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_PEER_CERTIFICATE_H_
