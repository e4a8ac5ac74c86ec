#include "server/gate/peer_certificate.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

namespace topicwall::server {
namespace {

template <typename T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
using Bio = std::unique_ptr<BIO, Freer<BIO, BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
using Number = std::unique_ptr<BIGNUM, Freer<BIGNUM, BN_free>>;

// For the log alone: a certificate without a serial number that can be shown is no reason to refuse
// anybody.
std::string SerialOf(const X509& certificate) {
  const Number number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(&certificate), nullptr));
  char* const digits = number == nullptr ? nullptr : BN_bn2hex(number.get());
  const std::string serial = digits == nullptr ? "" : digits;
  OPENSSL_free(digits);
  return serial;
}

// TLS has verified it; what is not readable here is refused all the same, for without its end
// nobody could say when the connection has to end.
absl::StatusOr<PeerCertificate> Parse(absl::string_view pem) {
  const absl::Status unreadable = absl::UnauthenticatedError(
      "the client certificate cannot be read; ask the custodian for a new one");
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (bio == nullptr) return unreadable;
  const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return unreadable;
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) return unreadable;
  return PeerCertificate{.serial = SerialOf(*certificate),
                         .not_after = absl::FromTM(end, absl::UTCTimeZone())};
}

}  // namespace

absl::StatusOr<PeerCertificate> PeerCertificates::Read(absl::string_view pem) {
  {
    absl::MutexLock lock(&mutex_);
    const auto found = known_.find(pem);
    if (found != known_.end()) return found->second;
  }
  // Without the lock: calls whose certificates are known must not wait for one that is parsed.
  absl::StatusOr<PeerCertificate> certificate = Parse(pem);
  if (!certificate.ok()) return certificate;
  absl::MutexLock lock(&mutex_);
  // There are as many as the custodian issued. More: those in use are soon known again.
  if (known_.size() >= kMostRemembered) known_.clear();
  known_.emplace(pem, *certificate);
  return certificate;
}

}  // namespace topicwall::server
