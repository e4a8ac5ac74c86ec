// What a client certificate says beside its names: when it ends, and its serial number.
//
//   PeerCertificates certificates;
//   TW_ASSIGN_OR_RETURN(const PeerCertificate certificate, certificates.Read(pem));
//
// TLS looks at the dates once, when a connection begins; a connection may live for months. So they
// are looked at in every call, and what a certificate said is remembered: the same bytes say the
// same.
//
// Privacy: sees certificates only. Threads: any. Cost: 30 µs for one that was not read before.
#ifndef TOPICWALL_SERVER_GATE_PEER_CERTIFICATE_H_
#define TOPICWALL_SERVER_GATE_PEER_CERTIFICATE_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace topicwall::server {

struct PeerCertificate {
  std::string serial;    // hexadecimal, as `openssl x509 -serial` prints it
  absl::Time not_after;  // its last second
};

class PeerCertificates {
 public:
  // Of at most so many: each takes some 2 KiB.
  static constexpr size_t kMostRemembered = 1024;

  // UNAUTHENTICATED for what is no certificate in PEM, or has no date that can be read.
  absl::StatusOr<PeerCertificate> Read(absl::string_view pem) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Mutex mutex_;
  std::map<std::string, PeerCertificate, std::less<>> known_ ABSL_GUARDED_BY(mutex_);  // by PEM
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_PEER_CERTIFICATE_H_
