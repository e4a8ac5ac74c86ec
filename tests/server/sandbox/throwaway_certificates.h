// Certificates for one test: an authority, a server on 127.0.0.1 and a few principals.
//
//   TW_ASSIGN_OR_RETURN(auto authority, ThrowawayAuthority::Create());
//   TW_ASSIGN_OR_RETURN(PemPair server, authority->IssueServer());
//   TW_ASSIGN_OR_RETURN(PemPair alice, authority->IssueClient("spiffe://topicwall/audit/alice"));
//
// ECDSA P-256, valid for ten days. The authority's key never leaves memory, so that nobody
// else can connect to a test's gate. Errors: INTERNAL if OpenSSL fails. Threads: one.
#ifndef TOPICWALL_TESTS_SERVER_SANDBOX_THROWAWAY_CERTIFICATES_H_
#define TOPICWALL_TESTS_SERVER_SANDBOX_THROWAWAY_CERTIFICATES_H_

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace topicwall::sandbox {

// PEM texts.
struct PemPair {
  std::string certificate;
  std::string private_key;
};

class ThrowawayAuthority {
 public:
  static absl::StatusOr<std::unique_ptr<ThrowawayAuthority>> Create();

  // Of the authority, for both sides to trust.
  const std::string& certificate() const { return pem_; }

  absl::StatusOr<PemPair> IssueServer() const;
  // `uri` is who the client is.
  absl::StatusOr<PemPair> IssueClient(const std::string& uri) const;

 private:
  struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  struct FreeCertificate {
    void operator()(X509* certificate) const { X509_free(certificate); }
  };
  using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
  using Certificate = std::unique_ptr<X509, FreeCertificate>;

  ThrowawayAuthority(Key key, Certificate certificate, std::string pem)
      : key_(std::move(key)), certificate_(std::move(certificate)), pem_(std::move(pem)) {}
  // A certificate for `subject`, not signed yet. Null if OpenSSL fails.
  static Certificate Draft(EVP_PKEY* subject, const char* name);
  absl::StatusOr<PemPair> Issue(const char* name, const char* usage,
                                const std::string& alternative_name) const;

  const Key key_;
  const Certificate certificate_;
  const std::string pem_;
};

}  // namespace topicwall::sandbox

#endif  // TOPICWALL_TESTS_SERVER_SANDBOX_THROWAWAY_CERTIFICATES_H_
