// The server's side of mutual TLS, reloaded when its files change.
//
//   TW_ASSIGN_OR_RETURN(auto credentials,
//                       ServerCredentials::Create(config.tls(), verifier, &log, hang_up, end));
//   builder.AddListeningPort(address, credentials->Get(), &port);
//
// Every client must show a certificate that the configured CA signed, and that `verifier` lets in
// (peer_authentication.h); there is no plaintext port. Certificate, key and CA are read again
// within ten seconds of a change, without a restart. While a pair does not match, that is an alarm
// in the log and new connections fail; connections that stand go on. TLS asks for a certificate
// once a connection: within twenty seconds of a change of the CA all of them are to end, so that
// whoever it admits no more is out; and if one of the files can no longer be read, the process,
// which may find them when it starts anew (processes.h: it sees the folders of its start), and
// serves nobody while it does not. gRPC reads them, and ends what has taken too long, by the wall
// clock: where that is set back it would do neither for as long, so that ends the process, too.
// From kCertificateNotice before the certificate or an authority of client_ca ends, and while one
// is not valid yet, there is an alarm every day, which names it.
//
// Privacy: handles the server's private key and nothing of a corpus.
// Threads: Get from any thread. One watching thread of its own.
#ifndef TOPICWALL_SERVER_GATE_SERVER_CREDENTIALS_H_
#define TOPICWALL_SERVER_GATE_SERVER_CREDENTIALS_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_verifier.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/threads/steady_wait.h"
#include "proto/wall_config.pb.h"
#include "server/log/event_log.h"

namespace topicwall::server {

// How long before its end somebody is told of it.
inline constexpr absl::Duration kCertificateNotice = absl::Hours(30 * 24);

struct CertificateDates {
  std::string field;        // "tls.certificate" or "tls.client_ca"
  std::string certificate;  // its file, and whom it names
  absl::Time begin, end;
};

struct CertificateWarning {
  const char* alarm;
  std::string text;  // which certificate, the date, what follows and what to do
};

// What somebody should be told of it at `now`, if anything.
std::optional<CertificateWarning> WarningOf(const CertificateDates& dates, absl::Time now);

// The certificates of both files. INVALID_ARGUMENT naming the file that cannot be read, has more
// than 1 MiB, is not PEM, or whose key does not belong to the certificate; a certificate that has
// expired, is not for TLS servers, or names no host; and authorities that have all expired. Whether
// analysts trust its CA is known to them alone.
absl::StatusOr<std::vector<CertificateDates>> CheckTlsFiles(const v1::TlsFiles& files);

class ServerCredentials {
 public:
  using Verifier = std::shared_ptr<grpc::experimental::CertificateVerifier>;

  // Fails as CheckTlsFiles does. `log` must outlive this. On the watching thread are called:
  // `on_new_ca` once no connection begins any more by what client_ca was; `end` once a file could
  // not be read twice in a row, five seconds apart, and where the wall clock was set back.
  static absl::StatusOr<std::unique_ptr<ServerCredentials>> Create(const v1::TlsFiles& files,
                                                                   const Verifier& verifier,
                                                                   EventLog* log,
                                                                   std::function<void()> on_new_ca,
                                                                   std::function<void()> end);
  ~ServerCredentials();

  std::shared_ptr<grpc::ServerCredentials> Get() const { return credentials_; }

 private:
  ServerCredentials(const v1::TlsFiles& files, const Verifier& verifier,
                    std::vector<CertificateDates> dates, EventLog* log,
                    std::function<void()> on_new_ca, std::function<void()> end);
  void Watch();
  void LookAtDates();
  void LookAtCa();
  void LookWhetherReadable();
  void LookAtClock();
  void TellUnusable(const absl::Status& why);

  const v1::TlsFiles files_;
  EventLog* const log_;
  const std::function<void()> on_new_ca_;
  const std::function<void()> end_;
  std::string ca_;                                   // what client_ca was when it was read last
  int looks_until_new_ca_ = 0;                       // 0: it is none
  int unreadable_looks_ = 0;                         // in a row
  std::vector<CertificateDates> dates_;              // of what was read last
  absl::Time began_ = absl::InfinitePast();          // when SteadyNow was 0, by the wall clock
  absl::Duration told_ = -absl::InfiniteDuration();  // by SteadyNow
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  base::SteadyNotification stop_;
  std::thread watcher_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_SERVER_CREDENTIALS_H_
